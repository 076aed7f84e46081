#include "integrate/method_registry.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "integrate/exact/exact_controller.hpp"
#include "integrate/exact/exact_flow.hpp"
#include "integrate/explicit/explicit_runge_kutta.hpp"
#include "integrate/explicit/tables.hpp"
#include "integrate/implicit/bdf.hpp"
#include "integrate/implicit/bdf_controller.hpp"
#include "integrate/implicit/radau5.hpp"
#include "integrate/implicit/sdirk4.hpp"
#include "integrate/motion/rattle.hpp"
#include "integrate/step/implicit_controller.hpp"
#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

std::vector<Method> all_methods() {
  std::vector<Method> list;
  for (const Tableau* table : explicit_methods()) {
    list.push_back({.name = table->name,
                    .title = table->title,
                    .order = table->order,
                    .kind = Method::Kind::explicit_runge_kutta,
                    .tableau = table,
                    .dense_order = table->dense.empty() ? kHermiteOrder : table->dense.front().order,
                    .has_error_estimate = table->embedded_order > 0});
  }
  list.push_back({.name = "radau5",
                  .title = "Radau IIA with three stages",
                  .order = 5,
                  .kind = Method::Kind::radau5,
                  .tableau = nullptr,
                  .dense_order = 3,
                  .has_error_estimate = true});
  list.push_back({.name = "sdirk4",
                  .title = "singly diagonally implicit with five stages",
                  .order = 4,
                  .kind = Method::Kind::sdirk4,
                  .tableau = nullptr,
                  .dense_order = 3,
                  .has_error_estimate = true});
  list.push_back({.name = "bdf",
                  .title = "backward differentiation, order 1 to 5 (6)",
                  .order = 5,
                  .kind = Method::Kind::bdf,
                  .tableau = nullptr,
                  .dense_order = 5,
                  .has_error_estimate = true,
                  .highest_order = bdf::kHighestOrder});
  return list;
}

}  // namespace

std::span<const Method> methods() {
  static const std::vector<Method> list = all_methods();
  return list;
}

const Method& exact_method() {
  static constexpr Method kExact{
      .name = "exact",
      .title = "matrix exponentials, for linear systems with constant coefficients",
      .order = ExactFlow::kForcingDegree,
      .kind = Method::Kind::exact,
      .tableau = nullptr,
      .dense_order = ExactFlow::kForcingDegree,
      .has_error_estimate = true};
  return kExact;
}

std::span<const Method> methods_of_motion() {
  static constexpr Method kMethods[] = {
      {.name = "rattle",
       .title = "RATTLE, symplectic of order 2",
       .order = 2,
       .kind = Method::Kind::rattle,
       .tableau = nullptr,
       .dense_order = 2,
       .has_error_estimate = false},
      {.name = "rattle4",
       .title = "five steps of RATTLE, symmetric of order 4",
       .order = 4,
       .kind = Method::Kind::rattle,
       .tableau = nullptr,
       .dense_order = 4,
       .has_error_estimate = false},
  };
  return kMethods;
}

const Method* find_method(std::string_view name) {
  if (name == exact_method().name) {
    return &exact_method();
  }
  for (const Method& method : methods_of_motion()) {
    if (method.name == name) {
      return &method;
    }
  }
  const auto list = methods();
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const Method& method) { return method.name == name; });
  return found == list.end() ? nullptr : &*found;
}

std::unique_ptr<Stepper> make_stepper(const Method& method, system::Evaluator& evaluator,
                                      const system::LockedDae* locked, Index n_states, Tolerances tolerances,
                                      const OrderChoice& orders) {
  switch (method.kind) {
    case Method::Kind::explicit_runge_kutta:
      return std::make_unique<ExplicitRungeKutta>(*method.tableau, evaluator, n_states,
                                                  std::move(tolerances));
    case Method::Kind::sdirk4:
      return std::make_unique<Sdirk4>(evaluator, locked, n_states, std::move(tolerances));
    case Method::Kind::radau5:
      return std::make_unique<Radau5>(evaluator, locked, n_states, std::move(tolerances));
    case Method::Kind::bdf:
      return std::make_unique<Bdf>(evaluator, locked, n_states, std::move(tolerances), orders);
    case Method::Kind::rattle:
      return std::make_unique<Rattle>(method.order, evaluator, locked, n_states, std::move(tolerances));
    case Method::Kind::exact: return std::make_unique<ExactFlow>(evaluator, n_states, std::move(tolerances));
  }
  SALTUS_ASSERT(false);
  return nullptr;
}

std::unique_ptr<StepController> make_controller(const Method& method, Stepper& stepper) {
  if (method.kind == Method::Kind::bdf) {
    return std::make_unique<BdfController>(dynamic_cast<Bdf&>(stepper));
  }
  if (method.is_exact()) {
    return std::make_unique<ExactController>();
  }
  if (method.is_implicit()) {
    return std::make_unique<ImplicitController>(stepper, stepper.embedded_order());
  }
  return std::make_unique<PiController>(std::max(stepper.embedded_order(), 1));
}

}  // namespace saltus::integrate
