/// A continuous extension of higher order made from one of lower order, as data.
///
/// Problem      a method of order 8 whose stages allow an extension of order 5 takes steps between whose ends rows are off by hundreds of
///              tolerances
/// Method       bootstrapping [HNW93, II.6]: slopes f(x(c)) at inner nodes c of an extension of order p are wrong by O(hᵖ⁺¹), and in h f by
///              one order less. The polynomial that meets x and ẋ at both ends and p - 2 such slopes has order p + 1; slopes on it give order p + 2.
/// Notation     nodes cⱼ: 0, inner ones, 1; w(θ) = Π (θ - cⱼ), W = ∫₀ w, Iⱼ = ∫₀ of the Lagrange polynomials of the slopes:
///              x(θ) = x + h (Σ Iⱼ fⱼ + W/W(1) (Σ bᵢ kᵢ - Σ Iⱼ(1) fⱼ))
/// Contract     C¹, meets x₁. W(1) ≠ 0: nodes are not symmetric where their number is odd.
/// Choices      nodes on multiples of 1/20, for a small largest |x(θ) - polynomial| of a polynomial of the next degree and little weight of the
///              inner slopes (their sum is below 0.5): see fehlberg_table.cpp
/// Checked by   tests/unit/integrate/order_conditions_test.cpp, tests/events/rows_of_methods_test.cpp
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace saltus::integrate {

/// Two levels over a method with `Stages` known stages, the last of which is f(x₁).
template <std::size_t Stages, std::size_t First, std::size_t Second>
struct BootstrappedExtension {
  static constexpr std::size_t kExtra = First + Second;
  static constexpr std::size_t kPolynomialDegree = Second + 3;
  static constexpr std::size_t kStagesWithExtra = Stages + kExtra;

  std::array<double, kExtra> extra_c{};
  std::array<double, kExtra * Stages + kExtra*(kExtra - 1) / 2> extra_a{};
  std::array<double, kStagesWithExtra * kPolynomialDegree> polynomial{};
};

namespace bootstrap_detail {

/// Ascending powers; long enough for every degree that occurs.
using Number = long double;  // the conditions of order hold to the rounding of the table
using Polynomial = std::array<Number, 12>;

constexpr Polynomial times_root(const Polynomial& p, Number root) {
  Polynomial result{};
  for (std::size_t k = 0; k + 1 < p.size(); ++k) {
    result[k] += -root * p[k];
    result[k + 1] += p[k];
  }
  return result;
}

constexpr Polynomial integral(const Polynomial& p) {
  Polynomial result{};
  for (std::size_t k = 0; k + 1 < p.size(); ++k) {
    result[k + 1] = p[k] / static_cast<Number>(k + 1);
  }
  return result;
}

template <class Coefficients>
constexpr Number value(const Coefficients& p, Number theta) {
  Number sum = 0.0;
  for (std::size_t k = p.size(); k-- > 0;) {
    sum = sum * theta + p[k];
  }
  return sum;
}

/// Coefficients of θ¹ … of all stages, for slopes at 0 (the first stage), at the inner nodes (stages from `first_inner` on) and at 1 (`end`).
template <std::size_t All, std::size_t Inner>
constexpr std::array<Polynomial, All> weights(std::span<const double> b, std::size_t end,
                                              std::size_t first_inner,
                                              const std::array<double, Inner>& inner) {
  std::array<Number, Inner + 2> c{};
  c[Inner + 1] = 1.0;
  for (std::size_t j = 0; j < Inner; ++j) {
    c[j + 1] = inner[j];
  }
  Polynomial product{1.0};
  for (const Number root : c) {
    product = times_root(product, root);
  }
  const Polynomial whole = integral(product);
  const Number at_end = value(whole, 1.0);
  std::array<Polynomial, All> result{};
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t k = 0; k < whole.size(); ++k) {
      result[i][k] = b[i] / at_end * whole[k];
    }
  }
  for (std::size_t j = 0; j < c.size(); ++j) {
    Polynomial slope{1.0};
    Number scale = 1.0;
    for (std::size_t other = 0; other < c.size(); ++other) {
      if (other != j) {
        slope = times_root(slope, c[other]);
        scale *= c[j] - c[other];
      }
    }
    for (Number& coefficient : slope) {
      coefficient /= scale;
    }
    const Polynomial own = integral(slope);
    const Number share = value(own, 1.0) / at_end;
    Polynomial& target = result[j == 0 ? 0 : j + 1 == c.size() ? end : first_inner + j - 1];
    for (std::size_t k = 0; k < own.size(); ++k) {
      target[k] += own[k] - share * whole[k];
    }
  }
  return result;
}

}  // namespace bootstrap_detail

/// `lower`: coefficients θ¹ … θ^degree of the `Stages` stages of the extension to begin with; `b`: of the solution.
template <std::size_t Stages, std::size_t First, std::size_t Second>
constexpr BootstrappedExtension<Stages, First, Second> bootstrap(std::span<const double> lower,
                                                                 std::size_t degree,
                                                                 std::span<const double> b,
                                                                 const std::array<double, First>& first,
                                                                 const std::array<double, Second>& second) {
  using Extension = BootstrappedExtension<Stages, First, Second>;
  Extension result;
  const auto middle = bootstrap_detail::weights<Extension::kStagesWithExtra>(b, Stages - 1, Stages, first);
  const auto last =
      bootstrap_detail::weights<Extension::kStagesWithExtra>(b, Stages - 1, Stages + First, second);
  std::size_t place = 0;
  for (std::size_t extra = 0; extra < Extension::kExtra; ++extra) {
    const bool is_first = extra < First;
    const double c = is_first ? first[extra] : second[extra - First];
    result.extra_c[extra] = c;
    for (std::size_t i = 0; i < Stages + extra; ++i) {
      const std::size_t n_used = is_first ? Stages : Stages + First;
      const bootstrap_detail::Number weight =
          i >= n_used ? 0.0L
          : is_first  ? c * bootstrap_detail::value(lower.subspan(i * degree, degree), c)
                      : bootstrap_detail::value(middle[i], c);
      result.extra_a[place++] = static_cast<double>(weight);
    }
  }
  for (std::size_t i = 0; i < Extension::kStagesWithExtra; ++i) {
    for (std::size_t k = 0; k < Extension::kPolynomialDegree; ++k) {
      result.polynomial[i * Extension::kPolynomialDegree + k] = static_cast<double>(last[i][k + 1]);
    }
  }
  return result;
}

}  // namespace saltus::integrate
