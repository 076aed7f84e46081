#include "sensitivity/implicit_stages.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace saltus::sensitivity {

namespace radau5 = integrate::radau5;
using radau5::kStages;
using system::Evaluation;

ImplicitStages::ImplicitStages(const FieldSource& source, StretchField& field)
    : field_(field),
      equations_(source, field),
      n_(field.n_states()),
      n_y_(equations_.n_rows()),
      n_columns_(source.n_columns()),
      x_(n_) {
  start_rates_.resize(n_ * n_columns_);
  stages_.resize(kStages * n_y_ * n_columns_);
  right_.resize(n_y_ * n_columns_);
  for (std::vector<double>& entries : entries_) {
    entries.resize(equations_.pattern().n_entries());
  }
  start_entries_.resize(equations_.pattern().n_entries());
  make_patterns();
}

// Columns of unknowns are those of y: of states with the entries of A and E, of others with those of A.
void ImplicitStages::make_patterns() {
  const system::RectangularPattern& pattern = equations_.pattern();
  const auto rows_of = [&pattern](std::size_t column) {
    const auto first = static_cast<std::size_t>(pattern.column_starts[column]);
    const auto last = static_cast<std::size_t>(pattern.column_starts[column + 1]);
    return std::span(pattern.rows).subspan(first, last - first);
  };
  linalg::SparsePattern stages;
  stages.n = static_cast<Index>(kStages * n_y_);
  stages.column_starts.push_back(0);
  point_pattern_.n = static_cast<Index>(n_y_);
  point_pattern_.column_starts.push_back(0);
  std::vector<Index> together;
  for (std::size_t j = 0; j < kStages; ++j) {
    for (std::size_t c = 0; c < n_y_; ++c) {
      const auto of_y = rows_of(c);
      const auto of_rate = c < n_ ? rows_of(n_y_ + c) : std::span<const Index>();
      together.clear();
      std::set_union(of_y.begin(), of_y.end(), of_rate.begin(), of_rate.end(), std::back_inserter(together));
      for (std::size_t i = 0; i < kStages; ++i) {
        const std::span<const Index> rows = i == j ? std::span<const Index>(together) : of_rate;
        for (const Index row : rows) {
          stages.rows.push_back(static_cast<Index>(i * n_y_) + row);
        }
      }
      stages.column_starts.push_back(static_cast<Index>(stages.rows.size()));
      if (j == 0) {
        point_pattern_.rows.insert(point_pattern_.rows.end(), together.begin(), together.end());
        point_pattern_.column_starts.push_back(static_cast<Index>(point_pattern_.rows.size()));
      }
    }
  }
  stage_values_.resize(stages.rows.size());
  point_values_.resize(point_pattern_.rows.size());
  stage_solver_.emplace(std::move(stages));
  point_solver_.emplace(point_pattern_);
}

Evaluation ImplicitStages::equations_at(const Piece& piece, double u, std::span<const double> discrete,
                                        std::vector<double>& entries, std::span<double> b) {
  const SolutionPath::Place place = piece.place(u);
  piece.path.evaluate(place, x_);
  return equations_.at(piece.path.time(place), x_, discrete, entries, b);
}

void ImplicitStages::multiply(std::span<const double> entries, std::size_t first, std::span<const double> v,
                              double factor, std::span<double> out) const {
  const system::RectangularPattern& pattern = equations_.pattern();
  const std::size_t n = v.size() / n_columns_;
  for (std::size_t c = 0; c < n; ++c) {
    const double* const from = v.data() + c * n_columns_;
    for (auto e = static_cast<std::size_t>(pattern.column_starts[first + c]);
         e < static_cast<std::size_t>(pattern.column_starts[first + c + 1]); ++e) {
      const double entry = factor * entries[e];
      double* const to = out.data() + static_cast<std::size_t>(pattern.rows[e]) * n_columns_;
      for (std::size_t k = 0; k < n_columns_; ++k) {
        to[k] += entry * from[k];
      }
    }
  }
}

