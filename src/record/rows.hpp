/// What every writer of trajectories receives: columns once, then rows in blocks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace saltus::record {

/// One variable of the model.
struct Column {
  std::string name;
  std::string unit;
  std::string description;
  bool is_discrete = false;  ///< keeps its value between events
};

/// Consecutive rows of one segment. Values are [variable][row], as outputs_block computes them: the value of
/// variable v in row k is values[v * stride + k]; NaN where the variable does not exist in the mode.
struct Rows {
  std::span<const double> times;
  std::span<const double> values;
  std::size_t stride = 0;
  std::int64_t segment = 0;
  std::string_view mode;  ///< name of the mode, "main" for a model without modes
};

/// One thing that happened: a line of events.csv. The texts belong to the caller.
struct EventRow {
  double time = 0.0;
  std::int64_t segment = 0;
  std::string_view kind;
  std::string_view from;
  std::string_view to;
  std::string_view guard;
  std::string_view detail;
  std::string_view transfer = {};  ///< in words; empty: not looked at
  int impulse_order = -1;
  int transfer_case = 0;
  std::span<const double> sensitivities = {};  ///< of the time, by parameter; NaN: undefined
};

}  // namespace saltus::record
