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
};

/// Consecutive rows of one segment. Values are [variable][row], as outputs_block computes them: the value of
/// variable v in row k is values[v * stride + k].
struct Rows {
  std::span<const double> times;
  std::span<const double> values;
  std::size_t stride = 0;
  std::int64_t segment = 0;
  std::string_view mode;  ///< name of the mode, "main" for a model without modes
};

}  // namespace saltus::record
