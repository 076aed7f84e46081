#include "reduce/consistent/mixed_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "nonlinear/piecewise_path.hpp"

namespace saltus::reduce {
namespace {

// Of the size of an unknown. Large against rounding, so that surfaces which meet at the values given are apart; small, so that few sides are
// others there. Not measured.
constexpr double kBesideValues = 1e-4;
// Rows that are this small beside their terms are zero: rounding of a solution with a matrix of condition 1e6.
constexpr double kRowNoise = 1e-10;
// Roundings of the terms of a row, which may be far larger than what a step of h changes of them: positions of size 1 beside h²·acceleration.
constexpr double kTermRounding = 16.0 * std::numeric_limits<double>::epsilon();
// What a null vector may leave of rows whose largest entry is 1: more is no null vector, the matrix has lost its rank.
constexpr double kLeftByTangent = 1e-6;
// Parts of the side not chosen, one after the other. The first is large, so that matrices from far away are well conditioned; the last lets
// diodes share a current only where their voltages differ by less than a step of 1e-7 makes of them. Not measured.
constexpr std::array<double, 2> kSoftness = {1e-5, 1e-9};
// A null vector of [A r], r without a pattern, whose last entry is smaller than this beside the others is one of A.
constexpr double kRegular = 1e-10;
// Pieces beside those that every guard may ask for.
constexpr std::size_t kPiecesPerGuard = 20;
constexpr std::size_t kPiecesAtLeast = 50;

// Numbers between 1/2 and 3/2 without a pattern, the same in every run (the finaliser of SplitMix64 [Vig14]).
double scattered(std::size_t i) {
  auto bits = static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15ULL;
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBULL;
  bits ^= bits >> 31U;
  const double part = static_cast<double>(bits >> 12U) * 0x1p-52;
  return (bits & 1U) != 0 ? 0.5 + part : -0.5 - part;
}

}  // namespace

// The equations of one step, as piecewise_path.hpp asks for them.
class MixedStep::Problem {
 public:
  explicit Problem(const system::MixedEquations& equations)
      : equations_(equations), runner_(equations.rows->make_runner()) {
    find_unknowns();
    if (is_square()) {
      find_pattern();
    }
  }

  [[nodiscard]] bool is_square() const { return std::ssize(unknowns_) == equations_.n_equations; }

  void begin(const system::Configuration& from, double t, double h, std::span<const double> slots) {
    configuration_ = from;
    t_ = t + h;
    h_ = h;
    before_.assign(slots.begin(), slots.end());
    slots_.assign(slots.begin(), slots.end());
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
      const Unknown& unknown = unknowns_[j];
      double& value = unknown_values_[j];
      value = before_[static_cast<std::size_t>(unknown.slots.back())];
      sizes_[j] = std::max(unknown.nominal, std::abs(value));
      value += unknown.slots.size() == 1 ? kBesideValues * sizes_[j] * scattered(j) : 0.0;
    }
    for (const Index guard : equations_.guards) {
      double& side = configuration_.latched[static_cast<std::size_t>(guard)];
      side = side > 0.0 ? 1.0 : -1.0;
    }
    runner_->set_configuration(configuration_);
  }

  // From now on choices are those of the sides but for this part.
  void soften(double part) {
    softness_ = part;
    for (std::size_t i = 0; i < n_guards(); ++i) {
      choose(i);
    }
  }

  [[nodiscard]] const system::Configuration& configuration() const { return configuration_; }

  bool evaluate() {
    put_slots();
    if (!runner_->residual(t_, slots_, rows_).ok() || !runner_->jacobian(t_, slots_, entries_).ok()) {
      return false;
    }
    merge_entries();
    find_scales();
    return true;
  }

  [[nodiscard]] bool is_solved() const {
    for (std::size_t i = 0; i < n(); ++i) {
      if (!(std::abs(rows_[i]) <= std::max(kRowNoise * row_sizes_[i], kTermRounding * row_terms_[i]))) {
        return false;
      }
    }
    return true;
  }

  // Of an r that is not zero.
  bool find_tangent(double& dlambda) {
    double largest = 0.0;
    for (std::size_t i = 0; i < n(); ++i) {
      largest = std::max(largest, std::abs(rows_[i]) / row_scales_[i]);
    }
    for (std::size_t e = 0; e < merged_rows_.size(); ++e) {
      if (merged_rows_[e] < n()) {
        values_[merged_places_[e]] = merged_[e] * sizes_[merged_columns_[e]] / row_scales_[merged_rows_[e]];
      }
    }
    for (std::size_t j = 0; j <= n(); ++j) {
      values_[border_places_[j]] = scattered(unknowns_.size() + j);
    }
    for (std::size_t i = 0; i < n(); ++i) {
      values_[residual_places_[i]] = rows_[i] / (row_scales_[i] * largest);
    }
    if (!lu_->factorize(values_).ok()) {
      return false;
    }
    std::fill(direction_.begin(), direction_.end(), 0.0);
    direction_.back() = 1.0;
    lu_->solve(direction_);
    if (!(left_by(direction_) <= kLeftByTangent)) {
      return false;
    }
    // The null vector is (dz, largest·dλ) in scaled unknowns.
    dlambda = direction_.back() / largest;
    for (std::size_t j = 0; j < n(); ++j) {
      direction_[j] *= sizes_[j];
    }
    find_slopes();
    return true;
  }

