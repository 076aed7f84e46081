#include "api/fit/fit_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "api/fit/loss.hpp"
#include "api/fit/student.hpp"
#include "linalg/singular_values.hpp"
#include "linalg/triangular_factor.hpp"

namespace saltus::api {
namespace {

constexpr double kNoStatistic = std::numeric_limits<double>::quiet_NaN();
constexpr double kConfidence = 0.95;  // the custom of tables
// Parts of a unit vector that are smaller belong to rounding and to the errors of sensitivities.
constexpr double kUnseenPart = 1e-3;

// Length 1, with the factor that each column had.
struct UnitColumns {
  linalg::DenseMatrix matrix;
  std::vector<std::size_t> places;  // of the parameters
  std::vector<double> lengths;
};

UnitColumns unit_columns(const LeastSquaresPoint& point, const std::vector<char>& is_held,
                         FitQuality& quality) {
  UnitColumns unit;
  const linalg::DenseMatrix& jacobian = point.jacobian;
  std::vector<double> entries;
  for (std::size_t j = 0; j < is_held.size(); ++j) {
    if (is_held[j] != 0) {
      continue;
    }
    const std::span<const double> column = jacobian.column(static_cast<Index>(j));
    double largest = 0.0;
    for (const double entry : column) {
      largest = std::max(largest, std::abs(entry));
    }
    if (largest == 0.0) {
      FitQuality::Unseen unseen{std::vector<double>(is_held.size(), 0.0), 0.0};
      unseen.change[j] = 1.0;
      quality.unseen.push_back(std::move(unseen));
      continue;
    }
    double sum = 0.0;
    for (const double entry : column) {
      sum += (entry / largest) * (entry / largest);
    }
    const double length = largest * std::sqrt(sum);
    unit.places.push_back(j);
    unit.lengths.push_back(length);
    for (const double entry : column) {
      entries.push_back(entry / length);
    }
  }
  unit.matrix = linalg::DenseMatrix(jacobian.rows(), static_cast<Index>(unit.places.size()));
  std::copy(entries.begin(), entries.end(), unit.matrix.entries().begin());
  return unit;
}

// s² of residuals as they count.
double variance_of(const std::vector<double>& residuals, std::size_t n, const QualityOptions& options) {
  if (options.is_variance_known) {
    return 1.0;
  }
  const auto m = static_cast<double>(residuals.size());
  const double freedom = m - static_cast<double>(n);
  if (freedom <= 0.0) {
    return kNoStatistic;
  }
  double squares = 0.0;
  double slopes = 0.0;
  double slope_squares = 0.0;
  for (const double residual : residuals) {
    const LossValue value = loss_of(options.loss, options.loss_scale, residual);
    squares += value.psi * value.psi;
    slopes += value.slope;
    slope_squares += value.slope * value.slope;
  }
  const double mean = slopes / m;
  if (!(mean > 0.0)) {
    return kNoStatistic;  // most data count as outliers
  }
  const double spread = std::max(0.0, slope_squares / m - mean * mean);
  const double correction = 1.0 + static_cast<double>(n) / m * spread / (mean * mean);
  return correction * correction * squares / freedom / (mean * mean);
}

}  // namespace

FitQuality fit_quality(const LeastSquaresPoint& point, const std::vector<char>& is_held,
                       const QualityOptions& options) {
  const std::size_t n = is_held.size();
  FitQuality quality;
  quality.standard_errors.assign(n, kNoStatistic);
  quality.correlation.assign(n * n, kNoStatistic);
  const auto n_free = static_cast<std::size_t>(std::count(is_held.begin(), is_held.end(), 0));
  quality.degrees_of_freedom =
      static_cast<std::int64_t>(point.residuals.size()) - static_cast<std::int64_t>(n_free);
  quality.variance = variance_of(point.residuals, n_free, options);
  quality.half_width = options.is_variance_known
                           ? student_quantile(kConfidence, std::numeric_limits<double>::infinity())
                       : quality.degrees_of_freedom > 0
                           ? student_quantile(kConfidence, static_cast<double>(quality.degrees_of_freedom))
                           : kNoStatistic;
  const UnitColumns unit = unit_columns(point, is_held, quality);
  const std::size_t k = unit.places.size();
  if (k == 0) {
    return quality;
  }
  const linalg::SingularValues svd = linalg::singular_values(
      linalg::triangular_factor(unit.matrix, std::vector<double>(point.residuals.size(), 0.0)).r);
  const auto right = [&](std::size_t i, std::size_t j) {
    return svd.right(static_cast<Index>(i), static_cast<Index>(j));
  };
  std::size_t rank = k;
  while (rank > 0 && svd.values[rank - 1] <= options.least_singular * svd.values.front()) {
    --rank;
  }
  std::vector<char> is_seen(k, 1);
  for (std::size_t v = rank; v < k; ++v) {
    FitQuality::Unseen unseen{std::vector<double>(n, 0.0), svd.values[v] / svd.values.front()};
    for (std::size_t i = 0; i < k; ++i) {
      if (std::abs(right(i, v)) > kUnseenPart) {
        is_seen[i] = 0;
        unseen.change[unit.places[i]] = right(i, v) / unit.lengths[i];
      }
    }
    quality.unseen.push_back(std::move(unseen));
  }
  const auto covariance = [&](std::size_t a, std::size_t b) {
    double sum = 0.0;
    for (std::size_t v = 0; v < rank; ++v) {
      sum += right(a, v) * right(b, v) / (svd.values[v] * svd.values[v]);
    }
    return sum;
  };
  std::vector<double> roots(k, kNoStatistic);
  for (std::size_t i = 0; i < k; ++i) {
    if (is_seen[i] != 0) {
      roots[i] = std::sqrt(covariance(i, i));
      quality.standard_errors[unit.places[i]] = std::sqrt(quality.variance) * roots[i] / unit.lengths[i];
    }
  }
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = 0; b < k; ++b) {
      quality.correlation[unit.places[a] * n + unit.places[b]] =
          a == b ? (is_seen[a] != 0 ? 1.0 : kNoStatistic) : covariance(a, b) / (roots[a] * roots[b]);
    }
  }
  return quality;
}

}  // namespace saltus::api
