#include "structure/control_form.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/disjoint_sets.hpp"
#include "expr/dependency.hpp"
#include "structure/match/definitions.hpp"
#include "structure/match/incidence.hpp"
#include "structure/match/matching.hpp"
#include "structure/match/names.hpp"

namespace saltus::structure {
namespace {

class ControlSearch {
 public:
  ControlSearch(const flat::Model& model, const Causalized& causalized)
      : model_(model), causalized_(causalized) {}

  ControlForm run() {
    if (causalized_.needs_ranks || !causalized_.uncombined.empty()) {
      return refused("the index is not found from the equations one by one");
    }
    find_constraints();
    if (form_.constraints.empty()) {
      return refused("no equations constrain states");
    }
    find_incidence_of_motion();
    if (!find_dynamic()) {
      return refused("its equations of motion do not leave one unknown free for each constraint");
    }
    if (!find_multipliers()) {
      return std::move(form_);
    }
    pair();
    return std::move(form_);
  }

 private:
  ControlForm refused(std::string why) {
    form_ = {};
    form_.refusal = std::move(why);
    return std::move(form_);
  }

  void find_constraints() {
    for (std::uint32_t row = 0; row < causalized_.equations.size(); ++row) {
      const RowOrigin origin = causalized_.origins[row];
      const int c = causalized_.differentiations[origin.equation];
      if (c > 0 && origin.order == c) {
        form_.constraints.push_back({origin.equation, c, row});
      }
    }
    std::sort(form_.constraints.begin(), form_.constraints.end(),
              [](const auto& a, const auto& b) { return a.equation < b.equation; });
  }

  [[nodiscard]] std::vector<Unknown> unknowns_of(const flat::Equation& equation) const {
    std::vector<Unknown> found;
    const std::array<NodeId, 2> sides{equation.left, equation.right};
    for (const NodeId leaf : expr::leaves_of(model_.graph, sides)) {
      const expr::Node& node = model_.graph[leaf];
      if (node.op != expr::Op::variable || causalized_.highest_orders[node.first] < 0) {
        continue;
      }
      const Unknown unknown{VariableId(node.first), static_cast<int>(node.second)};
      if (!std::binary_search(causalized_.states.begin(), causalized_.states.end(), unknown)) {
        found.push_back(unknown);
      }
    }
    return found;
  }

  std::uint32_t column(const Unknown& unknown) {
    const auto [place, is_new] = column_of_.try_emplace(unknown, static_cast<std::uint32_t>(columns_.size()));
    if (is_new) {
      columns_.push_back(unknown);
    }
    return place->second;
  }

  // All rows but those of constraints.
  void find_incidence_of_motion() {
    for (std::uint32_t row = 0; row < causalized_.equations.size(); ++row) {
      const RowOrigin origin = causalized_.origins[row];
      if (causalized_.differentiations[origin.equation] > 0) {
        continue;
      }
      std::vector<std::uint32_t> entries;
      for (const Unknown& unknown : unknowns_of(causalized_.equations[row])) {
        entries.push_back(column(unknown));
      }
      std::sort(entries.begin(), entries.end());
      rows_.push_back(row);
      incidence_.columns.insert(incidence_.columns.end(), entries.begin(), entries.end());
      incidence_.row_starts.push_back(static_cast<std::uint32_t>(incidence_.columns.size()));
    }
    for (const ControlForm::Constraint& constraint : form_.constraints) {
      for (const Unknown& unknown : unknowns_of(causalized_.equations[constraint.row])) {
        (void)column(unknown);
      }
    }
    incidence_.n_columns = static_cast<std::uint32_t>(columns_.size());
    incidence_.sides.assign(incidence_.columns.size(), Incidence::kLeftSide);
  }

  [[nodiscard]] std::vector<std::uint32_t> all_rows() const {
    std::vector<std::uint32_t> all(rows_.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      all[i] = i;
    }
    return all;
  }

