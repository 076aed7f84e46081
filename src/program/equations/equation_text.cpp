#include "program/equations/equation_text.hpp"

#include "expr/print.hpp"
#include "expr/taylor.hpp"
#include "structure/match/names.hpp"

namespace saltus::program {

std::vector<system::RowInfo> describe_rows(const flat::Model& model, expr::Graph& graph,
                                           std::span<const RowSource> rows) {
  const expr::LeafName name = [&model](const expr::Node& leaf) -> std::string {
    switch (leaf.op) {
      case expr::Op::variable:
        return structure::name_of(
            model, {.variable = VariableId(leaf.first), .order = static_cast<int>(leaf.second)});
      case expr::Op::parameter: return model[ParameterId(leaf.first)].name;
      case expr::Op::condition: return "(" + model[ConditionId(leaf.first)].text + ")";
      case expr::Op::previous: return "pre(" + model[VariableId(leaf.first)].name + ")";
      default: return expr::default_leaf_name(leaf);
    }
  };
  expr::TaylorExpansion taylor(graph, {.coefficient = {}, .rests = [&model](const expr::Node& leaf) {
                                         return model[VariableId(leaf.first)].variability ==
                                                flat::Variability::discrete;
                                       }});
  std::vector<system::RowInfo> infos;
  infos.reserve(rows.size());
  for (const RowSource& row : rows) {
    NodeId left = row.left;
    NodeId right = row.right;
    for (int k = 0; k < row.n_more_derivatives; ++k) {
      left = taylor.total_derivative(left, 1);
      right = taylor.total_derivative(right, 1);
    }
    system::RowInfo& info = infos.emplace_back();
    info.text = expr::print(graph, left, name, kLongestEquation) + " = " +
                expr::print(graph, right, name, kLongestEquation);
    info.equation = row.equation;
    info.order = row.order;
    info.is_combined = row.is_combined;
    if (row.span.length > 0) {
      info.span = row.span;
    }
  }
  return infos;
}

}  // namespace saltus::program
