#include "sensitivity/instant/crossing_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace saltus::sensitivity {
namespace {

// One column whose parameter moves to one direction.
struct Mover {
  std::size_t column = 0;
  double sign = 1.0;
};

// What is found for it.
struct Found {
  bool exists = false;
  std::vector<double> s;      // by state
  std::vector<double> sigma;  // by guard
};

class FirstOrderRuns {
 public:
  FirstOrderRuns(const FieldSource& source, StretchField& field, const system::Configuration& after,
                 std::span<const Index> guards, const InstantPoint& point)
      : source_(source),
        field_(field),
        after_(after),
        guards_(guards),
        point_(point),
        time_direction_(source.options.stop >= source.options.start ? 1.0 : -1.0),
        found_(2 * source.n_columns()) {
    const system::Configuration& before = field.facts().configuration;
    for (const Index guard : guards) {
      const auto g = static_cast<std::size_t>(guard);
      towards_.push_back(after_.latched[g] > before.latched[g]   ? 1.0
                         : after_.latched[g] < before.latched[g] ? -1.0
                                                                 : 0.0);
    }
    Node root;
    root.configuration = before;
    root.s.assign(point.s.begin(), point.s.end());
    root.sigma.assign(source.n_columns(), 0.0);
    root.sigmas.assign(guards.size(), root.sigma);
    root.has_crossed.assign(guards.size(), false);
    for (std::size_t k = 0; k < source.n_columns(); ++k) {
      // Its twins know the sides after the instant only.
      if (!source.setup.columns[k].moves_zero) {
        root.movers.push_back({k, 1.0});
        root.movers.push_back({k, -1.0});
      }
    }
    const bool can_be = field.is_exact() && set(root.configuration, root.rates, values_before_) &&
                        std::none_of(towards_.begin(), towards_.end(), [](double to) { return to == 0.0; });
    if (can_be) {
      follow(root);
    }
    field.evaluator().set_configuration(before);
  }

  [[nodiscard]] const Found& found(std::size_t column, double sign) const {
    return found_[2 * column + (sign > 0.0 ? 0 : 1)];
  }

 private:
  // After some of the guards have crossed, in one order.
  struct Node {
    system::Configuration configuration;
    std::vector<double> rates;
    std::vector<double> s;                    // [state][column]
    std::vector<double> sigma;                // of the last crossing, by column
    std::vector<std::vector<double>> sigmas;  // of each guard
    std::vector<bool> has_crossed;
    std::vector<Mover> movers;  // whose moved runs come here
    bool is_root = true;
  };

  // What crosses next, and whether at the time of the crossing before.
  struct Next {
    std::vector<bool> crosses;
    double sigma = 0.0;
  };

  bool set(const system::Configuration& configuration, std::vector<double>& rates,
           std::vector<double>& values) {
    field_.evaluator().set_configuration(configuration);
    rates.resize(point_.x.size());
    values.resize(guards_.size());
    return field_.evaluator().rhs(point_.t, point_.x, rates).ok() &&
           field_.evaluator().guards(guards_, point_.t, point_.x, values).ok();
  }

  // Values of a guard that count as zero: what tolerances and rounding leave of it, and what it moves by in a small part of a step.
  [[nodiscard]] double noise_of(const GuardMotion& motion, Index guard) const {
    return std::max({motion.error, field_.evaluator().guard_noise(guard, point_.t, point_.x),
                     agreement(field_) * std::abs(motion.rate * point_.time_size)});
  }

  [[nodiscard]] double slack_at(const GuardMotion& motion, double sigma, std::size_t k) const {
    const double terms = std::max(std::abs(motion.tangents[k]), std::abs(motion.rate * sigma));
    return slack_of(source_, field_, terms, motion.error, k);
  }

  // Of the guard beyond its surface, to the new side, at the time `sigma`, over ε.
  [[nodiscard]] double beyond(const GuardMotion& motion, std::size_t g, const Mover& mover,
                              double sigma) const {
    return towards_[g] * mover.sign * (motion.tangents[mover.column] + motion.rate * sigma);
  }

