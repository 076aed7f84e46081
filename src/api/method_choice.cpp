#include "api/method_choice.hpp"

#include <fmt/format.h>

#include "api/diagnostic_codes.hpp"
#include "integrate/method_registry.hpp"

namespace saltus {
namespace api {
namespace {

bool is_automatic(const SimulationOptions& options) {
  return options.method.empty() || options.method == "auto";
}

// The first of the list, which begins with the best; without a fixed step it must estimate its error.
const integrate::Method* method_of_order(const SimulationOptions& options) {
  for (const integrate::Method& method : integrate::methods()) {
    if (method.order == *options.order && (options.step || method.has_error_estimate)) {
      return &method;
    }
  }
  return nullptr;
}

std::string list_of_methods(bool with_orders) {
  std::string list;
  for (const integrate::Method& method : integrate::methods()) {
    list += list.empty() ? "" : ", ";
    list += with_orders ? fmt::format("{} (order {}{})", method.name, method.order,
                                      method.has_error_estimate ? "" : ", fixed steps only")
                        : std::string(method.name);
  }
  return list;
}

void check_order(Diagnostics& problems, const SimulationOptions& options, const integrate::Method* method) {
  if (options.order && (method == nullptr || method->order != *options.order)) {
    problems.error(kConflictingOptions,
                   method == nullptr ? fmt::format("--order: there is no method of order {}", *options.order)
                                     : fmt::format("--order {}: the method '{}' has order {}", *options.order,
                                                   method->name, method->order),
                   std::nullopt, "methods: " + list_of_methods(true));
  }
}

}  // namespace

void check_method(Diagnostics& problems, const SimulationOptions& options) {
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
  check_order(problems, options, method);
  if (!method->has_error_estimate && !options.step) {
    problems.error(
        kConflictingOptions,
        fmt::format("the method '{}' has no error estimate and needs a fixed step size", options.method),
        std::nullopt, "give the size with --step, or take another method");
  }
}

const integrate::Method* choose_method(const SimulationOptions& options) {
  if (!is_automatic(options)) {
    return integrate::find_method(options.method);
  }
  return options.order ? method_of_order(options) : integrate::find_method("dopri5");
}

std::string reason_for_method(const SimulationOptions& options) {
  std::string reason = !is_automatic(options) ? "as asked for"
                       : options.order
                           ? fmt::format("chosen: of order {}, as asked for", *options.order)
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
