#include "sensitivity/constraint_variation.hpp"

#include <algorithm>

#include "sensitivity/field/structure_beside.hpp"

namespace saltus::sensitivity {

using system::Evaluation;

ConstraintVariation::ConstraintVariation(const FieldSource& source, StretchField& field)
    : source_(source), field_(field), constraints_(field.locked().constraints()) {
  if (constraints_ == nullptr || constraints_->n_rows() == 0) {
    constraints_ = nullptr;
    return;
  }
  runner_ = constraints_->make_runner();
  runner_->set_configuration(field.facts().configuration);
  tangents_ = runner_->tangents(source.setup.known_directions);
  least_change_.emplace(constraints_->pattern(), field.nominal());
  entries_.resize(constraints_->pattern().n_entries());
  residual_.resize(static_cast<std::size_t>(constraints_->n_rows()));
  change_.resize(field.n_states());
  rows_.resize(residual_.size() * source.n_columns());
}

void ConstraintVariation::take_configuration() {
  if (runner_ != nullptr) {
    runner_->set_configuration(field_.facts().configuration);
  }
}

// Without tangents of their own: the Jacobian, and the constraints of the twins.
Evaluation ConstraintVariation::tangents_of(double t, std::span<const double> x,
                                            std::span<const double> discrete, std::span<const double> s) {
  const std::size_t n_columns = source_.n_columns();
  if (tangents_ != nullptr) {
    const Evaluation evaluation = tangents_->rows(t, x, {source_.fixed_time, s, discrete}, rows_);
    return evaluation.ok() ? add_twins(t, x) : evaluation;
  }
  std::fill(rows_.begin(), rows_.end(), 0.0);
  const system::RectangularPattern& pattern = constraints_->pattern();
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (auto e = static_cast<std::size_t>(pattern.column_starts[j]);
         e < static_cast<std::size_t>(pattern.column_starts[j + 1]); ++e) {
      for (std::size_t k = 0; k < n_columns; ++k) {
        rows_[static_cast<std::size_t>(pattern.rows[e]) * n_columns + k] +=
            entries_[e] * s[j * n_columns + k];
      }
    }
  }
  return add_twins(t, x);
}

// Of columns that tangents do not know.
Evaluation ConstraintVariation::add_twins(double t, std::span<const double> x) {
  const std::size_t n_columns = source_.n_columns();
  for (std::size_t k = 0; k < n_columns; ++k) {
    const Column& column = source_.setup.columns[k];
    if (!column.moves_equations || (tangents_ != nullptr && !column.moves_zero)) {
      continue;
    }
    for (const Twin& twin : source_.setup.columns[k].twins) {
      const auto structure = structure_beside(source_.system, *twin.system, field_.facts().structure);
      if (!structure) {
        return {Evaluation::Status::no_projection, -1};
      }
      const auto locked = twin.system->lock(*structure);
      const auto constraints = locked ? (*locked)->constraints() : nullptr;
      if (constraints == nullptr || constraints->n_rows() != constraints_->n_rows()) {
        return {Evaluation::Status::no_projection, -1};
      }
      const auto runner = constraints->make_runner();
      runner->set_configuration(field_.facts().configuration);
      if (const Evaluation evaluation = runner->residual(t, x, residual_); !evaluation.ok()) {
        return evaluation;
      }
      for (std::size_t i = 0; i < residual_.size(); ++i) {
        rows_[i * n_columns + k] += twin.weight * residual_[i];
      }
    }
  }
  return {};
}

Evaluation ConstraintVariation::meet(double t, std::span<const double> x, std::span<const double> discrete,
                                     std::span<double> s) {
  if (constraints_ == nullptr) {
    return {};
  }
  Evaluation evaluation = runner_->jacobian(t, x, entries_);
  if (evaluation.ok()) {
    evaluation = tangents_of(t, x, discrete, s);
  }
  if (!evaluation.ok() || !least_change_->factorize(entries_)) {
    return evaluation.ok() ? Evaluation{Evaluation::Status::no_projection, -1} : evaluation;
  }
  const std::size_t n_columns = source_.n_columns();
  for (std::size_t k = 0; k < n_columns; ++k) {
    for (std::size_t i = 0; i < residual_.size(); ++i) {
      residual_[i] = rows_[i * n_columns + k];
    }
    least_change_->solve(residual_, change_);
    for (std::size_t i = 0; i < change_.size(); ++i) {
      s[i * n_columns + k] += change_[i];
    }
  }
  return {};
}

}  // namespace saltus::sensitivity
