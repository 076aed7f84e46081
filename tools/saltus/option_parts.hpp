/// Options that several commands have in common, and those of the commands that work with results.
///
/// Contract     what an option reads goes into `arguments`, which outlive the command; nothing is checked here
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

#include "commands.hpp"
#include "option_tables.hpp"

namespace saltus::tool {

void add_model(CLI::App& command, ModelChoice& choice);

/// Every occurrence takes exactly one value, whatever it looks like ("--start -1"), and all are kept.
CLI::Option* add_simulation_option(CLI::App& command, RunArguments& arguments, const std::string& name,
                                   const std::string& text);
void add_table(CLI::App& command, RunArguments& arguments, std::span<const SimulationOption> options,
               std::span<const std::string_view> without = {});

/// `folder`: that results go to when none is given, as the help shows it; so is `all`.
void add_output(CLI::App& command, RunArguments& arguments, const std::string& folder);
void add_formats(CLI::App& command, RunArguments& arguments, const std::string& all);

void add_convert_options(CLI::App& command, ConvertArguments& arguments);
void add_compare_options(CLI::App& command, CompareArguments& arguments);
void add_plot_options(CLI::App& command, PlotArguments& arguments);

}  // namespace saltus::tool
