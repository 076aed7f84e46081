/// Reads the arguments of the program and runs the command they name.
#pragma once

namespace saltus::tool {

/// Returns the exit code.
[[nodiscard]] int run_command_line(int argc, const char* const* argv);

}  // namespace saltus::tool
