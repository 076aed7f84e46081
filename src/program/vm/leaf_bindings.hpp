/// What the leaves of a graph stand for when nodes are compiled: a place in memory, or another node.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "expr/graph.hpp"

namespace saltus::program {

struct Binding {
  enum class Kind : std::uint8_t {
    none,
    state,      ///< element `value` of the state vector
    input,      ///< input register `value` (0 is time)
    parameter,  ///< frozen register `value`
    node,       ///< the value of node `value`: the explicit formula of a variable
  };
  Kind kind = Kind::none;
  std::uint32_t value = 0;
};

/// Bindings of all leaves. Parameter j is bound to frozen register j and time to input 0 unless said
/// otherwise.
class LeafBindings {
 public:
  void bind_variable(VariableId variable, int order, Binding binding) {
    const auto k = static_cast<std::size_t>(order);
    if (variables_.size() <= k) {
      variables_.resize(k + 1);
    }
    set(variables_[k], variable.index(), binding);
  }
  void bind_condition(ConditionId condition, Binding binding) {
    set(conditions_, condition.index(), binding);
  }
  void bind_previous(VariableId variable, Binding binding) { set(previous_, variable.index(), binding); }
  void bind_parameter(ParameterId parameter, Binding binding) {
    set(parameters_, parameter.index(), binding);
  }

  /// The binding of a leaf node that is not a constant; kind none when nothing was said.
  [[nodiscard]] Binding of(const expr::Node& leaf) const {
    switch (leaf.op) {
      case expr::Op::time: return {Binding::Kind::input, 0};
      case expr::Op::variable:
        return leaf.second < variables_.size() ? get(variables_[leaf.second], leaf.first) : Binding{};
      case expr::Op::condition: return get(conditions_, leaf.first);
      case expr::Op::previous: return get(previous_, leaf.first);
      case expr::Op::parameter: {
        const Binding own = get(parameters_, leaf.first);
        return own.kind != Binding::Kind::none ? own : Binding{Binding::Kind::parameter, leaf.first};
      }
      default: return {};
    }
  }

 private:
  using Table = std::vector<Binding>;
  static void set(Table& table, std::size_t i, Binding binding) {
    if (table.size() <= i) {
      table.resize(i + 1);
    }
    table[i] = binding;
  }
  static Binding get(const Table& table, std::size_t i) { return i < table.size() ? table[i] : Binding{}; }

  std::vector<Table> variables_;  // by derivative order
  Table conditions_;
  Table previous_;
  Table parameters_;
};

}  // namespace saltus::program
