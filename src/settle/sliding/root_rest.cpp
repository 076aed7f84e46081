#include "settle/sliding/root_rest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "locate/step_ranges.hpp"

namespace saltus::settle {
namespace {

// Part of what the error test allows within which a guard counts as zero: its valve is shut for differences that no one can see. The rest of
// the run must not make more of it.
constexpr double kRestReach = 1e-3;
// Part of the run within which what moves leaves its reach.
constexpr double kRestMoment = 1e-5;
// Corrections of states onto the surfaces; most guards are affine and need one, and one for rounding.
constexpr int kCorrections = 3;
// Square of what is left of the first residual when conjugate gradients have nothing but rounding before them.
constexpr double kSquareOfRounding = 1e-32;

}  // namespace

bool RootRest::is_asked(Index guard) const {
  const system::GuardInfo& info = state_.guard(guard);
  if (!info.has_root || info.kind != system::GuardInfo::Kind::relation || info.is_scheduled ||
      state_.at.partner() != nullptr || state_.at.is_slid_on(guard)) {
    return false;
  }
  const auto sides = state_.at.mode().evaluator->guard_sides(guard);
  return sides && sides->empty();
}

bool RootRest::decide(std::span<const Index> zero) {
  if (zero.empty() || !gather(zero)) {
    return false;
  }
  do {
    if (!move_onto_surfaces() || !evaluate()) {
      give(state_.at.configuration());
      return false;
    }
  } while (drop_moving());
  accept();
  return true;
}

void RootRest::give(const system::Configuration& configuration) {
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  evaluator.set_configuration(configuration);
  for (const Index surface : state_.at.surfaces()) {
    evaluator.set_latched(surface, configuration.latched[static_cast<std::size_t>(surface)]);
  }
}

// Those asked for and those near.
bool RootRest::gather(std::span<const Index> zero) {
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  const integrate::Tolerances& tolerances = state_.at.mode().engine->stepper().tolerances();
  const std::vector<Index>& guards = state_.at.mode().searched;
  x_.assign(state_.at.x().begin(), state_.at.x().end());
  xdot_.resize(x_.size());
  gradient_.resize(x_.size());
  members_.clear();
  slopes_.clear();
  asked_.clear();
  give(state_.at.configuration());
  for (const Index guard : guards) {
    const bool is_zero = std::find(zero.begin(), zero.end(), guard) != zero.end();
    double value = 0.0;
    Member member{.guard = guard, .is_zero = is_zero, .first = slopes_.size()};
    if (!is_asked(guard) || !evaluator.guards({&guard, 1}, state_.at.time(), x_, {&value, 1}).ok() ||
        !evaluator.guard_gradient(guard, state_.at.time(), x_, gradient_, member.time_slope).ok()) {
      continue;
    }
    asked_.push_back(guard);
    member.reach = kRestReach * locate::allowed_error(tolerances, gradient_, x_, x_);
    if (!is_zero && !(std::abs(value) <= member.reach)) {
      continue;
    }
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      if (gradient_[i] != 0.0) {
        slopes_.push_back({i, gradient_[i]});
      }
    }
    member.last = slopes_.size();
    members_.push_back(member);
  }
  const auto n_asked =
      std::count_if(members_.begin(), members_.end(), [](const Member& member) { return member.is_zero; });
  return static_cast<std::size_t>(n_asked) == zero.size();
}

// x_: the states with all that rests on its surface.
bool RootRest::move_onto_surfaces() {
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  x_.assign(state_.at.x().begin(), state_.at.x().end());
  resting_.clear();
  for (const Member& member : members_) {
    if (member.rests) {
      resting_.push_back(member.guard);
    }
  }
  values_.resize(resting_.size());
  for (int k = 0; k < kCorrections && !resting_.empty(); ++k) {
    if (!evaluator.guards(resting_, state_.at.time(), x_, values_).ok()) {
      return false;
    }
    if (std::all_of(values_.begin(), values_.end(), [](double value) { return value == 0.0; })) {
      break;
    }
    least_change(values_);
  }
  return true;
}