  void follow(const Node& node) {
    std::vector<double> rates;
    std::vector<double> values;
    if (!set(node.configuration, rates, values)) {
      return;
    }
    InstantPoint here = point_;
    here.rates = node.rates;
    here.s = node.s;
    std::vector<GuardMotion> motions;
    for (std::size_t g = 0; g < guards_.size(); ++g) {
      motions.push_back(motion_of(source_, field_, guards_[g], here));
      if (!motions.back().problem.empty()) {
        return;
      }
    }
    std::vector<std::pair<std::vector<bool>, Node>> children;
    for (const Mover& mover : node.movers) {
      if (!node.is_root && !are_sides_kept(node, motions, values, mover, false)) {
        continue;
      }
      const std::optional<Next> next = next_of(node, motions, values, mover);
      if (!next) {
        continue;
      }
      auto child = std::find_if(children.begin(), children.end(),
                                [&](const auto& known) { return known.first == next->crosses; });
      if (child == children.end()) {
        child = children.emplace(child, next->crosses, child_of(node, next->crosses));
      }
      child->second.sigma[mover.column] = next->sigma;
      child->second.movers.push_back(mover);
    }
    for (auto& [crosses, child] : children) {
      enter(node, crosses, child);
    }
  }

  // Those that have crossed are on their new sides and, at the end, stay there.
  [[nodiscard]] bool are_sides_kept(const Node& node, const std::vector<GuardMotion>& motions,
                                    const std::vector<double>& values, const Mover& mover,
                                    bool is_last) const {
    for (std::size_t g = 0; g < guards_.size(); ++g) {
      if (!node.has_crossed[g]) {
        continue;
      }
      const double jump = towards_[g] * (values[g] - values_before_[g]);
      const double sigma = node.sigma[mover.column];
      const double noise = noise_of(motions[g], guards_[g]);
      const bool returns = towards_[g] * time_direction_ * motions[g].rate < 0.0 && !motions[g].grazes;
      if (jump > noise) {
        continue;
      }
      const double distance = beyond(motions[g], g, mover, sigma);
      const double slack = slack_at(motions[g], sigma, mover.column);
      if (jump < -noise || distance < -slack || (returns && (is_last || distance <= slack))) {
        return false;
      }
    }
    return true;
  }

  // None: one of them does not cross in this field.
  [[nodiscard]] std::optional<Next> next_of(const Node& node, const std::vector<GuardMotion>& motions,
                                            const std::vector<double>& values, const Mover& mover) const {
    const std::size_t k = mover.column;
    const double tolerance = agreement(field_);
    const double order = time_direction_ * mover.sign;
    std::vector<std::optional<double>> times(guards_.size());
    std::optional<double> first;
    for (std::size_t g = 0; g < guards_.size(); ++g) {
      if (node.has_crossed[g]) {
        continue;
      }
      const GuardMotion& motion = motions[g];
      const double jump = towards_[g] * (values[g] - values_before_[g]);
      const double noise = noise_of(motion, guards_[g]);
      const bool is_beyond = !node.is_root && (jump > noise || beyond(motion, g, mover, node.sigma[k]) >=
                                                                   -slack_at(motion, node.sigma[k], k));
      if (jump < -noise) {
        continue;
      }
      if (is_beyond) {
        times[g] = node.sigma[k];
      } else if (!motion.grazes && towards_[g] * time_direction_ * motion.rate > 0.0) {
        times[g] = motion.tangents[k] == 0.0 ? 0.0 : -motion.tangents[k] / motion.rate;
      }
      if (times[g] && (!first || order * *times[g] < order * *first)) {
        first = times[g];
      }
    }
    if (!first) {
      return std::nullopt;
    }
    Next next{std::vector<bool>(guards_.size(), false), *first};
    for (std::size_t g = 0; g < guards_.size(); ++g) {
      next.crosses[g] = times[g] && move_alike(source_, k, *times[g], *first, tolerance, point_.time_size);
    }
    return next;
  }

  [[nodiscard]] static Node child_of(const Node& node, const std::vector<bool>& crosses) {
    Node child = node;
    child.is_root = false;
    child.movers.clear();
    for (std::size_t g = 0; g < crosses.size(); ++g) {
      child.has_crossed[g] = node.has_crossed[g] || crosses[g];
    }
    return child;
  }

