#include "callback/residual_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "system/function_failed.hpp"

namespace saltus::callback {
namespace {

using system::Evaluation;

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

Evaluation row_not_finite(std::span<const double> rows) {
  const auto bad = std::find_if_not(rows.begin(), rows.end(), [](double v) { return std::isfinite(v); });
  return {Evaluation::Status::not_finite, bad == rows.end() ? -1 : static_cast<Index>(bad - rows.begin())};
}

double binomial(int n, int k) {
  if (k < 0 || k > n) {
    return 0.0;
  }
  double result = 1.0;
  for (int i = 1; i <= k; ++i) {
    result = result * (n - k + i) / i;
  }
  return result;
}

// A point beside the one that is asked for: what throws there has no value there.
template <class Call>
bool has_value(bool is_beside, Call call) {
  if (!is_beside) {
    return call();
  }
  try {
    return call();
  } catch (const system::FunctionFailed&) {
    return false;
  }
}

// Adds share·from to `to`; corners come one after the other.
void add(double share, std::span<const double> from, std::span<double> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] += share * from[i];
  }
}

}  // namespace

ResidualDerivatives::ResidualDerivatives(std::shared_ptr<const CallbackModel> model, std::size_t mode,
                                         int depth)
    : model_(std::move(model)),
      equations_(model_->modes[mode].residual),
      depth_(depth),
      n_(model_->states.size()),
      m_(equations_.n_equations()),
      weights_(*model_),
      sizes_(n_),
      row_terms_(m_),
      row_largest_(m_),
      row_errors_(m_),
      point_errors_(m_),
      along_(n_),
      along_dot_(n_),
      along_dot2_(n_),
      of_values_(m_, equations_.array ? 0 : depth),
      of_matrices_(2 * m_ * n_, equations_.array ? 0 : depth),
      in_unknown_(m_, 1),
      in_slot_(equations_.array ? m_ * static_cast<std::size_t>(depth + 1) : 0, 1) {
  for (Matrices* matrices : {&blended_, &corner_}) {
    matrices->by_x.resize(m_ * n_);
    matrices->by_xdot.resize(m_ * n_);
    matrices->by_time.resize(m_);
  }
  const std::size_t n_rows = m_ * static_cast<std::size_t>(depth + 1);
  const std::size_t n_slots = n_ * static_cast<std::size_t>(depth + 2);
  corner_values_.resize(n_rows);
  corner_entries_.resize(equations_.array_jacobian ? n_rows * n_slots : 0);
  moved_.resize(n_slots);
  scale_.resize(std::max<std::size_t>(2 * n_, 1) * m_);
  no_scale_.resize(n_rows);
}

bool ResidualDerivatives::residual(double t, std::span<const double> x, std::span<const double> xdot,
                                   std::span<double> values) {
  if (!weights_.is_blended()) {
    equations_.values(weights_.at(t, x), xdot, values);
    return all_finite(values);
  }
  std::fill(values.begin(), values.end(), 0.0);
  const std::span<double> corner = std::span(corner_values_).first(m_);
  weights_.for_corners([&](double share, std::span<const double> sides) {
    equations_.values({t, x, sides, weights_.parameters()}, xdot, corner);
    add(share, corner, values);
    return true;
  });
  return all_finite(values);
}

// ∂F/∂x, ∂F/∂ẋ and ∂F/∂t of the user.
bool ResidualDerivatives::given_matrices(double t, std::span<const double> x, std::span<const double> xdot) {
  for (std::vector<double>* entries : {&blended_.by_x, &blended_.by_xdot, &blended_.by_time}) {
    std::fill(entries->begin(), entries->end(), 0.0);
  }
  weights_.for_corners([&](double share, std::span<const double> sides) {
    // What a function does not set is zero.
    for (std::vector<double>* entries : {&corner_.by_x, &corner_.by_xdot, &corner_.by_time}) {
      std::fill(entries->begin(), entries->end(), 0.0);
    }
    equations_.jacobian({t, x, sides, weights_.parameters()}, xdot, corner_.by_x, corner_.by_xdot,
                        corner_.by_time);
    add(share, corner_.by_x, blended_.by_x);
    add(share, corner_.by_xdot, blended_.by_xdot);
    add(share, corner_.by_time, blended_.by_time);
    return true;
  });
  return all_finite(blended_.by_x) && all_finite(blended_.by_xdot) && all_finite(blended_.by_time);
}

