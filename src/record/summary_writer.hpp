/// summary.json: what happened in a run, for programs (the schema is in docs/output.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "record/rows.hpp"
#include "saltus/diagnostic.hpp"
#include "saltus/monitors.hpp"
#include "saltus/run_statistics.hpp"

namespace saltus::record {

/// The version of the layout of summary.json; it grows when a reader of the old one would stumble.
inline constexpr std::int64_t kSummarySchema = 1;

/// Events and modes that are listed; events.csv has all events, and the mode column of trajectory.csv all modes.
inline constexpr std::size_t kMaxSummaryItems = 10'000;

/// The estimate of global errors by a second run.
struct ErrorSummary {
  double factor = 0.0;
  double end = 0.0;
  std::string reason;
  struct Largest {
    std::string variable;
    double error = 0.0;
    double time = 0.0;
  };
  std::vector<Largest> largest;
  std::int64_t events_compared = 0;
  double event_time = 0.0;
  std::optional<double> events_differ;
};

/// Sensitivities to parameters and start values.
struct SensitivitySummary {
  std::vector<std::string> parameters;
  std::vector<std::string> variables;  ///< Reals
  std::vector<double> final_values;    ///< [variable][parameter]; NaN: undefined
  std::vector<std::pair<std::string, double>> most_influential;
  std::vector<std::string> zero;
  struct Check {
    std::string parameter;
    double largest_difference = 0.0;  ///< NaN: nothing was compared
    std::string at;
  };
  std::optional<std::vector<Check>> check;
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
  std::vector<EventRow> events;  ///< the first ones, at most kMaxSummaryItems; statistics.events counts all
  Statistics statistics;
  std::optional<ErrorSummary> errors;
  std::optional<Monitors> monitors;
  std::optional<SensitivitySummary> sensitivities;
};

/// At most so many events and modes are listed; the numbers of all are there.
[[nodiscard]] std::string summary_json(const Summary& summary, std::size_t max_events = kMaxSummaryItems,
                                       std::size_t max_modes = kMaxSummaryItems);
[[nodiscard]] Diagnostics write_summary(const std::string& path, const Summary& summary);

}  // namespace saltus::record