  // The underdetermined part of the equations of motion.
  bool find_dynamic() {
    Matching matching = empty_matching(incidence_);
    const std::vector<std::uint32_t> all = all_rows();
    if (extend_matching(incidence_, all, incidence_.n_columns, matching) < all.size() ||
        columns_.size() != all.size() + form_.constraints.size()) {
      return false;
    }
    const Incidence transposed = transpose(incidence_);
    is_dynamic_row_.assign(rows_.size(), 0);
    is_dynamic_.assign(columns_.size(), 0);
    for (std::uint32_t free = 0; free < columns_.size(); ++free) {
      if (matching.row_of_column[free] != kNone) {
        continue;
      }
      const Part part = underdetermined_part(transposed, matching, free);
      for (const std::uint32_t row : part.rows) {
        is_dynamic_row_[row] = 1;
      }
      for (const std::uint32_t moved : part.columns) {
        is_dynamic_[moved] = 1;
      }
    }
    return true;
  }

  // Rates of states, and algebraic unknowns that are one under another name.
  void mark_rates() {
    is_rate_.assign(columns_.size(), 0);
    names_rate_.assign(columns_.size(), 0);
    const auto mark = [&](const Unknown& rate) {
      const auto found = column_of_.find(rate);
      if (found != column_of_.end()) {
        (rate.order > 0 ? is_rate_ : names_rate_)[found->second] = 1;
      }
    };
    for (const Unknown& derivative : causalized_.derivatives) {
      mark(derivative);
    }
    for (const SlotAlias& alias : causalized_.aliases) {
      if (std::find(causalized_.derivatives.begin(), causalized_.derivatives.end(), alias.quantity) !=
          causalized_.derivatives.end()) {
        mark(alias.target);
      }
    }
  }

  // Columns that an equation defines as `force = …` of others that are no rates.
  [[nodiscard]] std::vector<std::uint8_t> defined() const {
    std::vector<std::uint8_t> result(columns_.size(), 0);
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      const auto entries = incidence_.row(i);
      const bool moves = std::any_of(entries.begin(), entries.end(), [&](std::uint32_t entry) {
        return is_rate_[entry] != 0 || names_rate_[entry] != 0;
      });
      const VariableId variable = is_dynamic_row_[i] != 0 && !moves
                                      ? defined_variable(model_.graph, causalized_.equations[rows_[i]])
                                      : VariableId();
      const auto found = variable.valid() ? column_of_.find(Unknown{variable, 0}) : column_of_.end();
      if (found != column_of_.end()) {
        result[found->second] = 1;
      }
    }
    return result;
  }

  // Of the algebraic unknowns in question those that are no rates under another name and not defined, as far as that is needed.
  bool choose_multipliers(std::span<const std::uint32_t> all) {
    const std::vector<std::uint8_t> is_defined = defined();
    for (const auto& [leaves_rates, leaves_defined] :
         {std::pair(false, false), std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
      multipliers_.clear();
      for (const std::uint32_t i : all) {
        if (!(leaves_rates && names_rate_[i] != 0) && !(leaves_defined && is_defined[i] != 0)) {
          multipliers_.push_back(i);
        }
      }
      if (multipliers_.size() == form_.constraints.size() && determine_motion()) {
        return true;
      }
    }
    return false;
  }

  bool find_multipliers() {
    mark_rates();
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < columns_.size(); ++i) {
      if (is_dynamic_[i] != 0 && is_rate_[i] == 0 && columns_[i].order == 0) {
        all.push_back(i);
      }
    }
    if (!choose_multipliers(all)) {
      std::vector<Unknown> names;
      for (const std::uint32_t i : all) {
        names.push_back(columns_[i]);
      }
      form_ = refused("it cannot be told by which " + std::to_string(form_.constraints.size()) +
                      " of the unknowns " + list_names(model_, names) + " its constraints act");
      return false;
    }
    std::sort(multipliers_.begin(), multipliers_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return columns_[a] < columns_[b]; });
    multiplier_of_.assign(columns_.size(), kNone);
    for (const std::uint32_t i : multipliers_) {
      multiplier_of_[i] = static_cast<std::uint32_t>(form_.multipliers.size());
      form_.multipliers.push_back(columns_[i]);
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (is_dynamic_row_[i] != 0) {
        form_.rows.push_back(rows_[i]);
      }
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (is_dynamic_[i] != 0 && multiplier_of_[i] == kNone) {
        form_.moved.push_back(columns_[i]);
      }
    }
    return true;
  }

