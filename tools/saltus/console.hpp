/// What the commands share: exit codes, how diagnostics are printed, colours.
#pragma once

#include <string>
#include <string_view>

#include "saltus/diagnostic.hpp"

namespace saltus::tool {

enum ExitCode : int {
  kExitSuccess = 0,
  kExitEndedEarly = 1,     ///< the run could not start or ended before its time
  kExitWrongInput = 2,     ///< model text, options or files
  kExitInternalError = 3,  ///< a bug of saltus
};

enum class ColorChoice { automatic, always, never };
enum class DiagnosticsFormat { text, json };

/// How to talk to the user; filled from the command line.
struct Console {
  ColorChoice color = ColorChoice::automatic;
  DiagnosticsFormat format = DiagnosticsFormat::text;
  bool is_silent = false;  ///< nothing is printed: another process says the same

  /// Writes diagnostics to standard error, in the chosen form; nothing if there are none.
  void print(const Diagnostics& diagnostics) const;
  /// The same for a single error without a place in a model.
  void print_error(DiagnosticCode code, std::string message, std::string hint = {}) const;
};

/// The exit code of work that gave these errors: whether it was ended early or its input is wrong.
[[nodiscard]] int exit_code_of(const Diagnostics& errors);

[[nodiscard]] bool is_terminal_output();
[[nodiscard]] bool is_terminal_error();

/// Writes to standard output; false if it cannot be written (a closed pipe, a full disk).
[[nodiscard]] bool print_output(std::string_view text);

/// print_output, with an error message and the exit code for it.
[[nodiscard]] int finish_output(const Console& console, std::string_view text, int exit_code);

}  // namespace saltus::tool
