#include "integrate/step/implicit_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

// √ε balances the rounding and the truncation of a forward difference.
const double kDifference = std::sqrt(std::numeric_limits<double>::epsilon());

// Jacobian of ẋ - f(t, x): every entry of ∂f/∂x, then the unit matrix.
system::RectangularPattern explicit_pattern(Index n) {
  system::RectangularPattern pattern{n, 2 * n, {0}, {}};
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      pattern.rows.push_back(i);
    }
    pattern.column_starts.push_back(static_cast<Index>(pattern.rows.size()));
  }
  for (Index j = 0; j < n; ++j) {
    pattern.rows.push_back(j);
    pattern.column_starts.push_back(static_cast<Index>(pattern.rows.size()));
  }
  return pattern;
}

// Every entry of ∂r/∂x and ∂r/∂ẋ.
system::RectangularPattern full_pattern(Index n) {
  system::RectangularPattern pattern{n, 2 * n, {0}, {}};
  for (Index j = 0; j < 2 * n; ++j) {
    for (Index i = 0; i < n; ++i) {
      pattern.rows.push_back(i);
    }
    pattern.column_starts.push_back(static_cast<Index>(pattern.rows.size()));
  }
  return pattern;
}

}  // namespace

ImplicitSystem::Form::Form(std::shared_ptr<const system::EquationSet> set,
                           const system::RectangularPattern& jacobian, Index n_states, const Options& options)
    : equations(std::move(set)),
      pattern(std::make_shared<IterationPattern>(jacobian, n_states, options.storage)),
      entries(jacobian.n_entries(), 0.0),
      matrix(pattern) {
  if (options.with_complex) {
    complex_matrix.emplace(pattern);
  }
}

ImplicitSystem::ImplicitSystem(system::Evaluator& evaluator, const system::LockedDae* locked, Index n_states,
                               const Tolerances& tolerances, Options options, Statistics& statistics)
    : evaluator_(&evaluator),
      n_states_(n_states),
      tolerances_(tolerances),
      options_(options),
      statistics_(statistics),
      moved_(static_cast<std::size_t>(n_states)),
      f_(static_cast<std::size_t>(n_states)),
      f_moved_(static_cast<std::size_t>(n_states)) {
  SALTUS_EXPECT(static_cast<Index>(tolerances.atol.size()) == n_states, "one absolute tolerance per state");
  set_evaluator(evaluator, locked);
}

void ImplicitSystem::set_evaluator(system::Evaluator& evaluator, const system::LockedDae* locked) {
  evaluator_ = &evaluator;
  projection_ = evaluator.projection();
  runner_ = locked != nullptr ? evaluator.residual_runner() : nullptr;
  Equations equations;
  if (runner_ != nullptr) {
    equations = evaluator.own_residual_form();
    if (equations == nullptr) {
      equations = locked->residual_form();
    }
  }
  choose_form(equations);
}

void ImplicitSystem::rejoin(system::Evaluator& evaluator) {
  evaluator_ = &evaluator;
  projection_ = evaluator.projection();
  runner_ = form_->has_runner ? evaluator.residual_runner() : nullptr;
}

// Forms over equations that no evaluator has any more keep their places: they decide which form is given up next.
void ImplicitSystem::fields(Archive& a) {
  // Not saved: n_states_, options_; of the evaluator evaluator_, runner_, projection_.
  std::uint64_t n_forms = forms_.size();
  a(n_forms);
  if (a.is_loading()) {
    if (n_forms == 0 || n_forms > kMostForms) {
      a.refuse("forms of equations do not fit");
      return;
    }
    forms_.clear();
    form_ = nullptr;
  }
  for (std::uint64_t k = 0; k < n_forms; ++k) {
    Form* form = a.is_loading() ? nullptr : forms_[k].get();
    bool has_runner = form != nullptr && form->has_runner;
    bool is_lost = form != nullptr &&
                   (form->is_lost || (form->equations != nullptr && !a.is_known(form->equations.get())));
    Equations equations = form != nullptr && !is_lost ? form->equations : nullptr;
    a(has_runner, is_lost);
    a.pointer(equations);
    if (form == nullptr) {
      form = &make_form(equations, has_runner);
      form->is_lost = is_lost;
    }
    if (!is_lost) {
      a(form->entries, form->matrix, form->complex_matrix, form->algebraic, form->is_algebraic_known);
    }
  }
  form_ = forms_.back().get();
  a.list(slots_);
  a(moved_, f_, f_moved_);
  if (a.is_loading() && a.ok() && std::ssize(slots_) < n_y() + n_states_) {
    a.refuse("forms of equations do not fit");
  }
}

