#include "program/structure_variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "program/guards/condition_inputs.hpp"
#include "program/guards/diagnostic_codes.hpp"
#include "program/model_parts.hpp"
#include "structure/structure_choices.hpp"

namespace saltus::program {
namespace {

constexpr double kOpen = 0.5;  // of a key: a condition that is neither true nor false

std::size_t place_of(const system::Configuration& configuration) {
  return configuration.mode.valid() ? configuration.mode.index() : 0;
}

structure::LockedChoices locked_choices(const structure::StructuralChoices& choices,
                                        std::span<const double> key) {
  structure::LockedChoices locked;
  for (std::size_t i = 0; i < choices.conditions.size(); ++i) {
    if (key[i] != kOpen) {
      locked.conditions.emplace_back(choices.conditions[i], key[i]);
    }
  }
  for (std::size_t i = 0; i < choices.discrete.size(); ++i) {
    locked.discrete.emplace_back(choices.discrete[i], key[choices.conditions.size() + i]);
  }
  return locked;
}

// No structure agrees with the values that it gives: what decides it, by name.
Diagnostics start_cycle(const SystemCode& data) {
  const structure::StructuralChoices& choices = data.modes[data.initial_mode].choices;
  std::string names;
  std::optional<SourceSpan> span;
  for (const ConditionId condition : choices.conditions) {
    names += (names.empty() ? "'" : ", '") + data.model[condition].text + "'";
    span = span ? span : data.model[condition].span;
  }
  for (const VariableId variable : choices.discrete) {
    names += (names.empty() ? "" : ", ") + data.model[variable].name;
    span = span ? span : data.model[variable].span;
  }
  Diagnostics problems(data.model.source);
  problems.error(
      kInitialConditionsCycle,
      fmt::format("no initial values agree with {}, which decide the structure of the equations: each "
                  "choice gives initial values for which they are different",
                  names),
      span, "give start values that decide them, or fix fewer values");
  return problems;
}

}  // namespace

StructureCodes::StructureCodes(const SystemCode& common, std::shared_ptr<const flat::Model> model,
                               Signature signature, BuildOptions options)
    : model_(std::move(model)), signature_(std::move(signature)), options_(std::move(options)) {
  is_empty = std::all_of(common.modes.begin(), common.modes.end(),
                         [](const ModeCode& mode) { return mode.choices.empty(); });
  for (std::size_t mode = 0; !is_empty && mode < common.modes.size(); ++mode) {
    groups.push_back(find_choice_groups(common, common.modes[mode]));
  }
}

StructureCodes::Key StructureCodes::key_of(const LockedStructure& locked) {
  Key key{locked.mode, {}};
  for (const auto& [condition, value] : locked.choices.conditions) {
    key.second.insert(key.second.end(), {static_cast<double>(condition.index()), value});
  }
  for (const auto& [variable, value] : locked.choices.discrete) {
    key.second.insert(key.second.end(), {static_cast<double>(variable.index()), value});
  }
  return key;
}

bool StructureCodes::holds(const SystemCode& common, const LockedStructure& locked) const {
  const std::scoped_lock lock(mutex_);
  const Key key = key_of(locked);
  if (const auto known = holds_.find(key); known != holds_.end()) {
    return known->second;
  }
  LateGraph::Access graph = common.late_graph->open();
  const bool holds = structure::structure_holds(*graph, common.modes[locked.mode].causalized, locked.choices);
  holds_.emplace(key, holds);
  return holds;
}

Result<std::shared_ptr<const SystemCode>> StructureCodes::code(const LockedStructure& locked,
                                                               bool by_ranks) const {
  const Late<Code>* place = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<Late<Code>>& known = codes_[{key_of(locked), by_ranks}];
    if (known == nullptr) {
      known = std::make_unique<Late<Code>>();
    }
    place = known.get();
  }
  return *place->get([&] {
    BuildOptions options = options_;
    if (by_ranks) {
      options.by_ranks.emplace_back(locked.mode);
    }
    return std::make_shared<const Code>(build_code(model_, signature_, options, locked));
  });
}

StructureVariants::StructureVariants(std::shared_ptr<const SystemData> common, GivenValues given)
    : common_(std::move(common)),
      code_(*common_->code),
      codes_(*code_.structures),
      given_(std::move(given)),
      shared_(std::make_unique<Shared>()) {}

system::StructureId StructureVariants::of(const system::Configuration& configuration) const {
  const std::size_t place = place_of(configuration);
  const structure::StructuralChoices& choices = code_.modes[place].choices;
  if (choices.empty()) {
    return configuration.mode;
  }
  return numbered(configuration.mode, place, key_of(choices, configuration));
}

system::StructureId StructureVariants::numbered(ModeId mode, std::size_t place,
                                                std::vector<double> values) const {
  const structure::StructuralChoices& choices = code_.modes[place].choices;
  std::pair<std::size_t, std::vector<double>> key{place, std::move(values)};
  const std::scoped_lock lock(shared_->mutex);
  if (const auto known = shared_->numbers.find(key); known != shared_->numbers.end()) {
    return {mode, known->second};
  }
  LockedStructure locked{.mode = place, .choices = locked_choices(choices, key.second)};
  Index number = 0;
  if (!choices.discrete.empty() || !codes_.holds(code_, locked)) {
    shared_->variants.push_back({std::move(locked), nullptr, nullptr});
    number = std::ssize(shared_->variants);
  }
  shared_->numbers.emplace(std::move(key), number);
  return {mode, number};
}