// x_ ← x_ - W Gᵀ y, G W Gᵀ y = values; W: squares of nominal values, G: slopes of what rests. Rows may repeat each other: the system is
// consistent, which is all that conjugate gradients need [HS52].
void RootRest::least_change(std::span<const double> values) {
  const std::vector<double>& nominal = state_.at.mode().engine->nominal();
  const std::size_t n = values.size();
  residual_.assign(values.begin(), values.end());
  direction_ = residual_;
  image_.resize(n);
  along_.resize(x_.size());
  const auto each_row = [this](const auto& action) {
    std::size_t row = 0;
    for (const Member& member : members_) {
      if (member.rests) {
        action(row++, std::span(slopes_).subspan(member.first, member.last - member.first));
      }
    }
  };
  double square = std::inner_product(residual_.begin(), residual_.end(), residual_.begin(), 0.0);
  const double first = square;
  for (std::size_t turn = 0; turn < 2 * n && square > kSquareOfRounding * first; ++turn) {
    std::fill(along_.begin(), along_.end(), 0.0);
    each_row([&](std::size_t row, std::span<const Slope> slopes) {
      for (const Slope& slope : slopes) {
        along_[slope.state] += slope.value * nominal[slope.state] * nominal[slope.state] * direction_[row];
      }
    });
    each_row([&](std::size_t row, std::span<const Slope> slopes) {
      image_[row] = 0.0;
      for (const Slope& slope : slopes) {
        image_[row] += slope.value * along_[slope.state];
      }
    });
    const double curvature = std::inner_product(direction_.begin(), direction_.end(), image_.begin(), 0.0);
    if (!(curvature > 0.0)) {
      return;
    }
    const double length = square / curvature;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x_[i] -= length * along_[i];
    }
    for (std::size_t row = 0; row < n; ++row) {
      residual_[row] -= length * image_[row];
    }
    const double next = std::inner_product(residual_.begin(), residual_.end(), residual_.begin(), 0.0);
    for (std::size_t row = 0; row < n; ++row) {
      direction_[row] = residual_[row] + next / square * direction_[row];
    }
    square = next;
  }
}

// tried_: sides at x_. What rests or is zero has none; others may have come to their other side with it.
bool RootRest::take_sides() {
  tried_ = state_.at.configuration();
  values_.resize(asked_.size());
  if (!state_.at.mode().evaluator->guards(asked_, state_.at.time(), x_, values_).ok()) {
    return false;
  }
  for (std::size_t k = 0; k < asked_.size(); ++k) {
    double& latched = tried_.latched[static_cast<std::size_t>(asked_[k])];
    latched = values_[k] * latched < 0.0 ? -latched : latched;
  }
  for (const Member& member : members_) {
    if (member.rests || member.is_zero) {
      tried_.latched[static_cast<std::size_t>(member.guard)] = 0.0;
    }
  }
  give(tried_);
  return true;
}

// Rates of all members, roots of those that rest or are zero being those of their surfaces.
bool RootRest::evaluate() {
  if (!take_sides() || !state_.at.mode().evaluator->rhs(state_.at.time(), x_, xdot_).ok()) {
    return false;
  }
  for (Member& member : members_) {
    member.rate = rate_of(member);
  }
  return true;
}

double RootRest::rate_of(const Member& member) const {
  double rate = member.time_slope;
  for (std::size_t k = member.first; k < member.last; ++k) {
    rate += slopes_[k].value * xdot_[slopes_[k].state];
  }
  return rate;
}

// Whether its own root leads the guard back before it has left its reach.
bool RootRest::is_led_back(const Member& member) {
  const std::vector<double>& nominal = state_.at.mode().engine->nominal();
  const double side = state_.direction() * member.rate > 0.0 ? 1.0 : -1.0;
  double square = 0.0;
  for (std::size_t k = member.first; k < member.last; ++k) {
    square += std::pow(slopes_[k].value * nominal[slopes_[k].state], 2);
  }
  beside_ = x_;
  for (std::size_t k = member.first; k < member.last; ++k) {
    const std::size_t i = slopes_[k].state;
    beside_[i] += side * member.reach / square * slopes_[k].value * nominal[i] * nominal[i];
  }
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  evaluator.set_latched(member.guard, side);
  const bool is_known = evaluator.rhs(state_.at.time(), beside_, xdot_).ok();
  const double rate = rate_of(member);
  give(tried_);
  return is_known && side * state_.direction() * rate <= 0.0;
}

// What moves does not rest. True: there was some.
bool RootRest::drop_moving() {
  const double run = std::abs(state_.options().stop - state_.options().start);
  bool has_dropped = false;
  for (Member& member : members_) {
    const double rate = std::abs(member.rate);
    const bool rests = rate * run <= member.reach ||
                       (rate * kRestMoment * run <= member.reach && member.rests && is_led_back(member));
    if (member.rests && !rests) {
      member.rests = false;
      has_dropped = true;
    }
  }
  return has_dropped;
}

void RootRest::accept() {
  for (const Member& member : members_) {
    if (member.is_zero && !member.rests) {
      tried_.latched[static_cast<std::size_t>(member.guard)] =
          state_.direction() * member.rate > 0.0 ? 1.0 : -1.0;
    }
    if (member.rests) {
      state_.roots.hold(member.guard, member.reach);
    } else if (member.is_zero) {
      state_.roots.put(member.guard, 0.0);
    }
  }
  for (const Index guard : asked_) {
    if (const double side = tried_.latched[static_cast<std::size_t>(guard)];
        side != state_.at.latched(guard)) {
      state_.set_latched(guard, side);
    }
  }
  if (!std::equal(x_.begin(), x_.end(), state_.at.x().begin())) {
    state_.at.move({Factor::Kind::onto_root, resting_.empty() ? -1 : resting_.front()}, x_);
  }
  give(state_.at.configuration());
}

}  // namespace saltus::settle
