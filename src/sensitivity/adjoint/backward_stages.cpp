#include "sensitivity/adjoint/backward_stages.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace saltus::sensitivity {

namespace radau5 = integrate::radau5;
using radau5::kStages;
using system::Evaluation;

namespace {

// Coefficients of the method [HW96] IV.5, table 5.6.
constexpr double kRoot6 = 2.4494897427831780982;
constexpr radau5::Matrix3 kA = {
    {{(88.0 - 7.0 * kRoot6) / 360.0, (296.0 - 169.0 * kRoot6) / 1800.0, (-2.0 + 3.0 * kRoot6) / 225.0},
     {(296.0 + 169.0 * kRoot6) / 1800.0, (88.0 + 7.0 * kRoot6) / 360.0, (-2.0 - 3.0 * kRoot6) / 225.0},
     {(16.0 - kRoot6) / 36.0, (16.0 + kRoot6) / 36.0, 1.0 / 9.0}}};

// An entry of a matrix under construction, and where its values come from.
struct Place {
  std::size_t row;
  std::size_t column;
  std::vector<std::size_t*> users;
};

// Sorts by column and row, joins what lies at one place, and tells the users of each where it is.
linalg::SparsePattern join(std::vector<Place>& places, std::size_t n) {
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tie(a.column, a.row) < std::tie(b.column, b.row);
  });
  linalg::SparsePattern pattern;
  pattern.n = static_cast<Index>(n);
  pattern.column_starts.assign(n + 1, 0);
  const Place* last = nullptr;
  for (const Place& place : places) {
    if (last == nullptr || last->row != place.row || last->column != place.column) {
      pattern.rows.push_back(static_cast<Index>(place.row));
      ++pattern.column_starts[place.column + 1];
      last = &place;
    }
    for (std::size_t* const user : place.users) {
      *user = pattern.rows.size() - 1;
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    pattern.column_starts[j + 1] += pattern.column_starts[j];
  }
  return pattern;
}

}  // namespace

BackwardStages::BackwardStages(AdjointField& field)
    : field_(field), equations_(field.equations()), n_(field.n_states()), n_y_(equations_.n_rows()) {
  make_patterns();
  const std::size_t n_entries = equations_.pattern().rows.size();
  for (std::vector<double>& entries : entries_) {
    entries.resize(n_entries);
  }
  start_entries_.resize(n_entries);
  start_rates_.resize(n_);
  end_rates_.resize(n_);
  w_.resize(kStages * n_y_);
  x_.resize(n_);
  at_stage_.resize(n_);
  slope_.resize(n_);
  v_.resize(n_y_);
}

// Entry (row, slot) of the Jacobian lies at row `slot` and column `row` of transposed blocks. Slots: x, z, ẋ.
void BackwardStages::make_patterns() {
  const system::RectangularPattern& pattern = equations_.pattern();
  const auto fill = [&](std::vector<Place>& places, Block& block, bool has_whole, std::size_t first_row,
                        std::size_t first_column) {
    std::size_t n_whole = 0;
    std::size_t n_scaled = 0;
    for (std::size_t slot = 0; slot < n_y_ + n_; ++slot) {
      const auto n = static_cast<std::size_t>(pattern.column_starts[slot + 1] - pattern.column_starts[slot]);
      n_scaled += slot < n_ ? n : 0;
      n_whole += slot < n_ || !has_whole ? 0 : n;
    }
    block.whole.reserve(n_whole);
    block.scaled.reserve(n_scaled);
    for (std::size_t slot = 0; slot < n_y_ + n_; ++slot) {
      const std::size_t row = slot < n_y_ ? slot : slot - n_y_;
      for (auto e = static_cast<std::size_t>(pattern.column_starts[slot]);
           e < static_cast<std::size_t>(pattern.column_starts[slot + 1]); ++e) {
        const auto column = static_cast<std::size_t>(pattern.rows[e]);
        if (slot >= n_ && !has_whole) {
          continue;
        }
        std::vector<Part>& parts = slot < n_ ? block.scaled : block.whole;
        Part& part = parts.emplace_back(Part{0, e});
        places.push_back({first_row + row, first_column + column, {&part.place}});
      }
    }
  };
  std::vector<Place> places;
  for (std::size_t i = 0; i < kStages; ++i) {
    for (std::size_t j = 0; j < kStages; ++j) {
      fill(places, blocks_[i][j], i == j, i * n_y_, j * n_y_);
    }
  }
  linalg::SparsePattern stages = join(places, kStages * n_y_);
  stage_values_.resize(stages.rows.size());
  stage_solver_.emplace(std::move(stages));
  places.clear();
  fill(places, point_block_, true, 0, 0);
  linalg::SparsePattern point = join(places, n_y_);
  point_values_.resize(point.rows.size());
  point_solver_.emplace(std::move(point));
}

void BackwardStages::multiply(std::span<const double> entries, bool by_rates, std::span<const double> v,
                              std::span<double> out) const {
  const system::RectangularPattern& pattern = equations_.pattern();
  for (std::size_t i = 0; i < n_; ++i) {
    const std::size_t slot = by_rates ? n_y_ + i : i;
    double sum = 0.0;
    for (auto e = static_cast<std::size_t>(pattern.column_starts[slot]);
         e < static_cast<std::size_t>(pattern.column_starts[slot + 1]); ++e) {
      sum += entries[e] * v[static_cast<std::size_t>(pattern.rows[e])];
    }
    out[i] = sum;
  }
}

