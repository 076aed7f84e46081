// Differential-algebraic problems of index 1 as residuals written by hand, for the peers. Each has the equations of the model file it
// names. The first `compared` unknowns are those whose end values are compared; references: tests/support/problems/dae_references.py.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace saltus::bench {

struct DaeProblemData {
  std::string name;
  std::string model_file;                                ///< in examples/
  std::vector<std::pair<std::string, double>> settings;  ///< parameters of the model to override
  std::vector<std::string> names;                        ///< of the unknowns that are compared
  std::vector<double> y0;
  std::vector<char> is_differential;
  std::vector<double> nominal;
  double t_end = 0.0;
  std::size_t compared = 0;
  std::vector<double>
      reference;  ///< of the unknowns that are compared; empty: by saltus' radau5 at 1e-12, IDA at 1e-11 beside it
  bool initial_values_known = false;  ///< y0 and y' = 0 are consistent: no search
};

inline std::vector<double> ones(std::size_t n) {
  return std::vector<double>(n, 1.0);
}

struct Robertson {
  DaeProblemData data{"robertson",
                      "robertson.mo",
                      {},
                      {"y1", "y2", "y3"},
                      {1, 0, 0},
                      {1, 1, 0},
                      {1, 1e-4, 1},
                      1e5,
                      3,
                      {0.0178659211421, 7.27475146843654e-08, 0.982134006110385}};
  void residual(double, const double* y, const double* dy, double* r) const {
    const double fast = 1e4 * y[1] * y[2];
    r[0] = dy[0] + 0.04 * y[0] - fast;
    r[1] = dy[1] - 0.04 * y[0] + fast + 3e7 * y[1] * y[1];
    r[2] = y[0] + y[1] + y[2] - 1.0;
  }
};

struct Hires {
  DaeProblemData data{"hires",
                      "hires.mo",
                      {},
                      {"y[1]", "y[2]", "y[3]", "y[4]", "y[5]", "y[6]", "y[7]", "y[8]"},
                      {1, 0, 0, 0, 0, 0, 0, 0.0057},
                      std::vector<char>(8, 1),
                      ones(8),
                      321.8122,
                      8,
                      {0.000737131257332582, 0.000144248572631621, 5.88872974096786e-05, 0.00117565134328318,
                       0.0023863561988318, 0.00623896825274407, 0.00284999839518631, 0.00285000160481369}};
  void residual(double, const double* y, const double* dy, double* r) const {
    const double fast = 280.0 * y[5] * y[7];
    r[0] = dy[0] - (-1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007);
    r[1] = dy[1] - (1.71 * y[0] - 8.75 * y[1]);
    r[2] = dy[2] - (-10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4]);
    r[3] = dy[3] - (8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3]);
    r[4] = dy[4] - (-1.745 * y[4] + 0.43 * (y[5] + y[6]));
    r[5] = dy[5] - (-fast + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6]);
    r[6] = dy[6] - (fast - 1.81 * y[6]);
    r[7] = dy[7] - (-fast + 1.81 * y[6]);
  }
};

struct AkzoNobel {
  DaeProblemData data{"akzo_nobel",
                      "akzo_nobel.mo",
                      {},
                      {"y1", "y2", "y3", "y4", "y5", "y6"},
                      {0.444, 0.00123, 0, 0.007, 0, 115.83 * 0.444 * 0.007},
                      {1, 1, 1, 1, 1, 0},
                      ones(6),
                      180.0,
                      6,
                      {0.115079492066166, 0.00120383147156771, 0.1611562887408, 0.000365615642124921,
                       0.0170801088526446, 0.00487353131030716}};
  void residual(double, const double* y, const double* dy, double* r) const {
    const double root = std::sqrt(y[1]);
    const double y12 = y[0] * y[0];
    const double r1 = 18.7 * y12 * y12 * root;
    const double r2 = 0.58 * y[2] * y[3];
    const double r3 = 0.58 / 34.4 * y[0] * y[4];
    const double r4 = 0.09 * y[0] * y[3] * y[3];
    const double r5 = 0.42 * y[5] * y[5] * root;
    r[0] = dy[0] - (-2.0 * r1 + r2 - r3 - r4);
    r[1] = dy[1] - (-0.5 * r1 - r4 - 0.5 * r5 + 3.3 * (0.9 / 737.0 - y[1]));
    r[2] = dy[2] - (r1 - r2 + r3);
    r[3] = dy[3] - (-r2 + r3 - 2.0 * r4);
    r[4] = dy[4] - (r2 - r3 + r5);
    r[5] = 115.83 * y[0] * y[3] - y[5];
  }
};

