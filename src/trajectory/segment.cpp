#include "trajectory/segment.hpp"

#include <algorithm>

#include "saltus/contract.hpp"

namespace saltus::trajectory {

SegmentView::SegmentView(CompensatedTime start, double h, double end, Index n_states, Index degree,
                         std::span<const double> coefficients)
    : start_(start),
      h_(h),
      end_(end),
      n_states_(n_states),
      degree_(degree),
      is_given_(true),
      coefficients_(coefficients) {
  SALTUS_ASSERT(n_states >= 0 && degree >= 0 && degree <= kMaxSegmentDegree);
  SALTUS_ASSERT(static_cast<Index>(coefficients.size()) == n_states * (degree + 1));
}

double SegmentView::theta(double t) const {
  if (t == end_) {
    return 1.0;
  }
  if (h_ == 0.0) {
    return 0.0;
  }
  // -(start - t) keeps the low bits of the start, so that θ is right to the last bit for t near 1e9 too.
  return -start_.since(t) / h_;
}

void SegmentView::evaluate(double theta, std::span<double> x) const {
  SALTUS_EXPECT(static_cast<Index>(x.size()) == n_states_, "x must have one place per state");
  const double* row = coefficients_.data() + degree_ * n_states_;
  double* const out = x.data();
  std::copy_n(row, n_states_, out);
  for (Index power = degree_; power > 0; --power) {
    row -= n_states_;
    for (Index i = 0; i < n_states_; ++i) {
      out[i] = row[i] + theta * out[i];
    }
  }
}

void SegmentView::derivative(double theta, std::span<double> xdot) const {
  SALTUS_EXPECT(static_cast<Index>(xdot.size()) == n_states_, "xdot must have one place per state");
  SALTUS_EXPECT(h_ != 0.0, "a segment without length has no derivative");
  double* const out = xdot.data();
  std::fill_n(out, n_states_, 0.0);
  const double* row = coefficients_.data() + degree_ * n_states_;
  for (Index power = degree_; power > 0; --power, row -= n_states_) {
    const double factor = static_cast<double>(power);
    for (Index i = 0; i < n_states_; ++i) {
      out[i] = factor * row[i] + theta * out[i];
    }
  }
  for (Index i = 0; i < n_states_; ++i) {
    out[i] /= h_;
  }
}

double SegmentView::value(Index state, double theta) const {
  SALTUS_EXPECT(state >= 0 && state < n_states_, "no such state");
  const double* const column = coefficients_.data() + state;
  double result = column[degree_ * n_states_];
  for (Index power = degree_ - 1; power >= 0; --power) {
    result = column[power * n_states_] + theta * result;
  }
  return result;
}

SegmentView SegmentView::shortened(double theta, double end, std::vector<double>& coefficients) const {
  coefficients.assign(coefficients_.begin(), coefficients_.end());
  const auto n = static_cast<std::size_t>(n_states_);
  double power = 1.0;
  for (std::size_t row = n; row + n <= coefficients.size() && n > 0; row += n) {
    power *= theta;
    for (std::size_t i = 0; i < n; ++i) {
      coefficients[row + i] *= power;
    }
  }
  return {start_, theta * h_, end, n_states_, degree_, coefficients};
}

}  // namespace saltus::trajectory
