#include "settle/sliding/row_evaluator.hpp"

#include <utility>
#include <vector>

#include "reduce/projected_evaluator.hpp"
#include "slide/field/own_side_evaluator.hpp"

namespace saltus::settle {

std::unique_ptr<system::Evaluator> make_row_evaluator(const system::HybridSystem& system,
                                                      const system::LockedDae& locked,
                                                      std::span<const double> guess) {
  std::unique_ptr<system::Evaluator> plain = reduce::make_reduced_evaluator(locked, guess);
  std::vector<Index> over_roots;
  for (std::size_t i = 0; i < system.guards().size(); ++i) {
    if (system.guards()[i].has_root && locked.watches(static_cast<Index>(i))) {
      over_roots.push_back(static_cast<Index>(i));
    }
  }
  if (over_roots.empty() || locked.reduction() == system::Reduction::ranks) {
    return plain;
  }
  auto one_sided = std::make_unique<slide::OwnSideEvaluator>(
      std::move(plain), locked.states(), static_cast<Index>(system.guards().size()), over_roots);
  one_sided->extend(over_roots);
  return one_sided;
}

}  // namespace saltus::settle
