// saltus: the command line. Reads the arguments, runs one command, turns every outcome into an exit code.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "commands.hpp"
#include "diagnostic_codes.hpp"
#include "saltus/version.hpp"

namespace saltus::tool {

void add_console_options(Application& application, CLI::App& command) {
  Console& console = application.console;
  command
      .add_option("--diagnostics", console.format,
                  "form of errors and warnings on standard error: text, json")
      ->transform(CLI::CheckedTransformer(std::map<std::string, DiagnosticsFormat>{
          {"text", DiagnosticsFormat::text}, {"json", DiagnosticsFormat::json}}))
      ->type_name("FORM")
      ->group("Messages");
  command.add_option("--color", console.color, "colours in messages: auto, always, never")
      ->transform(CLI::CheckedTransformer(std::map<std::string, ColorChoice>{
          {"auto", ColorChoice::automatic}, {"always", ColorChoice::always}, {"never", ColorChoice::never}}))
      ->type_name("WHEN")
      ->group("Messages");
}

namespace {

void add_commands(Application& application) {
  CLI::App& app = application.app;
  app.set_version_flag("--version", "saltus " + std::string(version()));
  app.require_subcommand(0, 1);
  app.footer("'saltus help COMMAND' tells more. The documentation is in docs/cli.md.");
  add_run_command(application);
  add_check_command(application);
  add_analyze_command(application);
  add_examples_command(application);
  add_version_command(application);
  add_help_command(application);
}

int wrong_usage(Application& application, const CLI::ParseError& error) {
  std::string command;
  for (const CLI::App* chosen : application.app.get_subcommands()) {
    command = " " + chosen->get_name();
  }
  application.console.print_error(kWrongUsage, error.what(), fmt::format("see 'saltus help{}'", command));
  return kExitWrongInput;
}

int run_program(int argc, const char* const* argv) {
  Application application;
  add_commands(application);
  CLI::App& app = application.app;
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    return finish_output(application.console, (chosen.empty() ? &app : chosen.front())->help(), kExitSuccess);
  } catch (const CLI::CallForVersion& version_text) {
    return finish_output(application.console, std::string(version_text.what()) + "\n", kExitSuccess);
  } catch (const CLI::ParseError& error) {
    return wrong_usage(application, error);
  }
  if (!application.action) {
    return finish_output(application.console, app.help(), kExitSuccess);
  }
  return application.action();
}

}  // namespace
}  // namespace saltus::tool

int main(int argc, char** argv) {
  using namespace saltus::tool;
  try {
    return run_program(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
    return kExitEndedEarly;
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "internal error: %s [internal-error]\n  hint: this is a bug of saltus; please report it "
                 "with the model "
                 "and the command\n",
                 error.what());
    return kExitInternalError;
  }
}
