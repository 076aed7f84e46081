#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <map>

#include "commands.hpp"
#include "diagnostic_codes.hpp"
#include "option_parts.hpp"
#include "saltus/options.hpp"
#include "saltus/version.hpp"
#include "unknown_words.hpp"

namespace saltus::tool {
namespace {

class CommandLine {
 public:
  CommandLine() {
    app_.set_version_flag("--version", "saltus " + std::string(version()));
    app_.require_subcommand(0, 1);
    app_.allow_extras();  // named one by one in unknown_words
    add_run();
    add_check();
    add_flatten();
    add_analyze();
    add_linearize();
    add_fit();
    add_gradient();
    add_optimize();
    add_sweep();
    add_convert();
    add_compare();
    add_plot();
    add_examples();
    add("version", "print the version", unless_refused([this] { return version_command(console_); }));
    add_help();
    // After the commands, which would inherit it.
    app_.footer("'saltus help COMMAND' tells more.");
  }

  int run(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      const std::vector<CLI::App*> chosen = app_.get_subcommands();
      return chosen.empty() ? help("") : help(chosen.front()->get_name());
    } catch (const CLI::CallForVersion&) {
      return version_command(console_);
    } catch (const CLI::ArgumentMismatch& error) {
      return missing_value(error.what());
    } catch (const CLI::ParseError& error) {
      return wrong_usage(error.what());
    }
    report_unknown_words();
    if (!action_) {
      return problems_.has_errors() ? refuse() : help("");
    }
    return action_();
  }

 private:
  CLI::App* add(const char* name, const char* text, std::function<int()> action) {
    CLI::App* command = app_.add_subcommand(name, text);
    command->allow_extras();
    command->callback([this, action = std::move(action)] { action_ = action; });
    return command;
  }

  // Every command but run needs nothing more to tell all that is wrong with its arguments.
  std::function<int()> unless_refused(std::function<int()> action) {
    return [this, action = std::move(action)] { return problems_.has_errors() ? refuse() : action(); };
  }

  int refuse() {
    console_.print(problems_);
    return kExitWrongInput;
  }

  // One of a few words; CLI11's own check would end at the first mistake.
  template <class Choice>
  void add_choice(CLI::App& command, const std::string& name, Choice& choice,
                  std::map<std::string, Choice> names, const std::string& text) {
    const auto read = [this, name, names, &choice](const std::string& word) {
      if (const auto found = names.find(word); found != names.end()) {
        choice = found->second;
        return;
      }
      std::string list;
      for (const auto& entry : names) {
        list += (list.empty() ? "" : ", ") + entry.first;
      }
      problems_.error(kWrongUsage, fmt::format("{} takes one of {}, not '{}'", name, list, word));
    };
    command.add_option_function<std::string>(name, read, text)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->type_name("WORD")
        ->group("Messages");
  }

  void add_console_options(CLI::App& command) {
    add_choice<DiagnosticsFormat>(command, "--diagnostics", console_.format,
                                  {{"text", DiagnosticsFormat::text}, {"json", DiagnosticsFormat::json}},
                                  "form of errors and warnings on standard error: text, json");
    add_choice<ColorChoice>(
        command, "--color", console_.color,
        {{"auto", ColorChoice::automatic}, {"always", ColorChoice::always}, {"never", ColorChoice::never}},
        "colours in messages: auto, always, never");
  }

  void add_run() {
    CLI::App& command = *add("run", "solve a model and write the results into a folder",
                             [this] { return run_command(console_, run_, std::move(problems_)); });
    add_model(command, run_.model);
    add_table(command, run_, kSimulationOptions);
    std::string names = "integration method:";
    for (const std::string& name : methods()) {
      names += " " + name;
    }
    command.get_option("--method")
        ->description(
            names +
            "; exact: linear models, to rounding errors; rattle, rattle4: motions without dissipation");
    // Known by name, so that the answer is "not supported yet"; not shown in the help.
    for (const std::string& name : planned_options()) {
      add_simulation_option(command, run_, name, "")->expected(0, 1)->group("");
    }
    add_output(command, run_, "NAME_results");
    add_formats(command, run_, "csv,json,html; also mat, npz");
    command
        .add_flag_callback(
            "--error-estimate", [this] { run_.options.emplace_back("error-estimate", "on"); },
            "estimate the error of every row by a second run at a hundredth of the tolerance")
        ->group("Accuracy");
    command
        .add_flag_callback(
            "--sens-check", [this] { run_.options.emplace_back("sens-check", "on"); },
            "compare the sensitivities with differences of runs with other values")
        ->group("Accuracy");
    command.add_flag("--quiet", run_.quiet, "no summary on standard output")->group("Messages");
    add_progress(command, run_.progress);
    add_console_options(command);
    command.footer(kRunFooter);
  }

