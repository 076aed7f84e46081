#include "structure/index/index_reduction.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "expr/substitute.hpp"
#include "expr/taylor.hpp"
#include "saltus/contract.hpp"
#include "structure/index/stabilization.hpp"
#include "structure/match/alias.hpp"
#include "structure/match/definitions.hpp"
#include "structure/match/offsets.hpp"

namespace saltus::structure {
namespace {

// Columns of a signature: the unknowns, then the inputs.
struct Columns {
  std::vector<std::uint32_t> of_variable;
  std::vector<VariableId> variables;
  std::uint32_t n_without_inputs = 0;
};

template <class Counts>
Columns make_columns(const flat::Model& model, const Classification& classification, Counts&& counts) {
  Columns columns;
  columns.of_variable.assign(model.variables.size(), kNone);
  const auto add = [&](const Unknown& unknown) {
    if (counts(unknown.variable)) {
      columns.of_variable[unknown.variable.index()] = static_cast<std::uint32_t>(columns.variables.size());
      columns.variables.push_back(unknown.variable);
    }
  };
  std::for_each(classification.unknowns.begin(), classification.unknowns.end(), add);
  columns.n_without_inputs = static_cast<std::uint32_t>(columns.variables.size());
  std::for_each(classification.inputs.begin(), classification.inputs.end(), add);
  return columns;
}

// The inputs that no equation is left for when every equation has taken a variable, if it can one that is no input.
std::vector<VariableId> unmatched_inputs(const Signature& signature, const Columns& columns,
                                         const Classification& classification) {
  if (classification.inputs.empty()) {
    return {};
  }
  const Incidence incidence = any_order(signature);
  std::vector<std::uint32_t> rows(incidence.n_rows());
  std::iota(rows.begin(), rows.end(), 0U);
  Matching matching = empty_matching(incidence);
  extend_matching(incidence, rows, columns.n_without_inputs, matching);
  extend_matching(incidence, rows, incidence.n_columns, matching);
  std::vector<VariableId> result;
  for (std::uint32_t column = columns.n_without_inputs; column < incidence.n_columns; ++column) {
    if (matching.row_of_column[column] == kNone) {
      result.push_back(columns.variables[column]);
    }
  }
  return result;
}

class IndexReducer {
 public:
  IndexReducer(flat::Model& model, std::span<const flat::Equation> equations,
               const Classification& classification, const VariableAliases& ties)
      : model_(model),
        graph_(model.graph),
        classification_(classification),
        ties_(ties),
        columns_(make_columns(model, classification,
                              [&](VariableId variable) { return tie(variable).base == variable; })) {
    result_.written.assign(equations.begin(), equations.end());
    result_.n_given = equations.size();
  }

  std::optional<ReducedSystem> run() {
    write_with_bases();
    if (!find_offsets()) {
      return std::nullopt;
    }
    put_in_definitions();
    name_slots();
    differentiate();
    list_quantities();
    add_aliases();
    add_inputs();
    return std::move(result_);
  }

 private:
  const TiedVariable& tie(VariableId variable) const { return ties_.variables[variable.index()]; }

  // Equations that are not aliases, in terms of bases; then the rows of inputs without an equation.
  void write_with_bases() {
    std::vector<expr::Replacement> replacements;
    for (const Unknown& unknown : classification_.unknowns) {
      const TiedVariable& tied = tie(unknown.variable);
      for (int k = 0; tied.base != unknown.variable && k <= unknown.order; ++k) {
        const NodeId base = graph_.variable(tied.base, tied.shift + k);
        replacements.push_back(
            {.from = graph_.variable(unknown.variable, k), .to = tied.negative ? graph_.negate(base) : base});
      }
    }
    expr::Substitution substitution(graph_, replacements);
    for (std::uint32_t i = 0; i < result_.n_given; ++i) {
      if (ties_.is_used[i] == 0) {
        const flat::Equation& equation = result_.written[i];
        rows_.push_back({substitution(equation.left), substitution(equation.right), equation.span});
        row_origins_.push_back(i);
      }
    }
    signature_ = find_signature(graph_, rows_, columns_.of_variable,
                                static_cast<std::uint32_t>(columns_.variables.size()));
    n_given_rows_ = rows_.size();
    result_.inputs = unmatched_inputs(signature_, columns_, classification_);
    for (const VariableId input : result_.inputs) {
      row_origins_.push_back(static_cast<std::uint32_t>(result_.written.size()));
      result_.written.push_back(start_equation(model_, input));
      rows_.push_back(result_.written.back());
      signature_.columns.push_back(columns_.of_variable[input.index()]);
      signature_.orders.push_back(0);
      signature_.row_starts.push_back(static_cast<std::uint32_t>(signature_.columns.size()));
    }
  }

