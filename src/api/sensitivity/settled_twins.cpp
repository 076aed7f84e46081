#include "api/sensitivity/settled_twins.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "program/guards/parameter_values.hpp"

namespace saltus::api {
namespace {

// Distances that are tried, each this part of the one before: at the last one rounding is 1e-7 of what is differentiated.
constexpr double kNextDistance = 0x1p-6;
constexpr int kDistances = 4;
// Solved start values are not more exact; what moves by less, against 1 or its value, counts as still.
constexpr double kSolvedTwins = 1e-12;

// Whether differences of both orders agree, of what is smooth over the distance.
class Settling {
 public:
  Settling(const Instance& base, const system::InitialPoint& initial, const TwinSet& set, double t)
      : base_(base), initial_(initial), set_(set), t_(t) {
    const auto own = set.twins.find(0);
    here_ = own == set.twins.end() ? &initial : &own->second.initial;
  }

  [[nodiscard]] bool has_settled(std::span<const double> parameters) const {
    return agree(parameters.size(), parameters, [](const TwinInstance& twin) { return &twin.parameters; }) &&
           agree(here_->x.size(), here_->x, [](const TwinInstance& twin) { return &twin.initial.x; }) &&
           agree(here_->configuration.discrete.size(), here_->configuration.discrete,
                 [](const TwinInstance& twin) { return &twin.initial.configuration.discrete; }) &&
           (!moves_zero(set_, parameters) || have_rates_settled());
  }

 private:
  // At the start of the run, with its sides.
  [[nodiscard]] bool have_rates_settled() const {
    const std::optional<std::vector<double>> here = rates_of(*base_.system);
    std::map<int, std::vector<double>> beside;
    for (const auto& [offset, twin] : set_.twins) {
      std::optional<std::vector<double>> rates = rates_of(*twin.instance.system);
      if (!here || !rates || rates->size() != here->size()) {
        return true;  // nothing is known of them: whoever needs them says so
      }
      beside[offset] = *std::move(rates);
    }
    return agree(here->size(), *here, beside);
  }

  [[nodiscard]] std::optional<std::vector<double>> rates_of(const system::HybridSystem& system) const {
    const auto locked = system.lock(system.structure_of(initial_.configuration));
    if (!locked || (*locked)->states().size() != initial_.x.size()) {
      return std::nullopt;
    }
    const auto evaluator = (*locked)->make_evaluator(initial_.guess);
    evaluator->set_configuration(initial_.configuration);
    std::vector<double> rates(initial_.x.size());
    const bool is_known = evaluator->rhs(t_, initial_.x, rates).ok();
    return is_known ? std::optional(std::move(rates)) : std::nullopt;
  }

  template <class Get>
  [[nodiscard]] bool agree(std::size_t n, std::span<const double> here, Get get) const {
    std::map<int, std::vector<double>> beside;
    for (const auto& [offset, twin] : set_.twins) {
      beside[offset] = *get(twin);
    }
    return agree(n, here, beside);
  }

  [[nodiscard]] bool agree(std::size_t n, std::span<const double> here,
                           const std::map<int, std::vector<double>>& beside) const {
    for (std::size_t i = 0; i < n; ++i) {
      double fine = 0.0;
      double coarse = 0.0;
      double largest = 0.0;
      for (const StencilPoint& point : set_.stencil) {
        const auto twin = beside.find(point.offset);
        const double change = twin == beside.end() ? 0.0 : twin->second[i] - here[i];
        fine += point.weight * change;
        coarse += point.coarse * change;
        largest = std::max(largest, std::abs(change));
      }
      const bool is_still = largest <= kSolvedTwins * std::max(1.0, std::abs(here[i]));
      if (!is_still && !sensitivity::orders_agree(fine, coarse, here[i], set_.h)) {
        return false;
      }
    }
    return true;
  }

  const Instance& base_;
  const system::InitialPoint& initial_;
  const TwinSet& set_;
  double t_;  // of the start
  const system::InitialPoint* here_ = nullptr;
};

}  // namespace

TwinSet make_settled_twins(const Instance& base, const system::InitialPoint& initial,
                           const SensitivityTarget& target, const RunSettings& settings) {
  Diagnostics ignored;
  const std::vector<double> parameters = program::ParameterValues(*base.flat, base.overrides).all(ignored);
  TwinSet set;
  double distance = kTwinDistance;
  for (int i = 0; i < kDistances; ++i) {
    set = make_twins(base, initial, target, settings, distance);
    if (!set.undefined.empty() || Settling(base, initial, set, settings.start).has_settled(parameters)) {
      return set;
    }
    distance *= kNextDistance;
  }
  set.undefined = "what follows from it has no derivative, or changes too fast for a difference";
  return set;
}

bool moves_zero(const TwinSet& set, std::span<const double> parameters) {
  return std::any_of(set.twins.begin(), set.twins.end(), [&](const auto& twin) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i] == 0.0 && twin.second.parameters[i] != 0.0) {
        return true;
      }
    }
    return false;
  });
}

}  // namespace saltus::api
