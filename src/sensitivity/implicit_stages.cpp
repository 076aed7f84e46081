#include "sensitivity/implicit_stages.hpp"

#include <algorithm>
#include <array>
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
  end_rates_.resize(n_ * n_columns_);
  slopes_.resize(n_ * n_columns_);
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
  unknowns_.resize(kStages * n_y_);
}

Evaluation ImplicitStages::equations_at(const Piece& piece, double theta, std::span<const double> discrete,
                                        std::vector<double>& entries, std::vector<double>& b) {
  entries.resize(equations_.pattern().n_entries());
  b.resize(n_y_ * n_columns_);
  piece.segment.evaluate(theta, x_);
  return equations_.at(piece.segment.start_time() + theta * piece.segment.step(), x_, discrete, entries, b);
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
  const Evaluation evaluation = equations_at(piece, piece.from, discrete, start_entries_, b_[0]);
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
  multiply(start_entries_, 0, s, 1.0, b_[0]);
  std::vector<double> right(n_y_);
  for (std::size_t k = 0; k < n_columns_; ++k) {
    for (std::size_t i = 0; i < n_y_; ++i) {
      right[i] = -b_[0][i * n_columns_ + k];
    }
    point_solver_->solve(right);
    for (std::size_t i = 0; i < n_; ++i) {
      start_rates_[i * n_columns_ + k] = right[i];
    }
  }
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

void ImplicitStages::solve_column(std::size_t k) {
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    for (std::size_t i = 0; i < n_y_; ++i) {
      unknowns_[stage * n_y_ + i] = -b_[stage][i * n_columns_ + k];
    }
  }
  stage_solver_->solve(unknowns_);
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
  for (std::size_t place = 0; place < slopes_.size(); ++place) {
    slopes_[place] = start_rates_[place] - slopes_[place];
  }
  right_.assign(n_y_ * n_columns_, 0.0);
  multiply(start_entries_, n_y_, slopes_, 1.0, right_);
  const std::span<double> rows = std::span(unknowns_).first(n_y_);
  for (std::size_t k = 0; k < n_columns_; ++k) {
    for (std::size_t i = 0; i < n_y_; ++i) {
      rows[i] = right_[i * n_columns_ + k];
    }
    point_solver_->solve(rows);
    for (std::size_t i = 0; i < n_; ++i) {
      error[i * n_columns_ + k] = rows[i];
    }
  }
  return true;
}

Evaluation ImplicitStages::open_step(const Piece& piece, std::span<const double> discrete,
                                     std::span<const double> s, std::span<double> result) {
  for (std::size_t i = 0; i < kStages; ++i) {
    const double theta = piece.theta(piece.from + radau5::kC[i] * piece.width);
    const Evaluation evaluation = equations_at(piece, theta, discrete, entries_[i], b_[i]);
    if (!evaluation.ok()) {
      return evaluation;
    }
  }
  const double h = piece.width * piece.segment.step();
  if (!factorize(piece)) {
    return {Evaluation::Status::singular_block, -1};
  }
  for (std::size_t i = 0; i < kStages; ++i) {
    multiply(entries_[i], 0, s, 1.0, b_[i]);  // A·S₀ + B
  }
  for (std::size_t k = 0; k < n_columns_; ++k) {
    solve_column(k);
    for (std::size_t i = 0; i < n_; ++i) {
      const std::size_t place = i * n_columns_ + k;
      double slope = 0.0;
      double end = 0.0;
      for (std::size_t stage = 0; stage < kStages; ++stage) {
        const double z = unknowns_[stage * n_y_ + i];
        slope += radau5::kPowers[0][stage] * z;
        end += radau5::kInverse[kStages - 1][stage] * z;
      }
      slopes_[place] = slope / h;
      end_rates_[place] = end / h;
      result[place] = s[place] + unknowns_[(kStages - 1) * n_y_ + i];
    }
  }
  return {};
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
  const double h = piece.width * piece.segment.step();
  return estimate(h, error) ? Evaluation{} : Evaluation{Evaluation::Status::singular_block, -1};
}

void ImplicitStages::accept() {
  std::swap(start_entries_, entries_[kStages - 1]);
  std::swap(start_rates_, end_rates_);
  has_begun_ = true;
}

}  // namespace saltus::sensitivity
