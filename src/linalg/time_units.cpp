#include "linalg/time_units.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "linalg/sparse_lu.hpp"

namespace saltus::linalg {
namespace {

// Between units as people choose them: ns, µs, ms, s, ks.
constexpr double kStepOfUnits = 1000.0;
// Squares of log τ count this much beside those of coefficients: a closed path of n of them counts 1/n.
constexpr double kWeightOfTime = 1e-4;
// … and of scales of columns: so little that they are what gives way where either could.
constexpr double kWeightOfColumn = 1e-9;

struct Triplet {
  Index column = 0;
  Index row = 0;
  double value = 0.0;
};

// Normal equations, put together.
class NormalMatrix {
 public:
  explicit NormalMatrix(std::size_t n) : right_(n, 0.0) {}

  void add_weight(std::size_t i, double weight) { add(i, i, weight); }
  // (Σ coefficientₖ·z(placeₖ) + known)²
  void add_square(std::span<const std::size_t> places, std::span<const double> coefficients, double known) {
    for (std::size_t a = 0; a < places.size(); ++a) {
      for (std::size_t b = 0; b < places.size(); ++b) {
        add(places[a], places[b], coefficients[a] * coefficients[b]);
      }
      right_[places[a]] -= coefficients[a] * known;
    }
  }
  // Empty: it is singular.
  [[nodiscard]] std::vector<double> solve() && {
    std::sort(triplets_.begin(), triplets_.end(), [](const Triplet& a, const Triplet& b) {
      return a.column != b.column ? a.column < b.column : a.row < b.row;
    });
    SparsePattern pattern;
    pattern.n = static_cast<Index>(right_.size());
    pattern.column_starts.assign(right_.size() + 1, 0);
    std::vector<double> values;
    for (std::size_t k = 0; k < triplets_.size(); ++k) {
      const Triplet& one = triplets_[k];
      if (k > 0 && triplets_[k - 1].column == one.column && triplets_[k - 1].row == one.row) {
        values.back() += one.value;
        continue;
      }
      pattern.rows.push_back(one.row);
      values.push_back(one.value);
      ++pattern.column_starts[static_cast<std::size_t>(one.column) + 1];
    }
    std::partial_sum(pattern.column_starts.begin(), pattern.column_starts.end(),
                     pattern.column_starts.begin());
    SparseLuNumeric factors(std::make_shared<const SparseLuSymbolic>(std::move(pattern)));
    if (!factors.factorize(values).ok()) {
      return {};
    }
    factors.solve(right_);
    return std::move(right_);
  }

 private:
  void add(std::size_t i, std::size_t j, double value) {
    triplets_.push_back({static_cast<Index>(j), static_cast<Index>(i), value});
  }

  std::vector<Triplet> triplets_;
  std::vector<double> right_;
};

// Rows and columns that hang together; by row, then by column: one of them.
std::vector<std::size_t> find_parts(std::size_t n_rows, std::size_t n, std::span<const TimedEntry> entries) {
  std::vector<std::size_t> part(n);
  std::iota(part.begin(), part.end(), std::size_t{0});
  const auto root = [&part](std::size_t i) {
    while (part[i] != i) {
      part[i] = part[part[i]];
      i = part[i];
    }
    return i;
  };
  for (const TimedEntry& entry : entries) {
    const std::size_t row = root(static_cast<std::size_t>(entry.row));
    const std::size_t column = root(n_rows + static_cast<std::size_t>(entry.column));
    part[std::max(row, column)] = std::min(row, column);
  }
  for (std::size_t i = 0; i < n; ++i) {
    part[i] = root(i);
  }
  return part;
}

double unit_near(double logarithm) {
  const double steps = std::round(logarithm / std::log(kStepOfUnits));
  return std::isfinite(steps) ? std::pow(kStepOfUnits, steps) : 1.0;
}

}  // namespace

// Unknowns: log r by row, log c by column, log τ by part, at the place of the row that the part is called by.
std::vector<double> time_units(Index n_rows, Index n_columns, std::span<const TimedEntry> entries) {
  const auto rows = static_cast<std::size_t>(n_rows);
  const std::size_t n = rows + static_cast<std::size_t>(n_columns);
  const std::vector<std::size_t> part = find_parts(rows, n, entries);
  NormalMatrix matrix(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    matrix.add_weight(i, kWeightOfColumn);
    matrix.add_weight(n + i, kWeightOfTime);
  }
  for (const TimedEntry& entry : entries) {
    const auto row = static_cast<std::size_t>(entry.row);
    const std::size_t column = rows + static_cast<std::size_t>(entry.column);
    const std::size_t places[] = {row, column, n + part[row]};
    const double coefficients[] = {1.0, 1.0, -static_cast<double>(entry.order)};
    matrix.add_square(std::span(places).first(entry.order == 0 ? 2 : 3), coefficients, std::log(entry.size));
  }
  const std::vector<double> solution = std::move(matrix).solve();
  std::vector<double> units(static_cast<std::size_t>(n_columns), 1.0);
  for (std::size_t j = 0; j < units.size() && !solution.empty(); ++j) {
    units[j] = unit_near(solution[n + part[rows + j]]);
  }
  return units;
}

}  // namespace saltus::linalg