void ImplicitSystem::choose_form(const Equations& equations) {
  Form* const known = find_form(equations);
  form_ = known != nullptr ? known : &make_form(equations, has_form());
  const auto n_slots = static_cast<std::size_t>(n_y() + n_states_);
  if (slots_.size() < n_slots) {
    slots_.resize(n_slots);
  }
}

ImplicitSystem::Form* ImplicitSystem::find_form(const Equations& equations) {
  const auto known = std::find_if(forms_.begin(), forms_.end(), [&](const std::unique_ptr<Form>& form) {
    return !form->is_lost && form->equations == equations && form->has_runner == has_form();
  });
  if (known == forms_.end()) {
    return nullptr;
  }
  std::rotate(known, known + 1, forms_.end());
  return forms_.back().get();
}

ImplicitSystem::Form& ImplicitSystem::make_form(const Equations& equations, bool has_runner) {
  const system::RectangularPattern jacobian = equations    ? equations->pattern()
                                              : has_runner ? full_pattern(n_states_)
                                                           : explicit_pattern(n_states_);
  if (forms_.size() == kMostForms) {
    forms_.erase(forms_.begin());
  }
  Form& form = *forms_.emplace_back(std::make_unique<Form>(equations, jacobian, n_states_, options_));
  form.has_runner = has_runner;
  form.atol = tolerances_.atol;
  if (form.equations) {
    const auto& slots = form.equations->slots();
    double relative = n_states_ > 0 ? std::numeric_limits<double>::infinity() : tolerances_.rtol;
    for (std::size_t i = 0; i < tolerances_.atol.size(); ++i) {
      relative = std::min(relative, tolerances_.atol[i] / slots[i].nominal);
    }
    for (std::size_t i = form.atol.size(); i < static_cast<std::size_t>(jacobian.n_rows); ++i) {
      form.atol.push_back(relative * slots[i].nominal);
    }
  } else if (has_runner) {
    form.algebraic.emplace(n_states_);
  } else {
    // B of ẋ - f; differences fill in the rest.
    std::fill(form.entries.begin() + static_cast<Index>(form.pattern->first_b()), form.entries.end(), 1.0);
  }
  return form;
}

system::Evaluation ImplicitSystem::find_point(double t, std::span<const double> x, std::span<double> y,
                                              std::span<double> ydot) {
  ++statistics_.rhs.restarts;
  if (has_form()) {
    return evaluator_->residual_point(t, x, y, ydot);
  }
  std::copy(x.begin(), x.end(), y.begin());
  return evaluator_->rhs(t, x, ydot);
}

system::Evaluation ImplicitSystem::find_point(double t, std::span<const double> x,
                                              std::span<const double> known_ydot, std::span<double> y,
                                              std::span<double> ydot) {
  if (n_y() > n_states_) {
    return find_point(t, x, y, ydot);
  }
  std::copy(x.begin(), x.end(), y.begin());
  std::copy(known_ydot.begin(), known_ydot.end(), ydot.begin());
  return {};
}

// f at x, or at its projection where the field means nothing beside the surfaces.
system::Evaluation ImplicitSystem::evaluate_rhs(double t, std::span<double> x, std::span<double> xdot) {
  if (projection_ == system::Projection::stages) {
    if (const system::Evaluation projection = evaluator_->project(t, x); !projection.ok()) {
      return projection;
    }
  }
  return evaluator_->rhs(t, x, xdot);
}

