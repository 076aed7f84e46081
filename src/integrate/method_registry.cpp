#include "integrate/method_registry.hpp"

#include <algorithm>
#include <utility>

#include "integrate/explicit_runge_kutta.hpp"
#include "integrate/tables.hpp"

namespace saltus::integrate {

std::vector<MethodInfo> method_list() {
  std::vector<MethodInfo> list;
  for (const Tableau* table : explicit_methods()) {
    list.push_back({.name = table->name,
                    .title = table->title,
                    .order = table->order,
                    .dense_order = table->dense.empty() ? kHermiteOrder : table->dense.front().order,
                    .has_error_estimate = table->embedded_order > 0});
  }
  return list;
}

bool is_method(std::string_view name) {
  return find_explicit_method(name) != nullptr;
}

std::unique_ptr<Stepper> make_stepper(std::string_view method, system::Evaluator& evaluator, Index n_states,
                                      Tolerances tolerances) {
  const Tableau* const table = find_explicit_method(method);
  if (table == nullptr) {
    return nullptr;
  }
  return std::make_unique<ExplicitRungeKutta>(*table, evaluator, n_states, std::move(tolerances));
}

std::unique_ptr<StepController> make_controller(const Stepper& stepper) {
  return std::make_unique<PiController>(std::max(stepper.embedded_order(), 1));
}

}  // namespace saltus::integrate
