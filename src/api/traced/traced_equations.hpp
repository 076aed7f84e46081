/// The equations of a traced function: added to the flat model, and verified while it runs.
///
/// Method     the residuals with their choices (trace/merge.hpp) are lowered node by node through the tables of elaboration, as the same expressions
///            in a text would be: comparisons, abs, min, max and floor become conditions over canonical guards, what is used twice stays one node, and a
///            residual a - b is the equation a = b.
/// Choices    the flat model and not a text: common parts need no names there, so that the model has no variables that nobody declared, and its length
///            is that of the function. What belongs to declarations and clauses comes as text from ModelBuilder.
///            A comparison whose sides may have no value (roots, quotients) and that is asked under other outcomes only is false, and not evaluated,
///            outside of these.
/// Contract   equations do not change; where verification finds that the function says otherwise, larger() is the model to go on with
/// Checked by tests/traced/same_as_text_test.cpp, tests/traced/large_functions_test.cpp
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "api/model/added_equations.hpp"
#include "api/traced/traced_program.hpp"
#include "lang/elaborate/value.hpp"
#include "trace/exploration.hpp"

namespace saltus::api {

/// How a text is named and read again.
struct TracedText {
  std::string name;  ///< with the ending of its dialect
  std::string text;
  std::vector<SourceSpan> residual;  ///< where it names them, for messages
};

class TracedEquations final : public AddedEquations, public std::enable_shared_from_this<TracedEquations> {
 public:
  TracedEquations(std::shared_ptr<TracedProgram> program, std::shared_ptr<const TracedText> text,
                  trace::Residuals residuals)
      : program_(std::move(program)), text_(std::move(text)), residuals_(std::move(residuals)) {}

  void add(const lang::EquationMaker& maker) const override;
  [[nodiscard]] std::shared_ptr<const StretchCheck> check(std::shared_ptr<const flat::Model> model,
                                                          const program::ParameterOverrides& overrides,
                                                          bool has_tunable) const override;
  [[nodiscard]] std::optional<Model> larger() const override;
  [[nodiscard]] bool may_grow() const override { return !residuals_.is_complete; }
  [[nodiscard]] std::size_t n_runs() const override;

  /// What a decision has become.
  struct Truth {
    lang::Scalar scalar;       ///< of the comparison as it was written
    bool is_contrary = false;  ///< which is that of a >= b for the decision a < b
    /// Of a condition, to know it again.
    flat::Condition::Kind kind = flat::Condition::Kind::greater;
    GuardId guard = {};
    NodeId surface = {};
  };
  using Truths = std::unordered_map<std::uint32_t, Truth>;

  /// Verifies the equations under outcomes of all decisions; none: they hold.
  [[nodiscard]] std::optional<StretchCheck::Refusal> verify(
      const trace::Exploration::Outcomes& outcomes) const;
  [[nodiscard]] const std::vector<trace::KnownDecision>& decisions() const { return residuals_.decisions; }

 private:
  std::shared_ptr<TracedProgram> program_;
  std::shared_ptr<const TracedText> text_;
  trace::Residuals residuals_;
  mutable std::mutex mutex_;              // of what follows
  mutable std::optional<Truths> truths_;  // of the first elaboration
  mutable std::unordered_set<std::string> verified_;
  mutable bool is_extended_ = false;
  mutable std::optional<Model> larger_;
};

}  // namespace saltus::api
