// Work against precision on problems of index 1, beside IDA in the same run; the last lines of each problem give the times at equal
// errors, interpolated in log-log between the best runs (those that no other run beats in both).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "beside_ida.hpp"
#include "dae.hpp"

namespace saltus::bench {
namespace {

void print_row(const std::string& problem, double tolerance, const MeasuredRun& run,
               const std::vector<double>& reference, Curve& curve) {
  if (!run.failure.empty()) {
    fmt::print("{:<22} {:7.0e} {:<8} {}\n", problem, tolerance, curve.solver, run.failure);
    return;
  }
  const double error = relative_error(run.x_end, reference);
  curve.points.push_back({error, run.seconds});
  fmt::print("{:<22} {:7.0e} {:<8} {:7} {:5} {:8} {:9.2e} {:10.4f}\n", problem, tolerance, curve.solver,
             run.accepted, run.rejected, run.n_rhs, error, 1e3 * run.seconds);
}

template <class Problem>
std::vector<Curve> compare(const Problem& problem, const std::vector<double>& tolerances,
                           const std::vector<std::string>& methods, const std::vector<double>& reference) {
  return run_beside_ida(problem, model_of(problem.data), tolerances, methods,
                        [&](double tolerance, const MeasuredRun& run, Curve& curve) {
                          print_row(problem.data.name, tolerance, run, reference, curve);
                        });
}

template <class Problem>
void compare(const Problem& problem, const std::vector<double>& tolerances) {
  compare(problem, tolerances, {"radau5", "bdf"}, problem.data.reference);
}

// By radau5 at 1e-12, beside IDA at 1e-11. In t = 0.02 a change spreads over about √(t/RC) = 14 cells: what lies beyond the cell
// kReferenceCells cannot be seen in the first ten, so longer ladders have the same reference.
constexpr int kReferenceCells = 200;
std::vector<double> ladder_reference(int cells) {
  const DiodeLadder ladder(std::min(cells, kReferenceCells));
  std::vector<double> reference = solve_with(model_of(ladder.data), ladder.data, "radau5", 1e-12).x_end;
  fmt::print("# {}: reference by radau5 at 1e-12 with {} cells; differs from IDA at 1e-11 by {:.1e}\n",
             DiodeLadder(cells).data.name, ladder.n_cells,
             relative_error(solve_ida(ladder, 1e-11).x_end, reference));
  return reference;
}

// How times grow with the number of cells, at each tolerance.
struct Growth {
  int cells;
  std::vector<Curve> curves;
};

void print_growth(const std::vector<Growth>& sizes, const std::vector<double>& tolerances) {
  for (std::size_t k = 1; k < sizes.size(); ++k) {
    const Growth& small = sizes[k - 1];
    const Growth& large = sizes[k];
    for (std::size_t i = 0; i < large.curves.size(); ++i) {
      const std::vector<Point>& a = small.curves[i].points;
      const std::vector<Point>& b = large.curves[i].points;
      for (std::size_t j = 0; j < std::min({a.size(), b.size(), tolerances.size()}); ++j) {
        fmt::print(
            "# ladder {} to {}, tolerance {:.0e}, {}: time grows as N^{:.2f}\n", small.cells, large.cells,
            tolerances[j], large.curves[i].solver,
            std::log(b[j].seconds / a[j].seconds) / std::log(static_cast<double>(large.cells) / small.cells));
      }
    }
  }
}

void compare_ladders(bool quick) {
  const std::vector<std::string> methods{"radau5", "bdf", "dopri5"};
  const std::vector<double> tolerances = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11};
  for (const int cells : {10, 100}) {
    compare(DiodeLadder(cells), quick ? std::vector<double>{1e-5, 1e-8} : tolerances, methods,
            ladder_reference(cells));
  }
  const std::vector<double> few{1e-4, 1e-6, 1e-8};
  const std::vector<double> large_reference = ladder_reference(kReferenceCells);
  std::vector<Growth> sizes;
  for (const int cells : quick ? std::vector<int>{1000} : std::vector<int>{1000, 10'000, 100'000}) {
    sizes.push_back(
        {cells, compare(DiodeLadder(cells), cells > 10'000 ? std::vector<double>{few.front()} : few,
                        {"radau5", "bdf"}, large_reference)});
  }
  print_growth(sizes, few);
}

}  // namespace

void print_index_one(bool quick) {
  const std::vector<double> tolerances =
      quick ? std::vector<double>{1e-5, 1e-8}
            : std::vector<double>{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11};
  fmt::print("{:<22} {:>7} {:<8} {:>7} {:>5} {:>8} {:>9} {:>10}\n", "problem", "tol", "solver", "steps",
             "rej", "residual", "error", "time/ms");
  // Sizes below 1e-2, or sensitive ends: an error of 1e-8 takes tolerances below the usual ones.
  std::vector<double> smaller = tolerances;
  if (!quick) {
    smaller.insert(smaller.end(), {1e-12, 1e-13});
  }
  compare(Robertson{}, tolerances);
  compare(Hires{}, smaller);
  compare(AkzoNobel{}, tolerances);
  compare(TransistorAmplifier{}, smaller);
  compare_ladders(quick);
}

}  // namespace saltus::bench
