#include "commands.hpp"
#include "diagnostic_codes.hpp"

namespace saltus::tool {

void add_analyze_command(Application& application) {
  CLI::App* command = application.app.add_subcommand(
      "analyze", "structure of every mode: size, index, states (not supported yet)");
  command->allow_extras();
  command->callback([&application] {
    application.action = [&application] {
      application.console.print_error(kCommandNotSupported, "'saltus analyze' is not supported yet",
                                      "'saltus check MODEL' tells whether a model can be run");
      return static_cast<int>(kExitWrongInput);
    };
  });
}

}  // namespace saltus::tool
