#include "flat/discrete_definitions.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include "expr/dependency.hpp"
#include "expr/substitute.hpp"

namespace saltus::flat {
namespace {

using expr::Op;

constexpr std::size_t kNoEquation = static_cast<std::size_t>(-1);

bool lasts(Condition::Kind kind) {
  return kind != Condition::Kind::sample && kind != Condition::Kind::initial &&
         kind != Condition::Kind::terminal;
}

class Definitions {
 public:
  explicit Definitions(Model& model)
      : model_(model), equation_of_(model.variables.size(), kNoEquation), substitution_(model.graph, {}) {}

  void put_in() {
    find();
    order();
    if (ordered_.empty()) {
      return;
    }
    for (const std::size_t variable : ordered_) {
      const NodeId meaning = substitution_(value_of(variable));
      substitution_.define(model_.graph.variable(VariableId(variable)), meaning);
    }
    for (std::size_t k = 0; k < model_.equations.size(); ++k) {
      if (!gives_discrete(k)) {
        rewrite(model_.equations[k]);
      }
    }
    for (Mode& mode : model_.modes) {
      std::for_each(mode.equations.begin(), mode.equations.end(), [this](Equation& e) { rewrite(e); });
    }
  }

 private:
  // `b = …` before `… = b`, and of two equations for one variable the first: as the split of equations has it.
  void find() {
    std::vector<std::uint8_t> is_taken(model_.equations.size(), 0);
    for (NodeId Equation::*const side : {&Equation::left, &Equation::right}) {
      for (std::size_t k = 0; k < model_.equations.size(); ++k) {
        const expr::Node& node = model_.graph[model_.equations[k].*side];
        if (is_taken[k] == 0 && is_discrete(node) && equation_of_[node.first] == kNoEquation) {
          equation_of_[node.first] = k;
          is_taken[k] = 1;
        }
      }
    }
  }

  [[nodiscard]] bool is_discrete(const expr::Node& node) const {
    return node.op == Op::variable && node.second == 0 &&
           model_.variables[node.first].variability == Variability::discrete;
  }

  [[nodiscard]] bool gives_discrete(std::size_t k) const {
    const auto is_given = [&](NodeId side) {
      const expr::Node& node = model_.graph[side];
      return is_discrete(node) && equation_of_[node.first] == k;
    };
    return is_given(model_.equations[k].left) || is_given(model_.equations[k].right);
  }

  [[nodiscard]] NodeId value_of(std::size_t variable) const {
    const Equation& equation = model_.equations[equation_of_[variable]];
    const expr::Node& left = model_.graph[equation.left];
    return is_discrete(left) && left.first == variable ? equation.right : equation.left;
  }

  // Discrete variables that the value reads; false where the value is none of relations and the like alone.
  bool read(std::size_t variable, std::vector<std::size_t>& reads) const {
    const NodeId value = value_of(variable);
    for (const NodeId leaf : expr::leaves_of(model_.graph, std::span(&value, 1))) {
      const expr::Node& node = model_.graph[leaf];
      if (is_discrete(node)) {
        reads.push_back(node.first);
      } else if (node.op == Op::condition ? !lasts(model_.conditions[node.first].kind)
                                          : node.op != Op::parameter) {
        return false;
      }
    }
    return true;
  }

  // Those that relations alone give, each behind what it reads (Kahn): what is left over depends on itself.
  void order() {
    std::vector<std::vector<std::size_t>> readers(model_.variables.size());
    std::vector<std::size_t> n_open(model_.variables.size(), 0);
    std::vector<std::uint8_t> is_definition(model_.variables.size(), 0);
    std::vector<std::vector<std::size_t>> reads(model_.variables.size());
    for (std::size_t v = 0; v < model_.variables.size(); ++v) {
      if (equation_of_[v] != kNoEquation) {
        is_definition[v] = read(v, reads[v]) ? 1 : 0;
      }
    }
    std::vector<std::size_t> ready;
    for (std::size_t v = 0; v < model_.variables.size(); ++v) {
      if (is_definition[v] == 0) {
        continue;
      }
      for (const std::size_t other : reads[v]) {
        if (is_definition[other] != 0) {
          readers[other].push_back(v);
          ++n_open[v];
        }
      }
      if (n_open[v] == 0) {
        ready.push_back(v);
      }
    }
    while (!ready.empty()) {
      const std::size_t v = ready.back();
      ready.pop_back();
      ordered_.push_back(v);
      for (const std::size_t reader : readers[v]) {
        if (--n_open[reader] == 0) {
          ready.push_back(reader);
        }
      }
    }
  }

  void rewrite(Equation& equation) {
    equation.left = substitution_(equation.left);
    equation.right = substitution_(equation.right);
  }

  Model& model_;
  std::vector<std::size_t> equation_of_;  // by variable
  std::vector<std::size_t> ordered_;      // variables with a definition, each behind what it reads
  expr::Substitution substitution_;
};

}  // namespace

void put_in_definitions(Model& model) {
  const bool has_discrete =
      std::any_of(model.variables.begin(), model.variables.end(),
                  [](const Variable& variable) { return variable.variability == Variability::discrete; });
  if (has_discrete && !model.conditions.empty()) {
    Definitions(model).put_in();
  }
}

}  // namespace saltus::flat
