#include "sensitivity/field/stretch_field.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sensitivity/field/structure_beside.hpp"

namespace saltus::sensitivity {

StretchField::StretchField(const FieldSource& source, StretchFacts facts)
    : source_(source), facts_(std::move(facts)) {
  // Evaluators beside the run are made from the configuration.
  if (facts_.structure != source.system.structure_of(facts_.configuration)) {
    failure_ = "the run goes on by numerical ranks";
    return;
  }
  auto locked = source.system.lock(facts_.structure);
  if (locked) {
    locked_ = *std::move(locked);
    evaluator_ = hybrid::make_stretch_evaluator(source.system, source.options, facts_.configuration,
                                                facts_.surfaces, facts_.level, source.guess);
  }
  if (evaluator_ == nullptr) {
    failure_ = "the equations cannot be evaluated beside the run";
    return;
  }
  for (const system::StateInfo& state : locked_->states()) {
    nominal_.push_back(state.nominal);
  }
  tolerances_ = source.options.tolerances_of_mode ? source.options.tolerances_of_mode(*locked_)
                                                  : source.options.tolerances;
  tangents_ = evaluator_->tangents(source.setup.known_directions);
  if (tangents_ != nullptr) {
    add_parts_of_zeros();
    return;
  }
  DifferenceTangents::Sizes sizes{nominal_, source.system.variables().size(), 1.0,
                                  locked_->reduction() == system::Reduction::ranks};
  auto differences = std::make_unique<DifferenceTangents>(*evaluator_, facts_.configuration, std::move(sizes),
                                                          make_twins(Which::all));
  differences_ = differences.get();
  tangents_ = std::move(differences);
}

void StretchField::take(StretchFacts facts) {
  facts_ = std::move(facts);
  evaluator_->set_configuration(facts_.configuration);
  twins_.clear();
  has_twins_ = false;
  failed_.clear();
  if (parts_ != nullptr) {
    add_parts_of_zeros();
  }
  if (differences_ != nullptr) {
    differences_->take_twins(make_twins(Which::all));
  }
}

void StretchField::set_configuration(const system::Configuration& configuration) {
  evaluator_->set_configuration(configuration);
  if (parts_ != nullptr) {
    parts_->set_configuration(configuration);
  }
}

void StretchField::add_parts_of_zeros() {
  const bool has_any = std::any_of(source_.setup.columns.begin(), source_.setup.columns.end(),
                                   [](const Column& column) { return column.moves_zero; });
  if (!has_any) {
    return;
  }
  Twins own = make_twins(Which::of_zeros);
  if (parts_ != nullptr) {
    parts_->take_twins(std::move(own));
    return;
  }
  // Only while sliding rates and outputs are those of the nearest point of the surface, which moves with the parameter.
  const auto follow = facts_.surfaces.empty() ? TwinParts::Points::same : TwinParts::Points::moved;
  auto parts =
      std::make_unique<TwinParts>(std::move(tangents_), std::move(own), facts_.configuration, follow);
  parts_ = parts.get();
  tangents_ = std::move(parts);
}

void StretchField::set_time_size(double time) {
  if (tangents_ != nullptr) {
    tangents_->set_time_size(time);
  }
}

StretchField::Twins StretchField::make_twins(Which which) {
  Twins twins(source_.n_columns());
  for (std::size_t k = 0; k < twins.size(); ++k) {
    const Column& column = source_.setup.columns[k];
    if (!column.moves_equations || (which == Which::of_zeros && !column.moves_zero)) {
      continue;
    }
    for (const Twin& twin : column.twins) {
      auto evaluator = hybrid::make_stretch_evaluator(*twin.system, source_.options, facts_.configuration,
                                                      facts_.surfaces, facts_.level, source_.guess);
      const auto structure = structure_beside(source_.system, *twin.system, facts_.structure);
      const auto locked = structure ? std::optional(twin.system->lock(*structure)) : std::nullopt;
      if (evaluator == nullptr || !locked || !*locked || !have_same_states(***locked, *locked_) ||
          !watch_same_guards(source_.system, *locked_, *twin.system, ***locked)) {
        failed_.resize(twins.size(), false);
        failed_[k] = true;
        twins[k].clear();
        break;
      }
      twins[k].push_back({twin.weight, std::move(evaluator), twin.offset, twin.coarse});
    }
  }
  return twins;
}

const StretchField::Twins& StretchField::twins(Which which) {
  if (!has_twins_) {
    twins_ = make_twins(which);
    has_twins_ = true;
  }
  return twins_;
}

}  // namespace saltus::sensitivity
