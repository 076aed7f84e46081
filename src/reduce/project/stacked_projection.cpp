#include "reduce/project/stacked_projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "nonlinear/kept_newton.hpp"
#include "reduce/nonlinear/constraint_grades.hpp"
#include "reduce/nonlinear/probes.hpp"
#include "reduce/nonlinear/projection_steps.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using system::Evaluation;

constexpr auto kNowhere = std::numeric_limits<std::size_t>::max();
// Steps that bring guards from the tolerance of the projection to rounding.
constexpr int kMostPolishing = 4;

bool is_affine(const system::Evaluator& evaluator, Index guard) {
  const system::GuardShape shape = evaluator.guard_shape(guard);
  return shape.kind == system::GuardShape::Kind::polynomial && shape.degree <= 1;
}

}  // namespace

void StackedProjection::find_scale() {
  std::vector<ConstraintBlock> blocks;
  for (const Part& part : blocks_) {
    blocks.push_back({part.block.constraints.get(), part.block.places});
  }
  scale_ = scales_by_grade(blocks, nominal_);
}

StackedProjection::StackedProjection(std::vector<Block> blocks, std::span<const double> nominal)
    : nominal_(nominal.begin(), nominal.end()),
      change_(nominal.size()),
      given_(nominal.size()),
      gradient_(nominal.size()) {
  for (Block& block : blocks) {
    Part& part = blocks_.emplace_back();
    part.block = std::move(block);
    const system::EquationSet& set = *part.block.constraints;
    part.runner = set.make_runner();
    part.kept_rows.resize(static_cast<std::size_t>(set.n_rows()));
    part.place_of.resize(set.pattern().n_entries());
    part.entries.resize(set.pattern().n_entries());
    part.residual.resize(static_cast<std::size_t>(set.n_rows()));
    part.slots.resize(part.block.places.size());
    SALTUS_EXPECT(!part.block.places.empty() || set.n_slots() == static_cast<Index>(nominal.size()),
                  "one state for each slot");
  }
  find_scale();
}

void StackedProjection::fields(Archive& a) {
  // Not saved: nominal_, scale_.
  for (Part& part : blocks_) {
    // Not saved: its block.
    a(part.runner, part.kept_rows, part.place_of, part.slots, part.residual, part.entries);
  }
  a.pointer(evaluator_);
  bool has_algebra = algebra_.has_value();
  a(surfaces_, surface_states_, surface_places_, level_, n_constraints_, is_constant_, keeps_matrix_,
    has_factors_, pattern_, has_algebra);
  if (a.is_loading() && a.ok()) {
    algebra_.reset();
    if (has_algebra) {
      algebra_.emplace(pattern_, scale_);
    }
  }
  a(algebra_, policy_, entries_, residual_, change_, given_, gradient_, guard_values_, factorisations_);
}

void StackedProjection::set_configuration(std::size_t block, const system::Configuration& configuration) {
  blocks_[block].runner->set_configuration(configuration);
  has_factors_ = false;
}

void StackedProjection::set_latched(std::size_t block, Index guard, double value) {
  blocks_[block].runner->set_latched(guard, value);
  has_factors_ = false;
}

std::span<const double> StackedProjection::slots_of(Part& part, std::span<const double> x) {
  if (part.block.places.empty()) {
    return x;
  }
  for (std::size_t i = 0; i < part.slots.size(); ++i) {
    part.slots[i] = x[static_cast<std::size_t>(part.block.places[i])];
  }
  return part.slots;
}

// Rows of further blocks that are written as one of the first and have its value here.
void StackedProjection::leave_out_repeated(double t, std::span<const double> x) {
  Index next = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    Part& part = blocks_[b];
    std::iota(part.kept_rows.begin(), part.kept_rows.end(), next);
    const bool is_known = part.runner->residual(t, slots_of(part, x), part.residual).ok();
    if (b == 0 || !is_known) {
      next += static_cast<Index>(part.kept_rows.size());
      continue;
    }
    const auto& first_rows = blocks_[0].block.constraints->rows();
    const auto& rows = part.block.constraints->rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      bool is_repeated = false;
      for (std::size_t k = 0; k < first_rows.size() && !is_repeated; ++k) {
        is_repeated = rows[i].order == first_rows[k].order && rows[i].text == first_rows[k].text &&
                      part.residual[i] == blocks_[0].residual[k];
      }
      part.kept_rows[i] = is_repeated ? -1 : next++;
    }
  }
  n_constraints_ = next;
}

