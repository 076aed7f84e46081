/// Whether a model can be run by the method `exact`, and what it must be told of the model.
///
/// Contract     Every mode is looked at (flat/constant_linear.hpp). Problems name the first equation that is not linear with constant coefficients.
///              Where the method is another one nothing is said.
/// Checked by   tests/exact/exact_method_test.cpp
#pragma once

#include <vector>

#include "api/model/instance.hpp"
#include "api/options/run_settings.hpp"
#include "saltus/diagnostic.hpp"

namespace saltus::api {

struct ExactForm {
  Diagnostics problems;
  std::vector<double> largest_step;  ///< by mode; beyond, functions of time could turn unseen
};

[[nodiscard]] ExactForm exact_form(const Instance& instance, const RunSettings& settings);

}  // namespace saltus::api
