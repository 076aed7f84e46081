#include "structure/causalize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "saltus/contract.hpp"
#include "structure/discrete_equations.hpp"
#include "structure/index/combination.hpp"
#include "structure/index/generic_rank.hpp"
#include "structure/index/index_reduction.hpp"
#include "structure/index/tearing.hpp"
#include "structure/index/unmixing.hpp"
#include "structure/match/blocks.hpp"
#include "structure/match/classify.hpp"
#include "structure/match/diagnostic_codes.hpp"
#include "structure/match/linear_terms.hpp"
#include "structure/match/names.hpp"
#include "structure/singular_report.hpp"
#include "structure/structure_choices.hpp"

namespace saltus::structure {
namespace {

std::vector<int> alias_ranks(const flat::Model& model, const SlotTable& slots) {
  std::vector<int> ranks(slots.n_slots(), kKnownRank);
  for (std::uint32_t slot = 0; slot < slots.n_unknowns(); ++slot) {
    ranks[slot] = alias_rank(model, slots[slot]);
  }
  return ranks;
}

void warn_of_input(const flat::Variable& variable, Diagnostics& diagnostics) {
  diagnostics.warning(
      kInputWithoutValue,
      fmt::format("the input {} has no equation and keeps its start value", variable.name), variable.span,
      fmt::format("write 'input Real {} = …;' or drive it with --input FILE.csv", variable.name));
}

// A square system: states are known, everything else is to be computed.
struct System {
  std::vector<flat::Equation> equations;
  std::size_t n_given = 0;  // the others are `input = start`
  std::vector<Unknown> unknowns;
  std::vector<Unknown> inputs;  // unknown too, but equations are rather left to the others
  std::vector<Unknown> states;
};

class Causalizer {
 public:
  Causalizer(flat::Model& model, System system)
      : model_(model), system_(std::move(system)), slots_(model.graph, columns(), system_.states) {
    aliases_ = eliminate_aliases(model_.graph, std::span(system_.equations).first(system_.n_given),
                                 alias_ranks(model_, slots_), slots_);
    incidence_ = find_incidence(model_.graph, system_.equations, slots_, slots_.n_unknowns());
  }

  // Tiers: equations without inputs, then with them, then start values for inputs that are left.
  bool match() {
    if (!aliases_.repeated.empty()) {
      return false;
    }
    std::vector<std::uint8_t> is_used(system_.equations.size(), 0);
    for (const Alias& alias : aliases_.aliases) {
      is_used[alias.row] = 1;
    }
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> input_rows;
    for (std::uint32_t row = 0; row < system_.equations.size(); ++row) {
      if (row >= system_.n_given) {
        input_rows.push_back(row);
      } else if (is_used[row] == 0) {
        rows.push_back(row);
      }
    }
    matching_ = empty_matching(incidence_);
    const auto n_without_inputs = static_cast<std::uint32_t>(system_.unknowns.size());
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

  // Needs a match. Problems are added to the diagnostics; the result is then incomplete.
  std::vector<Block> blocks(Diagnostics& diagnostics) {
    return build_blocks(model_,
                        {.equations = system_.equations,
                         .slots = slots_,
                         .incidence = incidence_,
                         .matching = matching_,
                         .aliases = aliases_.aliases},
                        diagnostics);
  }

  // Whether row n_given + i is needed.
  bool keeps_start(std::size_t i) const { return matching_.column_of_row[system_.n_given + i] != kNone; }
  System& system() { return system_; }

 private:
  std::vector<Unknown> columns() const {
    std::vector<Unknown> columns = system_.unknowns;
    columns.insert(columns.end(), system_.inputs.begin(), system_.inputs.end());
    return columns;
  }

  flat::Model& model_;
  System system_;
  SlotTable slots_;
  AliasReport aliases_;
  Incidence incidence_;
  Matching matching_;
};

// One mode: by the matching of highest derivatives if it is complete, else with equations differentiated, else by ranks.
class ModeCausalizer {
 public:
  ModeCausalizer(flat::Model& model, const Classification& classification,
                 std::vector<flat::Equation> equations, Diagnostics& diagnostics)
      : model_(model),
        classification_(classification),
        given_(std::move(equations)),
        equations_(given_),
        diagnostics_(diagnostics),
        nominal_(nominal_numbers(model)) {
    drop_cancelled_terms(model_.graph, equations_);
  }

