#include "structure/causalize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "saltus/contract.hpp"
#include "structure/blocks.hpp"
#include "structure/classify.hpp"
#include "structure/diagnostic_codes.hpp"
#include "structure/discrete_equations.hpp"
#include "structure/singular_report.hpp"

namespace saltus::structure {
namespace {

std::vector<Unknown> columns_of(const Classification& classification) {
  std::vector<Unknown> columns = classification.unknowns;
  columns.insert(columns.end(), classification.inputs.begin(), classification.inputs.end());
  return columns;
}

std::vector<int> alias_ranks(const flat::Model& model, const SlotTable& slots) {
  std::vector<int> ranks(slots.n_slots(), kKnownRank);
  for (std::uint32_t slot = 0; slot < slots.n_unknowns(); ++slot) {
    ranks[slot] = alias_rank(model, slots[slot]);
  }
  return ranks;
}

void warn_of_input(const flat::Variable& variable, Diagnostics& diagnostics) {
  diagnostics.warning(kInputWithoutValue,
                      fmt::format("the input {} has no equation and keeps its start value", variable.name),
                      variable.span, fmt::format("write 'input Real {} = …;'", variable.name));
}

class Causalizer {
 public:
  // Of the equations without those of discrete variables.
  Causalizer(flat::Model& model, const Classification& classification, std::vector<flat::Equation> equations)
      : model_(model),
        classification_(classification),
        slots_(model.graph, columns_of(classification_), classification_.states),
        equations_(std::move(equations)),
        n_given_(equations_.size()) {
    for (const Unknown& input : classification_.inputs) {
      const flat::Variable& variable = model[input.variable];
      equations_.push_back({.left = model.graph.variable(input.variable, 0),
                            .right = variable.start ? *variable.start : model.graph.constant(0.0),
                            .span = variable.span});
    }
  }

  // Problems are added to the diagnostics; the result is then incomplete.
  Causalized run(Diagnostics& diagnostics) {
    Causalized result;
    aliases_ = eliminate_aliases(model_.graph, std::span(equations_).first(n_given_),
                                 alias_ranks(model_, slots_), slots_);
    incidence_ = find_incidence(model_.graph, equations_, slots_, slots_.n_unknowns());
    if (!match()) {
      report_singular(model_, std::span(equations_).first(n_given_), classification_, aliases_, diagnostics);
      return result;
    }
    result.blocks = build_blocks(model_,
                                 {.equations = equations_,
                                  .slots = slots_,
                                  .incidence = incidence_,
                                  .matching = matching_,
                                  .aliases = aliases_.aliases},
                                 diagnostics);
    if (diagnostics.has_errors()) {
      return result;
    }
    warn_of_inputs(diagnostics);
    result.states = classification_.states;
    result.derivatives = classification_.derivatives;
    result.held = classification_.held;
    result.equations = std::move(equations_);
    result.n_given = n_given_;
    return result;
  }

 private:
  // Tiers: equations without inputs, then with them, then start values for inputs that are left.
  bool match() {
    if (!aliases_.repeated.empty()) {
      return false;
    }
    std::vector<std::uint8_t> is_used(equations_.size(), 0);
    for (const Alias& alias : aliases_.aliases) {
      is_used[alias.row] = 1;
    }
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> input_rows;
    for (std::uint32_t row = 0; row < equations_.size(); ++row) {
      if (row >= n_given_) {
        input_rows.push_back(row);
      } else if (is_used[row] == 0) {
        rows.push_back(row);
      }
    }
    matching_ = empty_matching(incidence_);
    const auto n_without_inputs = static_cast<std::uint32_t>(classification_.unknowns.size());
    if (extend_matching(incidence_, rows, n_without_inputs, matching_) < rows.size() &&
        extend_matching(incidence_, rows, incidence_.n_columns, matching_) < rows.size()) {
      return false;
    }
    extend_matching(incidence_, input_rows, incidence_.n_columns, matching_);
    for (std::uint32_t column = 0; column < incidence_.n_columns; ++column) {
      if (!slots_.is_alias(column) && matching_.row_of_column[column] == kNone) {
        return false;
      }
    }
    return true;
  }

  void warn_of_inputs(Diagnostics& diagnostics) const {
    for (std::size_t i = 0; i < classification_.inputs.size(); ++i) {
      if (matching_.column_of_row[n_given_ + i] != kNone) {
        warn_of_input(model_[classification_.inputs[i].variable], diagnostics);
      }
    }
  }

