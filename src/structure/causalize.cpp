#include "structure/causalize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "structure/blocks.hpp"
#include "structure/classify.hpp"
#include "structure/diagnostic_codes.hpp"
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

class Causalizer {
 public:
  explicit Causalizer(flat::Model& model)
      : model_(model),
        classification_(classify(model)),
        slots_(model.graph, columns_of(classification_), classification_.states),
        equations_(model.equations) {
    for (const Unknown& input : classification_.inputs) {
      const flat::Variable& variable = model[input.variable];
      equations_.push_back({.left = model.graph.variable(input.variable, 0),
                            .right = variable.start ? *variable.start : model.graph.constant(0.0),
                            .span = variable.span});
    }
  }

  Result<Causalized> run() {
    Diagnostics diagnostics(model_.source);
    aliases_ = eliminate_aliases(model_.graph, std::span(equations_).first(model_.equations.size()),
                                 alias_ranks(model_, slots_), slots_);
    incidence_ = find_incidence(model_.graph, equations_, slots_, slots_.n_unknowns());
    if (!match()) {
      report_singular(model_, classification_, aliases_, diagnostics);
      return Unexpected(std::move(diagnostics));
    }
    Causalized result;
    result.blocks = build_blocks(model_,
                                 {.equations = equations_,
                                  .slots = slots_,
                                  .incidence = incidence_,
                                  .matching = matching_,
                                  .aliases = aliases_.aliases},
                                 diagnostics);
    if (diagnostics.has_errors()) {
      return Unexpected(std::move(diagnostics));
    }
    warn_of_inputs(diagnostics);
    result.states = std::move(classification_.states);
    result.derivatives = std::move(classification_.derivatives);
    result.held = std::move(classification_.held);
    result.equations = std::move(equations_);
    result.warnings = std::move(diagnostics);
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
      if (row >= model_.equations.size()) {
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
      if (matching_.column_of_row[model_.equations.size() + i] == kNone) {
        continue;
      }
      const flat::Variable& variable = model_[classification_.inputs[i].variable];
      diagnostics.warning(
          kInputWithoutValue,
          fmt::format("the input {} has no equation and keeps its start value", variable.name), variable.span,
          fmt::format("write 'input Real {} = …;'", variable.name));
    }
  }

  flat::Model& model_;
  Classification classification_;
  SlotTable slots_;
  std::vector<flat::Equation> equations_;
  AliasReport aliases_;
  Incidence incidence_;
  Matching matching_;
};

}  // namespace

Result<Causalized> causalize(flat::Model& model) {
  if (!model.modes.empty()) {
    Diagnostics diagnostics(model.source);
    diagnostics.error(kModesNotYet, "not yet: models with modes cannot be run", model.modes.front().span);
    return Unexpected(std::move(diagnostics));
  }
  return Causalizer(model).run();
}

}  // namespace saltus::structure