namespace {

// Walks over the union of two ascending lists of rows: call(row, entry of the first or 0, entry of the second or 0).
template <class Call>
void merge_columns(const system::RectangularPattern& pattern, std::span<const double> entries,
                   std::size_t first, std::ptrdiff_t second, Call call) {
  auto a = static_cast<std::size_t>(pattern.column_starts[first]);
  const auto a_end = static_cast<std::size_t>(pattern.column_starts[first + 1]);
  auto b = second < 0 ? std::size_t{0}
                      : static_cast<std::size_t>(pattern.column_starts[static_cast<std::size_t>(second)]);
  const auto b_end =
      second < 0 ? std::size_t{0}
                 : static_cast<std::size_t>(pattern.column_starts[static_cast<std::size_t>(second) + 1]);
  while (a < a_end || b < b_end) {
    const bool takes_a = a < a_end && (b >= b_end || pattern.rows[a] <= pattern.rows[b]);
    const bool takes_b = b < b_end && (a >= a_end || pattern.rows[b] <= pattern.rows[a]);
    call(takes_a ? entries[a] : 0.0, takes_b ? entries[b] : 0.0);
    a += takes_a ? 1 : 0;
    b += takes_b ? 1 : 0;
  }
}

}  // namespace

// Ṡ at the first point of a stretch: (E, Aᶻ)·(Ṡ, a) = -Aˣ·S - B.
Evaluation ImplicitStages::begin(const Piece& piece, std::span<const double> discrete,
                                 std::span<const double> s) {
  const Evaluation evaluation = equations_at(piece, piece.from, discrete, start_entries_, right_);
  if (!evaluation.ok()) {
    return evaluation;
  }
  std::size_t e = 0;
  for (std::size_t c = 0; c < n_y_; ++c) {
    const bool is_state = c < n_;
    merge_columns(equations_.pattern(), start_entries_, c,
                  is_state ? static_cast<std::ptrdiff_t>(n_y_ + c) : -1,
                  [&](double of_y, double of_rate) { point_values_[e++] = is_state ? of_rate : of_y; });
  }
  if (!point_solver_->factorize(point_values_)) {
    return {Evaluation::Status::singular_block, -1};
  }
  multiply(start_entries_, 0, s, 1.0, right_);
  point_solver_->solve_rows(right_, n_columns_);
  std::transform(right_.begin(), right_.begin() + std::ssize(start_rates_), start_rates_.begin(),
                 std::negate<>());
  has_begun_ = true;
  return {};
}

bool ImplicitStages::factorize(const Piece& piece) {
  std::array<double, kStages> lengths{};
  for (std::size_t i = 0; i < kStages; ++i) {
    lengths[i] = piece.length_at(piece.from + radau5::kC[i] * piece.width);
  }
  std::size_t e = 0;
  for (std::size_t j = 0; j < kStages; ++j) {
    for (std::size_t c = 0; c < n_y_; ++c) {
      for (std::size_t i = 0; i < kStages; ++i) {
        const double factor = radau5::kInverse[i][j] / lengths[i];
        const auto rate = static_cast<std::ptrdiff_t>(n_y_ + c);
        if (i == j) {
          merge_columns(equations_.pattern(), entries_[i], c, c < n_ ? rate : -1,
                        [&](double of_y, double of_rate) { stage_values_[e++] = of_y + factor * of_rate; });
        } else if (c < n_) {
          const system::RectangularPattern& pattern = equations_.pattern();
          for (auto p = static_cast<std::size_t>(pattern.column_starts[n_y_ + c]);
               p < static_cast<std::size_t>(pattern.column_starts[n_y_ + c + 1]); ++p) {
            stage_values_[e++] = factor * entries_[i][p];
          }
        }
      }
    }
  }
  return stage_solver_->factorize(stage_values_);
}