struct TransistorAmplifier {
  DaeProblemData data{"transistor_amplifier",
                      "transistor_amplifier.mo",
                      {},
                      {"y1", "y2", "y3", "y4", "y5", "y6", "y7", "y8"},
                      {0, 3, 3, 6, 3, 3, 6, 0},
                      std::vector<char>(8, 1),
                      ones(8),
                      0.2,
                      8,
                      {-0.005562145012262709, 3.006522471903042, 2.849958788608128, 2.926422536206241,
                       2.704617865010554, 2.761837778393145, 4.770927631616772, 1.236995868091548},
                      true};
  void residual(double t, const double* y, const double* dy, double* r) const {
    constexpr double kPi = 3.14159265358979324;
    const double ue = 0.1 * std::sin(200.0 * kPi * t);
    const double i1 = 1e-6 * (std::exp((y[1] - y[2]) / 0.026) - 1.0);
    const double i2 = 1e-6 * (std::exp((y[4] - y[5]) / 0.026) - 1.0);
    r[0] = 1e-6 * (dy[1] - dy[0]) - (y[0] - ue) / 1000.0;
    r[1] = 1e-6 * (dy[0] - dy[1]) - (y[1] * 2.0 / 9000.0 - 6.0 / 9000.0 + 0.01 * i1);
    r[2] = -2e-6 * dy[2] - (y[2] / 9000.0 - i1);
    r[3] = 3e-6 * (dy[4] - dy[3]) - ((y[3] - 6.0) / 9000.0 + 0.99 * i1);
    r[4] = 3e-6 * (dy[3] - dy[4]) - (y[4] * 2.0 / 9000.0 - 6.0 / 9000.0 + 0.01 * i2);
    r[5] = -4e-6 * dy[5] - (y[5] / 9000.0 - i2);
    r[6] = 5e-6 * (dy[7] - dy[6]) - ((y[6] - 6.0) / 9000.0 + 0.99 * i2);
    r[7] = 5e-6 * (dy[6] - dy[7]) - y[7] / 9000.0;
  }
};

/// N cells; unknowns v_1, u_1, v_2, u_2, …: the currents in line are put in by hand.
struct DiodeLadder {
  explicit DiodeLadder(int cells)
      : data{"diode_ladder " + std::to_string(cells),
             "diode_ladder.mo",
             {{"N", cells}},
             names(cells),
             std::vector<double>(2 * static_cast<std::size_t>(cells), 0.1),
             kinds(cells),
             ones(2 * static_cast<std::size_t>(cells)),
             0.02,
             std::min<std::size_t>(20, 2 * static_cast<std::size_t>(cells)),
             {}},
        n_cells(static_cast<std::size_t>(cells)) {}
  DaeProblemData data;
  std::size_t n_cells;

  static constexpr double kR = 100, kC = 1e-6, kIs = 1e-9, kUt = 0.026, kRs = 10;

  void residual(double t, const double* y, const double* dy, double* r) const {
    constexpr double kPi = 3.14159265358979324;
    residual_of(5.0 * std::sin(2.0 * kPi * 50.0 * t), y, dy, r);
  }
  void residual_of(double source, const double* y, const double* dy, double* r) const {
    double left = (source - y[0]) / kR;
    for (std::size_t k = 0; k < n_cells; ++k) {
      const double v = y[2 * k];
      const double u = y[2 * k + 1];
      const double right = k + 1 < n_cells ? (v - y[2 * k + 2]) / kR : 0.0;
      const double diode = (v - u) / kRs;
      r[2 * k] = kC * dy[2 * k] - (left - right - diode);
      r[2 * k + 1] = diode - kIs * (std::exp(u / kUt) - 1.0);
      left = right;
    }
  }
  [[nodiscard]] std::size_t n_entries() const { return 6 * n_cells - 2; }
  /// ∂r/∂y + alpha ∂r/∂y' by columns.
  template <class Integer>
  void jacobian(double, double alpha, const double* y, const double*, Integer* starts, Integer* rows,
                double* values) const {
    Integer entry = 0;
    const auto add = [&](std::size_t row, double value) {
      rows[entry] = static_cast<Integer>(row);
      values[entry] = value;
      ++entry;
    };
    for (std::size_t k = 0; k < n_cells; ++k) {
      starts[2 * k] = entry;
      if (k > 0) {
        add(2 * k - 2, -1.0 / kR);
      }
      add(2 * k, kC * alpha + 1.0 / kR + (k + 1 < n_cells ? 1.0 / kR : 0.0) + 1.0 / kRs);
      add(2 * k + 1, 1.0 / kRs);
      if (k + 1 < n_cells) {
        add(2 * k + 2, -1.0 / kR);
      }
      starts[2 * k + 1] = entry;
      add(2 * k, -1.0 / kRs);
      add(2 * k + 1, -1.0 / kRs - kIs / kUt * std::exp(y[2 * k + 1] / kUt));
    }
    starts[2 * n_cells] = entry;
  }

 private:
  static std::vector<std::string> names(int cells) {
    std::vector<std::string> all;
    for (int k = 1; k <= std::min(cells, 10); ++k) {
      all.push_back("v[" + std::to_string(k) + "]");
      all.push_back("u[" + std::to_string(k) + "]");
    }
    return all;
  }
  static std::vector<char> kinds(int cells) {
    std::vector<char> all;
    for (int k = 0; k < cells; ++k) {
      all.push_back(1);
      all.push_back(0);
    }
    return all;
  }
};

}  // namespace saltus::bench
