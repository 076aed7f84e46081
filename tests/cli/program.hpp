/// The program under test, in a folder of its own with models written by the test.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/process.hpp"

namespace saltus::test {

inline constexpr const char* kDecay = R"(model Decay "radioactive decay"
  parameter Real k = 1 "rate";
  parameter Integer n = 2;
  constant Real one = 1;
  Real x[n](each start = 1, each fixed = true, each unit = "mol");
  Real twice = 2*x[1];
equation
  for i in 1:n loop
    der(x[i]) = -k*i*x[i];
  end for;
  annotation(experiment(StopTime = 2, Interval = 0.5, Tolerance = 1e-8));
end Decay;
)";

/// log(1 - time) stops being a number at time 1.
inline constexpr const char* kBreaks = R"(model Breaks
  Real x(start = 0, fixed = true);
equation
  der(x) = sqrt(1 - time);
  annotation(experiment(StopTime = 2));
end Breaks;
)";

/// Takes for ever.
inline constexpr const char* kLong = R"(model Long
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x;
  annotation(experiment(StopTime = 1e12, Interval = 1e6));
end Long;
)";

class Program {
 public:
  Program() = default;
  /// With a model in its folder.
  Program(const std::string& name, const std::string& text) { write(name, text); }

  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
  [[nodiscard]] const std::string& folder() const { return folder_.path(); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return name;
  }

  ProcessResult operator()(std::vector<std::string> arguments, ProcessOptions options = {}) const {
    arguments.insert(arguments.begin(), SALTUS_PROGRAM);
    if (options.folder.empty()) {
      options.folder = folder();
    }
    return run_process(arguments, options);
  }

  [[nodiscard]] std::string read(const std::string& name) const { return read_text(file(name)); }
  [[nodiscard]] nlohmann::json json(const std::string& name) const {
    return nlohmann::json::parse(read(name));
  }
  [[nodiscard]] bool exists(const std::string& name) const { return std::filesystem::exists(file(name)); }

 private:
  TemporaryFolder folder_;
};

}  // namespace saltus::test