  Causalized run() {
    const Diagnostics before = diagnostics_;
    while (as_written() || differentiated()) {
      const std::vector<std::size_t> singular =
          diagnostics_.has_errors() ? std::vector<std::size_t>{}
                                    : singular_blocks(model_.graph, result_.blocks, nominal_, errors_);
      if (!singular.empty() && !unmixing_) {
        unmixing_ = unmix_equations(model_, classification_, rows_of(singular), equations_, errors_);
        if (unmixing_ == UnmixingOutcome::taken_apart) {
          result_ = {};
          diagnostics_ = before;
          continue;
        }
      }
      const CombinationOutcome outcome = diagnostics_.has_errors() ||
                                                 n_combinations_ > classification_.states.size() ||
                                                 unmixing_ == UnmixingOutcome::unclear
                                             ? CombinationOutcome::nothing
                                             : combine_equations(model_, result_, equations_);
      if (outcome == CombinationOutcome::nothing) {
        mark_combined();
        for (const std::size_t block : singular) {
          result_.blocks[block].is_singular = true;
        }
        result_.blocks = tear_blocks(model_, std::move(result_.blocks));
        result_.nominal = std::move(nominal_);
        return std::move(result_);
      }
      ++n_combinations_;
      combines_derivatives_ = combines_derivatives_ || outcome == CombinationOutcome::replaced_by_derivatives;
      result_ = {};
      diagnostics_ = before;
      if (outcome == CombinationOutcome::empty) {
        break;
      }
    }
    if (n_combinations_ > 0) {
      diagnostics_ = before;
      diagnostics_.warning(kUnknownCancels,
                           "derivatives cancel in a combination of equations, and what remains does not "
                           "determine them",
                           given_.empty() ? SourceSpan{} : given_.front().span);
    }
    return by_ranks();
  }

  // Without explanation: somebody asked for it.
  Causalized by_ranks() {
    result_ = {};
    result_.needs_ranks = true;
    result_.written = given_;
    for (const VariableId input : inputs_without_equation(model_, given_, classification_)) {
      warn_of_input(model_[input], diagnostics_);
      result_.written.push_back(start_equation(model_, input));
    }
    result_.equations = result_.written;
    result_.n_given = given_.size();
    describe_as_written();
    std::vector<Unknown> all = classification_.unknowns;
    all.insert(all.end(), classification_.inputs.begin(), classification_.inputs.end());
    std::sort(all.begin(), all.end());
    for (const Unknown& unknown : all) {
      for (int k = 0; k < std::max(unknown.order, 1); ++k) {
        result_.states.push_back({.variable = unknown.variable, .order = k});
        result_.derivatives.push_back({.variable = unknown.variable, .order = k + 1});
      }
    }
    result_.degrees_of_freedom = 0;
    return std::move(result_);
  }

 private:
  // Equations of the blocks, as they are numbered in equations_.
  std::vector<std::size_t> rows_of(const std::vector<std::size_t>& blocks) const {
    std::vector<std::size_t> rows;
    for (const std::size_t block : blocks) {
      for (const EquationId row : result_.blocks[block].equations) {
        const std::size_t equation = result_.origins[row.index()].equation;
        if (equation < equations_.size()) {
          rows.push_back(equation);
        }
      }
    }
    return rows;
  }

  void mark_combined() {
    for (Constraint& constraint : result_.constraints) {
      const std::size_t equation = constraint.origin.equation;
      constraint.is_combined = combines_derivatives_ && equation < given_.size() &&
                               (equations_[equation].left != given_[equation].left ||
                                equations_[equation].right != given_[equation].right);
    }
    if (n_combinations_ > 0 || unmixing_ == UnmixingOutcome::taken_apart) {
      result_.uncombined = before_combination(model_, given_, result_.written);
    }
  }

