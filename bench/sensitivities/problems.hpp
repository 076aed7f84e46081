// Smooth problems with their sensitivity equations as a user of CVODES or IDAS writes them.
#pragma once

#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <string>
#include <vector>

namespace saltus::bench {

struct SensitivityProblem {
  std::string name;
  std::string model_file;  ///< from the root of the sources
  std::vector<std::string> states;
  std::vector<std::string> parameters;
  std::vector<double> values;  ///< of the parameters
  std::vector<double> y0;
  std::vector<double> nominal;
  double t_end = 0.0;
};

struct LotkaVolterra {
  SensitivityProblem data{"lotka_volterra",
                          "examples/lotka_volterra.mo",
                          {"predators", "prey"},
                          {"growth", "decay"},
                          {1, 2},
                          {2, 2},
                          {1, 1},
                          20.0};
  static constexpr int kHalfBand = 0;  ///< 0: dense

  void rhs(const double* y, double* f) const {
    f[0] = y[0] * (y[1] - data.values[1]);
    f[1] = y[1] * (data.values[0] - y[0]);
  }
  void column(int k, const double* y, const double* s, double* ds) const {
    ds[0] = (y[1] - data.values[1]) * s[0] + y[0] * s[1] - (k == 1 ? y[0] : 0.0);
    ds[1] = -y[1] * s[0] + (data.values[0] - y[0]) * s[1] + (k == 0 ? y[1] : 0.0);
  }
  void jacobian(const double* y, SUNMatrix j) const {
    SM_ELEMENT_D(j, 0, 0) = y[1] - data.values[1];
    SM_ELEMENT_D(j, 0, 1) = y[0];
    SM_ELEMENT_D(j, 1, 0) = -y[1];
    SM_ELEMENT_D(j, 1, 1) = data.values[0] - y[0];
  }
};

struct ReactionChain {
  static constexpr int kHalfBand = 1;
  static constexpr std::size_t kCells = 200;
  static constexpr std::size_t kGroups = 50;
  static constexpr double kDiffusion = 100.0;
  SensitivityProblem data{"reaction_chain",
                          "bench/models/reaction_chain.mo",
                          {},
                          {},
                          {},
                          std::vector<double>(kCells, 0.5),
                          std::vector<double>(kCells, 1.0),
                          5.0};

  ReactionChain() {
    for (std::size_t i = 0; i < kCells; ++i) {
      data.states.push_back("u[" + std::to_string(i + 1) + "]");
    }
    for (std::size_t k = 0; k < kGroups; ++k) {
      data.parameters.push_back("k[" + std::to_string(k + 1) + "]");
      data.values.push_back(1.0 + 0.02 * static_cast<double>(k));
    }
  }
  static std::size_t group(std::size_t cell) { return cell * kGroups / kCells; }
  void rhs(const double* u, double* f) const {
    for (std::size_t i = 0; i < kCells; ++i) {
      const double left = i == 0 ? 1.0 : u[i - 1];
      const double right = i + 1 == kCells ? u[i] : u[i + 1];
      f[i] = kDiffusion * (left - 2.0 * u[i] + right) - data.values[group(i)] * u[i] * u[i];
    }
  }
  void column(int k, const double* u, const double* s, double* ds) const {
    for (std::size_t i = 0; i < kCells; ++i) {
      const double left = i == 0 ? 0.0 : s[i - 1];
      const double right = i + 1 == kCells ? s[i] : s[i + 1];
      const std::size_t own = group(i);
      ds[i] = kDiffusion * (left - 2.0 * s[i] + right) - 2.0 * data.values[own] * u[i] * s[i] -
              (static_cast<int>(own) == k ? u[i] * u[i] : 0.0);
    }
  }
  void jacobian(const double* u, SUNMatrix j) const {
    for (std::size_t i = 0; i < kCells; ++i) {
      const auto row = static_cast<sunindextype>(i);
      SM_ELEMENT_B(j, row, row) =
          -(i + 1 == kCells ? 1.0 : 2.0) * kDiffusion - 2.0 * data.values[group(i)] * u[i];
      if (i > 0) {
        SM_ELEMENT_B(j, row, row - 1) = kDiffusion;
      }
      if (i + 1 < kCells) {
        SM_ELEMENT_B(j, row, row + 1) = kDiffusion;
      }
    }
  }
};

/// As a differential-algebraic system, for IDAS.
struct RobertsonRates {
  SensitivityProblem data{"robertson_rates",  "bench/models/robertson_rates.mo",
                          {"y1", "y2", "y3"}, {"k1", "k2", "k3"},
                          {0.04, 1e4, 3e7},   {1, 0, 0},
                          {1, 1e-4, 1},       1e4};

  void residual(const double* y, const double* dy, double* r) const {
    const std::vector<double>& k = data.values;
    const double fast = k[1] * y[1] * y[2];
    r[0] = dy[0] + k[0] * y[0] - fast;
    r[1] = dy[1] - k[0] * y[0] + fast + k[2] * y[1] * y[1];
    r[2] = y[0] + y[1] + y[2] - 1.0;
  }
  void column(int p, const double* y, const double* s, const double* ds, double* r) const {
    const std::vector<double>& k = data.values;
    const double fast = k[1] * (s[1] * y[2] + y[1] * s[2]);
    r[0] = ds[0] + k[0] * s[0] - fast + (p == 0 ? y[0] : 0.0) - (p == 1 ? y[1] * y[2] : 0.0);
    r[1] = ds[1] - k[0] * s[0] + fast + 2.0 * k[2] * y[1] * s[1] - (p == 0 ? y[0] : 0.0) +
           (p == 1 ? y[1] * y[2] : 0.0) + (p == 2 ? y[1] * y[1] : 0.0);
    r[2] = s[0] + s[1] + s[2];
  }
  void jacobian(double alpha, const double* y, SUNMatrix j) const {
    const std::vector<double>& k = data.values;
    SM_ELEMENT_D(j, 0, 0) = alpha + k[0];
    SM_ELEMENT_D(j, 0, 1) = -k[1] * y[2];
    SM_ELEMENT_D(j, 0, 2) = -k[1] * y[1];
    SM_ELEMENT_D(j, 1, 0) = -k[0];
    SM_ELEMENT_D(j, 1, 1) = alpha + k[1] * y[2] + 2.0 * k[2] * y[1];
    SM_ELEMENT_D(j, 1, 2) = k[1] * y[1];
    for (int i = 0; i < 3; ++i) {
      SM_ELEMENT_D(j, 2, i) = 1.0;
    }
  }
  /// y' at the start, and its derivative by each parameter.
  static std::vector<double> initial_rates() { return {-0.04, 0.04, 0.0}; }
  static std::vector<double> initial_rates_of(int p) {
    return p == 0 ? std::vector<double>{-1.0, 1.0, 0.0} : std::vector<double>(3, 0.0);
  }
};

}  // namespace saltus::bench
