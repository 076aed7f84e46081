#include "api/sensitivity/hidden_jump_warnings.hpp"

#include <fmt/format.h>

#include "api/model/diagnostic_codes.hpp"
#include "program/guards/hidden_jumps.hpp"

namespace saltus::api {

void warn_of_hidden_jumps(const flat::Model& model, Diagnostics& diagnostics) {
  for (const std::string& text : program::hidden_jumps(model)) {
    diagnostics.warning(
        kSensitivityHidden,
        fmt::format(
            "equations jump where '{}' changes, which noEvent hides: sensitivities are wrong from there on",
            text),
        std::nullopt, "without noEvent it is an event, and they are right");
  }
}

}  // namespace saltus::api
