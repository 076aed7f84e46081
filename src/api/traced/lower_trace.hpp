/// From the graph of a traced function to nodes and conditions of a flat model.
///
/// Method     operands come before what is made of them, so that one loop lowers all. A choice within a choice that leads to the same value in
///            several ways is written as one choice by a proposition: `if (a || b) p else q` is traced as a ? p : (b ? p : q) and lowered as
///            if a or b then p else q, which is what a text says; guards of propositions that do not change are no events.
/// Checked by tests/traced/same_as_text_test.cpp
#pragma once

#include <vector>

#include "api/traced/traced_equations.hpp"
#include "lang/elaborate/equation_maker.hpp"

namespace saltus::api {

class TraceLowering {
 public:
  TraceLowering(const TracedProgram& program, const trace::TraceGraph& graph,
                const lang::EquationMaker& maker, SourceSpan span);

  /// Residuals and the decisions that they, or other decisions, need.
  void lower(const trace::Residuals& residuals);
  /// left = right for a residual.
  [[nodiscard]] flat::Equation equation(NodeId residual, SourceSpan span) const;
  [[nodiscard]] bool is_number(NodeId residual) const { return images_[residual.index()].known; }
  /// The truth that these outcomes are not the present ones.
  [[nodiscard]] NodeId excluded(const std::vector<trace::Decision>& outcomes);
  [[nodiscard]] const TracedEquations::Truths& truths() const { return truths_; }
  /// A name of the function that the model has not; empty: none.
  [[nodiscard]] const std::string& missing() const { return missing_; }
  /// Whether numbers alone gave one that is none.
  [[nodiscard]] bool has_no_number() const { return has_no_number_; }

 private:
  [[nodiscard]] lang::Scalar image(const expr::Node& node, NodeId id);
  [[nodiscard]] lang::Scalar leaf(const expr::Node& node);
  [[nodiscard]] lang::Scalar decision(const expr::Node& node, NodeId id);
  [[nodiscard]] lang::Scalar choice(NodeId id);
  /// Of a comparison as it was written: x <= 0 for x > 0, over the same guard.
  [[nodiscard]] lang::Scalar contrary(std::uint32_t decision);
  [[nodiscard]] lang::Scalar relation(trace::Written how, std::uint32_t decision);
  [[nodiscard]] lang::Scalar conjunction(const std::vector<trace::Decision>& outcomes);
  [[nodiscard]] const lang::Scalar& of(std::uint32_t id) const { return images_[id]; }

  const TracedProgram& program_;
  const trace::TraceGraph& graph_;
  const lang::EquationMaker& maker_;
  lang::RelationContext context_;
  std::vector<lang::Scalar> images_;  // by node of the trace
  TracedEquations::Truths truths_;
  std::unordered_map<std::uint32_t, const std::vector<trace::Decision>*> within_;
  std::string missing_;
  bool has_no_number_ = false;
};

}  // namespace saltus::api
