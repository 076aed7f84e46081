// Runs with result files, whole and in two parts, for comparison byte by byte.
#pragma once

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "saltus/saltus.hpp"

namespace saltus::test {

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Outputs {
  std::string rows;
  std::string events;
  std::string summary;  // without the wall time
  std::string report;   // likewise

  static Outputs in(const std::string& folder) {
    const std::regex wall("\"wall_seconds\": ?[-+0-9.eE]+");
    const auto without_time = [&](const std::string& text) {
      return std::regex_replace(text, wall, "\"wall_seconds\": 0");
    };
    return {bytes_of(folder + "/trajectory.csv"), bytes_of(folder + "/events.csv"),
            without_time(bytes_of(folder + "/summary.json")),
            without_time(bytes_of(folder + "/report.html"))};
  }
  friend bool operator==(const Outputs&, const Outputs&) = default;
};

// Results of a model in a folder. `is_killed`: nothing is completed, as if the process had ended here.
inline SimulationResult run_into(const Model& model, const std::string& folder, SimulationOptions options,
                                 bool is_killed = false) {
  ResultFiles files(model, {.folder = folder, .checkpoint = options.checkpoint});
  options.sink = &files;
  options.keep_rows = false;
  options.keep_dense = false;
  SimulationResult result = simulate(model, options).value();
  if (!is_killed) {
    const Diagnostics problems = files.finish(result);
    if (problems.has_errors()) {
      throw Error(render_text(problems));
    }
  }
  return result;
}

}  // namespace saltus::test
