/// What becomes of an error that a step makes: twin runs, one of which is moved a little on the way.
///
/// Method       At kSamples times s a state is moved by kMove of its weight; the distance of the two runs, divided by that just after the move, is a
///              column of the flow Φ(t, s) of the linearised equations, events included. ‖Φ(t, s)‖ is estimated by √n times the
///              largest of up to kDirections columns (n states: a local error of 1 in the norm of the error test may lie in one of them).
/// Contract     K = max over t of Σ ‖Φ(t, tₙ)‖ over the steps tₙ of a run, each with the sample before it; at least 1 for the step itself.
/// Fails when   The clause that moves a state is refused (a state that is not there in all modes): without any column Φ counts as 1 and the
///              table says so.
#pragma once

#include <string>
#include <vector>

#include "saltus/simulate.hpp"

namespace saltus::bench {

/// |difference|/(nominal + |value|), the largest over the continuous variables, for each row of `run`.
[[nodiscard]] std::vector<double> weighted_rows(const SimulationResult& run, const ErrorEstimate& difference);

class Amplification {
 public:
  /// `options` are those of the reference, its interval included.
  Amplification(const std::string& file, const std::string& text, const SimulationResult& reference,
                const SimulationOptions& options, int n_samples, int n_directions);

  [[nodiscard]] std::size_t n_columns() const { return n_columns_; }
  [[nodiscard]] double largest() const;
  /// K of a run whose steps end at these times.
  [[nodiscard]] double k(const std::vector<double>& step_ends) const;

 private:
  void add_column(const Model& model, const std::string& variable, std::size_t sample,
                  const SimulationResult& reference, const SimulationOptions& options);

  std::vector<std::string> states_;
  std::vector<double> samples_;              // times s
  std::vector<double> times_;                // of the rows t
  std::vector<std::vector<double>> growth_;  // [sample][row], 0 before the sample
  std::size_t n_columns_ = 0;
  double root_of_n_ = 1.0;
};

}  // namespace saltus::bench