  void add_flatten() {
    CLI::App& command =
        *add("flatten", "print a model made of components as one flat model", unless_refused([this] {
               return flattened_.path.empty() ? wrong_usage("MODEL is required")
                                              : flatten_command(console_, flattened_);
             }));
    add_model(command, flattened_);
    add_console_options(command);
  }

  void add_check() {
    CLI::App& command = *add("check", "read a model and tell what is wrong with it", unless_refused([this] {
                               return checked_.path.empty() ? wrong_usage("MODEL is required")
                                                            : check_command(console_, checked_);
                             }));
    add_model(command, checked_);
    add_console_options(command);
  }

  void add_analyze() {
    CLI::App& command = *add("analyze", "structure of every mode: size, index, states, hidden constraints",
                             [this] { return analyze_command(console_, analyze_, std::move(problems_)); });
    add_model(command, analyze_.model);
    const auto keep = [this](std::string name) {
      return [this, name = std::move(name)](const CLI::results_t& values) {
        for (const std::string& value : values) {
          analyze_.options.emplace_back(name, value);
        }
        return true;
      };
    };
    command.add_option("--at", CLI::callback_t(keep("start")), "time to look at (start of the experiment)")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("T");
    command
        .add_option("--set-file", CLI::callback_t(keep("set-file")), "names and values to set, JSON or CSV")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("FILE");
    command
        .add_option("--set", CLI::callback_t(keep("set")),
                    "value of a parameter, or start value of a variable")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("NAME=VALUE");
    const auto add_word = [&command](const char* name, std::string& into, const char* text,
                                     const char* type) {
      command.add_option(name, into, text)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
          ->type_name(type);
    };
    add_word("--run-to", analyze_.run_to, "runs the model to this time and looks at its point there", "T");
    command.add_flag("--projectors", analyze_.projectors,
                     "projectors, reduced equations and how clear the ranks are");
    command.add_flag("--pencil", analyze_.pencil,
                     "Kronecker structure of the linearised equations, with every rank decision");
    add_word("--pencil-tolerance", analyze_.pencil_tolerance,
             "singular values of the pencil up to this count as zero (unclear ones are told)", "TOL");
    command.add_flag("--structure", analyze_.structure,
                     "symmetric and self-adjoint equations, with forms that keep that");
    add_word("--equilibrate", analyze_.equilibrate,
             "rows and columns are scaled before ranks are decided (on)", "on|off");
    add_word("--ranks", analyze_.ranks, "ranks by singular values or by QR with pivots (svd)", "svd|qr");
    add_word("--format", analyze_.format, "text or json, on standard output (text)", "WORD");
    add_console_options(command);
  }

  void add_linearize() {
    CLI::App& command =
        *add("linearize", "A, B, C, D and eigenvalues at a point of the solution, as JSON",
             [this] { return linearize_command(console_, linearize_, std::move(problems_)); });
    add_model(command, linearize_.model);
    const auto keep = [this](std::string name) {
      return [this, name = std::move(name)](const CLI::results_t& values) {
        for (const std::string& value : values) {
          linearize_.options.emplace_back(name, value);
        }
        return true;
      };
    };
    const auto add_kept = [&](const std::string& option, const std::string& name, const char* type,
                              const char* text) {
      command.add_option(option, CLI::callback_t(keep(name)), text)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
          ->type_name(type);
    };
    add_kept("--at", "stop", "T", "time that the model is run to (none: its start values)");
    add_kept("--set-file", "set-file", "FILE", "names and values to set, JSON or CSV");
    add_kept("--set", "set", "NAME=VALUE", "value of a parameter, or start value of a variable");
    add_kept("--tolerance", "tolerance", "TOL", "of the run to that time (1e-6)");
    add_kept("--method", "method", "NAME", "of the run to that time (auto)");
    command.add_option("-o,--output", linearize_.folder, "folder for linearization.json (none)")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->type_name("FOLDER");
    add_console_options(command);
  }