bool ResidualDerivatives::differenced_matrices(double t, std::span<const double> x,
                                               std::span<const double> xdot) {
  const std::span<double> moved = std::span(moved_).first(2 * n_);
  std::copy(x.begin(), x.end(), moved.begin());
  std::copy(xdot.begin(), xdot.end(), moved.begin() + static_cast<std::ptrdiff_t>(n_));
  for (std::size_t slot = 0; slot < 2 * n_; ++slot) {
    const std::size_t j = slot % n_;
    const bool is_rate = slot >= n_;
    std::vector<double>& entries = is_rate ? blended_.by_xdot : blended_.by_x;
    const double value = moved[slot];
    const double unit = std::max(std::abs(value), model_->nominal(j));
    const bool is_known =
        (is_rate && model_->is_differential[j] == 0) ||
        in_unknown_.run(unit, std::span(no_scale_).first(m_), [&](double step, std::span<double> values) {
          moved[slot] = value + step;
          return has_value(step != 0.0,
                           [&] { return residual(t, moved.first(n_), moved.subspan(n_), values); });
        });
    moved[slot] = value;
    if (!is_known) {
      return false;
    }
    const bool is_zero = is_rate && model_->is_differential[j] == 0;
    for (std::size_t i = 0; i < m_; ++i) {
      entries[i * n_ + j] = is_zero ? 0.0 : in_unknown_.derivative(1)[i];
      const double size = is_rate ? sizes_[j] / unit_ : sizes_[j];
      row_errors_[i] =
          std::max(slot == 0 ? 0.0 : row_errors_[i], is_zero ? 0.0 : in_unknown_.error_of(i) * size);
    }
  }
  return true;
}

bool ResidualDerivatives::matrices(double t, std::span<const double> x, std::span<const double> xdot) {
  return equations_.jacobian ? given_matrices(t, x, xdot) : differenced_matrices(t, x, xdot);
}

// p and its derivatives at τ.
bool ResidualDerivatives::follow(double t, std::span<const double> slots, double tau) {
  along_t_ = t + tau;
  for (std::size_t j = 0; j < n_; ++j) {
    double p = 0.0;
    double dot = 0.0;
    double dot2 = 0.0;
    for (int k = depth_ + 1; k >= 0; --k) {
      const double c = slots[static_cast<std::size_t>(k) * n_ + j];
      p = c + p * tau / (k + 1);
      dot = k >= 1 ? c + dot * tau / k : dot;
      dot2 = k >= 2 ? c + dot2 * tau / (k - 1) : dot2;
    }
    along_[j] = p;
    along_dot_[j] = dot;
    along_dot2_[j] = dot2;
  }
  return all_finite(along_);
}

// Sizes of the unknowns, and the time in which p changes by them.
void ResidualDerivatives::measure(std::span<const double> slots) {
  double unit = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < n_; ++j) {
    sizes_[j] = std::max(std::abs(slots[j]), model_->nominal(j));
    double factorial = 1.0;
    for (int k = 1; k <= depth_ + 1; ++k) {
      factorial *= k;
      const double derivative = std::abs(slots[static_cast<std::size_t>(k) * n_ + j]) / factorial;
      if (derivative > 0.0) {
        unit = std::min(unit, std::pow(sizes_[j] / derivative, 1.0 / k));
      }
    }
  }
  unit_ = std::isfinite(unit) ? unit : 1.0;
}

// dF/dt along p.
bool ResidualDerivatives::sample_rates(std::span<double> values) {
  if (!given_matrices(along_t_, along_, along_dot_)) {
    return false;
  }
  for (std::size_t i = 0; i < m_; ++i) {
    double sum = blended_.by_time[i];
    for (std::size_t j = 0; j < n_; ++j) {
      sum += blended_.by_x[i * n_ + j] * along_dot_[j] + blended_.by_xdot[i * n_ + j] * along_dot2_[j];
    }
    values[i] = sum;
  }
  return true;
}

