// Runs of saltus' methods and of IDA on one problem, for the tables that compare them.
#pragma once

#include <string>
#include <vector>

#include "dae_problems.hpp"
#include "peer_ida.hpp"
#include "peer_saltus.hpp"
#include "work_precision.hpp"

namespace saltus::bench {

inline Model model_of(const DaeProblemData& data) {
  return Model::from_text(data.model_file, model_text(data.model_file, data.settings)).value();
}

inline MeasuredRun solve_with(const Model& model, const DaeProblemData& data, const std::string& method,
                              double tolerance) {
  return solve_saltus(model, data.t_end, data.names, {.tolerance = tolerance, .method = method});
}

/// A curve for each method, the last one IDA's. `tell(tolerance, run, curve)` prints a run and puts its point on the curve.
template <class Problem, class Tell>
std::vector<Curve> run_beside_ida(const Problem& problem, const Model& model,
                                  const std::vector<double>& tolerances,
                                  const std::vector<std::string>& methods, const Tell& tell) {
  std::vector<Curve> curves;
  for (const std::string& method : methods) {
    curves.push_back({method, {}});
  }
  curves.push_back({"IDA", {}});
  for (const double tolerance : tolerances) {
    for (std::size_t i = 0; i < methods.size(); ++i) {
      tell(tolerance, solve_with(model, problem.data, methods[i], tolerance), curves[i]);
    }
    tell(tolerance, solve_ida(problem, tolerance), curves.back());
  }
  print_ratios(problem.data.name, curves);
  return curves;
}

}  // namespace saltus::bench
