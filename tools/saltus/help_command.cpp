#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "diagnostic_codes.hpp"

namespace saltus::tool {
namespace {

int print_help(Application& application, const std::string& name) {
  if (name.empty()) {
    return finish_output(application.console, application.app.help(), kExitSuccess);
  }
  for (const CLI::App* command : application.app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) {
      return finish_output(application.console, command->help("saltus"), kExitSuccess);
    }
  }
  application.console.print_error(kUnknownCommand, fmt::format("there is no command '{}'", name),
                                  "'saltus help' lists the commands");
  return kExitWrongInput;
}

}  // namespace

void add_help_command(Application& application) {
  CLI::App* command = application.app.add_subcommand("help", "explain a command and its options");
  const auto name = std::make_shared<std::string>();
  command->add_option("COMMAND", *name, "the command");
  command->callback([&application, name] {
    application.action = [&application, name] { return print_help(application, *name); };
  });
}

}  // namespace saltus::tool
