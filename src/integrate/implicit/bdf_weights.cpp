#include "integrate/implicit/bdf_weights.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::integrate::bdf {
namespace {

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

Predictor predictor(int order, double h, const Offsets& offsets) {
  Predictor result;
  for (int j = 1; j <= order; ++j) {
    double value = 1.0;
    double slope = 0.0;
    for (int i = 0; i <= order; ++i) {
      if (i != j) {
        const double distance = h + offsets[index(i)];
        value *= distance / (offsets[index(i)] - offsets[index(j)]);
        slope += 1.0 / distance;
      }
    }
    result.value[index(j)] = value;
    result.slope[index(j)] = value * slope;
  }
  return result;
}

double leading_coefficient(int order) {
  double sum = 0.0;
  for (int i = 1; i <= order; ++i) {
    sum += 1.0 / i;
  }
  return sum;
}

double error_constant(int order, double h, const Offsets& offsets) {
  double alpha_zero = 0.0;
  for (int i = 0; i < order; ++i) {
    alpha_zero += h / (h + offsets[index(i)]);
  }
  const double alpha = h / (h + offsets[index(order)]);
  return std::max(alpha, std::abs(alpha + alpha_zero - leading_coefficient(order)));
}

Difference scaled_difference(int order, double h, const Offsets& offsets) {
  Difference result;
  double scale = 1.0;
  for (int i = 1; i <= order + 1; ++i) {
    scale *= i;
  }
  // Offsets of t_(n+1) is -h; lengths in units of h.
  const auto place = [&](int i) { return i < 0 ? -1.0 : offsets[index(i)] / h; };
  for (int j = -1; j <= order; ++j) {
    double product = scale;
    for (int i = -1; i <= order; ++i) {
      if (i != j) {
        product /= place(i) - place(j);
      }
    }
    (j < 0 ? result.newest : result.past[index(j)]) = product;
  }
  return result;
}

double scaled_difference_factor(int order, double h, const Offsets& offsets) {
  double product = 1.0;
  for (int i = 0; i <= order; ++i) {
    product *= (i + 1) * (h / (h + offsets[index(i)]));
  }
  return product;
}

PowerTable dense_powers(int order, double h, const Offsets& offsets) {
  PowerTable table{};
  // Places in θ: 1 for t_(n+1), 0 for t_n, -s_j/h for the others.
  const auto place = [&](int i) { return i == 0 ? 1.0 : -offsets[index(i)] / h; };
  for (int j = 0; j < order; ++j) {
    // θ Π_(i ≠ j) (θ - place_i) / (its value at place_j), by powers.
    std::array<double, kHighestOrder + 1> powers{};
    powers[1] = 1.0;
    double at_own_place = place(j);
    int degree = 1;
    for (int i = 0; i < order; ++i) {
      if (i == j) {
        continue;
      }
      for (int p = degree; p >= 1; --p) {
        powers[index(p + 1)] += powers[index(p)];
        powers[index(p)] *= -place(i);
      }
      ++degree;
      at_own_place *= place(j) - place(i);
    }
    for (int p = 1; p <= order; ++p) {
      table[index(p)][index(j)] = powers[index(p)] / at_own_place;
    }
  }
  return table;
}

}  // namespace saltus::integrate::bdf
