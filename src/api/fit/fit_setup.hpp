/// Data and options of a fit beside its model: everything that may be wrong is found here, before anything runs.
///
/// Contract     Columns of data are Real variables, each with one sigma; times lie between start and stop; every parameter is a number that can be set
///              and moves continuously, named once, its guess within its bounds. The error has all problems, those of data with file and line.
/// Checked by   tests/unit/api_fit/fit_setup_test.cpp
#pragma once

#include <vector>

#include "api/fit/trial_runs.hpp"
#include "saltus/fit.hpp"

namespace saltus::api {

struct PreparedFit {
  FitSetup setup;
  std::vector<double> guess;
  bool is_variance_known = false;
  Diagnostics warnings;
};

/// All that is given outlives the result.
[[nodiscard]] Result<PreparedFit> prepare_fit(const Model& model, const std::vector<FitData>& data,
                                              const FitOptions& options);

}  // namespace saltus::api
