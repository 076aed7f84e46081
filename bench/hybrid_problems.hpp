// Problems of index 1 with events, as residuals written by hand for IDA: the mode is a member, which `change` sets at an event
// and `settle` corrects (returns whether nothing was to correct). Each has the equations of the model file it names.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "dae_problems.hpp"

namespace saltus::bench {

/// Unknowns v, a, b, line, s[1 … 4]; the currents and voltages of the diodes are put in by hand.
struct BridgeRectifier {
  DaeProblemData data{"bridge_rectifier",
                      "bridge_rectifier.mo",
                      {},
                      {"v", "a", "b", "line"},
                      {0, 0, 0, 0, 0, 0, 0, 0},
                      {1, 0, 0, 0, 0, 0, 0, 0},
                      ones(8),
                      0.04,
                      4,
                      {}};
  std::vector<double> known_times;
  std::array<bool, 4> is_changing{};
  std::array<bool, 4> conducts{true, false, false, true};  // what the first half wave makes of all being zero

  void residual(double t, const double* y, const double* dy, double* r) const {
    constexpr double kPi = 3.14159265358979324;
    const double v = y[0];
    const double a = y[1];
    const double b = y[2];
    const double line = y[3];
    const std::array<double, 4> drop{a - v, b - v, -a, -b};
    std::array<double, 4> current{};
    for (std::size_t k = 0; k < 4; ++k) {
      const double s = y[4 + k];
      r[4 + k] = drop[k] - s * (conducts[k] ? 1e-3 : 1.0);
      current[k] = s * (conducts[k] ? 1.0 : 1e-6);
    }
    r[0] = 2e-3 * dy[0] - (current[0] + current[1] - v / 50.0);
    r[1] = 20.0 * std::sin(2.0 * kPi * 50.0 * t) - (0.5 * line + a - b);
    r[2] = line + current[2] - current[0];
    r[3] = current[3] - current[1] - line;
  }
  [[nodiscard]] int n_roots() const { return 4; }
  void roots(double, const double* y, double* values) const {
    for (std::size_t k = 0; k < 4; ++k) {
      values[k] = y[4 + k];
    }
  }
  void directions(int* values) const {
    for (std::size_t k = 0; k < 4; ++k) {
      values[k] = conducts[k] ? -1 : 1;
    }
  }
  // Two diodes change together, but for the currents that flow through blocking ones (2e-5).
  static constexpr double kTogether = 1e-4;
  void change(double, const int* found, const double* y) {
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t partner = 3 - k;
      const bool goes_along =
          found[partner] != 0 && conducts[k] == conducts[partner] && std::abs(y[4 + k]) < kTogether;
      is_changing[k] = found[k] != 0 || goes_along;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      conducts[k] = conducts[k] != is_changing[k];
    }
  }
  bool settle(const double* y) {
    bool is_settled = true;
    for (std::size_t k = 0; k < 4; ++k) {
      if (conducts[k] ? y[4 + k] < -kTogether : y[4 + k] > kTogether) {
        conducts[k] = !conducts[k];
        is_settled = false;
      }
    }
    return is_settled;
  }
};

/// Unknowns A, B, H, T, liquid, vapour, xA, yA, yB.
struct ReactorVapour {
  DaeProblemData data{"reactor_vapour",
                      "reactor_vapour.saltus",
                      {},
                      {"A", "B", "H", "T", "liquid", "vapour", "xA", "yA", "yB"},
                      {1, 0, 1500, 310, 1, 0, 1, 0.1, 0.1},
                      {1, 1, 1, 0, 0, 0, 0, 0, 0},
                      ones(9),
                      110.0,
                      9,
                      {}};
  std::vector<double> known_times{60.0};
  bool boils = false;
  double heat = 500.0;

  void residual(double, const double* y, const double* dy, double* r) const {
    const double temperature = y[3];
    const double liquid = y[4];
    const double vapour = y[5];
    const double fraction = y[6];
    const double rate = 1e5 * std::exp(-5000.0 / temperature) * fraction * liquid;
    r[0] = dy[0] + rate;
    r[1] = dy[1] - rate;
    r[2] = dy[2] - heat;
    r[3] = y[0] + y[1] - liquid - vapour;
    r[4] = y[0] - fraction * liquid - y[7] * vapour;
    r[5] = y[7] - fraction * std::exp(10.5 * (1.0 - 400.0 / temperature));
    r[6] = y[8] - (1.0 - fraction) * std::exp(10.5 * (1.0 - 340.0 / temperature));
    r[7] = y[2] - liquid * 150.0 * (temperature - 300.0) - vapour * (100.0 * (temperature - 300.0) + 35000.0);
    r[8] = boils ? y[7] + y[8] - 1.0 : vapour;
  }
  [[nodiscard]] int n_roots() const { return 1; }
  void roots(double, const double* y, double* values) const { values[0] = boils ? y[5] : y[7] + y[8] - 1.0; }
  void directions(int* values) const { values[0] = boils ? -1 : 1; }
  void change(double, const int* found, const double*) {
    if (found[0] != 0) {
      boils = !boils;
    } else {
      heat = -600.0;
    }
  }
  bool settle(const double*) { return true; }
};

struct SwitchedLadder : DiodeLadder {
  explicit SwitchedLadder(int cells) : DiodeLadder(cells) {
    data.name = "switched_ladder " + std::to_string(cells);
    data.model_file = "../bench/models/switched_ladder.mo";
    data.t_end = 0.005;
  }
  std::vector<double> known_times;
  double source = 5.0;

  void residual(double, const double* y, const double* dy, double* r) const { residual_of(source, y, dy, r); }
  [[nodiscard]] int n_roots() const { return 2; }
  void roots(double, const double* y, double* values) const {
    values[0] = y[4] - 0.34;
    values[1] = y[4] - 0.25;
  }
  void directions(int* values) const {
    values[0] = 1;
    values[1] = -1;
  }
  void change(double, const int* found, const double*) { source = found[0] != 0 ? -1.0 : 5.0; }
  bool settle(const double*) { return true; }
};

}  // namespace saltus::bench