void StackedProjection::build_pattern() {
  pattern_ = {};
  pattern_.n_columns = static_cast<Index>(nominal_.size());
  pattern_.n_rows = n_constraints_ + static_cast<Index>(surfaces_.size());
  // (row, entry) by column; entries of guards come with their number among those of the guard.
  struct Entry {
    Index row;
    std::size_t* place;
  };
  std::vector<std::vector<Entry>> columns(nominal_.size());
  for (Part& part : blocks_) {
    const system::RectangularPattern& own = part.block.constraints->pattern();
    for (std::size_t j = 0; j + 1 < own.column_starts.size(); ++j) {
      const std::size_t state =
          part.block.places.empty() ? j : static_cast<std::size_t>(part.block.places[j]);
      for (Index e = own.column_starts[j]; e < own.column_starts[j + 1]; ++e) {
        const auto entry = static_cast<std::size_t>(e);
        const Index row = part.kept_rows[static_cast<std::size_t>(own.rows[entry])];
        part.place_of[entry] = kNowhere;
        if (row >= 0) {
          columns[state].push_back({row, &part.place_of[entry]});
        }
      }
    }
  }
  for (std::size_t k = 0; k < surfaces_.size(); ++k) {
    for (std::size_t e = 0; e < surface_states_[k].size(); ++e) {
      columns[static_cast<std::size_t>(surface_states_[k][e])].push_back(
          {n_constraints_ + static_cast<Index>(k), &surface_places_[k][e]});
    }
  }
  pattern_.column_starts.push_back(0);
  for (std::vector<Entry>& column : columns) {
    std::sort(column.begin(), column.end(), [](const Entry& a, const Entry& b) { return a.row < b.row; });
    for (const Entry& entry : column) {
      *entry.place = pattern_.rows.size();
      pattern_.rows.push_back(entry.row);
    }
    pattern_.column_starts.push_back(static_cast<Index>(pattern_.rows.size()));
  }
}

void StackedProjection::begin(system::Evaluator& evaluator, std::span<const Index> surfaces, double level,
                              double t, std::span<const double> x) {
  level_ = level;
  const bool is_same = evaluator_ == &evaluator &&
                       std::equal(surfaces.begin(), surfaces.end(), surfaces_.begin(), surfaces_.end());
  evaluator_ = &evaluator;
  has_factors_ = false;
  keeps_matrix_ = false;
  is_constant_ = std::all_of(surfaces.begin(), surfaces.end(),
                             [&](Index guard) { return is_affine(evaluator, guard); }) &&
                 std::all_of(blocks_.begin(), blocks_.end(), [](const Part& part) {
                   return part.block.constraints->has_constant_jacobian();
                 });
  if (is_same && blocks_.size() == 1) {
    return;
  }
  surfaces_.assign(surfaces.begin(), surfaces.end());
  surface_states_.resize(surfaces.size());
  surface_places_.resize(surfaces.size());
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    if (const auto states = evaluator.guard_states(surfaces[k])) {
      surface_states_[k].assign(states->begin(), states->end());
      std::sort(surface_states_[k].begin(), surface_states_[k].end());
    } else {
      surface_states_[k].resize(nominal_.size());
      std::iota(surface_states_[k].begin(), surface_states_[k].end(), Index{0});
    }
    surface_places_[k].resize(surface_states_[k].size());
  }
  leave_out_repeated(t, x);
  build_pattern();
  entries_.assign(pattern_.n_entries(), 0.0);
  residual_.assign(static_cast<std::size_t>(pattern_.n_rows), 0.0);
  guard_values_.assign(surfaces.size(), 0.0);
  algebra_.emplace(pattern_, scale_);
}

// All rows at x into residual_.
bool StackedProjection::evaluate(double t, std::span<const double> x) {
  for (Part& part : blocks_) {
    if (!part.runner->residual(t, slots_of(part, x), part.residual).ok()) {
      return false;
    }
    for (std::size_t i = 0; i < part.kept_rows.size(); ++i) {
      if (part.kept_rows[i] >= 0) {
        residual_[static_cast<std::size_t>(part.kept_rows[i])] = part.residual[i];
      }
    }
  }
  if (!surfaces_.empty() && !evaluator_->guards(surfaces_, t, x, guard_values_).ok()) {
    return false;
  }
  for (std::size_t k = 0; k < surfaces_.size(); ++k) {
    guard_values_[k] -= k == 0 ? level_ : 0.0;
    residual_[static_cast<std::size_t>(n_constraints_) + k] = guard_values_[k];
  }
  return true;
}

