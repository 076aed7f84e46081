#include "api/model/homotopy_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "api/model/diagnostic_codes.hpp"
#include "program/compiled_model.hpp"
#include "program/guards/diagnostic_codes.hpp"
#include "program/guards/parameter_values.hpp"

namespace saltus::api {
namespace {

// Of λ: small enough that the solution before is near the next one for functions that bend a few times between the two.
constexpr double kLongestStep = 0.1;
constexpr double kShortestStep = kLongestStep / 256;

// A start of the model with some λ, and the system that it is one of.
struct HomotopyPoint {
  std::shared_ptr<const system::HybridSystem> system;
  settle::ConsistentStart start;
  program::ParameterOverrides overrides;
};

// The values found, as start values of what is not fixed.
program::ParameterOverrides with_starts(const Instance& instance, const HomotopyPoint& point) {
  program::ParameterOverrides result = instance.overrides;
  const std::vector<system::VariableInfo>& infos = point.system->variables();
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const VariableId id = instance.compiled->variable(infos[i].name);
    const double value = point.start.point.values[i];
    if (!id.valid() || !std::isfinite(value)) {
      continue;
    }
    const flat::Variable& variable = (*instance.flat)[id];
    if (variable.type != flat::Type::real || variable.variability != flat::Variability::continuous ||
        variable.fixed || variable.causality == flat::Causality::input) {
      continue;
    }
    const auto known = std::find_if(result.begin(), result.end(),
                                    [&](const auto& item) { return item.first == infos[i].name; });
    if (known != result.end()) {
      known->second = value;
    } else {
      result.emplace_back(infos[i].name, value);
    }
  }
  return result;
}

// Several solutions, and the start values do not decide.
bool is_undecided(const settle::ConsistentStart& start) {
  const auto& items = start.point.warnings.items();
  return std::any_of(items.begin(), items.end(),
                     [](const Diagnostic& item) { return item.code == program::kStartNotUnique.name; });
}

// Two starts of the same model: how far apart they are from each other, and from start values.
class StartComparison {
 public:
  StartComparison(const Instance& instance, const settle::ConsistentStart& one,
                  const settle::ConsistentStart& other) {
    program::ParameterValues parameters(*instance.flat, instance.overrides);
    const std::vector<system::VariableInfo>& infos = instance.system->variables();
    double largest = 0.0;
    for (const double value : one.point.values) {
      largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
    }
    for (std::size_t i = 0; i < infos.size(); ++i) {
      const double a = one.point.values[i];
      const double b = other.point.values[i];
      const double apart = std::abs(a - b);
      if (!(apart > kSameValue * std::max(std::abs(a), std::abs(b)) && apart > kNoise * largest)) {
        continue;
      }
      differ_ = true;
      const VariableId id = instance.compiled->variable(infos[i].name);
      if (const std::optional<double> start =
              id.valid() ? start_of(instance, id, parameters) : std::nullopt) {
        distance_ += (std::abs(a - *start) - std::abs(b - *start)) / apart;
      }
    }
  }

  [[nodiscard]] bool differ() const { return differ_; }
  /// The first start is nearer to the start values.
  [[nodiscard]] bool prefers_first() const { return distance_ < 0.0; }

 private:
  static std::optional<double> start_of(const Instance& instance, VariableId id,
                                        program::ParameterValues& parameters) {
    const flat::Variable& variable = (*instance.flat)[id];
    for (const auto& [name, value] : instance.overrides) {
      if (name == variable.name) {
        return value;
      }
    }
    return variable.start ? parameters.of(*variable.start) : std::nullopt;
  }

  // Values that differ by less of themselves are one: far above what solving leaves, far below other solutions.
  static constexpr double kSameValue = 1e-6;
  // … and by less of the largest value: rounding of what is zero.
  static constexpr double kNoise = 1e-9;

  bool differ_ = false;
  double distance_ = 0.0;
};

// Goes from the simplified equations to those of the model.
class HomotopyWalk {
 public:
  HomotopyWalk(const Instance& instance, double t, double length, StartRule rule)
      : instance_(instance),
        t_(t),
        length_(length),
        rule_(rule),
        simplified_(solve(0.0, instance.overrides)) {}

  /// In one step.
  std::optional<HomotopyPoint> jump() {
    return simplified_ ? solve(1.0, with_starts(instance_, *simplified_)) : std::nullopt;
  }

  std::optional<HomotopyPoint> follow() {
    std::optional<HomotopyPoint> point = simplified_;
    double lambda = 0.0;
    double step = kLongestStep;
    while (point && lambda < 1.0) {
      // What is left must not be a step of rounding.
      const double next = 1.0 - lambda < 1.5 * step ? 1.0 : lambda + step;
      std::optional<HomotopyPoint> other = solve(next, with_starts(instance_, *point));
      if (other) {
        point = std::move(other);
        lambda = next;
        step = std::min(2.0 * step, kLongestStep);
      } else if (step > kShortestStep) {
        step /= 2.0;
      } else {
        return std::nullopt;
      }
    }
    return point;
  }

 private:
  std::optional<HomotopyPoint> solve(double lambda, program::ParameterOverrides overrides) const {
    const std::shared_ptr<const program::CompiledModel> compiled =
        lambda == 1.0 ? instance_.compiled : instance_.at_homotopy(lambda);
    if (compiled == nullptr) {
      return std::nullopt;
    }
    auto system = compiled->system(overrides, {.has_minimum_norm_start = rule_ == StartRule::minimum_norm});
    if (!system) {
      return std::nullopt;
    }
    Result<settle::ConsistentStart> found = settle::find_start(**system, t_, length_);
    if (!found || is_undecided(*found)) {
      return std::nullopt;
    }
    return HomotopyPoint{*std::move(system), *std::move(found), std::move(overrides)};
  }

  const Instance& instance_;
  double t_;
  double length_;
  StartRule rule_;
  std::optional<HomotopyPoint> simplified_;
};

}  // namespace

void follow_homotopy(Instance& instance, double t, double length, StartRule rule,
                     Result<settle::ConsistentStart>& start, Diagnostics& warnings) {
  const bool is_decided = start && !is_undecided(*start);
  HomotopyWalk walk(instance, t, length, rule);
  if (is_decided) {
    const std::optional<HomotopyPoint> near = walk.jump();
    if (near && !StartComparison(instance, *start, near->start).differ()) {
      return;
    }
  }
  std::optional<HomotopyPoint> point = walk.follow();
  if (!point) {
    return;
  }
  if (is_decided) {
    const StartComparison comparison(instance, *start, point->start);
    if (!comparison.differ() || comparison.prefers_first()) {
      return;
    }
  }
  warnings.warning(
      kStartByHomotopy,
      fmt::format("{}: the start was found by way of the simplified expressions of 'homotopy'",
                  start ? "the equations at the start have several solutions, and the start values do not "
                          "decide between them"
                        : "the equations at the start could not be solved from the start values"));
  instance.system = std::move(point->system);
  instance.overrides = std::move(point->overrides);
  start = std::move(point->start);
}

}  // namespace saltus::api