  // Whether the sides at hand determine all unknowns. r and the direction are lost.
  bool is_regular() {
    if (!evaluate()) {
      return false;
    }
    for (std::size_t i = 0; i < n(); ++i) {
      rows_[i] = scattered(i) * row_scales_[i];
    }
    double dlambda = 0.0;
    if (!find_tangent(dlambda)) {
      return false;
    }
    double largest = 0.0;
    for (std::size_t j = 0; j < n(); ++j) {
      largest = std::max(largest, std::abs(direction_[j]) / sizes_[j]);
    }
    return std::abs(dlambda) > kRegular * largest;
  }

  [[nodiscard]] std::size_t n_guards() const { return equations_.guards.size(); }
  [[nodiscard]] double guard(std::size_t i) const { return rows_[n() + i] / guard_sizes_[i]; }
  [[nodiscard]] double slope(std::size_t i) const { return slopes_[i] / guard_sizes_[i]; }
  [[nodiscard]] double side(std::size_t i) const {
    return configuration_.latched[static_cast<std::size_t>(equations_.guards[i])];
  }
  void change_side(std::size_t i) {
    double& side = configuration_.latched[static_cast<std::size_t>(equations_.guards[i])];
    side = -side;
    choose(i);
  }
  void advance(double tau) {
    for (std::size_t j = 0; j < n(); ++j) {
      unknown_values_[j] += tau * direction_[j];
    }
  }

 private:
  // A variable with the slots of its orders as far as they occur.
  struct Unknown {
    std::vector<Index> slots;
    double nominal = 1.0;
  };

  [[nodiscard]] std::size_t n() const { return unknowns_.size(); }

  // The largest row of [A r]·d beside the largest entry of d; NaN where that is not finite.
  [[nodiscard]] double left_by(std::span<const double> d) {
    const linalg::SparsePattern& pattern = symbolic_->pattern();
    std::fill(left_.begin(), left_.end(), 0.0);
    double largest = 0.0;
    for (std::size_t j = 0; j < d.size(); ++j) {
      largest = std::isfinite(d[j]) ? std::max(largest, std::abs(d[j])) : d[j];
      for (auto e = static_cast<std::size_t>(pattern.column_starts[j]);
           e < static_cast<std::size_t>(pattern.column_starts[j + 1]); ++e) {
        left_[static_cast<std::size_t>(pattern.rows[e])] += values_[e] * d[j];
      }
    }
    left_.back() = 0.0;
    double most = 0.0;
    for (const double left : left_) {
      most = std::max(most, std::abs(left));
    }
    return most / largest;
  }

  void choose(std::size_t i) {
    runner_->set_latched(equations_.guards[i], side(i) * (1.0 - 2.0 * softness_));
  }

  // Derivatives that no row contains are no unknowns.
  void find_unknowns() {
    const system::EquationSet& rows = *equations_.rows;
    std::vector<Index> unknown_of_variable;
    unknown_of_slot_.assign(static_cast<std::size_t>(rows.n_slots()), -1);
    for (Index slot = 0; slot < rows.n_slots(); ++slot) {
      const system::SlotInfo& info = rows.slots()[static_cast<std::size_t>(slot)];
      const auto variable = static_cast<std::size_t>(info.variable);
      unknown_of_variable.resize(std::max(unknown_of_variable.size(), variable + 1), -1);
      const auto* const starts = &rows.pattern().column_starts[static_cast<std::size_t>(slot)];
      if (info.order > 0 && starts[0] == starts[1]) {
        continue;
      }
      Index& unknown = unknown_of_variable[variable];
      if (unknown < 0) {
        unknown = std::ssize(unknowns_);
        unknowns_.push_back({{}, info.nominal});
      }
      std::vector<Index>& own = unknowns_[static_cast<std::size_t>(unknown)].slots;
      own.resize(std::max(own.size(), static_cast<std::size_t>(info.order) + 1), -1);
      own[static_cast<std::size_t>(info.order)] = slot;
    }
    // A derivative that is skipped (der(der(x)) without der(x)) is a slot all the same.
    for (Index slot = 0; slot < rows.n_slots(); ++slot) {
      const system::SlotInfo& info = rows.slots()[static_cast<std::size_t>(slot)];
      const Index unknown = unknown_of_variable[static_cast<std::size_t>(info.variable)];
      std::vector<Index>& own = unknowns_[static_cast<std::size_t>(unknown)].slots;
      if (static_cast<std::size_t>(info.order) < own.size()) {
        own[static_cast<std::size_t>(info.order)] = slot;
        unknown_of_slot_[static_cast<std::size_t>(slot)] = unknown;
      }
    }
    unknown_values_.resize(unknowns_.size());
    sizes_.resize(unknowns_.size());
    rows_.resize(static_cast<std::size_t>(rows.n_rows()));
    entries_.resize(rows.pattern().n_entries());
    row_scales_.resize(unknowns_.size());
    row_sizes_.resize(unknowns_.size());
    row_terms_.resize(unknowns_.size());
    guard_sizes_.resize(equations_.guards.size());
    slopes_.resize(equations_.guards.size());
    direction_.resize(unknowns_.size() + 1);
  }

