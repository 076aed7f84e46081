#include "api/options/method_choice.hpp"

#include <fmt/format.h>

#include "api/model/diagnostic_codes.hpp"
#include "integrate/method_registry.hpp"

namespace saltus {
namespace api {
namespace {

bool is_automatic(const SimulationOptions& options) {
  return options.method.empty() || options.method == "auto";
}

bool has_order(const integrate::Method& method, std::int64_t order) {
  return method.highest_order > 0 ? order >= 1 && order <= method.highest_order : method.order == order;
}

std::string orders_of(const integrate::Method& method) {
  return method.highest_order > 0 ? fmt::format("orders 1 to {}", method.highest_order)
                                  : fmt::format("order {}", method.order);
}

// The first of the list, which begins with the best; without a fixed step it must estimate its error.
const integrate::Method* method_of_order(const SimulationOptions& options) {
  for (const integrate::Method& method : integrate::methods()) {
    if (has_order(method, *options.order) && (options.step || method.has_error_estimate)) {
      return &method;
    }
  }
  return nullptr;
}

std::string list_of_methods(bool with_orders) {
  std::string list;
  for (const integrate::Method& method : integrate::methods()) {
    list += list.empty() ? "" : ", ";
    list += with_orders ? fmt::format("{} ({}{})", method.name, orders_of(method),
                                      method.has_error_estimate ? "" : ", fixed steps only")
                        : std::string(method.name);
  }
  // They stand apart: not every model can be run by them.
  for (const integrate::Method& method : integrate::methods_of_motion()) {
    list += with_orders ? fmt::format(", {} ({}, fixed steps only)", method.name, orders_of(method))
                        : fmt::format(", {}", method.name);
  }
  return list + ", exact";
}

void check_order(Diagnostics& problems, const SimulationOptions& options, const integrate::Method* method) {
  if (options.order && (method == nullptr || !has_order(*method, *options.order))) {
    problems.error(kConflictingOptions,
                   method == nullptr ? fmt::format("--order: there is no method of order {}", *options.order)
                                     : fmt::format("--order {}: the method '{}' has {}", *options.order,
                                                   method->name, orders_of(*method)),
                   std::nullopt, "methods: " + list_of_methods(true));
  }
}

void check_max_order(Diagnostics& problems, const SimulationOptions& options) {
  constexpr std::int64_t kHighest = 6;
  if (!options.max_order) {
    return;
  }
  if (*options.max_order < 1 || *options.max_order > kHighest) {
    problems.error(kWrongOptionValue,
                   fmt::format("--max-order must be from 1 to {}, not {}", kHighest, *options.max_order));
  } else if (options.order) {
    problems.error(kConflictingOptions, "a fixed --order leaves nothing to --max-order");
  } else if (const integrate::Method* method = integrate::find_method(options.method);
             method == nullptr || method->highest_order == 0) {
    problems.error(kConflictingOptions, "--max-order: only the method 'bdf' changes its order", std::nullopt,
                   "add --method bdf");
  }
}

}  // namespace

void check_method(Diagnostics& problems, const SimulationOptions& options) {
  check_max_order(problems, options);
  if (is_automatic(options)) {
    check_order(problems, options, options.order ? method_of_order(options) : nullptr);
    return;
  }
  const integrate::Method* method = integrate::find_method(options.method);
  if (method == nullptr) {
    problems.error(kUnknownMethod, fmt::format("--method: there is no method '{}'", options.method),
                   std::nullopt, "methods: auto, " + list_of_methods(false));
    return;
  }
  if (method->is_exact() && options.order) {
    problems.error(kConflictingOptions, "the method 'exact' has no order: leave out --order");
    return;
  }
  if (method->is_of_motion() && options.formulation.value_or(Formulation::general) != Formulation::general) {
    problems.error(kConflictingOptions,
                   fmt::format("the method '{}' meets constraints in its own way: leave out --formulation",
                               method->name));
  }
  check_order(problems, options, method);
  if (!method->has_error_estimate && !options.step) {
    problems.error(
        kConflictingOptions,
        fmt::format("the method '{}' has no error estimate and needs a fixed step size", options.method),
        std::nullopt, "give the size with --step, or take another method");
  }
}

hybrid::MethodChoice choose_methods(const SimulationOptions& options) {
  hybrid::MethodChoice choice;
  choice.largest_step = options.max_step.value_or(choice.largest_step);
  choice.orders.max_order = static_cast<int>(options.max_order.value_or(choice.orders.max_order));
  if (!is_automatic(options)) {
    choice.method = integrate::find_method(options.method);
  } else if (options.order) {
    choice.method = method_of_order(options);
  } else {
    choice.method = integrate::find_method("dopri5");
    choice.stiff_method = options.step ? nullptr : integrate::find_method("radau5");
  }
  if (options.order && choice.method->highest_order > 0) {
    choice.orders.fixed_order = static_cast<int>(*options.order);
  }
  return choice;
}

std::string reason_for_method(const SimulationOptions& options) {
  const integrate::Method* const asked = integrate::find_method(options.method);
  std::string reason =
      asked != nullptr && asked->is_exact() ? "as asked for; to rounding errors, tolerances are not read"
      : !is_automatic(options)              ? "as asked for"
      : options.order                       ? fmt::format("chosen: of order {}, as asked for", *options.order)
                      : "chosen: solved for the derivatives, so an explicit method of order 5 fits";
  if (options.step) {
    reason += fmt::format("; fixed step {}, no error control", *options.step);
  }
  return reason;
}

}  // namespace api

std::vector<std::string> methods() {
  std::vector<std::string> names{"auto"};
  for (const integrate::Method& method : integrate::methods()) {
    names.emplace_back(method.name);
  }
  return names;
}

}  // namespace saltus