bool StackedProjection::refresh(double t, std::span<const double> x) {
  for (Part& part : blocks_) {
    if (!part.runner->jacobian(t, slots_of(part, x), part.entries).ok()) {
      return false;
    }
    for (std::size_t e = 0; e < part.entries.size(); ++e) {
      if (part.place_of[e] != kNowhere) {
        entries_[part.place_of[e]] = part.entries[e];
      }
    }
  }
  for (std::size_t k = 0; k < surfaces_.size(); ++k) {
    double time_derivative = 0.0;
    if (!evaluator_->guard_gradient(surfaces_[k], t, x, gradient_, time_derivative).ok()) {
      return false;
    }
    for (std::size_t e = 0; e < surface_states_[k].size(); ++e) {
      entries_[surface_places_[k][e]] = gradient_[static_cast<std::size_t>(surface_states_[k][e])];
    }
  }
  ++factorisations_;
  has_factors_ = algebra_->factorize(entries_);
  return has_factors_;
}

// The step of least change; its size in units of the states.
double StackedProjection::step(std::span<double> x) {
  algebra_->solve(residual_, change_);
  return apply_change(change_, nominal_, x);
}

bool StackedProjection::rows_agree() const {
  return reduce::rows_agree(change_, scale_, residual_, algebra_->row_scale());
}

Index StackedProjection::worst_row() const {
  return reduce::worst_row(residual_, algebra_->row_scale());
}

struct StackedProjection::Iteration {
  StackedProjection& self;
  double t;
  std::span<double> x;

  nonlinear::Rows evaluate() {
    return self.evaluate(t, x) ? nonlinear::Rows::open : nonlinear::Rows::no_value;
  }
  [[nodiscard]] bool has_matrix() const { return self.has_factors_; }
  [[nodiscard]] bool refresh() { return self.refresh(t, x); }
  double correct() { return self.step(x); }
  static bool move() { return true; }
  void drop_matrix() { self.has_factors_ = false; }
};

Evaluation StackedProjection::iterate(double t, std::span<double> x) {
  Iteration iteration{*this, t, x};
  return nonlinear::kept_newton(iteration, policy_) == nonlinear::KeptEnd::converged && rows_agree()
             ? Evaluation{}
             : Evaluation{Evaluation::Status::no_projection, worst_row()};
}

// The largest |g| in units of its noise, 0 where all are within it.
double StackedProjection::beyond_noise(double t, std::span<const double> x) {
  double most = 0.0;
  for (std::size_t k = 0; k < surfaces_.size(); ++k) {
    const double size = std::abs(guard_values_[k]);
    if (size == 0.0) {
      continue;
    }
    const double noise = evaluator_->guard_noise(surfaces_[k], t, x);
    most = size <= noise ? most
                         : std::max(most, noise > 0.0 ? size / noise : std::numeric_limits<double>::max());
  }
  return most;
}

// Guards are compared with their rounding errors elsewhere: further steps as long as they bring them nearer.
struct StackedProjection::Polishing {
  StackedProjection& self;
  double t;
  std::span<double> x;
  double distance = 0.0;

  nonlinear::Rows evaluate() {
    if (!self.evaluate(t, x)) {
      return nonlinear::Rows::no_value;
    }
    distance = self.beyond_noise(t, x);
    return distance == 0.0 ? nonlinear::Rows::met : nonlinear::Rows::open;
  }
  static bool has_matrix() { return true; }
  static bool refresh() { return true; }
  [[nodiscard]] double correct() const { return distance; }
  bool move() {
    (void)self.step(x);
    return true;
  }
  static void drop_matrix() {}
};

void StackedProjection::polish(double t, std::span<double> x) {
  if (surfaces_.empty()) {
    return;
  }
  Polishing polishing{*this, t, x};
  nonlinear::HalvingPolicy policy(kMostPolishing);
  (void)nonlinear::kept_newton(polishing, policy);
}

Evaluation StackedProjection::project(double t, std::span<double> x) {
  SALTUS_EXPECT(algebra_.has_value(), "begin() comes first");
  if (residual_.empty()) {
    return {};
  }
  has_factors_ = has_factors_ && (is_constant_ || keeps_matrix_);
  std::copy(x.begin(), x.end(), given_.begin());
  const Evaluation evaluation = iterate(t, x);
  if (!evaluation.ok()) {
    std::copy(given_.begin(), given_.end(), x.begin());
    has_factors_ = false;
    return evaluation;
  }
  if (policy_.n_steps() == 1) {  // it was smaller than the tolerance
    std::copy(given_.begin(), given_.end(), x.begin());
  }
  polish(t, x);
  return {};
}