  void enter(const Node& node, const std::vector<bool>& crosses, Node& child) {
    const std::size_t n = source_.n_columns();
    const bool is_last =
        std::all_of(child.has_crossed.begin(), child.has_crossed.end(), [](bool has) { return has; });
    for (std::size_t g = 0; g < guards_.size(); ++g) {
      const auto i = static_cast<std::size_t>(guards_[g]);
      if (crosses[g]) {
        child.configuration.latched[i] = after_.latched[i];
        child.sigmas[g] = child.sigma;
      }
    }
    if (is_last) {
      child.configuration = after_;
    }
    std::vector<double> values;
    if (!set(child.configuration, child.rates, values)) {
      return;
    }
    for (std::size_t e = 0; e < child.s.size(); ++e) {
      const double sigma = child.sigma[e % n];
      child.s[e] += sigma == 0.0 ? 0.0 : (node.rates[e / n] - child.rates[e / n]) * sigma;
    }
    is_last ? conclude(child, values) : follow(child);
  }

  // All have crossed.
  void conclude(const Node& node, const std::vector<double>& values) {
    InstantPoint here = point_;
    here.rates = node.rates;
    here.s = node.s;
    std::vector<GuardMotion> motions;
    for (const Index guard : guards_) {
      motions.push_back(motion_of(source_, field_, guard, here));
      if (!motions.back().problem.empty()) {
        return;
      }
    }
    const std::size_t n = source_.n_columns();
    for (const Mover& mover : node.movers) {
      Found& found = found_[2 * mover.column + (mover.sign > 0.0 ? 0 : 1)];
      found.exists = are_sides_kept(node, motions, values, mover, true);
      for (std::size_t i = 0; i < point_.x.size(); ++i) {
        found.s.push_back(node.s[i * n + mover.column]);
      }
      for (std::size_t g = 0; g < guards_.size(); ++g) {
        found.sigma.push_back(node.sigmas[g][mover.column]);
      }
    }
  }

  const FieldSource& source_;
  StretchField& field_;
  const system::Configuration& after_;
  std::span<const Index> guards_;
  const InstantPoint& point_;
  double time_direction_;
  std::vector<double> towards_;  // by guard: the side it crosses to
  std::vector<double> values_before_;
  std::vector<Found> found_;  // [column][direction]
};

}  // namespace

std::string order_problem(const FieldSource& source, std::span<const Index> guards) {
  std::string names;
  for (const Index guard : guards) {
    if (static_cast<std::size_t>(guard) < source.system.guards().size()) {
      names +=
          (names.empty() ? "'" : ", '") + source.system.guards()[static_cast<std::size_t>(guard)].text + "'";
    }
  }
  return fmt::format("events happen together whose order depends on it: {}", names);
}

TogetherCrossed cross_together(const FieldSource& source, StretchField& field,
                               const system::Configuration& after, std::span<const Index> guards,
                               const InstantPoint& point) {
  const std::size_t n = source.n_columns();
  TogetherCrossed crossed{
      std::vector<double>(point.s.size(), 0.0),
      std::vector<std::vector<double>>(guards.size(), std::vector<double>(n, std::nan(""))),
      std::vector<bool>(n, false)};
  const bool are_guards = std::all_of(guards.begin(), guards.end(), [&source](Index guard) {
    return guard >= 0 && static_cast<std::size_t>(guard) < source.system.guards().size();
  });
  if (!are_guards || !field.facts().surfaces.empty()) {
    return crossed;
  }
  const FirstOrderRuns runs(source, field, after, guards, point);
  for (std::size_t k = 0; k < n; ++k) {
    const Found& plus = runs.found(k, 1.0);
    const Found& minus = runs.found(k, -1.0);
    const bool is_two_sided =
        plus.exists && minus.exists && agree_by_state(field, plus.s, minus.s, source.setup.columns[k].size);
    const Found& taken = source.setup.side == Side::minus ? minus : plus;
    crossed.is_defined[k] = is_two_sided || (source.setup.side != Side::none && taken.exists);
    if (!crossed.is_defined[k]) {
      continue;
    }
    for (std::size_t i = 0; i < taken.s.size(); ++i) {
      crossed.s[i * n + k] = taken.s[i];
    }
    for (std::size_t g = 0; g < guards.size(); ++g) {
      const bool is_known =
          source.setup.side != Side::none ||
          move_alike(source, k, plus.sigma[g], minus.sigma[g], agreement(field), point.time_size);
      crossed.sigma[g][k] = is_known ? taken.sigma[g] : std::nan("");
    }
  }
  return crossed;
}

}  // namespace saltus::sensitivity