// A row says little to a person; rhs() at the same states knows names, where it fails too. Else the state whose derivative the row
// contains; a row without one is left to words without a name: a wrong name would mislead.
system::Evaluation ImplicitSystem::name_culprit(double t, const system::Evaluation& evaluation) {
  const system::Evaluation named = evaluator_->rhs(t, y().first(static_cast<std::size_t>(n_states_)), f_);
  if (!named.ok()) {
    return named;
  }
  if (!form_->equations) {
    return evaluation;
  }
  const system::RectangularPattern& pattern = form_->equations->pattern();
  for (Index state = 0; state < n_states_; ++state) {
    const auto column = static_cast<std::size_t>(n_y() + state);
    const auto begin = pattern.rows.begin() + pattern.column_starts[column];
    const auto end = pattern.rows.begin() + pattern.column_starts[column + 1];
    if (std::binary_search(begin, end, evaluation.culprit)) {
      return {evaluation.status, state};
    }
  }
  return {evaluation.status, n_states_};
}

system::Evaluation ImplicitSystem::residual(double t, std::span<double> r) {
  ++statistics_.rhs.stages;
  if (has_form()) {
    const system::Evaluation evaluation =
        runner_->residual(t, {slots_.data(), static_cast<std::size_t>(n_y() + n_states_)}, r);
    return evaluation.ok() ? evaluation : name_culprit(t, evaluation);
  }
  const std::span<const double> x = y();
  std::copy(x.begin(), x.end(), moved_.begin());
  const system::Evaluation evaluation = evaluate_rhs(t, moved_, f_);
  const std::span<const double> xdot = ydot();
  for (std::size_t i = 0; i < f_.size(); ++i) {
    r[i] = xdot[i] - f_[i];
  }
  return evaluation;
}

system::Evaluation ImplicitSystem::evaluate_jacobian(double t, double h) {
  ++statistics_.jacobians;
  form_->is_algebraic_known = false;
  if (!has_form()) {
    return difference_jacobian(t, h);
  }
  const std::span<const double> slots{slots_.data(), static_cast<std::size_t>(n_y() + n_states_)};
  const system::Evaluation evaluation = runner_->jacobian(t, slots, form_->entries);
  if (evaluation.ok()) {
    return evaluation;
  }
  // Next to a surface of a one-sided function (a root at zero) slopes have no value; those where the step leads to serve the
  // iteration as well. A step that leaves along a bent surface leads beyond it by Euler's formula, but not by Heun's.
  const auto n = static_cast<std::size_t>(n_states_);
  moved_.assign(slots_.begin(), slots_.begin() + n_states_);
  for (std::size_t i = 0; i < n; ++i) {
    slots_[i] += h * ydot()[i];
  }
  bool is_known = runner_->jacobian(t + h, slots, form_->entries).ok();
  if (!is_known && evaluator_->rhs(t + h, y().first(n), f_).ok()) {
    for (std::size_t i = 0; i < n; ++i) {
      slots_[i] = moved_[i] + 0.5 * h * (ydot()[i] + f_[i]);
    }
    is_known = runner_->jacobian(t + h, slots, form_->entries).ok();
  }
  std::copy_n(moved_.begin(), n, slots_.begin());
  return is_known || secants_where_slopes_fail(t) ? system::Evaluation{} : name_culprit(t, evaluation);
}

