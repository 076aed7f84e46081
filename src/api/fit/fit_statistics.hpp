/// What a fit says of its parameters: standard errors, correlations, and which combinations the data do not determine.
///
/// Problem      covariance s²·(JᵀJ)⁻¹ of the free parameters at the minimum, s² known or Σr²/(m - n)
/// Method       J with columns of length 1 has the triangular factor R = U·Σ·Vᵀ. Singular values at most `least_singular` times the largest are zero:
///              their columns of V are combinations that the data do not see, columns of J that are zero count among them. With a loss: s² =
///              K²·Σψ²/(m - n)/mean(ψ')², K = 1 + n/m·var(ψ')/mean(ψ')² (P. J. Huber, Robust Statistics, 1981, 7.6).
/// Contract     NaN for parameters that are held or have a part in what is not seen, and without degrees of freedom where s² is not known. m counts
///              data, n the free parameters.
/// Checked by   tests/unit/api_fit/fit_statistics_test.cpp
#pragma once

#include <vector>

#include "api/fit/levenberg_marquardt.hpp"
#include "saltus/fit.hpp"

namespace saltus::api {

struct FitQuality {
  std::vector<double> standard_errors;
  std::vector<double> correlation;  ///< row by row
  double variance = 1.0;
  double half_width = 0.0;  ///< of 95 % intervals, in standard errors
  std::int64_t degrees_of_freedom = 0;
  struct Unseen {
    std::vector<double> change;  ///< of all parameters
    double singular_value = 0.0;
  };
  std::vector<Unseen> unseen;
};

struct QualityOptions {
  Loss loss = Loss::none;
  double loss_scale = 1.0;
  bool is_variance_known = false;
  double least_singular = 0.0;
};

[[nodiscard]] FitQuality fit_quality(const LeastSquaresPoint& point, const std::vector<char>& is_held,
                                     const QualityOptions& options);

}  // namespace saltus::api
