#include "reduce/nonlinear/projection_steps.hpp"

#include <algorithm>
#include <cmath>

#include "reduce/nonlinear/consistency.hpp"

namespace saltus::reduce {

double apply_change(std::span<const double> change, std::span<const double> nominal, std::span<double> x) {
  double size = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double part = std::abs(change[i]) / std::max(std::abs(x[i]), nominal[i]);
    size = part <= size ? size : part;  // written so that a NaN is kept
    x[i] += change[i];
  }
  return size;
}

bool rows_agree(std::span<const double> change, std::span<const double> scale,
                std::span<const double> residual, std::span<const double> row_scale) {
  double length = 0.0;
  for (std::size_t i = 0; i < change.size(); ++i) {
    length = std::hypot(length, change[i] / scale[i]);
  }
  const double allowed = 2.0 * length + kConsistent;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    if (!(std::abs(residual[i]) * row_scale[i] <= allowed)) {
      return false;
    }
  }
  return true;
}

Index worst_row(std::span<const double> residual, std::span<const double> row_scale) {
  Index worst = 0;
  double most = -1.0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    const double distance = std::abs(residual[i]) * (row_scale[i] > 0.0 ? row_scale[i] : 1.0);
    if (std::isnan(distance)) {
      return static_cast<Index>(i);
    }
    if (distance > most) {
      most = distance;
      worst = static_cast<Index>(i);
    }
  }
  return worst;
}

void weigh_rows(const system::RectangularPattern& pattern, std::span<const double> entries,
                std::span<const double> scale, std::span<const double> gradient, std::span<double> residual) {
  std::fill(residual.begin(), residual.end(), 0.0);
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    const double weighed = scale[j] * scale[j] * gradient[j];
    for (auto e = static_cast<std::size_t>(pattern.column_starts[j]);
         e < static_cast<std::size_t>(pattern.column_starts[j + 1]); ++e) {
      residual[static_cast<std::size_t>(pattern.rows[e])] += entries[e] * weighed;
    }
  }
}

void add_weighed(std::span<const double> change, std::span<const double> scale, std::span<double> gradient) {
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    gradient[j] += scale[j] > 0.0 ? change[j] / (scale[j] * scale[j]) : 0.0;
  }
}

}  // namespace saltus::reduce
