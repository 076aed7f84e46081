/// summary.json: what happened in a run, for programs (the schema is in docs/output.md).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "saltus/diagnostic.hpp"

namespace saltus::record {

/// The version of the layout of summary.json; it grows when a reader of the old one would stumble.
inline constexpr std::int64_t kSummarySchema = 1;

struct Statistics {
  std::string method;
  std::string method_reason;  ///< why this method, for a person
  std::int64_t accepted_steps = 0;
  std::int64_t rejected_steps = 0;
  std::int64_t residual_evaluations = 0;
  std::int64_t jacobian_evaluations = 0;
  std::int64_t factorizations = 0;
  std::int64_t guard_evaluations = 0;
  std::int64_t newton_iterations = 0;
  std::int64_t events = 0;
  std::int64_t output_rows = 0;
  double wall_seconds = 0.0;
};

/// A stretch of time in one mode, with the characteristic values of its equations.
struct ModeSpan {
  double from = 0.0;
  double to = 0.0;
  std::string mode;
  std::int64_t index = 0;  ///< strangeness index
  std::int64_t d = 0;
  std::int64_t a = 0;
  std::int64_t u = 0;
  std::int64_t v = 0;
};

struct Summary {
  std::string saltus_version;
  std::string model;
  std::string description;
  std::string status;
  std::string reason;
  std::string message;
  double start = 0.0;
  double end = 0.0;
  std::vector<std::pair<std::string, double>> final_values;
  std::vector<std::pair<std::string, std::variant<double, std::string>>> parameters;
  std::vector<ModeSpan> modes;
  Statistics statistics;
};

[[nodiscard]] std::string summary_json(const Summary& summary);
[[nodiscard]] Diagnostics write_summary(const std::string& path, const Summary& summary);

}  // namespace saltus::record