// Where the solution rests at such a point (an empty tank), no step leads away from it. Slopes without a value are then those over a
// displacement that the tolerance cannot tell from none: what an iteration can see of them. A factor zero before an infinite one
// (a root of what a corner holds at zero) comes out as zero.
bool ImplicitSystem::secants_where_slopes_fail(double t) {
  const std::span<const double> slots{slots_.data(), static_cast<std::size_t>(n_y() + n_states_)};
  const system::RectangularPattern pattern =
      form_->equations ? form_->equations->pattern() : full_pattern(n_states_);
  std::vector<double> here(static_cast<std::size_t>(n_y()));
  std::vector<double> beside(here.size());
  std::vector<double>& entries = form_->entries;
  std::fill(entries.begin(), entries.end(), std::numeric_limits<double>::quiet_NaN());
  (void)runner_->jacobian(t, slots, entries);
  if (!runner_->residual(t, slots, here).ok()) {
    return false;
  }
  for (std::size_t j = 0; j < slots.size(); ++j) {
    const auto begin = static_cast<std::size_t>(pattern.column_starts[j]);
    const auto end = static_cast<std::size_t>(pattern.column_starts[j + 1]);
    const auto is_finite = [](double entry) { return std::isfinite(entry); };
    if (std::all_of(&entries[begin], &entries[end], is_finite)) {
      continue;
    }
    const double value = slots_[j];
    const double atol = form_->atol[j < here.size() ? j : j - here.size()];
    double delta = std::max(kDifference * std::abs(value), atol);
    slots_[j] = value + delta;
    if (!runner_->residual(t, slots, beside).ok()) {
      delta = -delta;
      slots_[j] = value + delta;
      if (!runner_->residual(t, slots, beside).ok()) {
        slots_[j] = value;
        return false;
      }
    }
    delta = slots_[j] - value;
    slots_[j] = value;
    for (std::size_t k = begin; k < end; ++k) {
      const auto row = static_cast<std::size_t>(pattern.rows[k]);
      entries[k] = is_finite(entries[k]) ? entries[k] : (beside[row] - here[row]) / delta;
    }
  }
  return true;
}

system::Evaluation ImplicitSystem::difference_jacobian(double t, double h) {
  const std::span<const double> x = y();
  const std::span<const double> xdot = ydot();
  const auto evaluate_beside = [&](std::size_t j, double delta) {
    std::copy(x.begin(), x.end(), moved_.begin());
    moved_[j] += delta;
    ++statistics_.rhs.jacobians;
    return evaluate_rhs(t, moved_, f_moved_);
  };
  std::copy(x.begin(), x.end(), moved_.begin());
  ++statistics_.rhs.jacobians;
  if (const system::Evaluation at_point = evaluate_rhs(t, moved_, f_); !at_point.ok()) {
    return at_point;
  }
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double size = kDifference * std::max({std::abs(x[j]), std::abs(h * xdot[j]), tolerances_.atol[j]});
    const double planned = x[j] + std::copysign(size, h * xdot[j]);
    // The difference that the doubles really have.
    double delta = planned - x[j];
    if (system::Evaluation evaluation = evaluate_beside(j, delta); !evaluation.ok()) {
      delta = -delta;
      evaluation = evaluate_beside(j, delta);
      if (!evaluation.ok()) {
        return evaluation;
      }
    }
    for (std::size_t i = 0; i < f_.size(); ++i) {
      form_->entries[i + j * f_.size()] = -(f_moved_[i] - f_[i]) / delta;
    }
  }
  return {};
}

system::Evaluation ImplicitSystem::settle_slope(double t, std::span<const double> x, std::span<double> xdot) {
  if (!form_->is_algebraic_known) {
    form_->algebraic->take(form_->entries);
    form_->is_algebraic_known = true;
  }
  const system::Evaluation evaluation = evaluator_->rhs(t, x, f_);
  if (evaluation.ok()) {
    form_->algebraic->settle(form_->entries, f_, xdot);
  }
  return evaluation;
}

linalg::FactorStatus ImplicitSystem::factorize(double alpha) {
  ++statistics_.factorizations;
  return form_->matrix.factorize(alpha, form_->entries);
}

linalg::FactorStatus ImplicitSystem::factorize(std::complex<double> alpha) {
  return form_->complex_matrix->factorize(alpha, form_->entries);
}

}  // namespace saltus::integrate
