#include "console.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "diagnostic_codes.hpp"
#include "saltus/visible_text.hpp"

namespace saltus::tool {
namespace {

// https://no-color.org: any value that is not empty; "dumb" terminals know no colours either.
bool wants_no_color() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no_color != nullptr && *no_color != '\0') ||
         (terminal != nullptr && std::strcmp(terminal, "dumb") == 0);
}

bool use_color(ColorChoice choice) {
  return choice == ColorChoice::always ||
         (choice == ColorChoice::automatic && is_terminal_error() && !wants_no_color());
}

}  // namespace

int exit_code_of(const Diagnostics& errors) {
  const bool is_early = std::any_of(errors.items().begin(), errors.items().end(), [](const Diagnostic& item) {
    return item.code == "interrupted" || item.code == "time-limit" || item.code == "out-of-memory";
  });
  return is_early ? kExitEndedEarly : kExitWrongInput;
}

bool is_terminal_output() {
  return ::isatty(STDOUT_FILENO) != 0;
}
bool is_terminal_error() {
  return ::isatty(STDERR_FILENO) != 0;
}

void Console::print(const Diagnostics& diagnostics) const {
  if (is_silent) {
    return;
  }
  if (diagnostics.empty()) {
    return;
  }
  const std::string text = format == DiagnosticsFormat::json ? render_json(diagnostics)
                                                             : render_text(diagnostics, use_color(color));
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Console::print_error(DiagnosticCode code, std::string message, std::string hint) const {
  Diagnostics diagnostics;
  diagnostics.error(code, std::move(message), std::nullopt, std::move(hint));
  print(diagnostics);
}

bool print_output(std::string_view text) {
  const std::string shown = visible_text(text);
  return std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size() && std::fflush(stdout) == 0;
}

int finish_output(const Console& console, std::string_view text, int exit_code) {
  if (!print_output(text)) {
    console.print_error(kCannotWriteOutput,
                        std::string("cannot write to standard output: ") + std::strerror(errno));
    return kExitWrongInput;
  }
  return exit_code;
}

}  // namespace saltus::tool