bool ImplicitStages::estimate(double h, std::span<double> error) {
  std::size_t e = 0;
  for (std::size_t c = 0; c < n_y_; ++c) {
    merge_columns(
        equations_.pattern(), start_entries_, c, c < n_ ? static_cast<std::ptrdiff_t>(n_y_ + c) : -1,
        [&](double of_y, double of_rate) { point_values_[e++] = of_y + radau5::kGamma / h * of_rate; });
  }
  if (!point_solver_->factorize(point_values_)) {
    return false;
  }
  // Ṡ₀ - P'(0), in place of the error.
  const std::size_t stride = n_y_ * n_columns_;
  for (std::size_t place = 0; place < error.size(); ++place) {
    double slope = 0.0;
    for (std::size_t stage = 0; stage < kStages; ++stage) {
      slope += radau5::kPowers[0][stage] * stages_[stage * stride + place];
    }
    error[place] = start_rates_[place] - slope / h;
  }
  std::fill(right_.begin(), right_.end(), 0.0);
  multiply(start_entries_, n_y_, error, 1.0, right_);
  point_solver_->solve_rows(right_, n_columns_);
  std::copy_n(right_.begin(), error.size(), error.begin());
  return true;
}

Evaluation ImplicitStages::open_step(const Piece& piece, std::span<const double> discrete,
                                     std::span<const double> s, std::span<double> result) {
  const std::size_t stride = n_y_ * n_columns_;
  for (std::size_t i = 0; i < kStages; ++i) {
    const std::span<double> rows = std::span(stages_).subspan(i * stride, stride);
    const Evaluation evaluation =
        equations_at(piece, piece.from + radau5::kC[i] * piece.width, discrete, entries_[i], rows);
    if (!evaluation.ok()) {
      return evaluation;
    }
    multiply(entries_[i], 0, s, 1.0, rows);  // A·S₀ + B
  }
  h_ = piece.width;
  if (!factorize(piece)) {
    return {Evaluation::Status::singular_block, -1};
  }
  std::transform(stages_.begin(), stages_.end(), stages_.begin(), std::negate<>());
  stage_solver_->solve_rows(stages_, n_columns_);
  const double* const last = stages_.data() + (kStages - 1) * stride;
  for (std::size_t e = 0; e < result.size(); ++e) {
    result[e] = s[e] + last[e];
  }
  return {};
}

void ImplicitStages::interpolate(double theta, std::span<const double> s, std::span<const double> error,
                                 std::span<double> out) const {
  std::array<double, kStages> weights{};
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    for (std::size_t power = kStages; power-- > 0;) {
      weights[stage] = theta * (weights[stage] + radau5::kPowers[power][stage]);
    }
  }
  // θ·(θ - c₁)·(θ - c₂)·(θ - 1), whose slope at 0 is -c₁·c₂.
  const double bubble = theta * (theta - radau5::kC[0]) * (theta - radau5::kC[1]) * (theta - 1.0) /
                        (-radau5::kC[0] * radau5::kC[1]);
  const std::size_t stride = n_y_ * n_columns_;
  for (std::size_t e = 0; e < out.size(); ++e) {
    double sum = s[e] + radau5::kGamma * bubble * error[e];
    for (std::size_t stage = 0; stage < kStages; ++stage) {
      sum += weights[stage] * stages_[stage * stride + e];
    }
    out[e] = sum;
  }
}

Evaluation ImplicitStages::step(const Piece& piece, std::span<const double> discrete,
                                std::span<const double> s, std::span<double> result,
                                std::span<double> error) {
  if (!has_begun_) {
    if (const Evaluation evaluation = begin(piece, discrete, s); !evaluation.ok()) {
      return evaluation;
    }
  }
  if (const Evaluation evaluation = open_step(piece, discrete, s, result); !evaluation.ok()) {
    return evaluation;
  }
  return estimate(h_, error) ? Evaluation{} : Evaluation{Evaluation::Status::singular_block, -1};
}

void ImplicitStages::accept() {
  std::swap(start_entries_, entries_[kStages - 1]);
  const std::size_t stride = n_y_ * n_columns_;
  for (std::size_t e = 0; e < start_rates_.size(); ++e) {
    double sum = 0.0;
    for (std::size_t stage = 0; stage < kStages; ++stage) {
      sum += radau5::kInverse[kStages - 1][stage] * stages_[stage * stride + e];
    }
    start_rates_[e] = sum / h_;
  }
  has_begun_ = true;
}

}  // namespace saltus::sensitivity