  flat::Model& model_;
  const Classification& classification_;
  SlotTable slots_;
  std::vector<flat::Equation> equations_;
  std::size_t n_given_;
  AliasReport aliases_;
  Incidence incidence_;
  Matching matching_;
};

// Discrete inputs that no equation gives are held; a discrete variable that nothing gives is an error, unless another
// mode has an equation for it: then it keeps its value in this one.
bool settle_missing(flat::Model& model, std::span<const flat::Equation> equations, const DiscreteSplit& split,
                    Classification& classification, Diagnostics& diagnostics) {
  bool is_complete = true;
  for (const VariableId variable : split.without_equation) {
    if (model[variable].causality == flat::Causality::input) {
      warn_of_input(model[variable], diagnostics);
    }
    if (model[variable].causality == flat::Causality::input || model.modes.size() > 1) {
      classification.held.push_back(variable);
    } else {
      is_complete = false;
    }
  }
  std::sort(classification.held.begin(), classification.held.end());
  if (!is_complete) {
    report_singular(model, equations, classification, {}, diagnostics);
  }
  return is_complete;
}

Causalized causalize_mode(flat::Model& model, ModeId mode, Diagnostics& diagnostics) {
  std::vector<flat::Equation> equations = model.equations;
  if (mode.valid()) {
    const std::vector<flat::Equation>& own = model.modes[mode.index()].equations;
    equations.insert(equations.end(), own.begin(), own.end());
  }
  Classification classification = classify(model, equations, mode);
  DiscreteSplit split = split_discrete(model, equations, classification);
  if (!settle_missing(model, equations, split, classification, diagnostics)) {
    return {};
  }
  classification.discrete.clear();
  Causalized result = Causalizer(model, classification, std::move(split.continuous)).run(diagnostics);
  result.discrete_equations = std::move(split.discrete);
  return result;
}

}  // namespace

Result<Causalized> causalize(flat::Model& model, ModeId mode, const CausalizeOptions& /*options*/) {
  SALTUS_EXPECT(mode.valid() != model.modes.empty(), "a mode is given exactly when the model has modes");
  Diagnostics diagnostics(model.source);
  Causalized result = causalize_mode(model, mode, diagnostics);
  if (mode.valid()) {
    Diagnostics named(model.source);
    for (const Diagnostic& item : diagnostics.items()) {
      named
          .add(item.severity, DiagnosticCode{item.code},
               fmt::format("in mode '{}': {}", model.modes[mode.index()].name, item.message), item.span,
               item.hint)
          .notes = item.notes;
    }
    diagnostics = std::move(named);
  }
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  result.warnings = std::move(diagnostics);
  return result;
}

Result<std::vector<Block>> solve_instant(flat::Model& model, const InstantSystem& system) {
  Diagnostics diagnostics(model.source);
  SlotTable slots(model.graph, system.unknowns, {});
  std::vector<int> ranks(slots.n_slots(), kKnownRank);
  for (std::uint32_t slot = 0; slot < system.first_representative; ++slot) {
    ranks[slot] = alias_rank(model, slots[slot]);
  }
  const AliasReport aliases = eliminate_aliases(model.graph, system.equations, ranks, slots);
  const Incidence incidence = find_incidence(model.graph, system.equations, slots, slots.n_unknowns());
  std::vector<std::uint8_t> is_used(system.equations.size(), 0);
  for (const Alias& alias : aliases.aliases) {
    is_used[alias.row] = 1;
  }
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < system.equations.size(); ++row) {
    if (is_used[row] == 0) {
      rows.push_back(row);
    }
  }
  Matching matching = empty_matching(incidence);
  const std::size_t n_matched = extend_matching(incidence, rows, incidence.n_columns, matching);
  SALTUS_EXPECT(n_matched == rows.size() && system.equations.size() == system.unknowns.size(),
                "the equations of an instant determine its unknowns");
  std::vector<Block> blocks = build_blocks(model,
                                           {.equations = system.equations,
                                            .slots = slots,
                                            .incidence = incidence,
                                            .matching = matching,
                                            .aliases = aliases.aliases},
                                           diagnostics);
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  return blocks;
}

}  // namespace saltus::structure