void StackedProjection::keep_along(double t, std::span<const double> x, std::span<double> gradient) {
  SALTUS_EXPECT(algebra_.has_value(), "begin() comes first");
  if (residual_.empty() || !refresh(t, x)) {
    return;
  }
  weigh_rows(pattern_, entries_, scale_, gradient, residual_);
  algebra_->solve(residual_, change_);
  add_weighed(change_, scale_, gradient);
  // The next point has a matrix of its own, as if nobody had asked.
  has_factors_ = keeps_matrix_ || is_constant_;
}

double StackedProjection::distance(std::size_t block, double t, std::span<const double> x, Index& row) {
  Part& part = blocks_[block];
  row = 0;
  if (!part.runner->residual(t, slots_of(part, x), part.residual).ok() ||
      !part.runner->jacobian(t, slots_of(part, x), part.entries).ok()) {
    return std::numeric_limits<double>::infinity();
  }
  const system::RectangularPattern& own = part.block.constraints->pattern();
  std::vector<double> length(part.residual.size(), 0.0);
  for (std::size_t j = 0; j + 1 < own.column_starts.size(); ++j) {
    const std::size_t state = part.block.places.empty() ? j : static_cast<std::size_t>(part.block.places[j]);
    for (Index e = own.column_starts[j]; e < own.column_starts[j + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      double& sum = length[static_cast<std::size_t>(own.rows[entry])];
      sum = std::hypot(sum, part.entries[entry] * std::max(nominal_[state], std::abs(x[state])));
    }
  }
  double most = 0.0;
  for (std::size_t i = 0; i < length.size(); ++i) {
    const double size = std::abs(part.residual[i]) / (length[i] > 0.0 ? length[i] : 1.0);
    if (!(size <= most)) {
      most = size;
      row = static_cast<Index>(i);
    }
  }
  return most;
}

double StackedProjection::leaving_rate(std::size_t block, double t, std::span<const double> x,
                                       std::span<const double> xdot, Index& row) {
  Part& part = blocks_[block];
  row = 0;
  const double shift = kTimeDifference * std::max(std::abs(t), 1.0);
  std::vector<double> later(part.residual.size());
  if (!part.runner->residual(t - shift, slots_of(part, x), part.residual).ok() ||
      !part.runner->residual(t + shift, slots_of(part, x), later).ok() ||
      !part.runner->jacobian(t, slots_of(part, x), part.entries).ok()) {
    return std::numeric_limits<double>::infinity();
  }
  std::vector<double> length(later.size(), 0.0);
  for (std::size_t i = 0; i < later.size(); ++i) {
    later[i] = (later[i] - part.residual[i]) / (2.0 * shift);
  }
  const system::RectangularPattern& own = part.block.constraints->pattern();
  for (std::size_t j = 0; j + 1 < own.column_starts.size(); ++j) {
    const std::size_t state = part.block.places.empty() ? j : static_cast<std::size_t>(part.block.places[j]);
    for (Index e = own.column_starts[j]; e < own.column_starts[j + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      const auto i = static_cast<std::size_t>(own.rows[entry]);
      later[i] += part.entries[entry] * xdot[state];
      length[i] = std::hypot(length[i], part.entries[entry] * nominal_[state]);
    }
  }
  double most = 0.0;
  for (std::size_t i = 0; i < later.size(); ++i) {
    const double size = std::abs(later[i]) / (length[i] > 0.0 ? length[i] : 1.0);
    if (!(size <= most)) {
      most = size;
      row = static_cast<Index>(i);
    }
  }
  return most;
}

std::string StackedProjection::row_text(std::size_t block, Index row) const {
  const system::RowInfo& info = blocks_[block].block.constraints->rows()[static_cast<std::size_t>(row)];
  return info.order == 0   ? "'" + info.text + "'"
         : info.order == 1 ? "'" + info.text + "' (differentiated once)"
                           : "'" + info.text + "' (differentiated " + std::to_string(info.order) + " times)";
}

std::string StackedProjection::row_text(Index stacked_row) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const auto& rows = blocks_[b].kept_rows;
    const auto found = std::find(rows.begin(), rows.end(), stacked_row);
    if (found != rows.end()) {
      return row_text(b, static_cast<Index>(found - rows.begin()));
    }
  }
  return {};
}

}  // namespace saltus::reduce
