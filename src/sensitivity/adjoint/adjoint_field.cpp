#include "sensitivity/adjoint/adjoint_field.hpp"

#include <algorithm>
#include <utility>

namespace saltus::sensitivity {

using system::Evaluation;

AdjointField::AdjointField(const AdjointSources& sources, StretchFacts facts) : sources_(sources) {
  if (!make_with_pullbacks(facts)) {
    source_ = &sources.all();
    field_ = std::make_unique<StretchField>(*source_, std::move(facts));
    unit_states_ = sources.unit_states(field_->n_states());
    unit_discrete_ = sources.unit_discrete();
  }
}

bool AdjointField::make_with_pullbacks(const StretchFacts& facts) {
  source_ = &sources_.rest();
  field_ = std::make_unique<StretchField>(*source_, facts);
  if (!field_->failure().empty()) {
    return false;
  }
  system::Evaluator& evaluator = field_->evaluator();
  rates_ = evaluator.pullback(system::Evaluated::rates);
  outputs_ = evaluator.pullback(system::Evaluated::outputs);
  system::EquationRunner* const runner = evaluator.residual_runner();
  rows_ = runner == nullptr ? nullptr : runner->pullback();
  const bool has_all = rates_ != nullptr && outputs_ != nullptr && (runner == nullptr || rows_ != nullptr);
  if (!has_all) {
    rates_ = nullptr;
    outputs_ = nullptr;
    rows_ = nullptr;
    return false;
  }
  shares_[static_cast<std::size_t>(Of::rates)].assign(rates_->share_size(), 0.0);
  shares_[static_cast<std::size_t>(Of::outputs)].assign(outputs_->share_size(), 0.0);
  shares_[static_cast<std::size_t>(Of::rows)].assign(rows_ == nullptr ? 0 : rows_->share_size(), 0.0);
  return true;
}

VariationEquations& AdjointField::equations() {
  if (!equations_) {
    equations_.emplace(*source_, *field_);
  }
  return *equations_;
}

Evaluation AdjointField::by_pullback(system::Pullback& pullback, double t, std::span<const double> x,
                                     std::span<const double> weights, Pulled& pulled) {
  pulled.time = 0.0;
  pulled.discrete.assign(sources_.n_discrete(), 0.0);
  pulled.share.assign(pullback.share_size(), 0.0);
  pulled.gradient.clear();
  return pullback.at(t, x, weights, {pulled.time, pulled.x, pulled.discrete, pulled.share});
}

// tangents_ are those of all columns.
void AdjointField::by_columns(std::span<const double> weights, bool has_states, Pulled& pulled) const {
  const std::size_t n_columns = source_->n_columns();
  std::vector<double> sums(n_columns, 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t c = 0; c < n_columns && weights[i] != 0.0; ++c) {
      sums[c] += weights[i] * tangents_[i * n_columns + c];
    }
  }
  if (has_states) {
    pulled.x.assign(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(n_states()));
  }
  const auto discrete = sums.begin() + static_cast<std::ptrdiff_t>(sources_.first_discrete());
  const auto given = sums.begin() + static_cast<std::ptrdiff_t>(sources_.first_given());
  pulled.discrete.assign(discrete, given);
  pulled.gradient.assign(given, sums.end());
  pulled.share.clear();
}

// tangents_ are those of columns that pullbacks know nothing of.
void AdjointField::add_rest(std::span<const double> weights, Pulled& pulled) const {
  const std::vector<std::size_t>& places = sources_.places_of_rest();
  pulled.gradient.assign(sources_.given().columns.size(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t c = 0; c < places.size() && weights[i] != 0.0; ++c) {
      pulled.gradient[places[c]] += weights[i] * tangents_[i * places.size() + c];
    }
  }
}

Evaluation AdjointField::pull_rates(double t, std::span<const double> x, std::span<const double> weights,
                                    Pulled& pulled) {
  const std::size_t n_columns = source_->n_columns();
  tangents_.resize(x.size() * n_columns);
  if (rates_ == nullptr) {
    const Evaluation evaluation =
        field_->tangents().rates(t, x, {source_->fixed_time, unit_states_, unit_discrete_}, tangents_);
    by_columns(weights, true, pulled);
    return evaluation;
  }
  pulled.x.assign(x.size(), 0.0);
  Evaluation evaluation = by_pullback(*rates_, t, x, weights, pulled);
  if (evaluation.ok() && n_columns > 0) {
    const std::vector<double> rest(tangents_.size(), 0.0);
    const std::vector<double> held(sources_.n_discrete() * n_columns, 0.0);
    evaluation = field_->tangents().rates(t, x, {source_->fixed_time, rest, held}, tangents_);
    add_rest(weights, pulled);
  }
  return evaluation;
}