  void add_fit() {
    CLI::App& command = *add("fit", "find parameters and start values that fit measured data",
                             [this] { return fit_command(console_, fit_, std::move(problems_)); });
    add_model(command, fit_.run.model);
    command
        .add_option("--data", fit_.data,
                    "measured values over time, columns by name; repeatable: several experiments")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("FILE.csv")
        ->group("Fit");
    add_table(command, fit_.run, kFitOptions);
    add_table(command, fit_.run, kSimulationOptions, kNotForFits);
    add_output(command, fit_.run, "NAME_fit");
    add_formats(command, fit_.run, "csv,json,html");
    command.add_flag("--quiet", fit_.run.quiet, "no table on standard output")->group("Messages");
    add_console_options(command);
    command.footer(kFitFooter);
  }

  // Options of a run for a command that asks for numbers of it.
  void add_functional_options(CLI::App& command, RunArguments& arguments, const std::string& folder) {
    add_table(command, arguments, kSimulationOptions, kNotForFunctionals);
    add_output(command, arguments, folder);
    command.add_flag("--quiet", arguments.quiet, "nothing on standard output")->group("Messages");
    add_console_options(command);
  }

  void add_gradient() {
    CLI::App& command = *add("gradient", "how a number of a run moves with parameters and start values",
                             [this] { return gradient_command(console_, gradient_, std::move(problems_)); });
    add_model(command, gradient_.run.model);
    command.add_option("--of", gradient_.functional, "the functional, as 'final(x^2) + integral(u^2)'")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->type_name("EXPRESSION")
        ->group("Gradient");
    add_table(command, gradient_.run, kGradientOptions);
    add_functional_options(command, gradient_.run, "NAME_gradient");
    command.footer(std::string(kTermsFooter) + kGradientFooter);
  }

  void add_optimize() {
    CLI::App& command =
        *add("optimize", "find parameters and start values for which a number of a run is least",
             [this] { return optimize_command(console_, optimize_, std::move(problems_)); });
    add_model(command, optimize_.run.model);
    command.add_option("--minimize", optimize_.objective, "the functional, as 'final(x^2) + integral(u^2)'")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->type_name("EXPRESSION")
        ->group("Optimum");
    add_table(command, optimize_.run, kOptimizeOptions);
    add_functional_options(command, optimize_.run, "NAME_optimum");
    command.footer(std::string(kTermsFooter) + kOptimizeFooter);
  }

  void add_sweep() {
    CLI::App& command = *add("sweep", "run a model with many values, on all processors, into one table",
                             [this] { return sweep_command(console_, sweep_, std::move(problems_)); });
    add_model(command, sweep_.run.model);
    add_table(command, sweep_.run, kSweepOptions);
    add_table(command, sweep_.run, kSimulationOptions, kNotForSweeps);
    command.add_flag("--anew", sweep_.anew, "throw away the journal of runs that were made before")
        ->group("Sweep");
    add_output(command, sweep_.run, "NAME_sweep");
    add_formats(command, sweep_.run, "csv,json,html; also mat, npz");
    command.add_flag("--quiet", sweep_.run.quiet, "nothing on standard output")->group("Messages");
    add_progress(command, sweep_.run.progress);
    add_console_options(command);
    command.footer(std::string(kTermsFooter) + kSweepFooter);
  }

  // A word that must be there.
  std::function<int()> with_both(const std::string& first, const std::string& second, const char* names,
                                 std::function<int()> action) {
    return unless_refused([this, &first, &second, names, action = std::move(action)] {
      return first.empty() || second.empty() ? wrong_usage(std::string(names) + " are required") : action();
    });
  }

  void add_convert() {
    CLI::App& command = *add("convert", "write results in another format: .csv, .mat, .npz",
                             with_both(convert_.from, convert_.to, "FROM and TO",
                                       [this] { return convert_command(console_, convert_); }));
    add_convert_options(command, convert_);
    add_console_options(command);
  }