  bool find_offsets() {
    const auto assignment = highest_value_transversal(signature_);
    if (!assignment) {
      return false;
    }
    // What is tied to a base must exist, whether or not an equation contains that order.
    std::vector<int> demanded(columns_.variables.size(), 0);
    for (const Unknown& unknown : classification_.unknowns) {
      const TiedVariable& tied = tie(unknown.variable);
      int& order = demanded[columns_.of_variable[tied.base.index()]];
      order = std::max(order, tied.shift + unknown.order);
    }
    offsets_ = smallest_offsets(signature_, assignment->matching, demanded);
    result_.degrees_of_freedom = offsets_.degrees_of_freedom();
    result_.differentiations.assign(result_.written.size(), -1);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      result_.differentiations[row_origins_[row]] = offsets_.differentiations[row];
    }
    return true;
  }

  // What a row with c = d > 0 defines; nothing ties a derivative to it or asks for one.
  std::vector<VariableId> definitions() const {
    const std::vector<std::uint8_t> is_needed = needed_as_variables(model_);
    std::vector<std::uint8_t> may_be_defined(model_.variables.size(), 0);
    for (std::uint32_t column = 0; column < columns_.n_without_inputs; ++column) {
      may_be_defined[columns_.variables[column].index()] = 1;
    }
    for (const Unknown& unknown : classification_.unknowns) {
      const TiedVariable& tied = tie(unknown.variable);
      if (tied.shift + unknown.order > 0 || is_needed[unknown.variable.index()] != 0) {
        may_be_defined[tied.base.index()] = 0;
      }
    }
    std::vector<VariableId> result(rows_.size());
    for (std::size_t row = 0; row < n_given_rows_; ++row) {
      const int c = offsets_.differentiations[row];
      const VariableId variable = c > 0 ? defined_variable(graph_, rows_[row]) : VariableId();
      if (variable.valid() && may_be_defined[variable.index()] != 0 && order_of_base(variable) == c) {
        result[row] = variable;
        may_be_defined[variable.index()] = 0;
      }
    }
    return result;
  }

  // Differentiated definitions would be states with constraints. Where c = d on (definition, variable), the other offsets fit
  // the rows with the formula put in, and the Jacobian of highest derivatives loses that row and column by elimination: it is
  // regular if it was.
  void put_in_definitions() {
    const std::vector<VariableId> defines = definitions();
    if (std::none_of(defines.begin(), defines.end(), [](VariableId v) { return v.valid(); })) {
      return;
    }
    std::vector<std::uint8_t> is_unknown(model_.variables.size(), 0);
    for (const VariableId variable : columns_.variables) {
      is_unknown[variable.index()] = 1;
    }
    const std::vector<flat::Equation> before = rows_;
    if (structure::put_in_definitions(graph_, defines, is_unknown, rows_) == 0) {
      return;
    }
    signature_ = find_signature(graph_, rows_, columns_.of_variable, signature_.n_columns);
    if (!find_offsets()) {
      rows_ = before;
      signature_ = find_signature(graph_, rows_, columns_.of_variable, signature_.n_columns);
      const bool is_found = find_offsets();
      SALTUS_ASSERT(is_found);
      static_cast<void>(is_found);
    }
  }

  int order_of_base(VariableId base) const {
    return offsets_.highest_orders[columns_.of_variable[base.index()]];
  }

