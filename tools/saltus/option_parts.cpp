#include "option_parts.hpp"

#include <algorithm>

namespace saltus::tool {

void add_model(CLI::App& command, ModelChoice& choice) {
  command.add_option("MODEL", choice.path, "a .mo or .saltus file, or a class of a library: Package.Model")
      ->type_name("FILE");
  command
      .add_option("--class,--model", choice.name, "which class of the file (the last one with an experiment)")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->type_name("NAME");
  command
      .add_option("-L,--library", choice.libraries,
                  "a folder with libraries of classes, before those of MODELICAPATH; repeatable")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("FOLDER");
  command
      .add_option("--data-folder", choice.data_folders,
                  "a folder whose tables the model may read, besides its own; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("FOLDER");
}

CLI::Option* add_simulation_option(CLI::App& command, RunArguments& arguments, const std::string& name,
                                   const std::string& text) {
  const CLI::callback_t keep = [&arguments, name](const CLI::results_t& values) {
    for (const std::string& value : values) {
      arguments.options.emplace_back(name, value);
    }
    return true;
  };
  return command.add_option("--" + name, keep, text)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_table(CLI::App& command, RunArguments& arguments, std::span<const SimulationOption> options,
               std::span<const std::string_view> without) {
  for (const SimulationOption& option : options) {
    if (std::find(without.begin(), without.end(), option.name) == without.end()) {
      add_simulation_option(command, arguments, option.name, option.text)
          ->type_name(option.type)
          ->group(option.group);
    }
  }
}

void add_output(CLI::App& command, RunArguments& arguments, const std::string& folder) {
  command.add_option("-o,--output", arguments.folder, "folder for the results (" + folder + ")")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->type_name("FOLDER")
      ->group("Output");
}

void add_formats(CLI::App& command, RunArguments& arguments, const std::string& all) {
  command.add_option("--format", arguments.formats, "what is written, separated by commas (" + all + ")")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->type_name("LIST")
      ->group("Output");
}

void add_convert_options(CLI::App& command, ConvertArguments& arguments) {
  command.add_option("FROM", arguments.from, "a folder of results, or a .csv, .mat or .npz file");
  command.add_option("TO", arguments.to, "a .csv, .mat or .npz file");
}

void add_compare_options(CLI::App& command, CompareArguments& arguments) {
  command.add_option("FIRST", arguments.first, "a folder of results, or a .csv, .mat or .npz file");
  command.add_option("SECOND", arguments.second, "another one");
  command
      .add_option("--tolerance", arguments.tolerance,
                  "of the range of a column, and of the length of the run (0.002)")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->type_name("TOL");
  command.add_option("--columns", arguments.columns, "names and patterns; repeatable (all of the first)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAME,NAME");
  command.add_flag("--quiet", arguments.quiet, "nothing on standard output");
}

void add_plot_options(CLI::App& command, PlotArguments& arguments) {
  command.add_option("RESULT", arguments.result, "a folder of results, or a .csv, .mat or .npz file");
  command.add_option("COLUMN", arguments.columns, "names and patterns");
  command.add_flag("--events", arguments.events, "mark the times of events");
  command.add_option("--title", arguments.title, "above the picture")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->type_name("TEXT");
  command.add_option("-o,--output", arguments.file, "the picture (plot.svg)")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->type_name("FILE.svg");
}

}  // namespace saltus::tool
