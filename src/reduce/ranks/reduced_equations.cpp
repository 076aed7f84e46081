#include "reduce/ranks/reduced_equations.hpp"

#include <algorithm>
#include <utility>

#include "base/machine.hpp"
#include "linalg/rank_decision.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;
using system::Evaluation;

void divide_rows(DenseMatrix& matrix, std::span<const double> nominal) {
  for (Index j = 0; j < matrix.columns(); ++j) {
    for (Index i = 0; i < matrix.rows(); ++i) {
      matrix(i, j) /= nominal[at_index(i)];
    }
  }
}

linalg::RankOptions as_they_are() {
  linalg::RankOptions options;
  options.equilibrate = false;
  options.reference = 1.0;
  return options;
}

double product(const DenseMatrix& columns, Index j, std::span<const double> vector) {
  double sum = 0.0;
  for (Index i = 0; i < columns.rows(); ++i) {
    sum += columns(i, j) * vector[at_index(i)];
  }
  return sum;
}

}  // namespace

// The equations as they are written. False: they cannot be had.
bool ReducedEquations::have_written() {
  if (!written_) {
    auto written = dae_.derivative_array(0);
    if (!written) {
      return false;
    }
    written_ = *std::move(written);
    written_runner_ = written_->make_runner();
  }
  return true;
}

void ReducedEquations::fields(Archive& a) {
  // Not saved: written_, which is made anew.
  bool has_written = written_ != nullptr;
  a(has_written);
  if (a.is_loading() && has_written && !have_written()) {
    a.refuse("equations as written cannot be had");
  }
  a(n_, is_direct_, nominal_, written_runner_, chains_, state_of_slot_, written_slots_, written_entries_,
    policy_, n_projectors_made_, kernel_, normal_, nearest_, rates_, d_states_, d_rates_, moved_,
    row_of_entry_);
}

bool ReducedEquations::take(const CharacteristicValues& values) {
  if (!have_written()) {
    return false;
  }
  lay_out(values);
  DenseMatrix kernel = values.t2;
  divide_rows(kernel, nominal_);
  kernel = linalg::orthonormal_columns(kernel);
  set_projectors(kernel, linalg::rank_bases(kernel, as_they_are()).corange);
  policy_.forget();
  return true;
}

void ReducedEquations::lay_out(const CharacteristicValues& values) {
  const std::vector<system::StateInfo>& states = dae_.states();
  n_ = static_cast<Index>(states.size());
  is_direct_ = values.level == 0 && values.undetermined == 0 && values.vanishing == 0 &&
               values.n_equations == values.n_unknowns;
  nominal_.clear();
  for (const system::StateInfo& state : states) {
    nominal_.push_back(state.nominal);
  }
  const ArrayLayout layout = make_array_layout(*written_, 0, states);
  state_of_slot_.assign(layout.variable.size(), -1);
  for (Index k = 0; k < n_; ++k) {
    state_of_slot_[at_index(layout.state[at_index(k)])] = k;
  }
  chains_.clear();
  for (Index k = 0; k < n_; ++k) {
    const auto slot = at_index(layout.rate[at_index(k)]);
    if (state_of_slot_[slot] >= 0 && state_of_slot_[slot] < n_) {
      chains_.push_back({k, state_of_slot_[slot]});
    } else {
      state_of_slot_[slot] = n_ + k;
    }
  }
  written_slots_.assign(state_of_slot_.size(), 0.0);
  written_entries_.assign(written_->pattern().n_entries(), 0.0);
  nearest_.assign(at_index(n_), 0.0);
  rates_.assign(at_index(n_), 0.0);
  for (std::vector<double>* matrix : {&d_states_, &d_rates_, &moved_}) {
    matrix->assign(at_index(n_ * n_), 0.0);
  }
  row_of_entry_.clear();
  for (Index e = 0; e < n_ * n_; ++e) {
    row_of_entry_.push_back(e % n_);
  }
}

void ReducedEquations::set_projectors(const DenseMatrix& kernel, const DenseMatrix& normal) {
  SALTUS_ASSERT(kernel.columns() + normal.columns() == n_);
  ++n_projectors_made_;
  kernel_ = kernel;
  normal_ = normal;
  divide_rows(kernel_, nominal_);
  divide_rows(normal_, nominal_);
}

void ReducedEquations::set_configuration(const system::Configuration& configuration) {
  if (written_runner_) {
    written_runner_->set_configuration(configuration);
  }
}

void ReducedEquations::set_latched(Index guard, double value) {
  if (written_runner_) {
    written_runner_->set_latched(guard, value);
  }
}

void ReducedEquations::fill_written(std::span<const double> slots) {
  for (std::size_t s = 0; s < state_of_slot_.size(); ++s) {
    written_slots_[s] = state_of_slot_[s] >= 0 ? slots[at_index(state_of_slot_[s])] : 0.0;
  }
}

