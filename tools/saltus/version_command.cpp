#include "commands.hpp"
#include "saltus/version.hpp"

namespace saltus::tool {

void add_version_command(Application& application) {
  CLI::App* command = application.app.add_subcommand("version", "print the version");
  command->callback([&application] {
    application.action = [&application] {
      return finish_output(application.console, "saltus " + std::string(version()) + "\n", kExitSuccess);
    };
  });
}

}  // namespace saltus::tool
