#include "peer_saltus.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace saltus::bench {

std::string model_text(const std::string& file, const std::vector<std::pair<std::string, double>>& settings) {
  std::ifstream in(std::string(SALTUS_SOURCE_DIR) + "/examples/" + file);
  std::ostringstream out;
  out << in.rdbuf();
  std::string text = out.str();
  for (const auto& [name, value] : settings) {
    // Setting the default in the text keeps the elaboration out of the measured run.
    const std::string declaration = "parameter Integer " + name + " = ";
    const std::size_t begin = text.find(declaration);
    if (begin == std::string::npos) {
      throw std::runtime_error("no parameter " + name + " in " + file);
    }
    const std::size_t number = begin + declaration.size();
    text.replace(number, text.find_first_of(" ;", number) - number, fmt::format("{}", value));
  }
  return text;
}

Model load_model(const ProblemData& problem) {
  return Model::from_text(problem.model_file, model_text(problem.model_file, problem.settings)).value();
}

MeasuredRun solve_saltus(const Model& model, double t_end, const std::vector<std::string>& names,
                         SimulationOptions options) {
  options.start = 0.0;
  options.stop = t_end;
  options.interval = t_end;
  options.keep_dense = false;
  options.keep_rows = false;
  return measure([&] {
    const double begin = thread_seconds();
    const SimulationResult result = simulate(model, options).value();
    MeasuredRun run;
    run.seconds = thread_seconds() - begin;
    run.accepted = result.statistics.accepted_steps;
    run.rejected = result.statistics.rejected_steps;
    run.n_rhs = result.statistics.residual_evaluations;
    if (!result.ok()) {
      run.failure = std::string(to_string(result.reason)) + ": " + result.message;
      return run;
    }
    for (const Event event : result.events) {
      if (run.event_times.empty() || run.event_times.back() != event.time) {
        run.event_times.push_back(event.time);
      }
    }
    for (const std::string& name : names) {
      run.x_end.push_back(result.final_value(name));
    }
    return run;
  });
}

MeasuredRun solve_saltus(const Model& model, const ProblemData& problem, double tolerance) {
  return solve_saltus(model, problem.t_end, problem.state_names,
                      {.rtol = tolerance, .atol = tolerance, .method = "dopri5"});
}

}  // namespace saltus::bench
