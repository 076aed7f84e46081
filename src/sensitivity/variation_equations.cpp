#include "sensitivity/variation_equations.hpp"

#include <algorithm>
#include <cmath>

#include "sensitivity/field/structure_beside.hpp"
#include "sensitivity/field/twin_difference.hpp"
#include "system/stencil.hpp"

namespace saltus::sensitivity {
namespace {

using system::Evaluation;

// All entries of n rows and 2n columns.
system::RectangularPattern full_pattern(std::size_t n) {
  system::RectangularPattern pattern;
  pattern.n_rows = static_cast<Index>(n);
  pattern.n_columns = static_cast<Index>(2 * n);
  for (std::size_t j = 0; j <= 2 * n; ++j) {
    pattern.column_starts.push_back(static_cast<Index>(j * n));
  }
  for (std::size_t j = 0; j < 2 * n; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      pattern.rows.push_back(static_cast<Index>(i));
    }
  }
  return pattern;
}

}  // namespace

VariationEquations::VariationEquations(const FieldSource& source, StretchField& field)
    : source_(source), field_(field), runner_(field.evaluator().residual_runner()), x_(field.n_states()) {
  std::shared_ptr<const system::EquationSet> form;
  if (runner_ != nullptr) {
    tangents_ = runner_->tangents(source.setup.known_directions);
    // Rates of twins are those of the same states, whatever they solve for.
    runner_ = have_twins_same_form() ? runner_ : nullptr;
  }
  if (runner_ != nullptr) {
    form = field.evaluator().own_residual_form();
    form = form != nullptr ? form : field.locked().residual_form();
  }
  has_form_ = form != nullptr;
  pattern_ = has_form_ ? form->pattern() : full_pattern(field.n_states());
  slots_.resize(static_cast<std::size_t>(pattern_.n_columns));
  zero_.resize(slots_.size() * source.n_columns());
  if (runner_ != nullptr && tangents_ != nullptr && source.n_columns() > 1) {
    merge_columns();
  }
}

// Greedy, in their order: each column to the first group with none of its rows.
void VariationEquations::merge_columns() {
  columns_of_rows_ = tangents_->moving_directions();
  if (columns_of_rows_.empty()) {
    return;
  }
  const std::size_t n_columns = source_.n_columns();
  std::vector<std::vector<std::size_t>> rows(n_columns);
  for (std::size_t i = 0; i < columns_of_rows_.size(); ++i) {
    for (const Index k : columns_of_rows_[i]) {
      rows[static_cast<std::size_t>(k)].push_back(i);
    }
  }
  std::vector<std::vector<bool>> taken;  // by group and row
  group_of_column_.assign(n_columns, 0);
  for (std::size_t k = 0; k < n_columns; ++k) {
    std::size_t group = 0;
    const auto is_free = [&](std::size_t row) { return !taken[group][row]; };
    while (group < taken.size() && !std::all_of(rows[k].begin(), rows[k].end(), is_free)) {
      ++group;
    }
    if (group == taken.size()) {
      taken.emplace_back(columns_of_rows_.size(), false);
    }
    for (const std::size_t row : rows[k]) {
      taken[group][row] = true;
    }
    group_of_column_[k] = group;
  }
  n_groups_ = taken.size();
  if (n_groups_ == n_columns) {
    return;
  }
  const system::ParameterDirections& directions = source_.setup.known_directions;
  system::ParameterDirections merged{static_cast<Index>(n_groups_), {}};
  merged.parameters.resize(directions.parameters.size() / n_columns * n_groups_, 0.0);
  for (std::size_t e = 0; e < directions.parameters.size(); ++e) {
    merged.parameters[e / n_columns * n_groups_ + group_of_column_[e % n_columns]] +=
        directions.parameters[e];
  }
  merged_ = runner_->tangents(merged);
  merged_rows_.resize(n_rows() * n_groups_);
  const std::size_t n_discrete = field_.facts().configuration.discrete.size();
  still_.resize(std::max({slots_.size(), n_discrete, std::size_t{1}}) * n_groups_, 0.0);
}