  // Of [A r; c]: the columns of the slots of one unknown are one column, the last column and row are full.
  void find_pattern() {
    const system::RectangularPattern& given = equations_.rows->pattern();
    std::vector<std::vector<std::pair<Index, std::size_t>>> columns(unknowns_.size());
    for (Index slot = 0; slot < given.n_columns; ++slot) {
      const Index unknown = unknown_of_slot_[static_cast<std::size_t>(slot)];
      for (Index e = given.column_starts[static_cast<std::size_t>(slot)];
           unknown >= 0 && e < given.column_starts[static_cast<std::size_t>(slot) + 1]; ++e) {
        columns[static_cast<std::size_t>(unknown)].emplace_back(given.rows[static_cast<std::size_t>(e)],
                                                                static_cast<std::size_t>(e));
      }
    }
    linalg::SparsePattern pattern;
    pattern.n = std::ssize(unknowns_) + 1;
    pattern.column_starts.push_back(0);
    merged_of_entry_.assign(given.n_entries(), 0);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      std::sort(columns[j].begin(), columns[j].end());
      for (const auto& [row, entry] : columns[j]) {
        const bool is_new = merged_rows_.empty() || merged_columns_.back() != j ||
                            merged_rows_.back() != static_cast<std::size_t>(row);
        if (is_new) {
          merged_rows_.push_back(static_cast<std::size_t>(row));
          merged_columns_.push_back(j);
          merged_places_.push_back(pattern.rows.size());
          if (row < equations_.n_equations) {
            pattern.rows.push_back(row);
          }
        }
        merged_of_entry_[entry] = merged_rows_.size() - 1;
      }
      border_places_.push_back(pattern.rows.size());
      pattern.rows.push_back(std::ssize(unknowns_));
      pattern.column_starts.push_back(std::ssize(pattern.rows));
    }
    for (Index i = 0; i < std::ssize(unknowns_); ++i) {
      residual_places_.push_back(pattern.rows.size());
      pattern.rows.push_back(i);
    }
    border_places_.push_back(pattern.rows.size());
    pattern.rows.push_back(std::ssize(unknowns_));
    pattern.column_starts.push_back(std::ssize(pattern.rows));
    values_.resize(pattern.n_entries());
    merged_.resize(merged_rows_.size());
    left_.resize(unknowns_.size() + 1);
    symbolic_ = std::make_shared<const linalg::SparseLuSymbolic>(std::move(pattern));
    lu_.emplace(symbolic_);
  }

  void put_slots() {
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
      const std::vector<Index>& own = unknowns_[j].slots;
      double above = unknown_values_[j];
      slots_[static_cast<std::size_t>(own.back())] = above;
      for (std::size_t k = own.size() - 1; k-- > 0;) {
        const auto slot = static_cast<std::size_t>(own[k]);
        above = before_[slot] + h_ * above;
        slots_[slot] = above;
      }
    }
  }

  // ∂x⁽ᵏ⁾/∂w = h^(q-k).
  void merge_entries() {
    std::fill(merged_.begin(), merged_.end(), 0.0);
    const system::RectangularPattern& given = equations_.rows->pattern();
    for (const Unknown& unknown : unknowns_) {
      double factor = 1.0;
      for (std::size_t k = unknown.slots.size(); k-- > 0; factor *= h_) {
        const auto slot = static_cast<std::size_t>(unknown.slots[k]);
        for (Index e = given.column_starts[slot]; e < given.column_starts[slot + 1]; ++e) {
          merged_[merged_of_entry_[static_cast<std::size_t>(e)]] +=
              factor * entries_[static_cast<std::size_t>(e)];
        }
      }
    }
  }

  // Of a row the largest entry, in units of the unknowns, and the largest of its terms.
  void find_scales() {
    std::fill(row_scales_.begin(), row_scales_.end(), 0.0);
    std::fill(guard_sizes_.begin(), guard_sizes_.end(), 0.0);
    for (std::size_t j = 0; j < n(); ++j) {
      sizes_[j] = std::max(sizes_[j], std::abs(unknown_values_[j]));
    }
    for (std::size_t e = 0; e < merged_rows_.size(); ++e) {
      const std::size_t row = merged_rows_[e];
      const double term = std::abs(merged_[e]) * sizes_[merged_columns_[e]];
      double& scale = row < n() ? row_scales_[row] : guard_sizes_[row - n()];
      scale = std::max(scale, term);
    }
    find_terms();
    for (std::size_t i = 0; i < n(); ++i) {
      row_scales_[i] = row_scales_[i] > 0.0 ? row_scales_[i] : 1.0;
      row_sizes_[i] = std::max(row_scales_[i], kRowNoise * std::abs(rows_[i]));
    }
    for (double& size : guard_sizes_) {
      size = size > 0.0 ? size : 1.0;
    }
  }

  // … and the largest of what they are made of, values before the step included.
  void find_terms() {
    std::fill(row_terms_.begin(), row_terms_.end(), 0.0);
    const system::RectangularPattern& given = equations_.rows->pattern();
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      for (Index e = given.column_starts[slot]; e < given.column_starts[slot + 1]; ++e) {
        const auto row = static_cast<std::size_t>(given.rows[static_cast<std::size_t>(e)]);
        double& most = row < n() ? row_terms_[row] : guard_sizes_[row - n()];
        most = std::max(most, std::abs(entries_[static_cast<std::size_t>(e)] * slots_[slot]));
      }
    }
  }

  void find_slopes() {
    std::fill(slopes_.begin(), slopes_.end(), 0.0);
    for (std::size_t e = 0; e < merged_rows_.size(); ++e) {
      if (merged_rows_[e] >= n()) {
        slopes_[merged_rows_[e] - n()] += merged_[e] * direction_[merged_columns_[e]];
      }
    }
  }

  const system::MixedEquations& equations_;
  std::unique_ptr<system::EquationRunner> runner_;
  std::vector<Unknown> unknowns_;
  std::vector<Index> unknown_of_slot_;
  std::shared_ptr<const linalg::SparseLuSymbolic> symbolic_;
  std::optional<linalg::SparseLuNumeric> lu_;
  std::vector<std::size_t> merged_rows_;
  std::vector<std::size_t> merged_columns_;
  std::vector<std::size_t> merged_places_;    // in the matrix
  std::vector<std::size_t> merged_of_entry_;  // by entry of the rows given
  std::vector<std::size_t> border_places_;
  std::vector<std::size_t> residual_places_;

  system::Configuration configuration_;
  double t_ = 0.0;
  double h_ = 0.0;
  double softness_ = 0.0;
  std::vector<double> before_;  // by slot: at the instant
  std::vector<double> slots_;
  std::vector<double> unknown_values_;
  std::vector<double> sizes_;  // of the unknowns
  std::vector<double> rows_;   // residuals, then guards
  std::vector<double> entries_;
  std::vector<double> merged_;
  std::vector<double> values_;
  std::vector<double> row_scales_;
  std::vector<double> row_sizes_;
  std::vector<double> row_terms_;
  std::vector<double> guard_sizes_;
  std::vector<double> slopes_;
  std::vector<double> direction_;
  std::vector<double> left_;
};

