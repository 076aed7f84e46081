#include "sensitivity/instant/contact.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace saltus::sensitivity {
namespace {

// Of its size every state moves by at most this part between two points, or half of it: truncation, of order 5 in it, and rounding errors are below
// 1e-5 of G for all orders.
constexpr double kPartOfSize = 0x1p-8;
constexpr std::size_t kTimes = 5;
// Derivatives at 0 of the polynomial through values at 0, 1, 2, 3, 4; by order (Fornberg, Math. Comp. 51 (1988), table 3).
constexpr std::array<std::array<double, kTimes>, kContactOrders> kDerivatives{
    {{1.0, 0.0, 0.0, 0.0, 0.0},
     {-25.0 / 12.0, 4.0, -3.0, 4.0 / 3.0, -1.0 / 4.0},
     {35.0 / 12.0, -26.0 / 3.0, 19.0 / 2.0, -14.0 / 3.0, 11.0 / 12.0},
     {-5.0 / 2.0, 9.0, -12.0, 7.0, -3.0 / 2.0}}};
// An error that falls by 2⁻² or faster on the way of half the length is below this many differences of the two.
constexpr double kErrorOfHalf = 4.0;

// x and S on a short way from the point.
class Way {
 public:
  Way(const FieldSource& source, StretchField& field, const InstantPoint& point,
      std::span<const double> sigma)
      : source_(source),
        field_(field),
        sigma_(sigma),
        discrete_(point.discrete),
        t_(point.t),
        x_(point.x.begin(), point.x.end()),
        s_(point.s.begin(), point.s.end()) {}

  [[nodiscard]] std::size_t n_columns() const { return source_.n_columns(); }
  [[nodiscard]] bool guard(Index guard, std::vector<double>& tangents) {
    tangents.resize(source_.n_columns());
    return field_.tangents().guards({&guard, 1}, t_, x_, {sigma_, s_, discrete_}, tangents).ok();
  }

  // In which a state or its sensitivity moves by its size; at most the length of the run. 0: there are no rates.
  [[nodiscard]] double natural_time() {
    Slope slope;
    if (!find_slope(t_, x_, s_, slope)) {
      return 0.0;
    }
    const double run = source_.options.stop - source_.options.start;
    double most = run != 0.0 ? 1.0 / std::abs(run) : 1.0;
    const std::size_t n = source_.n_columns();
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double size = std::max(std::abs(x_[i]), field_.nominal()[i]);
      most = std::max(most, std::abs(slope.x[i]) / size);
      for (std::size_t k = 0; k < n; ++k) {
        const double part = std::max(std::abs(s_[i * n + k]), size / source_.setup.columns[k].size);
        most = std::max(most, std::abs(slope.s[i * n + k]) / part);
      }
    }
    return std::isfinite(most) ? std::copysign(1.0 / most, run) : 0.0;
  }

  [[nodiscard]] bool step(double h) {
    static constexpr std::array<double, 4> nodes{0.0, 0.5, 0.5, 1.0};
    static constexpr std::array<double, 4> weights{1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    std::vector<double> x = x_;
    std::vector<double> s = s_;
    std::vector<double> x_next = x_;
    std::vector<double> s_next = s_;
    Slope slope;
    for (std::size_t stage = 0; stage < nodes.size(); ++stage) {
      for (std::size_t i = 0; i < x.size() && stage > 0; ++i) {
        x[i] = x_[i] + h * nodes[stage] * slope.x[i];
      }
      for (std::size_t e = 0; e < s.size() && stage > 0; ++e) {
        s[e] = s_[e] + h * nodes[stage] * slope.s[e];
      }
      if (!find_slope(t_ + nodes[stage] * h, x, s, slope)) {
        return false;
      }
      for (std::size_t i = 0; i < x.size(); ++i) {
        x_next[i] += h * weights[stage] * slope.x[i];
      }
      for (std::size_t e = 0; e < s.size(); ++e) {
        s_next[e] += h * weights[stage] * slope.s[e];
      }
    }
    t_ += h;
    x_ = std::move(x_next);
    s_ = std::move(s_next);
    return true;
  }

 private:
  struct Slope {
    std::vector<double> x;
    std::vector<double> s;
  };
  bool find_slope(double t, const std::vector<double>& x, const std::vector<double>& s, Slope& slope) {
    slope.x.resize(x.size());
    slope.s.resize(s.size());
    return field_.evaluator().rhs(t, x, slope.x).ok() &&
           field_.tangents().rates(t, x, {sigma_, s, discrete_}, slope.s).ok();
  }

  const FieldSource& source_;
  StretchField& field_;
  std::span<const double> sigma_;
  std::span<const double> discrete_;
  double t_;
  std::vector<double> x_;
  std::vector<double> s_;
};

// G⁽ᵒ⁾·Tᵒ by order and column, from steps of part·T.
std::array<std::vector<double>, kContactOrders> derivatives_by(double part, double time, Way way,
                                                               Index guard) {
  std::array<std::vector<double>, kTimes> tangents;
  bool has_values = time != 0.0;
  for (std::size_t i = 0; i < kTimes; ++i) {
    has_values = has_values && (i == 0 || way.step(part * time)) && way.guard(guard, tangents[i]);
  }
  std::array<std::vector<double>, kContactOrders> derivatives;
  double scale = 1.0;
  for (std::size_t o = 0; o < kContactOrders; ++o, scale /= part) {
    derivatives[o].assign(way.n_columns(), has_values ? 0.0 : std::nan(""));
    for (std::size_t i = 0; i < kTimes && has_values; ++i) {
      for (std::size_t k = 0; k < way.n_columns(); ++k) {
        derivatives[o][k] += scale * kDerivatives[o][i] * tangents[i][k];
      }
    }
  }
  return derivatives;
}

}  // namespace

std::size_t order_of_contact(StretchField& field, Index guard, const GuardRate& rate,
                             const InstantPoint& point) {
  system::GuardDerivatives derivatives;
  if (!field.evaluator().guard_derivatives(guard, point.t, point.x, derivatives).ok() ||
      derivatives.n_known < 1) {
    return rate.grazes ? kContactOrders : 1;
  }
  for (std::size_t o = 0; o < static_cast<std::size_t>(derivatives.n_known); ++o) {
    if (std::abs(derivatives.value[o]) > kRoundingsOfZero * derivatives.noise[o]) {
      return o + 1;
    }
  }
  return kContactOrders;
}

std::array<AlongWay, kContactOrders> guard_along_way(const FieldSource& source, StretchField& field,
                                                     Index guard, const InstantPoint& point,
                                                     std::span<const double> sigma) {
  const double time = Way(source, field, point, sigma).natural_time();
  const auto whole = derivatives_by(kPartOfSize, time, Way(source, field, point, sigma), guard);
  auto half = derivatives_by(0.5 * kPartOfSize, time, Way(source, field, point, sigma), guard);
  std::array<AlongWay, kContactOrders> along;
  for (std::size_t o = 0; o < kContactOrders; ++o) {
    for (std::size_t k = 0; k < source.n_columns(); ++k) {
      along[o].error.push_back(kErrorOfHalf * std::abs(whole[o][k] - half[o][k]));
    }
    along[o].value = std::move(half[o]);
  }
  return along;
}

}  // namespace saltus::sensitivity
