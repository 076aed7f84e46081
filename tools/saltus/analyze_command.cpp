#include "commands.hpp"
#include "diagnostic_codes.hpp"

namespace saltus::tool {

int analyze_command(const Console& console) {
  console.print_error(kCommandNotSupported, "'saltus analyze' is not supported yet",
                      "'saltus check MODEL' tells whether a model can be run");
  return kExitWrongInput;
}

}  // namespace saltus::tool
