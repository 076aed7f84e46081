#include "event_run.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace saltus::bench {

std::string example_text(const std::string& file,
                         const std::vector<std::pair<std::string, std::string>>& settings) {
  std::ifstream in(std::string(SALTUS_SOURCE_DIR) + "/examples/" + file);
  std::ostringstream out;
  out << in.rdbuf();
  std::string text = out.str();
  for (const auto& [name, value] : settings) {
    const std::string declaration = " " + name + " = ";
    const std::size_t begin = text.find(declaration, text.find("\n  parameter"));
    if (begin == std::string::npos) {
      throw std::runtime_error("no parameter " + name + " in " + file);
    }
    const std::size_t number = begin + declaration.size();
    text.replace(number, text.find_first_of(" ,;", number) - number, value);
  }
  return text;
}

std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>>& replacements) {
  for (const auto& [from, to] : replacements) {
    std::size_t at = text.find(from);
    if (at == std::string::npos) {
      throw std::runtime_error("'" + from + "' does not occur in the model");
    }
    for (; at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

Model model_from(const std::string& file, const std::string& text) {
  return Model::from_text(file, text).value();
}

SimulationResult fastest_run(const Model& model, const SimulationOptions& options, int repetitions) {
  constexpr double kEnoughSeconds = 0.2;
  SimulationResult best = simulate(model, options).value();
  double total = best.statistics.wall_seconds;
  for (int i = 1; i < 200 && (i < repetitions || total < kEnoughSeconds); ++i) {
    SimulationResult current = simulate(model, options).value();
    total += current.statistics.wall_seconds;
    if (current.statistics.wall_seconds < best.statistics.wall_seconds) {
      best = std::move(current);
    }
  }
  return best;
}

std::string outcome(const SimulationResult& result) {
  return result.ok() ? "success"
                     : std::string(to_string(result.reason)) + " at " + std::to_string(result.end);
}

}  // namespace saltus::bench
