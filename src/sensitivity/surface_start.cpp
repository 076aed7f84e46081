#include "sensitivity/surface_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace saltus::sensitivity {
namespace {

// The moved run on the side that the run does not take.
struct OtherSide {
  bool exists = false;
  bool has_rates = false;
  GuardMotion motion;
  std::vector<double> rates;
};

class SurfaceStart {
 public:
  SurfaceStart(const FieldSource& source, StretchField& field, const InstantPoint& point,
               std::span<const double> values)
      : source_(source),
        field_(field),
        point_(point),
        values_(values),
        time_direction_(source.options.stop >= source.options.start ? 1.0 : -1.0) {}

  // The run leaves its surface with ġ = 0, and the other side has other rates.
  bool leaves_along(Index guard) {
    const double side = field_.facts().configuration.latched[static_cast<std::size_t>(guard)];
    if (std::abs(side) != 1.0 || !field_.locked().watches(guard)) {
      return false;
    }
    const GuardMotion motion = motion_of(source_, field_, guard, point_);
    if (!motion.problem.empty() || !motion.grazes) {
      return false;
    }
    const OtherSide other = other_side(guard, side);
    for (std::size_t i = 0; i < other.rates.size() && other.has_rates; ++i) {
      const double size =
          std::max({std::abs(other.rates[i]), std::abs(point_.rates[i]), field_.nominal()[i]});
      if (std::abs(other.rates[i] - point_.rates[i]) > agreement(field_) * size) {
        return true;
      }
    }
    return !other.has_rates;
  }

  // False: undefined.
  bool leave(std::size_t k, std::vector<double>& s) {
    const Column& column = source_.setup.columns[k];
    std::vector<double> plus(field_.n_states());
    std::vector<double> minus(field_.n_states());
    const bool has_plus = move(column, k, 1.0, plus);
    const bool has_minus = move(column, k, -1.0, minus);
    const bool are_same = has_plus && has_minus && are_same_states(k, plus, minus);
    const bool takes_minus = source_.setup.side == Side::minus;
    if (!are_same && (source_.setup.side == Side::none || !(takes_minus ? has_minus : has_plus))) {
      return false;
    }
    for (std::size_t i = 0; i < plus.size(); ++i) {
      s[i * source_.n_columns() + k] = takes_minus ? minus[i] : plus[i];
    }
    return true;
  }

 private:
  // S of one direction; false: there is none.
  bool move(const Column& column, std::size_t k, double sign, std::vector<double>& s) {
    const std::size_t n = source_.n_columns();
    for (std::size_t i = 0; i < s.size(); ++i) {
      s[i] = point_.s[i * n + k];
    }
    int n_crossed = 0;
    for (const Index guard : column.leaves) {
      const double side = field_.facts().configuration.latched[static_cast<std::size_t>(guard)];
      if (!field_.locked().watches(guard)) {
        continue;
      }
      const GuardMotion motion = motion_of(source_, field_, guard, point_);
      double value = 0.0;
      const bool is_on_surface =
          motion.problem.empty() && std::abs(side) == 1.0 &&
          field_.evaluator().guards({&guard, 1}, point_.t, point_.x, {&value, 1}).ok() &&
          std::abs(value) <= motion.error;
      if (!is_on_surface) {
        return false;
      }
      if (sign * motion.tangents[k] * side > 0.0) {
        continue;
      }
      const OtherSide other = other_side(guard, side);
      const double sigma = other.exists ? -other.motion.tangents[k] / other.motion.rate : 0.0;
      if (!other.exists || ++n_crossed > 1 || !(time_direction_ * sign * sigma > 0.0)) {
        return false;
      }
      for (std::size_t i = 0; i < s.size(); ++i) {
        s[i] += (other.rates[i] - point_.rates[i]) * sigma;
      }
    }
    return true;
  }

  OtherSide other_side(Index guard, double side) {
    OtherSide other;
    system::Configuration configuration = field_.facts().configuration;
    configuration.latched[static_cast<std::size_t>(guard)] = -side;
    other.rates.resize(field_.n_states());
    field_.evaluator().set_configuration(configuration);
    other.has_rates = field_.evaluator().rhs(point_.t, point_.x, other.rates).ok();
    if (field_.is_exact() && other.has_rates) {
      InstantPoint there = point_;
      there.rates = other.rates;
      other.motion = motion_of(source_, field_, guard, there);
      other.exists = other.motion.problem.empty() && !other.motion.grazes &&
                     side * time_direction_ * other.motion.rate > 0.0 && have_same_truths(configuration);
    }
    field_.evaluator().set_configuration(field_.facts().configuration);
    return other;
  }

