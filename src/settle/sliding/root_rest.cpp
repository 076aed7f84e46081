#include "settle/sliding/root_rest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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
// Bounds of the roundings of a guard by which it may miss its surface after them, and is put in front of it.
constexpr double kSurfaceRoundings = 4.0;
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

bool RootRest::decide(std::span<const Index> zero, bool has_left) {
  has_left_ = has_left;
  if (zero.empty() || !gather(zero)) {
    return false;
  }
  do {
    forget_joined();
    do {
      if (!move_onto_surfaces()) {
        give(state_.at.configuration());
        return false;
      }
    } while (has_joined());
    if (!evaluate()) {
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
    Member member{.guard = guard, .is_zero = is_zero};
    if (!is_asked(guard) || !evaluator.guards({&guard, 1}, state_.at.time(), x_, {&value, 1}).ok() ||
        !evaluator.guard_gradient(guard, state_.at.time(), x_, gradient_, member.time_slope).ok()) {
      continue;
    }
    asked_.push_back(guard);
    member.reach = kRestReach * locate::allowed_error(tolerances, gradient_, x_, x_);
    // What stayed zero may be off by its reach.
    member.is_off = is_zero && state_.at.latched(guard) == 0.0 && !is_within_rounding(guard);
    if (is_zero || (!has_left_ && std::abs(value) <= member.reach)) {
      join(member);
    }
  }
  n_gathered_ = members_.size();
  const auto n_asked =
      std::count_if(members_.begin(), members_.end(), [](const Member& member) { return member.is_zero; });
  return static_cast<std::size_t>(n_asked) == zero.size();
}

// With the slopes in gradient_.
void RootRest::join(Member member) {
  member.first = slopes_.size();
  for (std::size_t i = 0; i < gradient_.size(); ++i) {
    if (gradient_[i] != 0.0) {
      slopes_.push_back({i, gradient_[i]});
    }
  }
  member.last = slopes_.size();
  members_.push_back(member);
}

// Another set may not bring them there.
void RootRest::forget_joined() {
  members_.resize(n_gathered_);
  std::for_each(members_.begin(), members_.end(), [](Member& member) { member.is_brought = false; });
}

// Guards that others have brought onto their surfaces with them (p1 = p4 and p2 = p4 put p1 - p2 onto its own): what rounding leaves of them is
// no side. True: there were some.
bool RootRest::has_joined() {
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  const integrate::Tolerances& tolerances = state_.at.mode().engine->stepper().tolerances();
  const std::size_t n_before = members_.size();
  bool has_changed = false;
  for (Member& member : members_) {
    if (!member.is_on_surface() && is_within_rounding(member.guard)) {
      member.is_brought = true;
      has_changed = true;
    }
  }
  for (const Index guard : asked_) {
    Member member{.guard = guard, .is_brought = true, .rests = false};
    const auto is_it = [guard](const Member& other) { return other.guard == guard; };
    if (std::any_of(members_.begin(), members_.end(), is_it) || !is_within_rounding(guard) ||
        !evaluator.guard_gradient(guard, state_.at.time(), x_, gradient_, member.time_slope).ok()) {
      continue;
    }
    member.reach = kRestReach * locate::allowed_error(tolerances, gradient_, x_, x_);
    join(member);
  }
  return has_changed || members_.size() > n_before;
}

double RootRest::value_of(Index guard) {
  double value = 0.0;
  return state_.at.mode().evaluator->guards({&guard, 1}, state_.at.time(), x_, {&value, 1}).ok()
             ? value
             : std::numeric_limits<double>::quiet_NaN();
}

bool RootRest::is_within_rounding(Index guard) {
  const double noise = state_.at.mode().evaluator->guard_noise(guard, state_.at.time(), x_);
  return std::abs(value_of(guard)) <= kSurfaceRoundings * noise;
}

// x_: the states with all that rests, and what is zero and moves on from there, on its surface.
bool RootRest::move_onto_surfaces() {
  system::Evaluator& evaluator = *state_.at.mode().evaluator;
  x_.assign(state_.at.x().begin(), state_.at.x().end());
  on_surfaces_.clear();
  for (const Member& member : members_) {
    if (member.is_on_surface()) {
      on_surfaces_.push_back(member.guard);
    }
  }
  values_.resize(on_surfaces_.size());
  for (int k = 0; k < kCorrections && !on_surfaces_.empty(); ++k) {
    if (!evaluator.guards(on_surfaces_, state_.at.time(), x_, values_).ok()) {
      return false;
    }
    if (std::all_of(values_.begin(), values_.end(), [](double value) { return value == 0.0; })) {
      break;
    }
    least_change(values_);
  }
  return true;
}

// x_ ← x_ - W Gᵀ y, G W Gᵀ y = values; W: squares of nominal values, G: slopes of what is on its surface. Rows may repeat each
// other: the system is consistent up to roundings, which is all that conjugate gradients need [HS52] as long as they end there.
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
      if (member.is_on_surface()) {
        action(row++, std::span(slopes_).subspan(member.first, member.last - member.first));
      }
    }
  };
  double square = std::inner_product(residual_.begin(), residual_.end(), residual_.begin(), 0.0);
  double least = kSquareOfRounding * square;
  for (const Index guard : on_surfaces_) {
    const double noise = state_.at.mode().evaluator->guard_noise(guard, state_.at.time(), x_);
    least += noise * noise;
  }
  for (std::size_t turn = 0; turn < 2 * n && square > least; ++turn) {
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
    double& latched = tried_.latched[static_cast<std::size_t>(member.guard)];
    if (member.is_on_surface()) {
      latched = 0.0;
    } else if (member.is_off) {
      latched = value_of(member.guard) > 0.0 ? 1.0 : -1.0;
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

// In nominal values.
double RootRest::square_of_slopes(const Member& member) const {
  const std::vector<double>& nominal = state_.at.mode().engine->nominal();
  double square = 0.0;
  for (std::size_t k = member.first; k < member.last; ++k) {
    square += std::pow(slopes_[k].value * nominal[slopes_[k].state], 2);
  }
  return square;
}

// Whether its own root leads the guard back before it has left its reach.
bool RootRest::is_led_back(const Member& member) {
  const std::vector<double>& nominal = state_.at.mode().engine->nominal();
  const double side = state_.direction() * member.rate > 0.0 ? 1.0 : -1.0;
  const double square = square_of_slopes(member);
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
    const bool rests =
        rate * run <= member.reach ||
        (!has_left_ && rate * kRestMoment * run <= member.reach && member.rests && is_led_back(member));
    if (member.is_brought) {
      member.rests = rate * run <= member.reach;  // it is there with the others in any case
    } else if (member.rests && !rests) {
      member.rests = false;
      has_dropped = true;
    }
  }
  return has_dropped;
}

// What is zero and moves on has values on the side to which it moves alone: roundings that x_ leaves of it must not be behind its surface.
// One after the other, as sides may contradict each other by roundings.
void RootRest::step_off_surfaces() {
  const std::vector<double>& nominal = state_.at.mode().engine->nominal();
  for (int turn = 0; turn < kCorrections; ++turn) {
    bool has_moved = false;
    for (const Member& member : members_) {
      const double side = tried_.latched[static_cast<std::size_t>(member.guard)];
      const double value = value_of(member.guard);
      const double noise = state_.at.mode().evaluator->guard_noise(member.guard, state_.at.time(), x_);
      if (member.rests || !member.is_on_surface() || !(side * value < 0.0)) {
        continue;
      }
      const double way = (side * kSurfaceRoundings * noise - value) / square_of_slopes(member);
      for (std::size_t k = member.first; k < member.last; ++k) {
        const std::size_t i = slopes_[k].state;
        x_[i] += way * slopes_[k].value * nominal[i] * nominal[i];
      }
      has_moved = true;
    }
    if (!has_moved) {
      return;
    }
  }
}

void RootRest::accept() {
  for (const Member& member : members_) {
    if (member.is_on_surface() && !member.rests) {
      tried_.latched[static_cast<std::size_t>(member.guard)] =
          state_.direction() * member.rate > 0.0 ? 1.0 : -1.0;
    }
    if (member.rests) {
      state_.roots.hold(member.guard, member.reach);
    } else if (member.is_on_surface()) {
      state_.roots.put(member.guard, 0.0);
    }
  }
  step_off_surfaces();
  for (const Index guard : asked_) {
    if (const double side = tried_.latched[static_cast<std::size_t>(guard)];
        side != state_.at.latched(guard)) {
      state_.set_latched(guard, side);
    }
  }
  if (!std::equal(x_.begin(), x_.end(), state_.at.x().begin())) {
    state_.at.move({Factor::Kind::onto_root, on_surfaces_.empty() ? -1 : on_surfaces_.front()}, x_);
  }
  give(state_.at.configuration());
}

}  // namespace saltus::settle