  // With the multipliers given, whether the equations of motion determine everything else.
  [[nodiscard]] bool determine_motion() const {
    std::vector<std::uint8_t> is_given(columns_.size(), 0);
    for (const std::uint32_t i : multipliers_) {
      is_given[i] = 1;
    }
    Incidence others;
    others.n_columns = incidence_.n_columns;
    for (std::uint32_t row = 0; row < incidence_.n_rows(); ++row) {
      for (const std::uint32_t i : incidence_.row(row)) {
        if (is_given[i] == 0) {
          others.columns.push_back(i);
        }
      }
      others.row_starts.push_back(static_cast<std::uint32_t>(others.columns.size()));
    }
    others.sides.assign(others.columns.size(), Incidence::kLeftSide);
    Matching matching = empty_matching(others);
    const std::vector<std::uint32_t> all = all_rows();
    return extend_matching(others, all, others.n_columns, matching) == all.size();
  }

  // A multiplier belongs to the constraint that is about the same groups.
  void pair() {
    const std::size_t n = columns_.size();
    DisjointSets groups(n + rows_.size());
    for (std::uint32_t row = 0; row < incidence_.n_rows(); ++row) {
      for (const std::uint32_t i : incidence_.row(row)) {
        if (is_dynamic_row_[row] != 0 && is_dynamic_[i] != 0 && multiplier_of_[i] == kNone) {
          groups.join(n + row, i);
        }
      }
    }
    std::vector<std::set<std::size_t>> of_multiplier(multipliers_.size());
    for (std::uint32_t row = 0; row < incidence_.n_rows(); ++row) {
      for (const std::uint32_t i : incidence_.row(row)) {
        if (multiplier_of_[i] != kNone) {
          of_multiplier[multiplier_of_[i]].insert(groups.of(n + row));
        }
      }
    }
    std::map<std::set<std::size_t>, std::size_t> constraint_of;
    for (std::size_t k = 0; k < form_.constraints.size(); ++k) {
      std::set<std::size_t> own;
      for (const Unknown& unknown : unknowns_of(causalized_.equations[form_.constraints[k].row])) {
        const std::uint32_t i = column_of_.at(unknown);
        if (multiplier_of_[i] != kNone) {
          own.merge(std::set<std::size_t>(of_multiplier[multiplier_of_[i]]));  // a rate under another name
        } else if (is_dynamic_[i] != 0) {
          own.insert(groups.of(i));
        }
      }
      if (!constraint_of.try_emplace(std::move(own), k).second) {
        return;  // two constraints are about the same
      }
    }
    std::vector<Unknown> paired(multipliers_.size());
    std::vector<std::uint8_t> is_taken(multipliers_.size(), 0);
    for (std::size_t j = 0; j < multipliers_.size(); ++j) {
      const auto found = constraint_of.find(of_multiplier[j]);
      if (found == constraint_of.end() || is_taken[found->second] != 0) {
        return;
      }
      is_taken[found->second] = 1;
      paired[found->second] = form_.multipliers[j];
    }
    form_.multipliers = std::move(paired);
    form_.is_paired = true;
  }

  const flat::Model& model_;
  const Causalized& causalized_;
  ControlForm form_;
  std::map<Unknown, std::uint32_t> column_of_;
  std::vector<Unknown> columns_;  // unknowns that are no states
  std::vector<std::uint32_t> rows_;
  Incidence incidence_;  // of rows_ and columns_
  std::vector<std::uint8_t> is_dynamic_row_;
  std::vector<std::uint8_t> is_dynamic_;
  std::vector<std::uint8_t> is_rate_;
  std::vector<std::uint8_t> names_rate_;
  std::vector<std::uint32_t> multipliers_;    // columns
  std::vector<std::uint32_t> multiplier_of_;  // by column: its number; kNone
};

}  // namespace

ControlForm control_form(const flat::Model& model, const Causalized& causalized) {
  return ControlSearch(model, causalized).run();
}

}  // namespace saltus::structure