  // Whether clauses, transitions and discrete equations read the same on both sides.
  bool have_same_truths(const system::Configuration& other) {
    if (!source_.system.has_rounds()) {
      return true;
    }
    const auto rounds = source_.system.rounds(field_.facts().structure);
    if (!rounds) {
      return false;
    }
    const std::vector<std::uint8_t> nothing(source_.system.actions().size(), 0);
    const std::vector<std::uint8_t> no_clock(static_cast<std::size_t>(source_.system.n_clocks()), 0);
    system::RoundInputs inputs;
    inputs.t = point_.t;
    inputs.previous = values_;
    inputs.x_previous = point_.x;
    inputs.fired = nothing;
    inputs.clocks = no_clock;
    inputs.keeps_states = true;
    system::RoundSolution here;
    system::RoundSolution there;
    (*rounds)->prepare(here);
    (*rounds)->prepare(there);
    inputs.configuration = &field_.facts().configuration;
    const bool is_known = (*rounds)->solve(inputs, here).ok();
    inputs.configuration = &other;
    return is_known && (*rounds)->solve(inputs, there).ok() && here.triggers == there.triggers &&
           here.discrete == there.discrete;
  }

  [[nodiscard]] bool are_same_states(std::size_t k, const std::vector<double>& a,
                                     const std::vector<double>& b) const {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double size =
          std::max({std::abs(a[i]), std::abs(b[i]), field_.nominal()[i] / source_.setup.columns[k].size});
      if (!(std::abs(a[i] - b[i]) <= agreement(field_) * size)) {
        return false;
      }
    }
    return true;
  }

  const FieldSource& source_;
  StretchField& field_;
  const InstantPoint& point_;
  std::span<const double> values_;
  double time_direction_;
};

}  // namespace

StartLeft leave_surfaces(const FieldSource& source, StretchField& field, const system::Configuration& before,
                         InstantPoint point, std::vector<double>& s) {
  StartLeft left;
  left.undefined.resize(source.n_columns(), false);
  const std::vector<system::GuardInfo>& guards = source.system.guards();
  const auto is_on = [&](std::size_t g) {
    return before.latched[g] == 0.0 && guards[g].kind == system::GuardInfo::Kind::relation;
  };
  bool is_any = false;
  for (std::size_t g = 0; g < guards.size(); ++g) {
    is_any = is_any || is_on(g);
  }
  if (!is_any) {
    return left;
  }
  std::vector<double> rates(point.x.size());
  std::vector<double> values(source.system.variables().size());
  const bool has_values = field.facts().surfaces.empty() &&
                          field.evaluator().rhs(point.t, point.x, rates).ok() &&
                          field.evaluator().outputs(point.t, point.x, values).ok();
  point.rates = rates;
  SurfaceStart start(source, field, point, values);
  const auto name_of = [&](std::size_t g) {
    return guards[g].condition.empty() ? guards[g].text : guards[g].condition;
  };
  for (std::size_t g = 0; g < guards.size() && has_values; ++g) {
    if (is_on(g) && start.leaves_along(static_cast<Index>(g))) {
      left.undefined.assign(source.n_columns(), true);
      left.problem = fmt::format("the start is on the surface of '{}' and leaves it along it", name_of(g));
      return left;
    }
  }
  std::vector<double> moved = s;
  for (std::size_t k = 0; k < left.undefined.size(); ++k) {
    const std::vector<Index>& leaves = source.setup.columns[k].leaves;
    left.undefined[k] = !leaves.empty() && !(has_values && start.leave(k, moved));
    if (left.undefined[k] && left.problem.empty()) {
      left.problem = fmt::format("at the start '{}' has another side beside this value",
                                 name_of(static_cast<std::size_t>(leaves.front())));
    }
  }
  s = std::move(moved);
  return left;
}

}  // namespace saltus::sensitivity