// Numbers depend on what was asked before, the key of a number does not.
void StructureVariants::structure_fields(Archive& a, system::StructureId& structure) const {
  bool is_by_ranks = structure.number < 0;
  const Index own = is_by_ranks ? -1 - structure.number : structure.number;
  bool has_key = own > 0;
  std::vector<double> key;
  if (has_key && !a.is_loading()) {
    const std::scoped_lock lock(shared_->mutex);
    const auto known = std::find_if(shared_->numbers.begin(), shared_->numbers.end(),
                                    [own](const auto& item) { return item.second == own; });
    key = known->first.second;
  }
  a(structure.mode, is_by_ranks, has_key, key);
  if (!a.is_loading() || !a.ok()) {
    return;
  }
  const std::size_t place = structure.mode.valid() ? structure.mode.index() : 0;
  const bool fits = place < code_.modes.size() &&
                    (!has_key || key.size() == code_.modes[place].choices.conditions.size() +
                                                   code_.modes[place].choices.discrete.size());
  if (!fits) {
    a.refuse("structures of modes do not fit");
    return;
  }
  const Index number = has_key ? numbered(structure.mode, place, std::move(key)).number : 0;
  structure.number = is_by_ranks ? -1 - number : number;
}

// What conditions are (kOpen where that is not said), then the discrete values.
std::vector<double> StructureVariants::key_of(const structure::StructuralChoices& choices,
                                              const system::Configuration& configuration) const {
  std::vector<double> key;
  key.reserve(choices.conditions.size() + choices.discrete.size());
  for (const ConditionId condition : choices.conditions) {
    const Index guard = code_.conditions.guard_of(condition);
    const flat::Condition::Kind kind = code_.model[condition].kind;
    std::optional<double> truth;
    if (code_.conditions.is_constant(condition)) {
      truth = common_->constant(condition);
    } else if (guard >= 0 && is_relation(kind)) {
      truth = value_in_equations(kind, configuration.latched[static_cast<std::size_t>(guard)], false);
    }
    key.push_back(truth && (*truth == 0.0 || *truth == 1.0) ? *truth : kOpen);
  }
  for (const VariableId variable : choices.discrete) {
    const auto column = static_cast<std::size_t>(code_.column_of_variable[variable.index()]);
    key.push_back(configuration.discrete[static_cast<std::size_t>(code_.discrete_of_column[column])]);
  }
  return key;
}

StructureVariants::Variant& StructureVariants::variant_of(const system::StructureId& structure) const {
  if (structure.number > 0) {
    return shared_->variants[static_cast<std::size_t>(structure.number - 1)];
  }
  const std::size_t place = structure.mode.valid() ? structure.mode.index() : 0;
  const Index number = -1 - structure.number;
  const auto [found, is_new] = shared_->by_ranks.try_emplace({place, number});
  if (is_new) {
    found->second.locked = number > 0 ? shared_->variants[static_cast<std::size_t>(number - 1)].locked
                                      : LockedStructure{.mode = place, .choices = {}};
  }
  return found->second;
}

Result<StructureVariants::Variant*> StructureVariants::built(const system::StructureId& structure) const {
  Variant& variant = variant_of(structure);
  if (!variant.data) {
    auto code = codes_.code(variant.locked, structure.number < 0);
    if (!code) {
      return Unexpected(std::move(code).error());
    }
    ParameterValues values((*code)->model, given_to((*code)->model, given_));
    variant.data = bind_system(*std::move(code), values, common_);
    variant.dae = make_locked(variant.data, variant.locked.mode);
  }
  return &variant;
}

Result<std::shared_ptr<const SystemData>> StructureVariants::data(
    const system::StructureId& structure) const {
  const std::scoped_lock lock(shared_->mutex);
  const auto variant = built(structure);
  if (!variant) {
    return Unexpected(variant.error());
  }
  return (*variant)->data;
}

Result<std::shared_ptr<const system::LockedDae>> StructureVariants::lock(
    const system::StructureId& structure) const {
  const std::scoped_lock lock(shared_->mutex);
  const auto variant = built(structure);
  if (!variant) {
    return Unexpected(variant.error());
  }
  return (*variant)->dae;
}

Result<system::InitialPoint> StructureVariants::initial(double t) const {
  system::Configuration configuration = start_configuration(*common_, t);
  std::vector<Index> tried;
  while (true) {
    const system::StructureId structure = of(configuration);
    if (std::find(tried.begin(), tried.end(), structure.number) != tried.end()) {
      return Unexpected(start_cycle(code_));
    }
    tried.push_back(structure.number);
    std::shared_ptr<const SystemData> system = common_;
    if (structure.number != 0) {
      auto found = data(structure);
      if (!found) {
        return Unexpected(std::move(found).error());
      }
      system = *std::move(found);
    }
    auto point = initial_of(system, t, tried.size() > 1 ? &configuration : nullptr);
    if (!point || of(point->configuration) == structure) {
      return point;
    }
    configuration = point->configuration;
  }
}

}  // namespace saltus::program