// λ̇ at the first point of a stretch.
Evaluation BackwardStages::begin(const trajectory::SegmentView& segment, double theta,
                                 std::span<const double> lambda) {
  segment.evaluate(theta, x_);
  const double t = segment.start_time() + theta * segment.step();
  if (const Evaluation evaluation = equations_.jacobian_at(t, x_, start_entries_); !evaluation.ok()) {
    return evaluation;
  }
  std::fill(point_values_.begin(), point_values_.end(), 0.0);
  for (const Part& part : point_block_.whole) {
    point_values_[part.place] += start_entries_[part.entry];
  }
  if (!point_solver_->factorize(point_values_)) {
    return {Evaluation::Status::singular_block, -1};
  }
  std::fill(v_.begin(), v_.end(), 0.0);
  std::copy(lambda.begin(), lambda.end(), v_.begin());
  point_solver_->solve(v_);
  multiply(start_entries_, false, v_, start_rates_);
  has_begun_ = true;
  return {};
}

bool BackwardStages::solve_stages(double h, std::span<const double> lambda) {
  std::fill(stage_values_.begin(), stage_values_.end(), 0.0);
  for (std::size_t i = 0; i < kStages; ++i) {
    for (std::size_t j = 0; j < kStages; ++j) {
      for (const Part& part : blocks_[i][j].whole) {
        stage_values_[part.place] += entries_[i][part.entry];
      }
      for (const Part& part : blocks_[i][j].scaled) {
        stage_values_[part.place] -= h * kA[i][j] * entries_[j][part.entry];
      }
    }
  }
  if (!stage_solver_->factorize(stage_values_)) {
    return false;
  }
  std::fill(w_.begin(), w_.end(), 0.0);
  for (std::size_t i = 0; i < kStages; ++i) {
    std::copy(lambda.begin(), lambda.end(), w_.begin() + static_cast<std::ptrdiff_t>(i * n_y_));
  }
  stage_solver_->solve(w_);
  return true;
}

// `slope_` is P'(0).
bool BackwardStages::estimate(double h, std::span<double> error) {
  const double factor = h / radau5::kGamma;
  std::fill(point_values_.begin(), point_values_.end(), 0.0);
  for (const Part& part : point_block_.whole) {
    point_values_[part.place] += start_entries_[part.entry];
  }
  for (const Part& part : point_block_.scaled) {
    point_values_[part.place] -= factor * start_entries_[part.entry];
  }
  if (!point_solver_->factorize(point_values_)) {
    return false;
  }
  std::fill(v_.begin(), v_.end(), 0.0);
  for (std::size_t i = 0; i < n_; ++i) {
    v_[i] = factor * (start_rates_[i] - slope_[i]);
  }
  point_solver_->solve(v_);
  multiply(start_entries_, true, v_, error);
  return true;
}

Evaluation BackwardStages::step(const trajectory::SegmentView& segment, double from, double width,
                                std::span<const double> lambda, std::span<double> result,
                                std::span<double> error) {
  if (!has_begun_) {
    if (const Evaluation evaluation = begin(segment, from, lambda); !evaluation.ok()) {
      return evaluation;
    }
  }
  h_ = -width * segment.step();
  for (std::size_t i = 0; i < kStages; ++i) {
    const double theta = from - radau5::kC[i] * width;
    segment.evaluate(theta, x_);
    const double t = segment.start_time() + theta * segment.step();
    if (const Evaluation evaluation = equations_.jacobian_at(t, x_, entries_[i]); !evaluation.ok()) {
      return evaluation;
    }
    slots_[i].assign(equations_.slots().begin(), equations_.slots().end());
  }
  if (!solve_stages(h_, lambda)) {
    return {Evaluation::Status::singular_block, -1};
  }
  std::fill(slope_.begin(), slope_.end(), 0.0);
  for (std::size_t i = 0; i < kStages; ++i) {
    const std::span<const double> w = std::span<const double>(w_).subspan(i * n_y_, n_y_);
    multiply(entries_[i], true, w, at_stage_);
    for (std::size_t k = 0; k < n_; ++k) {
      slope_[k] += radau5::kPowers[0][i] * (at_stage_[k] - lambda[k]) / h_;
    }
    if (i + 1 == kStages) {
      std::copy(at_stage_.begin(), at_stage_.end(), result.begin());
      multiply(entries_[i], false, w, end_rates_);
    }
    const double theta = from - radau5::kC[i] * width;
    segment.evaluate(theta, x_);
    equations_.return_to(slots_[i]);
    const double t = segment.start_time() + theta * segment.step();
    if (const Evaluation evaluation = field_.pull_rows(t, x_, w, pulled_[i]); !evaluation.ok()) {
      return evaluation;
    }
  }
  return estimate(h_, error) ? Evaluation{} : Evaluation{Evaluation::Status::singular_block, -1};
}

// ∫ λᵀ·∂f/∂p dt over the step, which is passed backwards: -∫ wᵀ·∂r/∂p dt = H·Σ bᵢ·wᵢᵀ·∂r/∂p.
void BackwardStages::accept(AdjointSums& sums) {
  for (std::size_t i = 0; i < kStages; ++i) {
    field_.keep(AdjointField::Of::rows, h_ * kA[kStages - 1][i], pulled_[i], sums);
  }
  std::swap(start_entries_, entries_[kStages - 1]);
  std::swap(start_rates_, end_rates_);
  has_begun_ = true;
}

}  // namespace saltus::sensitivity