Evaluation VariationEquations::find_point(double t, std::span<const double> x) {
  const std::size_t n_y = n_rows();
  const std::span<double> y = std::span(slots_).first(n_y);
  const std::span<double> rates = std::span(slots_).subspan(n_y, x.size());
  if (has_form_) {
    return field_.evaluator().residual_point(t, x, y, rates);
  }
  std::copy(x.begin(), x.end(), y.begin());
  return field_.evaluator().rhs(t, x, rates);
}

Evaluation VariationEquations::at(double t, std::span<const double> x, std::span<const double> discrete,
                                  std::span<double> entries, std::span<double> b) {
  const Evaluation evaluation = jacobian_at(t, x, entries);
  return evaluation.ok() ? parameters_at(t, x, discrete, b) : evaluation;
}

Evaluation VariationEquations::jacobian_at(double t, std::span<const double> x, std::span<double> entries) {
  if (runner_ == nullptr) {
    return rates_jacobian(t, x, entries);
  }
  const Evaluation evaluation = find_point(t, x);
  return evaluation.ok() ? runner_->jacobian(t, slots_, entries) : evaluation;
}

Evaluation VariationEquations::parameters_at(double t, std::span<const double> x,
                                             std::span<const double> discrete, std::span<double> b) {
  if (runner_ == nullptr) {
    zero_.assign(x.size() * source_.n_columns(), 0.0);
    const Evaluation evaluation = field_.tangents().rates(t, x, {source_.fixed_time, zero_, discrete}, b);
    std::transform(b.begin(), b.end(), b.begin(), [](double value) { return -value; });
    return evaluation;
  }
  if (tangents_ == nullptr) {
    return rows_by_differences(t, discrete, b);
  }
  const Evaluation evaluation = tangents_of_rows(t, discrete, b);
  return evaluation.ok() ? add_twins(t, b) : evaluation;
}

Evaluation VariationEquations::tangents_of_rows(double t, std::span<const double> discrete,
                                                std::span<double> b) {
  const bool moves_discrete =
      std::any_of(discrete.begin(), discrete.end(), [](double tangent) { return tangent != 0.0; });
  if (merged_ == nullptr || moves_discrete) {
    return tangents_->rows(t, slots_, {source_.fixed_time, zero_, discrete}, b);
  }
  const std::size_t n_columns = source_.n_columns();
  const std::span<const double> still = still_;
  const std::size_t n_discrete = discrete.size() / n_columns;
  const Evaluation evaluation = merged_->rows(
      t, slots_,
      {still.first(n_groups_), still.first(slots_.size() * n_groups_), still.first(n_discrete * n_groups_)},
      merged_rows_);
  std::fill(b.begin(), b.end(), 0.0);
  for (std::size_t i = 0; i < columns_of_rows_.size() && evaluation.ok(); ++i) {
    for (const Index column : columns_of_rows_[i]) {
      const auto k = static_cast<std::size_t>(column);
      b[i * n_columns + k] = merged_rows_[i * n_groups_ + group_of_column_[k]];
    }
  }
  return evaluation;
}

// Of ẋ - f: columns of x, then those of ẋ.
Evaluation VariationEquations::rates_jacobian(double t, std::span<const double> x,
                                              std::span<double> entries) {
  const std::size_t n = x.size();
  std::fill(entries.begin(), entries.end(), 0.0);
  values_.resize(n);
  std::copy(x.begin(), x.end(), x_.begin());
  for (std::size_t j = 0; j < n; ++j) {
    const double step = system::Stencil::kPart * std::max(std::abs(x[j]), field_.nominal()[j]);
    for (std::size_t s = 0; s < system::Stencil::offsets.size(); ++s) {
      x_[j] = x[j] + system::Stencil::offsets[s] * step;
      if (const Evaluation evaluation = field_.evaluator().rhs(t, x_, values_); !evaluation.ok()) {
        return evaluation;
      }
      for (std::size_t i = 0; i < n; ++i) {
        entries[j * n + i] -= system::Stencil::weights[s] / step * values_[i];
      }
    }
    x_[j] = x[j];
    entries[(n + j) * n + j] = 1.0;
  }
  return {};
}

