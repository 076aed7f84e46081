// The problems of the comparison, with right-hand sides written by hand in C++ as a careful programmer would write them.
// Each has the same equations, initial values and horizon as the model file it names.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace saltus::bench {

/// What is needed besides the right-hand side to run a problem in any solver.
struct ProblemData {
  std::string name;
  std::string model_file;                                ///< in examples/
  std::vector<std::pair<std::string, double>> settings;  ///< parameters of the model to override
  std::vector<std::string> state_names;  ///< the model's names of the states, in the order of x0
  std::vector<double> x0;
  double t_end = 0.0;
};

/// Restricted three-body problem, one period: [HNW93] II.0.
struct Arenstorf {
  ProblemData data{"arenstorf",
                   "arenstorf.mo",
                   {},
                   {"x", "y", "u", "v"},
                   {0.994, 0.0, 0.0, -2.00158510637908252240537862224},
                   17.0652165601579625588917206249};
  template <class Real>
  void operator()(Real, const Real* x, Real* dx) const {
    using std::sqrt;
    // The model holds its constant as a double; long double references must use the same value.
    const Real mu = 0.012277471;
    const Real nu = Real(1) - mu;
    const Real y2 = x[1] * x[1];
    const Real to_earth = (x[0] + mu) * (x[0] + mu) + y2;
    const Real to_moon = (x[0] - nu) * (x[0] - nu) + y2;
    const Real earth = nu / (to_earth * sqrt(to_earth));
    const Real moon = mu / (to_moon * sqrt(to_moon));
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = x[0] + Real(2) * x[3] - earth * (x[0] + mu) - moon * (x[0] - nu);
    dx[3] = x[1] - Real(2) * x[2] - (earth + moon) * x[1];
  }
};

/// Lorenz's attractor over a horizon short enough for the reference to be good to 1e-14.
struct Lorenz {
  ProblemData data{"lorenz", "lorenz.mo", {}, {"x", "y", "z"}, {-8.0, 8.0, 27.0}, 5.0};
  template <class Real>
  void operator()(Real, const Real* x, Real* dx) const {
    const Real b = 8.0 / 3.0;  // rounded to double, as in the model
    dx[0] = Real(10) * (x[1] - x[0]);
    dx[1] = Real(28) * x[0] - x[1] - x[0] * x[2];
    dx[2] = x[0] * x[1] - b * x[2];
  }
};

/// Seven stars: [HNW93] II.10.
struct Pleiades {
  static constexpr int kStars = 7;
  ProblemData data{
      "pleiades",
      "pleiades.mo",
      {},
      names(),
      {3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4, 0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0},
      3.0};
  template <class Real>
  void operator()(Real, const Real* x, Real* dx) const {
    using std::sqrt;
    const Real* y = x + kStars;
    for (int i = 0; i < kStars; ++i) {
      Real u = 0;
      Real v = 0;
      for (int j = 0; j < kStars; ++j) {
        if (j != i) {
          const Real across = x[j] - x[i];
          const Real up = y[j] - y[i];
          const Real r2 = across * across + up * up;
          const Real attraction = Real(j + 1) / (r2 * sqrt(r2));
          u += attraction * across;
          v += attraction * up;
        }
      }
      dx[i] = x[2 * kStars + i];
      dx[kStars + i] = x[3 * kStars + i];
      dx[2 * kStars + i] = u;
      dx[3 * kStars + i] = v;
    }
  }

 private:
  static std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const char* name : {"x", "y", "u", "v"}) {
      for (int i = 1; i <= kStars; ++i) {
        all.push_back(std::string(name) + "[" + std::to_string(i) + "]");
      }
    }
    return all;
  }
};

/// Nonlinear heat conduction through N cells, driven at the left end.
struct HeatChain {
  explicit HeatChain(int cells)
      : data{"heat_chain " + std::to_string(cells),
             "heat_chain.mo",
             {{"N", cells}},
             names(cells),
             std::vector<double>(static_cast<std::size_t>(cells), 0.25),
             20.0},
        n_cells(cells) {}
  ProblemData data;
  int n_cells;

  template <class Real>
  void operator()(Real t, const Real* x, Real* dx) const {
    using std::sin;
    const Real half_slope = 0.25;  // 0.5·slope of the model
    const Real hot = Real(1) + Real(0.5) * sin(t);
    Real left = (Real(1) + half_slope * (hot + x[0])) * (hot - x[0]);
    for (int i = 0; i + 1 < n_cells; ++i) {
      const Real right = (Real(1) + half_slope * (x[i] + x[i + 1])) * (x[i] - x[i + 1]);
      dx[i] = left - right;
      left = right;
    }
    dx[n_cells - 1] = left;
  }

 private:
  static std::vector<std::string> names(int cells) {
    std::vector<std::string> all;
    for (int i = 1; i <= cells; ++i) {
      all.push_back("T[" + std::to_string(i) + "]");
    }
    return all;
  }
};

}  // namespace saltus::bench
