#include "program/blocks/block_homotopy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/work_watch.hpp"
#include "nonlinear/homotopy_path.hpp"
#include "nonlinear/scatter.hpp"
#include "program/vm/finite.hpp"

namespace saltus::program {
namespace {

// Where M is taken, in sizes of the unknowns.
constexpr std::array<double, 6> kBeside{1.0, -1.0, 0.1, -0.1, 10.0, -10.0};
constexpr int kMostDirections = 3;
// Of all paths together: what has no solution ends at once.
constexpr int kMostStepsOfPaths = 2000;

// The entries of the block, the column of λ, then the row of the tangent.
BlockPattern bordered(const BlockPattern& pattern) {
  std::vector<BlockPattern::Entry> entries = pattern.entries;
  const int n = static_cast<int>(pattern.n);
  for (int i = 0; i < n; ++i) {
    entries.push_back({i, n});
  }
  for (int j = 0; j <= n; ++j) {
    entries.push_back({n, j});
  }
  return BlockPattern(pattern.n + 1, std::move(entries));
}

double length(std::span<const double> values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

}  // namespace

BlockHomotopy::BlockHomotopy(const BlockPattern& pattern, std::span<const double> nominals,
                             NewtonBlockSolver& newton, ResidualFunction& function)
    : pattern_(pattern),
      bordered_(bordered(pattern)),
      newton_(newton),
      function_(function),
      nominals_(nominals.begin(), nominals.end()) {
  for (std::vector<double>* vector : {&size_, &begin_, &residual_, &solution_}) {
    vector->resize(static_cast<std::size_t>(pattern.n));
  }
  easy_.resize(pattern.entries.size());
  entries_.resize(pattern.entries.size());
}

// A point is (w, λ).
struct BlockHomotopy::Path {
  BlockHomotopy& self;
  BlockMatrix matrix;
  std::vector<double> point;
  std::vector<double> trial;
  std::vector<double> tangent;
  std::vector<double> z;
  std::vector<double> values;  // of the bordered matrix
  std::vector<double> rows;    // H at the trial, then 0; their solution

  explicit Path(BlockHomotopy& homotopy) : self(homotopy), matrix(homotopy.bordered_) {
    const std::size_t n = self.begin_.size();
    z.resize(n);
    values.resize(self.bordered_.entries.size());
    for (std::vector<double>* vector : {&point, &trial, &tangent, &rows}) {
      vector->assign(n + 1, 0.0);
    }
    for (std::size_t i = 0; i < n; ++i) {
      point[i] = self.begin_[i] / self.size_[i];
    }
    tangent[n] = 1.0;
    trial = point;
  }

  [[nodiscard]] double lambda() const { return trial.back(); }
  [[nodiscard]] double distance() const {
    double most = 0.0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      most = std::max(most, std::abs(trial[i] - self.begin_[i] / self.size_[i]));
    }
    return most;
  }

  // r, its matrix, the rows of H and the bordered matrix at a point, factorised.
  bool prepare(const std::vector<double>& at) {
    const std::size_t n = z.size();
    count_work(kWorkOfAnUnknown * static_cast<std::int64_t>(n));
    for (std::size_t i = 0; i < n; ++i) {
      z[i] = at[i] * self.size_[i];
    }
    self.function_.evaluate(z, self.residual_, self.entries_);
    if (!all_finite(self.residual_) || !all_finite(self.entries_)) {
      return false;
    }
    // ∂H/∂λ = r - M·(z - z₀), kept in `rows` until H takes its place
    std::copy(self.residual_.begin(), self.residual_.end(), rows.begin());
    for (std::size_t k = 0; k < self.entries_.size(); ++k) {
      const BlockPattern::Entry& entry = self.pattern_.entries[k];
      const auto i = static_cast<std::size_t>(entry.row);
      const auto j = static_cast<std::size_t>(entry.column);
      values[k] = (at[n] * self.entries_[k] + (1.0 - at[n]) * self.easy_[k]) * self.size_[j];
      rows[i] -= self.easy_[k] * (z[j] - self.begin_[j]);
    }
    std::copy_n(rows.begin(), n, values.begin() + static_cast<std::ptrdiff_t>(self.entries_.size()));
    std::copy(tangent.begin(), tangent.end(), values.end() - static_cast<std::ptrdiff_t>(n + 1));
    for (std::size_t i = 0; i < n; ++i) {
      rows[i] = self.residual_[i] - (1.0 - at[n]) * rows[i];
    }
    rows[n] = 0.0;
    return all_finite(values) && matrix.factorize(values).ok();
  }

  bool find_tangent() {
    if (!prepare(point)) {
      return false;
    }
    std::fill(rows.begin(), rows.end(), 0.0);
    rows.back() = 1.0;
    matrix.solve(rows);
    const double size = length(rows);
    if (!std::isfinite(size) || size == 0.0) {
      return false;
    }
    std::transform(rows.begin(), rows.end(), tangent.begin(), [size](double value) { return value / size; });
    return true;
  }
  void predict(double h) {
    for (std::size_t i = 0; i < point.size(); ++i) {
      trial[i] = point[i] + h * tangent[i];
    }
  }
  std::optional<double> correct() {
    if (!prepare(trial)) {
      return std::nullopt;
    }
    matrix.solve(rows);
    const double size = length(rows);
    for (std::size_t i = 0; i < trial.size(); ++i) {
      trial[i] -= rows[i];
    }
    return std::isfinite(size) ? std::optional(size) : std::nullopt;
  }
  bool finish() {
    const double part = (1.0 - point.back()) / (trial.back() - point.back());
    for (std::size_t i = 0; i < z.size(); ++i) {
      self.solution_[i] = (point[i] + part * (trial[i] - point[i])) * self.size_[i];
    }
    return self.newton_.solve_from(self.function_, self.solution_) == BlockStatus::ok;
  }
  void accept() { point = trial; }
};

bool BlockHomotopy::follow_from(std::span<const double> beside) {
  function_.evaluate(beside, residual_, easy_);
  if (!all_finite(easy_) || !BlockMatrix(pattern_).factorize(easy_).ok()) {
    return false;
  }
  Path path(*this);
  return nonlinear::follow_homotopy(path, {}, n_steps_) == nonlinear::HomotopyEnd::arrived;
}

bool BlockHomotopy::solve(std::span<double> z) {
  if (!all_finite(z)) {
    return false;
  }
  std::copy(z.begin(), z.end(), begin_.begin());
  for (std::size_t i = 0; i < z.size(); ++i) {
    size_[i] = std::max(std::abs(z[i]), nominals_[i]);
  }
  nonlinear::Scatter scatter;
  n_steps_ = 0;
  for (int direction = 0; direction < kMostDirections; ++direction) {
    const nonlinear::Scatter first = scatter;
    for (const double spread : kBeside) {
      scatter = first;
      std::vector<double> beside = begin_;
      double sign = 0.0;
      for (std::size_t i = 0; i < beside.size(); ++i) {
        const double number = scatter.next();
        sign = i == 0 ? std::copysign(spread, number * spread) : sign;
        beside[i] += sign * number * size_[i];
      }
      if (n_steps_ < kMostStepsOfPaths && follow_from(beside)) {
        std::copy(solution_.begin(), solution_.end(), z.begin());
        return true;
      }
    }
  }
  return false;
}

}  // namespace saltus::program