// Whether the slots of a twin are those of the field: without a term that is zero here other unknowns may be solved for.
bool VariationEquations::has_same_form(const system::LockedDae& twin) const {
  const std::shared_ptr<const system::EquationSet> mine = field_.locked().residual_form();
  const std::shared_ptr<const system::EquationSet> other = twin.residual_form();
  if (mine == nullptr || other == nullptr) {
    return mine == other;
  }
  return mine->n_rows() == other->n_rows() &&
         std::equal(mine->slots().begin(), mine->slots().end(), other->slots().begin(), other->slots().end(),
                    [](const system::SlotInfo& a, const system::SlotInfo& b) {
                      return a.quantity() == b.quantity();
                    });
}

// Where none is asked for, too.
bool VariationEquations::have_twins_same_form() const {
  for (const Column& column : source_.setup.columns) {
    if (!column.moves_equations || (tangents_ != nullptr && !column.moves_zero)) {
      continue;
    }
    for (const Twin& twin : column.twins) {
      const auto structure = structure_beside(source_.system, *twin.system, field_.facts().structure);
      const auto locked = structure ? std::optional(twin.system->lock(*structure)) : std::nullopt;
      if (!locked || !*locked || !has_same_form(***locked)) {
        return false;
      }
    }
  }
  return true;
}

// Residuals of the twins at the point.
Evaluation VariationEquations::add_twins(double t, std::span<double> b) {
  const std::size_t n_columns = source_.n_columns();
  const bool has_any =
      std::any_of(source_.setup.columns.begin(), source_.setup.columns.end(), [this](const Column& column) {
        return column.moves_equations && (tangents_ == nullptr || column.moves_zero);
      });
  if (!has_any) {
    return {};
  }
  using Which = StretchField::Which;
  const StretchField::Twins& twins = field_.twins(tangents_ == nullptr ? Which::all : Which::of_zeros);
  values_.resize(n_rows());
  TwinDifference difference;
  for (std::size_t k = 0; k < n_columns; ++k) {
    if (twins[k].empty()) {
      continue;
    }
    difference.begin(values_.size());
    for (const DifferenceTangents::TwinEvaluator& twin : twins[k]) {
      system::EquationRunner* const runner = twin.evaluator->residual_runner();
      if (runner == nullptr) {
        return {Evaluation::Status::no_convergence, -1};
      }
      if (const Evaluation evaluation = runner->residual(t, slots_, values_); !evaluation.ok()) {
        return evaluation;
      }
      difference.add(twin, values_);
    }
    if (!difference.is_believed()) {
      return {Evaluation::Status::no_convergence, -1};
    }
    for (std::size_t i = 0; i < values_.size(); ++i) {
      b[i * n_columns + k] += difference.derivatives()[i];
    }
  }
  return {};
}

Evaluation VariationEquations::rows_by_differences(double t, std::span<const double> discrete,
                                                   std::span<double> b) {
  const std::size_t n_columns = source_.n_columns();
  const std::size_t n = n_rows();
  std::fill(b.begin(), b.end(), 0.0);
  if (const Evaluation evaluation = add_twins(t, b); !evaluation.ok()) {
    return evaluation;
  }
  values_.resize(n);
  const auto add = [&](std::size_t k, double weight) {
    for (std::size_t i = 0; i < n; ++i) {
      b[i * n_columns + k] += weight * values_[i];
    }
  };
  for (std::size_t k = 0; k < n_columns; ++k) {
    double most = 0.0;
    for (std::size_t i = 0; i < field_.facts().configuration.discrete.size(); ++i) {
      const double size = std::max(std::abs(field_.facts().configuration.discrete[i]), 1.0);
      most = std::max(most, std::abs(discrete[i * n_columns + k]) / size);
    }
    for (std::size_t s = 0; s < system::Stencil::offsets.size() && most > 0.0; ++s) {
      const double eta = system::Stencil::offsets[s] * system::Stencil::kPart / most;
      moved_ = field_.facts().configuration;
      for (std::size_t i = 0; i < moved_.discrete.size(); ++i) {
        moved_.discrete[i] += eta * discrete[i * n_columns + k];
      }
      field_.evaluator().set_configuration(moved_);
      const Evaluation evaluation = runner_->residual(t, slots_, values_);
      field_.evaluator().set_configuration(field_.facts().configuration);
      if (!evaluation.ok()) {
        return evaluation;
      }
      add(k, system::Stencil::weights[s] * most / system::Stencil::kPart);
    }
  }
  return {};
}

}  // namespace saltus::sensitivity