Evaluation ResidualDerivatives::values(double t, std::span<const double> slots, std::span<double> rows) {
  const std::span<const double> x = slots.first(n_);
  const std::span<const double> xdot = slots.subspan(n_, n_);
  if (equations_.array) {
    return call_array(t, slots, rows) ? Evaluation{} : row_not_finite(rows);
  }
  if (!residual(t, x, xdot, rows.first(m_))) {
    return row_not_finite(rows.first(m_));
  }
  if (depth_ == 0) {
    return {};
  }
  measure(slots);
  if (!has_terms_) {
    if (!matrices(t, x, xdot)) {
      return {Evaluation::Status::not_finite, -1};
    }
    has_terms_ = true;
    for (std::size_t i = 0; i < m_; ++i) {
      row_terms_[i] = 0.0;
      for (std::size_t j = 0; j < n_; ++j) {
        row_terms_[i] +=
            (std::abs(blended_.by_x[i * n_ + j]) + std::abs(blended_.by_xdot[i * n_ + j]) / unit_) *
            sizes_[j];
      }
    }
  }
  const bool from_matrices = static_cast<bool>(equations_.jacobian);
  const double per_unit = from_matrices ? 1.0 / unit_ : 1.0;
  for (std::size_t i = 0; i < m_; ++i) {
    scale_[i] = row_terms_[i] * per_unit;
  }
  const bool is_known =
      of_values_.run(unit_, std::span(scale_).first(m_), [&](double tau, std::span<double> values) {
        return has_value(tau != 0.0, [&] {
          return follow(t, slots, tau) &&
                 (from_matrices ? sample_rates(values) : residual(along_t_, along_, along_dot_, values));
        });
      });
  if (!is_known) {
    return {Evaluation::Status::not_finite, static_cast<Index>(m_)};
  }
  for (int k = 1; k <= depth_; ++k) {
    const std::span<const double> derivative = of_values_.derivative(from_matrices ? k - 1 : k);
    std::copy(derivative.begin(), derivative.end(),
              rows.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(k) * m_));
  }
  return all_finite(rows) ? Evaluation{} : row_not_finite(rows);
}

Evaluation ResidualDerivatives::jacobian(double t, std::span<const double> slots, std::span<double> entries) {
  error_ = 0.0;
  const Evaluation failed{Evaluation::Status::not_finite, -1};
  if (equations_.array) {
    const bool is_known = equations_.array_jacobian ? call_array_jacobian(t, slots, entries)
                                                    : difference_array(t, slots, entries);
    return is_known ? Evaluation{} : failed;
  }
  measure(slots);
  if (!matrices(t, slots.first(n_), slots.subspan(n_, n_))) {
    return failed;
  }
  std::copy(row_errors_.begin(), row_errors_.end(), point_errors_.begin());
  // What an entry is measured by: the largest of its row, in the sizes of the unknowns.
  for (std::size_t i = 0; i < m_; ++i) {
    double largest = 0.0;
    row_terms_[i] = 0.0;
    for (std::size_t j = 0; j < n_; ++j) {
      const double of_x = std::abs(blended_.by_x[i * n_ + j]) * sizes_[j];
      const double of_rate = std::abs(blended_.by_xdot[i * n_ + j]) * sizes_[j] / unit_;
      largest = std::max({largest, of_x, of_rate});
      row_terms_[i] += of_x + of_rate;
    }
    row_largest_[i] = largest;
    for (std::size_t j = 0; j < n_; ++j) {
      scale_[i * n_ + j] = largest / sizes_[j];
      scale_[(m_ + i) * n_ + j] = largest / sizes_[j] * unit_;
    }
  }
  has_terms_ = true;
  const bool is_known = of_matrices_.run(unit_, scale_, [&](double tau, std::span<double> values) {
    return has_value(tau != 0.0, [&] {
      if (!follow(t, slots, tau) || !matrices(along_t_, along_, along_dot_)) {
        return false;
      }
      std::copy(blended_.by_x.begin(), blended_.by_x.end(), values.begin());
      std::copy(blended_.by_xdot.begin(), blended_.by_xdot.end(),
                values.begin() + static_cast<std::ptrdiff_t>(m_ * n_));
      return true;
    });
  });
  if (!is_known) {
    return failed;
  }
  compose(entries);
  error_ = relative_error(entries);
  return all_finite(entries) ? Evaluation{} : failed;
}