  // Offsets of equations that are not differentiated, and what every result has.
  void describe_as_written() {
    result_.held = classification_.held;
    result_.written_orders = classification_.highest_order;
    result_.differentiations.assign(result_.written.size(), 0);
    result_.origins.resize(result_.written.size());
    for (std::uint32_t row = 0; row < result_.origins.size(); ++row) {
      result_.origins[row].equation = row;
    }
    result_.highest_orders.assign(model_.variables.size(), -1);
    for (const auto* list : {&classification_.unknowns, &classification_.inputs}) {
      for (const Unknown& unknown : *list) {
        result_.highest_orders[unknown.variable.index()] = unknown.order;
      }
    }
  }

  // Blocks of a matched system; an unknown that cancels is no error: ranks may still decide.
  bool add_blocks(Causalizer& causalizer) {
    Diagnostics found(model_.source);
    result_.blocks = causalizer.blocks(found);
    const bool cancels = std::any_of(found.items().begin(), found.items().end(), [](const Diagnostic& item) {
      return item.code == kUnknownCancels.name;
    });
    for (const Diagnostic& item : found.items()) {
      const bool is_warning = item.code == kUnknownCancels.name;
      diagnostics_
          .add(is_warning ? Severity::warning : item.severity, DiagnosticCode{item.code}, item.message,
               item.span, item.hint)
          .notes = item.notes;
    }
    is_explained_ = is_explained_ || cancels;
    return !cancels;
  }

  bool as_written() {
    System system{.equations = equations_,
                  .n_given = equations_.size(),
                  .unknowns = classification_.unknowns,
                  .inputs = classification_.inputs,
                  .states = classification_.states};
    for (const Unknown& input : classification_.inputs) {
      system.equations.push_back(start_equation(model_, input.variable));
    }
    Causalizer causalizer(model_, std::move(system));
    if (!causalizer.match() || !add_blocks(causalizer)) {
      return false;
    }
    result_.equations = std::move(causalizer.system().equations);
    keep_needed_inputs(causalizer);
    result_.states = classification_.states;
    result_.derivatives = classification_.derivatives;
    result_.degrees_of_freedom = static_cast<int>(result_.states.size());
    result_.n_given = equations_.size();
    result_.written = result_.equations;
    describe_as_written();
    return true;
  }

  // Rows `input = start` of inputs that an equation gives are taken out.
  void keep_needed_inputs(const Causalizer& causalizer) {
    const std::size_t n_given = equations_.size();
    std::vector<EquationId> new_row(classification_.inputs.size());
    std::size_t n_rows = n_given;
    for (std::size_t i = 0; i < classification_.inputs.size(); ++i) {
      if (causalizer.keeps_start(i)) {
        warn_of_input(model_[classification_.inputs[i].variable], diagnostics_);
        new_row[i] = EquationId(n_rows);
        result_.equations[n_rows++] = result_.equations[n_given + i];
      }
    }
    if (n_rows == result_.equations.size()) {
      return;
    }
    result_.equations.resize(n_rows);
    for (Block& block : result_.blocks) {
      for (EquationId& row : block.equations) {
        row = row.index() < n_given ? row : new_row[row.index() - n_given];
      }
    }
  }

  bool differentiated() {
    if (is_explained_) {
      return false;
    }
    const VariableAliases ties = tie_variables(model_, equations_, tieable(model_, classification_));
    if (!ties.repeated.empty()) {
      report_repeated(model_, equations_, ties.repeated, diagnostics_);
      return false;
    }
    auto reduced = reduce_index(model_, equations_, classification_, ties);
    if (!reduced) {
      report_singular(model_, equations_, classification_, Severity::warning, diagnostics_);
      return false;
    }
    Causalizer causalizer(model_, {.equations = std::move(reduced->equations),
                                   .n_given = reduced->n_given,
                                   .unknowns = std::move(reduced->unknowns),
                                   .inputs = {},
                                   .states = reduced->states});
    if (!causalizer.match()) {
      diagnostics_.warning(kUnknownCancels, "unknowns cancel in equations that were differentiated",
                           equations_.front().span);
      return false;
    }
    if (!add_blocks(causalizer)) {
      return false;
    }
    for (const VariableId input : reduced->inputs) {
      warn_of_input(model_[input], diagnostics_);
    }
    take(*std::move(reduced), std::move(causalizer.system().equations));
    return true;
  }