  // The quantity that stands for (base, order): the variable of the highest shift, so of the lowest order; of equal ones
  // the base, then one with a start value, then the first declared.
  void name_slots() {
    names_.resize(columns_.variables.size());
    for (std::size_t column = 0; column < names_.size(); ++column) {
      const int highest = offsets_.highest_orders[column];
      for (int k = 0; k <= highest; ++k) {
        names_[column].push_back({.variable = columns_.variables[column], .order = k});
      }
    }
    std::vector<std::pair<int, VariableId>> tied;
    for (const Unknown& unknown : classification_.unknowns) {
      if (tie(unknown.variable).shift > 0) {
        tied.emplace_back(alias_rank(model_, {.variable = unknown.variable, .order = 0}), unknown.variable);
      }
    }
    std::sort(tied.begin(), tied.end());
    for (const auto& [rank, variable] : tied) {
      std::vector<Unknown>& names = names_[columns_.of_variable[tie(variable).base.index()]];
      for (std::size_t k = static_cast<std::size_t>(tie(variable).shift); k < names.size(); ++k) {
        const int order = static_cast<int>(k) - tie(variable).shift;
        if (order < names[k].order) {
          names[k] = {.variable = variable, .order = order};
        }
      }
    }
  }

  Unknown name_of_slot(VariableId base, int order) const {
    return names_[columns_.of_variable[base.index()]][static_cast<std::size_t>(order)];
  }

  // Leaves of slots by leaves of their names.
  std::vector<expr::Replacement> renaming() {
    std::vector<expr::Replacement> replacements;
    for (std::size_t column = 0; column < names_.size(); ++column) {
      for (std::size_t k = 0; k < names_[column].size(); ++k) {
        const Unknown& name = names_[column][k];
        if (name.variable != columns_.variables[column]) {
          const NodeId leaf = graph_.variable(name.variable, name.order);
          replacements.push_back({.from = graph_.variable(columns_.variables[column], static_cast<int>(k)),
                                  .to = tie(name.variable).negative ? graph_.negate(leaf) : leaf});
        }
      }
    }
    return replacements;
  }

