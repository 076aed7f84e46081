#include "program/equations/firing_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "expr/dependency.hpp"
#include "program/guards/diagnostic_codes.hpp"
#include "structure/match/strong_components.hpp"

namespace saltus::program {
namespace {

using structure::Unknown;

class FiringGraph {
 public:
  FiringGraph(const SystemCode& data, const ModeCode& mode, bool with_jumps)
      : with_jumps_(with_jumps),
        data_(data),
        round_(mode.round),
        first_relation_(round_.blocks.size()),
        first_action_(first_relation_ + data.n_conditions()) {
    for (std::size_t k = 0; k < round_.blocks.size(); ++k) {
      for (const Unknown& unknown : round_.blocks[k].unknowns) {
        block_of_.emplace(unknown, k);
      }
    }
  }

  void build() {
    for (const structure::Block& block : round_.blocks) {
      std::vector<NodeId> roots;
      for (const EquationId row : block.equations) {
        const flat::Equation& equation = round_.system.equations[row.index()];
        roots.insert(roots.end(), {equation.left, equation.right});
      }
      add_node(roots);
    }
    for (std::size_t c = 0; c < data_.n_conditions(); ++c) {
      const flat::Condition& condition = data_.model.conditions[c];
      const NodeId operand =
          condition.guard.valid() ? data_.model[condition.guard].expression : condition.argument;
      add_node(operand.valid() ? std::vector<NodeId>{operand} : std::vector<NodeId>{});
    }
    const ActionTable& actions = data_.actions;
    for (std::size_t a = 0; a < actions.infos.size(); ++a) {
      std::vector<NodeId> roots;
      for (std::size_t b = 0; b <= a; ++b) {
        const system::ActionInfo& info = actions.infos[b];
        if (b == a || (info.clause >= 0 && info.clause == actions.infos[a].clause)) {
          const auto first = actions.triggers.begin() + info.first_trigger;
          roots.insert(roots.end(), first, first + info.n_triggers);
        }
      }
      add_node(roots);
    }
    structure::Matching own;
    own.column_of_row.resize(incidence_.n_rows());
    std::iota(own.column_of_row.begin(), own.column_of_row.end(), 0U);
    own.row_of_column = own.column_of_row;
    incidence_.n_columns = incidence_.n_rows();
    components_ = structure::strong_components(incidence_, own);
  }

  // Actions of each cycle.
  [[nodiscard]] std::vector<std::vector<std::size_t>> cycles() const {
    std::vector<std::vector<std::size_t>> result;
    for (std::uint32_t k = 0; k < components_.size(); ++k) {
      std::vector<std::size_t> found;
      for (const std::uint32_t node : components_[k]) {
        if (node >= first_action_) {
          found.push_back(node - first_action_);
        }
      }
      if (!found.empty() && components_[k].size() > 1) {
        result.push_back(std::move(found));
      }
    }
    return result;
  }

 private:
  void add_node(const std::vector<NodeId>& roots) {
    std::set<std::uint32_t> needed{incidence_.n_rows()};
    for (const NodeId leaf : expr::leaves_of(data_.model.graph, roots)) {
      const expr::Node& node = data_.model.graph[leaf];
      if (node.op == expr::Op::variable) {
        const auto block =
            block_of_.find({.variable = VariableId(node.first), .order = static_cast<int>(node.second)});
        if (block != block_of_.end()) {
          needed.insert(static_cast<std::uint32_t>(block->second));
        }
      } else if (node.op == expr::Op::condition) {
        add_held(node.first, needed);
      }
    }
    incidence_.columns.insert(incidence_.columns.end(), needed.begin(), needed.end());
    incidence_.sides.resize(incidence_.columns.size(), structure::Incidence::kRightSide);
    incidence_.row_starts.push_back(static_cast<std::uint32_t>(incidence_.columns.size()));
  }

  // Conditions of the model, the same as written, flags of what fired; what is known before the round leads nowhere.
  void add_held(std::uint32_t held, std::set<std::uint32_t>& needed) const {
    if (held < round_.first_fired) {
      const auto condition = held < round_.first_written ? held : held - round_.first_written;
      needed.insert(static_cast<std::uint32_t>(first_relation_ + condition));
    } else if (held < round_.first_jumping) {
      needed.insert(static_cast<std::uint32_t>(first_action_ + held - round_.first_fired));
    } else if (with_jumps_ && held < round_.first_state) {
      needed.insert(static_cast<std::uint32_t>(first_action_ + held - round_.first_jumping));
    }
  }

  bool with_jumps_;  // jump equations count: what a condition reads of the states they set
  const SystemCode& data_;
  const RoundSystem& round_;
  std::size_t first_relation_;
  std::size_t first_action_;
  std::map<Unknown, std::size_t> block_of_;
  structure::Incidence incidence_;
  structure::Components components_;
};

std::string texts_of(const ActionTable& actions, const std::vector<std::size_t>& cycle) {
  std::string texts;
  for (const std::size_t action : cycle) {
    texts += (texts.empty() ? "'" : ", '") + actions.infos[action].text + "'";
  }
  return texts;
}

}  // namespace

void find_firing_order(SystemCode& data, Diagnostics& diagnostics) {
  for (const ModeCode& mode : data.modes) {
    if (!mode.round.sequence && mode.round.blocks.empty()) {
      continue;
    }
    FiringGraph jumps(data, mode, true);
    jumps.build();
    for (const std::vector<std::size_t>& cycle : jumps.cycles()) {
      for (const std::size_t action : cycle) {
        data.actions.infos[action].is_own_cause = true;
      }
    }
    FiringGraph graph(data, mode, false);
    graph.build();
    for (const std::vector<std::size_t>& cycle : graph.cycles()) {
      const auto clause = [&](std::size_t action) { return data.actions.infos[action].clause; };
      const bool is_one = std::all_of(cycle.begin(), cycle.end(), [&](std::size_t action) {
        return clause(action) == clause(cycle.front()) && (clause(action) >= 0 || cycle.size() == 1);
      });
      const std::optional<SourceSpan> span = data.actions.infos[cycle.front()].span;
      if (!data.model.reinit_follows ||
          data.actions.infos[cycle.front()].kind != system::ActionInfo::Kind::when) {
        continue;
      }
      if (is_one) {
        data.warnings.warning(
            kOwnCondition,
            fmt::format(
                "the condition {} reads what the clause itself sets: it is asked with the values before",
                texts_of(data.actions, cycle)),
            span.value_or(SourceSpan{}), "write pre(…) of what is set");
      } else {
        diagnostics.error(kClausesInALoop,
                          fmt::format("the clauses {} set what each other's conditions read",
                                      texts_of(data.actions, cycle)),
                          span.value_or(SourceSpan{}), "write pre(…) in one of the conditions");
      }
    }
  }
}

}  // namespace saltus::program