Evaluation AdjointField::pull_outputs(double t, std::span<const double> x, std::span<const double> weights,
                                      Pulled& pulled) {
  const std::size_t n_columns = source_->n_columns();
  tangents_.resize(weights.size() * n_columns);
  if (outputs_ == nullptr) {
    const Evaluation evaluation =
        field_->tangents().outputs(t, x, {source_->fixed_time, unit_states_, unit_discrete_}, tangents_);
    by_columns(weights, true, pulled);
    // A variable without a derivative leaves the others theirs.
    return field_->is_exact() ? Evaluation{} : evaluation;
  }
  pulled.x.assign(x.size(), 0.0);
  Evaluation evaluation = by_pullback(*outputs_, t, x, weights, pulled);
  if (evaluation.ok() && n_columns > 0) {
    const std::vector<double> rest(x.size() * n_columns, 0.0);
    const std::vector<double> held(sources_.n_discrete() * n_columns, 0.0);
    (void)field_->tangents().outputs(t, x, {source_->fixed_time, rest, held}, tangents_);
    add_rest(weights, pulled);
  }
  return evaluation;
}

Evaluation AdjointField::pull_guard(Index guard, double t, std::span<const double> x, double weight,
                                    Pulled& pulled) {
  if (guards_ == nullptr) {
    guards_ = field_->evaluator().pullback(system::Evaluated::guards);
    if (guards_ == nullptr) {
      return {Evaluation::Status::no_convergence, -1};
    }
    shares_[static_cast<std::size_t>(Of::guards)].assign(guards_->share_size(), 0.0);
  }
  guard_weights_.assign(source_->system.guards().size(), 0.0);
  guard_weights_[static_cast<std::size_t>(guard)] = weight;
  pulled.x.assign(x.size(), 0.0);
  Evaluation evaluation = by_pullback(*guards_, t, x, guard_weights_, pulled);
  const std::size_t n_columns = source_->n_columns();
  if (evaluation.ok() && n_columns > 0) {
    tangents_.resize(n_columns);
    const std::vector<double> rest(x.size() * n_columns, 0.0);
    const std::vector<double> held(sources_.n_discrete() * n_columns, 0.0);
    evaluation = field_->tangents().guards({&guard, 1}, t, x, {source_->fixed_time, rest, held}, tangents_);
    add_rest({&weight, 1}, pulled);
  }
  return evaluation;
}

Evaluation AdjointField::pull_rows(double t, std::span<const double> x, std::span<const double> weights,
                                   Pulled& pulled) {
  VariationEquations& equations = *equations_;
  const std::size_t n_columns = source_->n_columns();
  pulled.x.clear();
  tangents_.resize(weights.size() * n_columns);
  if (rates_ == nullptr) {
    const Evaluation evaluation = equations.parameters_at(t, x, unit_discrete_, tangents_);
    by_columns(weights, false, pulled);
    return evaluation;
  }
  Evaluation evaluation;
  if (equations.runner() == nullptr) {
    // ẋ - f(t, x)
    std::vector<double> negative(weights.begin(), weights.end());
    std::transform(negative.begin(), negative.end(), negative.begin(), [](double weight) { return -weight; });
    evaluation = pull_rates(t, x, negative, pulled);
    pulled.x.clear();
    return evaluation;
  }
  double time = 0.0;
  slots_.assign(equations.slots().size(), 0.0);
  pulled.discrete.assign(sources_.n_discrete(), 0.0);
  pulled.share.assign(rows_->share_size(), 0.0);
  pulled.gradient.clear();
  evaluation = rows_->at(t, equations.slots(), weights, {time, slots_, pulled.discrete, pulled.share});
  if (evaluation.ok() && n_columns > 0) {
    const std::vector<double> held(sources_.n_discrete() * n_columns, 0.0);
    evaluation = equations.parameters_at(t, x, held, tangents_);
    add_rest(weights, pulled);
  }
  return evaluation;
}

void AdjointField::keep(Of of, double factor, const Pulled& pulled, AdjointSums& sums) {
  // Without a residual form rows are those of rates.
  const bool has_rows = of == Of::rows && equations_ && equations_->runner() != nullptr;
  std::vector<double>& share =
      shares_[static_cast<std::size_t>(of == Of::rows && !has_rows ? Of::rates : of)];
  for (std::size_t i = 0; i < pulled.share.size(); ++i) {
    share[i] += factor * pulled.share[i];
  }
  for (std::size_t i = 0; i < pulled.discrete.size(); ++i) {
    sums.discrete[i] += factor * pulled.discrete[i];
  }
  for (std::size_t k = 0; k < pulled.gradient.size(); ++k) {
    sums.gradient[k] += factor * pulled.gradient[k];
  }
}

void AdjointField::collect(std::span<double> gradient) {
  const system::ParameterDirections& directions = sources_.given().known_directions;
  const auto n = static_cast<std::size_t>(directions.n_directions);
  if (rates_ == nullptr || n == 0) {
    return;
  }
  std::vector<double> parameters(directions.parameters.size() / n, 0.0);
  const std::array<system::Pullback*, 4> pullbacks = {rates_.get(), outputs_.get(), guards_.get(),
                                                      rows_.get()};
  for (std::size_t i = 0; i < pullbacks.size(); ++i) {
    if (pullbacks[i] != nullptr) {
      pullbacks[i]->to_parameters(shares_[i], parameters);
      std::fill(shares_[i].begin(), shares_[i].end(), 0.0);
    }
  }
  sources_.add_parameters(parameters, gradient);
}

}  // namespace saltus::sensitivity