  void add_compare() {
    CLI::App& command = *add("compare", "tell whether two results are the same curves",
                             with_both(compare_.first, compare_.second, "two results",
                                       [this] { return compare_command(console_, compare_); }));
    add_compare_options(command, compare_);
    add_console_options(command);
    command.footer("Exit codes: 0 the same, 1 different, 2 wrong files or options, 3 a bug.");
  }

  void add_plot() {
    CLI::App& command = *add("plot", "draw columns of results over time, as SVG", unless_refused([this] {
                               return plot_.result.empty() ? wrong_usage("RESULT is required")
                                                           : plot_command(console_, plot_);
                             }));
    add_plot_options(command, plot_);
    add_console_options(command);
  }

  void add_progress(CLI::App& command, ProgressChoice& choice) {
    add_choice<ProgressChoice>(
        command, "--progress", choice,
        {{"auto", ProgressChoice::automatic}, {"on", ProgressChoice::on}, {"off", ProgressChoice::off}},
        "progress on standard error: auto (on a terminal), on, off");
  }

  void add_examples() {
    CLI::App& command = *add("examples", "list the example models; with a name, copy one into this folder",
                             unless_refused([this] { return examples_command(console_, name_); }));
    command.add_option("NAME", name_, "the example to copy")->type_name("");
  }

  void add_help() {
    CLI::App& command =
        *add("help", "explain a command and its options", unless_refused([this] { return help(name_); }));
    command.add_option("COMMAND", name_, "the command")->type_name("");
  }

  int help(const std::string& name) {
    if (name.empty()) {
      // Not app_.help(), which would explain the command that was named, "help" itself.
      return finish_output(console_,
                           app_.get_formatter()->make_help(&app_, "saltus", CLI::AppFormatMode::Normal),
                           kExitSuccess);
    }
    for (const CLI::App* command : app_.get_subcommands([](const CLI::App*) { return true; })) {
      if (command->get_name() == name) {
        return finish_output(console_, command->help("saltus"), kExitSuccess);
      }
    }
    console_.print(unknown_command(name, command_names()));
    return kExitWrongInput;
  }

  std::vector<std::string_view> command_names() const {
    std::vector<std::string_view> names;
    for (const CLI::App* command : app_.get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(command->get_name());
    }
    return names;
  }

  // As they are written: "--stop", "-o".
  static std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        names.push_back("--" + name);
      }
      for (const std::string& name : option->get_snames()) {
        names.push_back("-" + name);
      }
    }
    return names;
  }

  void report_words_of(const CLI::App& app, const std::string& help) {
    const std::vector<std::string> names = option_names(app);
    problems_.append(unknown_words(app.remaining(), {names.begin(), names.end()}, help));
  }

  void report_unknown_words() {
    const std::vector<CLI::App*> chosen = app_.get_subcommands();
    const std::vector<std::string> words = app_.remaining();
    if (chosen.empty() && !words.empty() && !looks_like_option(words.front())) {
      problems_.append(unknown_command(words.front(), command_names()));
      return;
    }
    report_words_of(app_, "saltus help");
    if (!chosen.empty()) {
      report_words_of(*chosen.front(), help_call());
    }
  }

  std::string help_call() const {
    const std::vector<CLI::App*> chosen = app_.get_subcommands();
    return chosen.empty() ? "saltus help" : "saltus help " + chosen.front()->get_name();
  }

  int wrong_usage(const std::string& message) {
    problems_.error(kWrongUsage, message, std::nullopt, fmt::format("see '{}'", help_call()));
    return refuse();
  }

  // CLI11 writes "--stop: 1 required T missing".
  int missing_value(const std::string& message) {
    return wrong_usage(message.substr(0, message.find(':')) + " needs a value");
  }

  CLI::App app_{"saltus solves models with switches, jumps and algebraic equations.", "saltus"};
  Console console_;
  Diagnostics problems_;  // of the arguments
  RunArguments run_;
  AnalyzeArguments analyze_;
  RunArguments linearize_;
  FitArguments fit_;
  GradientArguments gradient_;
  OptimizeArguments optimize_;
  SweepArguments sweep_;
  ConvertArguments convert_;
  CompareArguments compare_;
  PlotArguments plot_;
  ModelChoice checked_;
  ModelChoice flattened_;
  std::string name_;
  std::function<int()> action_;
};

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  return CommandLine().run(argc, argv);
}

}  // namespace saltus::tool