Evaluation ReducedEquations::written_residual(double t, std::span<const double> slots,
                                              std::span<double> values) {
  fill_written(slots);
  const auto n_written = at_index(written_->n_rows());
  for (std::size_t k = 0; k < chains_.size(); ++k) {
    values[n_written + k] = slots[at_index(n_ + chains_[k].state)] - slots[at_index(chains_[k].rate)];
  }
  return written_runner_->residual(t, written_slots_, values.first(n_written));
}

Evaluation ReducedEquations::written_jacobian(double t, std::span<const double> slots,
                                              std::span<double> entries) {
  fill_written(slots);
  const system::RectangularPattern& pattern = written_->pattern();
  if (const Evaluation evaluation = written_runner_->jacobian(t, written_slots_, written_entries_);
      !evaluation.ok()) {
    return evaluation;
  }
  std::fill(entries.begin(), entries.end(), 0.0);
  for (Index slot = 0; slot < pattern.n_columns; ++slot) {
    const Index column = state_of_slot_[at_index(slot)];
    for (Index e = pattern.column_starts[at_index(slot)];
         column >= 0 && e < pattern.column_starts[at_index(slot) + 1]; ++e) {
      entries[at_index(pattern.rows[at_index(e)] + column * n_)] = written_entries_[at_index(e)];
    }
  }
  for (std::size_t k = 0; k < chains_.size(); ++k) {
    const Index row = written_->n_rows() + static_cast<Index>(k);
    entries[at_index(row + (n_ + chains_[k].state) * n_)] = 1.0;
    entries[at_index(row + chains_[k].rate * n_)] = -1.0;
  }
  return {};
}

Evaluation ReducedEquations::residual(double t, std::span<const double> slots, std::span<double> values) {
  const std::span<const double> x = slots.first(slots.size() / 2);
  const std::span<const double> xdot = slots.subspan(slots.size() / 2);
  if (const Evaluation evaluation = points_.make_ready(t, x); !evaluation.ok()) {
    return evaluation;
  }
  if (is_direct_) {
    return written_residual(t, slots, values);
  }
  if (const Evaluation evaluation = points_.nearest(t, x, nearest_, rates_); !evaluation.ok()) {
    return evaluation;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    rates_[i] = xdot[i] - rates_[i];
    nearest_[i] = x[i] - nearest_[i];
  }
  auto row = values.begin();
  for (Index j = 0; j < kernel_.columns(); ++j, ++row) {
    *row = product(kernel_, j, rates_);
  }
  for (Index j = 0; j < normal_.columns(); ++j, ++row) {
    *row = product(normal_, j, nearest_);
  }
  return {};
}

// The kernel of ∂(x - P)/∂x is that of the constraints.
void ReducedEquations::refresh_projectors() {
  if (!policy_.needs_projectors(moved_, row_of_entry_)) {
    return;
  }
  DenseMatrix moved(n_, n_);
  std::copy(moved_.begin(), moved_.end(), moved.entries().begin());
  const linalg::RankBases bases = linalg::rank_bases(moved, as_they_are());
  if (bases.decision.rank == normal_.columns()) {
    set_projectors(bases.kernel, bases.cokernel);
    policy_.made(moved_, row_of_entry_, n_, bases.decision.condition);
  }
}

Evaluation ReducedEquations::jacobian(double t, std::span<const double> slots, std::span<double> entries) {
  const std::span<const double> x = slots.first(slots.size() / 2);
  if (const Evaluation evaluation = points_.make_ready(t, x); !evaluation.ok()) {
    return evaluation;
  }
  if (is_direct_) {
    return written_jacobian(t, slots, entries);
  }
  Evaluation evaluation = points_.nearest(t, x, nearest_, rates_);
  if (evaluation.ok()) {
    evaluation = points_.linearise(t);
  }
  if (!evaluation.ok()) {
    return evaluation;
  }
  const auto n = at_index(n_);
  for (std::size_t j = 0; j < n; ++j) {
    const std::span<double> d_states = std::span(d_states_).subspan(j * n, n);
    const std::span<double> d_rates = std::span(d_rates_).subspan(j * n, n);
    points_.respond(static_cast<Index>(j), d_states, d_rates);
    for (std::size_t i = 0; i < n; ++i) {
      d_states[i] = (i == j ? 1.0 : 0.0) - d_states[i];
      moved_[i + j * n] = d_states[i] * nominal_[j] / nominal_[i];
    }
  }
  refresh_projectors();
  const Index n_kernel = kernel_.columns();
  std::fill(entries.begin(), entries.end(), 0.0);
  for (Index column = 0; column < n_; ++column) {
    const std::span<const double> d_states = std::span(d_states_).subspan(at_index(column) * n, n);
    const std::span<const double> d_rates = std::span(d_rates_).subspan(at_index(column) * n, n);
    for (Index j = 0; j < n_kernel; ++j) {
      entries[at_index(j + column * n_)] = -product(kernel_, j, d_rates);
      entries[at_index(j + (n_ + column) * n_)] = kernel_(column, j);
    }
    for (Index j = 0; j < normal_.columns(); ++j) {
      entries[at_index(n_kernel + j + column * n_)] = product(normal_, j, d_states);
    }
  }
  return {};
}

}  // namespace saltus::reduce
