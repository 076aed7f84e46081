/// The commands. Each function adds one to the application; the action it sets runs after all options are read.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "console.hpp"

namespace saltus::tool {

struct Application {
  CLI::App app{"saltus solves models with switches, jumps and algebraic equations.", "saltus"};
  Console console;
  std::function<int()> action;  ///< of the command that was named; returns the exit code
};

void add_run_command(Application& application);
void add_check_command(Application& application);
void add_analyze_command(Application& application);
void add_examples_command(Application& application);
void add_version_command(Application& application);
void add_help_command(Application& application);

/// --diagnostics and --color, which every command that reads a model has.
void add_console_options(Application& application, CLI::App& command);

}  // namespace saltus::tool
