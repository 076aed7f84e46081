/// What a saltus::Trajectory shares between its copies.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "saltus/trajectory.hpp"
#include "system/locked_dae.hpp"
#include "trajectory/trajectory.hpp"

namespace saltus::api {

class TrajectoryData {
 public:
  std::vector<std::string> names;
  std::unordered_map<std::string_view, std::size_t> places;  ///< of the names above

  std::vector<double> times;   ///< of the rows
  std::vector<double> values;  ///< [row][variable]

  trajectory::Trajectory dense;
  std::shared_ptr<const system::LockedDae> locked;
  std::vector<double> guess;  ///< of its evaluators
  std::vector<double>
      solutions;  ///< [segment][as guess] of the outputs at the end of each; empty if none iterate

  void set_names(std::vector<std::string> list);
  void append(const OutputRows& rows);
  /// The segment just accepted; `evaluator` stands at its end.
  void append(const trajectory::SegmentView& segment, const system::Evaluator& evaluator);
  void evaluate(double t, std::span<double> out) const;

 private:
  mutable std::mutex mutex_;  // guards the evaluator and its scratch
  mutable std::unique_ptr<system::Evaluator> evaluator_;
  mutable std::vector<double> x_;
};

}  // namespace saltus::api