MixedStep::MixedStep(std::shared_ptr<const system::MixedEquations> equations)
    : equations_(std::move(equations)), problem_(std::make_unique<Problem>(*equations_)) {
  if (!problem_->is_square()) {
    problem_.reset();
  }
}

MixedStep::~MixedStep() = default;
MixedStep::MixedStep(MixedStep&&) noexcept = default;
MixedStep& MixedStep::operator=(MixedStep&&) noexcept = default;

std::optional<system::Configuration> MixedStep::sides_after(const system::Configuration& from, double t,
                                                            double h, std::span<const double> slots) {
  if (problem_ == nullptr) {
    return std::nullopt;
  }
  const nonlinear::PathPolicy policy{.most_pieces =
                                         kPiecesAtLeast + kPiecesPerGuard * equations_->guards.size()};
  problem_->begin(from, t, h, slots);
  for (const double part : kSoftness) {
    problem_->soften(part);
    if (nonlinear::follow_pieces(*problem_, policy) != nonlinear::PathEnd::arrived) {
      return std::nullopt;
    }
  }
  const system::Configuration soft = problem_->configuration();
  problem_->soften(0.0);
  if (!problem_->is_regular()) {
    return std::nullopt;
  }
  return nonlinear::follow_pieces(*problem_, policy) == nonlinear::PathEnd::arrived
             ? problem_->configuration()
             : soft;
}

}  // namespace saltus::reduce
