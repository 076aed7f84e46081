#include "reduce/project/post_stabilization.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/machine.hpp"
#include "saltus/contract.hpp"

namespace saltus::reduce {

using system::Evaluation;

PostStabilization::PostStabilization(std::shared_ptr<const system::EquationSet> constraints,
                                     const std::vector<system::StateInfo>& states, Positions positions,
                                     double rate, std::span<const double> rates)
    : constraints_(std::move(constraints)),
      runner_(constraints_->make_runner()),
      moves_(positions),
      given_(states.size()),
      residual_(static_cast<std::size_t>(constraints_->n_rows())),
      entries_(constraints_->pattern().n_entries()) {
  SALTUS_EXPECT(applies(*constraints_), "constraints of positions and velocities");
  find_rows(rate, rates);
  pair_states(states);
  build_pattern();
  algebra_ = std::make_unique<LeastChange>(pattern_, scale_);
  surface_.resize(rows_.size());
  change_.resize(velocities_.size());
}

bool PostStabilization::applies(const system::EquationSet& constraints) {
  const std::vector<system::RowInfo>& rows = constraints.rows();
  return std::all_of(rows.begin(), rows.end(),
                     [](const system::RowInfo& row) { return row.order <= 1 && !row.is_combined; });
}

// Those of one equation follow each other, ascending in order (structure::Causalized::constraints).
void PostStabilization::find_rows(double rate, std::span<const double> rates) {
  const std::vector<system::RowInfo>& rows = constraints_->rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].order == 0) {
      rows_.push_back({i, i, rates.empty() ? rate : rates[i]});
    } else {
      rows_.back().highest = i;
    }
  }
}

void PostStabilization::pair_states(const std::vector<system::StateInfo>& states) {
  struct Place {
    std::size_t state;
    double sign;
  };
  std::unordered_map<system::Quantity, Place, system::QuantityHash> places;
  for (std::size_t j = 0; j < states.size(); ++j) {
    places.emplace(states[j].quantity, Place{j, 1.0});
    for (const system::StateInfo::Alias& alias : states[j].aliases) {
      places.emplace(alias.quantity, Place{j, alias.sign});
    }
  }
  std::vector<Index> position_of(states.size(), -1);
  std::vector<double> sign_of(states.size(), 1.0);
  std::vector<std::uint8_t> is_velocity(states.size(), 1);
  for (std::size_t j = 0; j < states.size(); ++j) {
    const auto rate = places.find({states[j].quantity.variable, states[j].quantity.order + 1});
    if (rate != places.end()) {
      is_velocity[j] = 0;
      position_of[rate->second.state] = static_cast<Index>(j);
      sign_of[rate->second.state] = rate->second.sign;
    }
  }
  for (std::size_t j = 0; j < states.size(); ++j) {
    if (is_velocity[j] != 0) {
      velocities_.push_back(j);
      positions_.push_back(position_of[j]);
      signs_.push_back(sign_of[j]);
      scale_.push_back(states[j].nominal);
    }
  }
}

void PostStabilization::build_pattern() {
  const system::RectangularPattern& all = constraints_->pattern();
  std::vector<Index> row_of(static_cast<std::size_t>(all.n_rows), -1);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    row_of[rows_[i].highest] = static_cast<Index>(i);
  }
  pattern_.n_rows = static_cast<Index>(rows_.size());
  pattern_.n_columns = static_cast<Index>(velocities_.size());
  pattern_.column_starts.push_back(0);
  for (const std::size_t state : velocities_) {
    for (Index e = all.column_starts[state]; e < all.column_starts[state + 1]; ++e) {
      const Index row = row_of[static_cast<std::size_t>(all.rows[static_cast<std::size_t>(e)])];
      if (row >= 0) {
        pattern_.rows.push_back(row);
        entry_of_.push_back(static_cast<std::size_t>(e));
      }
    }
    pattern_.column_starts.push_back(static_cast<Index>(pattern_.rows.size()));
  }
  gradient_.resize(entry_of_.size());
}

void PostStabilization::use_mass(const system::LockedDae& locked, system::Evaluator& of) {
  std::vector<MotionEquations::Entry> beside;
  for (std::size_t k = 0; k < velocities_.size(); ++k) {
    for (Index e = pattern_.column_starts[k]; e < pattern_.column_starts[k + 1]; ++e) {
      beside.push_back({.row = pattern_.rows[at_index(e)], .state = static_cast<Index>(velocities_[k])});
    }
  }
  mass_ = MotionEquations::make(locked, std::ssize(rows_), beside);
  evaluator_ = &of;
  answer_.resize(given_.size());
}

void PostStabilization::set_configuration(const system::Configuration& configuration) {
  runner_->set_configuration(configuration);
  if (mass_ != nullptr) {
    mass_->set_configuration(configuration);
  }
}

void PostStabilization::set_latched(Index guard, double value) {
  runner_->set_latched(guard, value);
  if (mass_ != nullptr) {
    mass_->set_latched(guard, value);
  }
}

bool PostStabilization::factorize(double t, std::span<const double> x) {
  if (evaluator_ == nullptr) {
    return algebra_->factorize(gradient_);
  }
  return mass_ != nullptr && mass_->factorize(t, x, *evaluator_, gradient_);
}

void PostStabilization::solve() {
  if (mass_ == nullptr) {
    algebra_->solve(surface_, change_);
    return;
  }
  mass_->solve(surface_, answer_);
  for (std::size_t k = 0; k < velocities_.size(); ++k) {
    change_[k] = -answer_[velocities_[k]];
  }
}

bool PostStabilization::pass(double t, std::span<double> x) {
  if (!runner_->jacobian(t, x, entries_).ok() || !runner_->residual(t, x, residual_).ok()) {
    return false;
  }
  for (std::size_t e = 0; e < entry_of_.size(); ++e) {
    gradient_[e] = entries_[entry_of_[e]];
  }
  if (!factorize(t, x)) {
    return false;
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const bool is_holonomic = rows_[i].highest != rows_[i].lowest;
    surface_[i] = is_holonomic || moves_ == Positions::all ? residual_[rows_[i].lowest] : 0.0;
  }
  solve();
  for (std::size_t k = 0; k < velocities_.size(); ++k) {
    if (positions_[k] >= 0) {
      x[static_cast<std::size_t>(positions_[k])] += signs_[k] * change_[k];
    }
  }
  if (!runner_->residual(t, x, residual_).ok()) {
    return false;
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    surface_[i] = residual_[rows_[i].highest];
    if (rows_[i].highest != rows_[i].lowest) {
      surface_[i] += rows_[i].rate * residual_[rows_[i].lowest];
    }
  }
  solve();
  for (std::size_t k = 0; k < velocities_.size(); ++k) {
    x[velocities_[k]] += change_[k];
  }
  return true;
}

Evaluation PostStabilization::project(double t, std::span<double> x) {
  constexpr int kPasses = 2;  // [Com01] (3.27)-(3.30)
  std::copy(x.begin(), x.end(), given_.begin());
  for (int k = 0; k < kPasses; ++k) {
    if (!pass(t, x)) {
      std::copy(given_.begin(), given_.end(), x.begin());
      return {Evaluation::Status::no_projection, 0};
    }
  }
  return {};
}

}  // namespace saltus::reduce
