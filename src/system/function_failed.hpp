/// A function of the user has thrown: the run ends with what it said. Never leaves the library while a run lasts.
#pragma once

#include <stdexcept>
#include <string>

namespace saltus::system {

class FunctionFailed : public std::runtime_error {
 public:
  explicit FunctionFailed(const std::string& message) : std::runtime_error(message) {}
};

/// RunOutcome::reason of a run that ends so.
inline constexpr const char* kFunctionFailed = "function_failed";

}  // namespace saltus::system