// ∂F⁽ᵏ⁾/∂x⁽ʲ⁾ = C(k, j)·D^(k-j) F_x + C(k, j-1)·D^(k-j+1) F_ẋ
void ResidualDerivatives::compose(std::span<double> entries) const {
  const std::size_t n_slots = n_ * static_cast<std::size_t>(depth_ + 2);
  std::fill(entries.begin(), entries.end(), 0.0);
  for (int k = 0; k <= depth_; ++k) {
    for (int j = 0; j <= k + 1; ++j) {
      for (std::size_t i = 0; i < m_; ++i) {
        const std::size_t row = static_cast<std::size_t>(k) * m_ + i;
        for (std::size_t v = 0; v < n_; ++v) {
          double entry = 0.0;
          if (j <= k) {
            entry += binomial(k, j) * of_matrices_.derivative(k - j)[i * n_ + v];
          }
          if (j >= 1) {
            entry += binomial(k, j - 1) * of_matrices_.derivative(k - j + 1)[(m_ + i) * n_ + v];
          }
          entries[row * n_slots + static_cast<std::size_t>(j) * n_ + v] = entry;
        }
      }
    }
  }
}

// Errors of D^l F_x and D^l F_ẋ, l ≤ k, are those of row k, beside its own largest entry.
double ResidualDerivatives::relative_error(std::span<const double> entries) const {
  const std::size_t n_slots = n_ * static_cast<std::size_t>(depth_ + 2);
  double error = 0.0;
  double of_lines = 0.0;
  for (int k = 0; k <= depth_; ++k) {
    of_lines = k == 0 ? 0.0 : std::max(of_lines, of_matrices_.error(k));
    for (std::size_t i = 0; i < m_; ++i) {
      const std::size_t row = static_cast<std::size_t>(k) * m_ + i;
      double largest = 0.0;
      for (int j = 0; j <= k + 1; ++j) {
        for (std::size_t v = 0; v < n_; ++v) {
          const double entry = entries[row * n_slots + static_cast<std::size_t>(j) * n_ + v];
          largest = std::max(largest, std::abs(entry) * sizes_[v] / std::pow(unit_, j));
        }
      }
      if (largest > 0.0) {
        const double absolute = (point_errors_[i] + of_lines * row_largest_[i]) / std::pow(unit_, k);
        error = std::max(error, absolute / largest);
      }
    }
  }
  return error;
}

bool ResidualDerivatives::call_array(double t, std::span<const double> slots, std::span<double> rows) {
  std::fill(rows.begin(), rows.end(), 0.0);
  weights_.for_corners([&](double share, std::span<const double> sides) {
    equations_.array({t, slots.first(n_), sides, weights_.parameters()}, depth_, slots.subspan(n_),
                     corner_values_);
    add(share, corner_values_, rows);
    return true;
  });
  return all_finite(rows);
}

bool ResidualDerivatives::call_array_jacobian(double t, std::span<const double> slots,
                                              std::span<double> entries) {
  std::fill(entries.begin(), entries.end(), 0.0);
  weights_.for_corners([&](double share, std::span<const double> sides) {
    std::fill(corner_entries_.begin(), corner_entries_.end(), 0.0);
    equations_.array_jacobian({t, slots.first(n_), sides, weights_.parameters()}, depth_, slots.subspan(n_),
                              corner_entries_);
    add(share, corner_entries_, entries);
    return true;
  });
  return all_finite(entries);
}

bool ResidualDerivatives::difference_array(double t, std::span<const double> slots,
                                           std::span<double> entries) {
  const std::size_t n_rows = m_ * static_cast<std::size_t>(depth_ + 1);
  std::copy(slots.begin(), slots.end(), moved_.begin());
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    const double unit = std::max(std::abs(slots[slot]), model_->nominal(slot % n_));
    const bool is_known = in_slot_.run(unit, no_scale_, [&](double step, std::span<double> values) {
      moved_[slot] = slots[slot] + step;
      return has_value(step != 0.0, [&] { return call_array(t, moved_, values); });
    });
    moved_[slot] = slots[slot];
    if (!is_known) {
      return false;
    }
    error_ = std::max(error_, in_slot_.error(1));
    for (std::size_t row = 0; row < n_rows; ++row) {
      entries[row * slots.size() + slot] = in_slot_.derivative(1)[row];
    }
  }
  return true;
}

}  // namespace saltus::callback