  void differentiate() {
    expr::TaylorExpansion taylor(graph_, {.coefficient = {}, .rests = [this](const expr::Node& leaf) {
                                            return columns_.of_variable[leaf.first] == kNone;
                                          }});
    const std::vector<expr::Replacement> replacements = renaming();
    std::vector<std::vector<flat::Equation>> derivatives(rows_.size());
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      derivatives[row].push_back(rows_[row]);
      for (int k = 1; k <= offsets_.differentiations[row]; ++k) {
        derivatives[row].push_back({taylor.total_derivative(rows_[row].left, k),
                                    taylor.total_derivative(rows_[row].right, k), rows_[row].span});
      }
    }
    expr::Substitution rename(graph_, replacements);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for (std::size_t k = 0; k < derivatives[row].size(); ++k) {
        flat::Equation equation = derivatives[row][k];
        equation.left = rename(equation.left);
        equation.right = rename(equation.right);
        const RowOrigin origin{.equation = row_origins_[row], .order = static_cast<int>(k)};
        if (k + 1 < derivatives[row].size()) {
          result_.constraints.push_back({.origin = origin, .equation = equation});
        } else {
          const flat::Equation& written = result_.written[row_origins_[row]];
          const flat::Formulation own{.row = model_.formulation.row,
                                      .rate = model_.formulation.rate_of(written.left, written.right)};
          highest_.push_back(stabilized(graph_, own, derivatives[row]));
          highest_.back().left = rename(highest_.back().left);
          highest_.back().right = rename(highest_.back().right);
          highest_origins_.push_back(origin);
        }
      }
    }
  }

  // States, highest derivatives, and quantities that are one of these under another name.
  void list_quantities() {
    result_.highest_orders.assign(model_.variables.size(), -1);
    for (std::size_t column = 0; column < names_.size(); ++column) {
      result_.states.insert(result_.states.end(), names_[column].begin(), names_[column].end() - 1);
      result_.unknowns.push_back(names_[column].back());
      result_.highest_orders[columns_.variables[column].index()] = offsets_.highest_orders[column];
    }
    for (const Unknown& unknown : classification_.unknowns) {
      const VariableId variable = unknown.variable;
      const TiedVariable& tied = tie(variable);
      const int highest = order_of_base(tied.base) - tied.shift;
      result_.highest_orders[variable.index()] = highest;
      for (int k = 0; k <= highest; ++k) {
        const Unknown name = name_of_slot(tied.base, tied.shift + k);
        if (name.variable != variable) {
          result_.aliases.push_back({.quantity = {.variable = variable, .order = k},
                                     .target = name,
                                     .negative = tied.negative != tie(name.variable).negative});
          result_.unknowns.push_back(result_.aliases.back().quantity);
        }
      }
    }
    std::sort(result_.states.begin(), result_.states.end());
    std::sort(result_.unknowns.begin(), result_.unknowns.end());
    for (const Unknown& state : result_.states) {
      result_.derivatives.push_back({.variable = state.variable, .order = state.order + 1});
    }
  }

  // Rows in the order of the equations as written; a tie gives one row for each quantity that it makes an alias.
  void add_aliases() {
    std::vector<std::vector<SlotAlias>> of_equation(result_.n_given);
    for (const SlotAlias& alias : result_.aliases) {
      // v = der(x) makes der(x) an alias of v as well as v one of der(x): the row belongs to the tie of higher shift.
      const TiedVariable& own = tie(alias.quantity.variable);
      const TiedVariable& other = tie(alias.target.variable);
      of_equation[own.shift < other.shift ? other.equation : own.equation].push_back(alias);
    }
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < result_.n_given; ++i) {
      if (ties_.is_used[i] == 0) {
        result_.equations.push_back(highest_[next]);
        result_.origins.push_back(highest_origins_[next++]);
        continue;
      }
      for (const SlotAlias& alias : of_equation[i]) {
        const NodeId target = graph_.variable(alias.target.variable, alias.target.order);
        result_.equations.push_back({graph_.variable(alias.quantity.variable, alias.quantity.order),
                                     alias.negative ? graph_.negate(target) : target,
                                     result_.written[i].span});
        result_.origins.push_back(
            {.equation = i, .order = std::min(alias.quantity.order, alias.target.order)});
      }
    }
    SALTUS_ASSERT(next == n_given_rows_);
  }

  void add_inputs() {
    result_.n_given = result_.equations.size();
    for (std::size_t row = n_given_rows_; row < rows_.size(); ++row) {
      result_.equations.push_back(highest_[row]);
      result_.origins.push_back(highest_origins_[row]);
    }
  }

  flat::Model& model_;
  expr::Graph& graph_;
  const Classification& classification_;
  const VariableAliases& ties_;
  Columns columns_;
  std::vector<flat::Equation> rows_;        // to be differentiated
  std::vector<std::uint32_t> row_origins_;  // in result_.written
  std::size_t n_given_rows_ = 0;
  Signature signature_;
  Offsets offsets_;
  std::vector<std::vector<Unknown>> names_;  // by column, by order
  std::vector<flat::Equation> highest_;      // F_i^(c_i), by row
  std::vector<RowOrigin> highest_origins_;
  ReducedSystem result_;
};

}  // namespace

std::vector<std::uint8_t> tieable(const flat::Model& model, const Classification& classification) {
  std::vector<std::uint8_t> result(model.variables.size(), 0);
  for (const Unknown& unknown : classification.unknowns) {
    result[unknown.variable.index()] = model[unknown.variable].causality != flat::Causality::input;
  }
  return result;
}

std::optional<ReducedSystem> reduce_index(flat::Model& model, std::span<const flat::Equation> equations,
                                          const Classification& classification, const VariableAliases& ties) {
  return IndexReducer(model, equations, classification, ties).run();
}

std::vector<VariableId> inputs_without_equation(const flat::Model& model,
                                                std::span<const flat::Equation> equations,
                                                const Classification& classification) {
  const Columns columns = make_columns(model, classification, [](VariableId) { return true; });
  const Signature signature = find_signature(model.graph, equations, columns.of_variable,
                                             static_cast<std::uint32_t>(columns.variables.size()));
  return unmatched_inputs(signature, columns, classification);
}

flat::Equation start_equation(flat::Model& model, VariableId input) {
  const flat::Variable& variable = model[input];
  return {.left = model.graph.variable(input, 0),
          .right = variable.start ? *variable.start : model.graph.constant(0.0),
          .span = variable.span};
}

}  // namespace saltus::structure