  void take(ReducedSystem reduced, std::vector<flat::Equation> equations) {
    result_.states = std::move(reduced.states);
    result_.derivatives = std::move(reduced.derivatives);
    result_.equations = std::move(equations);
    result_.origins = std::move(reduced.origins);
    result_.n_given = reduced.n_given;
    result_.held = classification_.held;
    result_.written = std::move(reduced.written);
    result_.differentiations = std::move(reduced.differentiations);
    result_.highest_orders = std::move(reduced.highest_orders);
    result_.written_orders = classification_.highest_order;
    result_.constraints = std::move(reduced.constraints);
    result_.aliases = std::move(reduced.aliases);
    result_.degrees_of_freedom = reduced.degrees_of_freedom;
  }

  flat::Model& model_;
  const Classification& classification_;
  std::vector<flat::Equation> given_;
  std::vector<flat::Equation> equations_;  // the given ones, or combinations of them with the same solutions
  std::size_t n_combinations_ = 0;  // each takes a degree of freedom, and the states are that many at most
  bool combines_derivatives_ = false;
  std::optional<UnmixingOutcome> unmixing_;  // none: not tried yet
  NumberErrors errors_;                      // of what taking apart has left
  Diagnostics& diagnostics_;
  std::vector<double> nominal_;  // by variable
  Causalized result_;
  bool is_explained_ = false;  // why the structure does not determine the unknowns
};

// Discrete inputs that no equation gives are held; a discrete variable that nothing gives is an error, unless another
// mode has an equation for it: then it keeps its value in this one.
bool settle_missing(flat::Model& model, std::span<const flat::Equation> equations, const DiscreteSplit& split,
                    Classification& classification, Diagnostics& diagnostics) {
  bool is_complete = true;
  bool is_explained = false;
  for (const VariableId variable : split.without_equation) {
    if (model[variable].causality == flat::Causality::input) {
      warn_of_input(model[variable], diagnostics);
    } else if (const flat::Equation* const jump = jump_equation_with(model, variable)) {
      const std::string& name = model[variable].name;
      diagnostics.error(
          kDiscreteInJumpEquation,
          fmt::format("nothing assigns the discrete variable {}: the jump equation {} contains it, "
                      "but jump equations are solved for continuous variables only",
                      name, quote(model, *jump)),
          jump->span, fmt::format("solve it for {} and write {} = …", name, name));
      is_explained = true;
      continue;
    }
    if (model[variable].causality == flat::Causality::input || model.modes.size() > 1) {
      classification.held.push_back(variable);
    } else {
      is_complete = false;
    }
  }
  std::sort(classification.held.begin(), classification.held.end());
  if (!is_complete && !is_explained) {
    report_singular(model, equations, classification, Severity::error, diagnostics);
  }
  return is_complete && !is_explained;
}

Causalized causalize_mode(flat::Model& model, ModeId mode, const CausalizeOptions& options,
                          Diagnostics& diagnostics) {
  std::vector<flat::Equation> equations = model.equations;
  if (mode.valid()) {
    const std::vector<flat::Equation>& own = model.modes[mode.index()].equations;
    equations.insert(equations.end(), own.begin(), own.end());
  }
  Classification classification = classify(model, equations, mode);
  DiscreteSplit split = split_discrete(model, equations, classification);
  if (!options.locked.empty()) {
    equations = locked_equations(model.graph, split.continuous, options.locked);
    for (const Causalized::DiscreteEquation& discrete : split.discrete) {
      equations.push_back(discrete.equation);  // a round says what these become
    }
    classification = classify(model, equations, mode);
    split = split_discrete(model, equations, classification);
  }
  if (!settle_missing(model, equations, split, classification, diagnostics)) {
    return {};
  }
  classification.discrete.clear();
  ModeCausalizer causalizer(model, classification, std::move(split.continuous), diagnostics);
  Causalized result = options.force_ranks ? causalizer.by_ranks() : causalizer.run();
  result.discrete_equations = std::move(split.discrete);
  return result;
}

}  // namespace

Result<Causalized> causalize(flat::Model& model, ModeId mode, const CausalizeOptions& options) {
  SALTUS_EXPECT(mode.valid() != model.modes.empty(), "a mode is given exactly when the model has modes");
  Diagnostics diagnostics(model.source);
  Causalized result = causalize_mode(model, mode, options, diagnostics);
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

}  // namespace saltus::structure
