// Jumps that nobody wrote (docs/semantics.md 5.11): the transfer with the law of the integrated equations.
#include <optional>
#include <utility>

#include "settle/enter/transfer.hpp"

namespace saltus::settle {

void Transfer::follow_law(ModeData& target, const system::RoundInputs& inputs) {
  law_.begin();
  if (!chosen_.rows.empty() || (changes_.empty() && !law_.joins_different(target))) {
    return;
  }
  const std::vector<double> least = x_;
  std::vector<int> grade;
  if (!find_by_law(target, inputs, grade)) {
    x_ = least;
    return;
  }
  note_changes(target, grade);
}

bool Transfer::find_by_law(ModeData& target, const system::RoundInputs& inputs, std::vector<int>& grade) {
  const std::vector<double> entry = x_before_;
  const std::vector<double> x_least = x_;
  const std::vector<double> slots_least = slots_found_;
  const Result<std::shared_ptr<const system::EquationSet>> constraints = constraints_of(target, inputs.t);
  if (!constraints) {
    return false;
  }
  const IntegratedJump::Consistent least{x_least, constraints->get(), slots_least};
  for (;;) {
    if (!law_.pose(target, configuration_, inputs.t, entry)) {
      return false;
    }
    IntegratedJump::Verdict verdict = IntegratedJump::Verdict::refused;
    if (const std::optional<std::vector<double>> slots = solve_with_law(target, inputs, grade)) {
      verdict = law_.judge(target, {x_, constraints->get(), *slots}, least);
    } else {
      verdict = law_.move(target, least);
    }
    if (verdict != IntegratedJump::Verdict::again) {
      return verdict == IntegratedJump::Verdict::accepted;
    }
  }
}

// The values of the slots; none: the law as posed contradicts itself or the constraints.
std::optional<std::vector<double>> Transfer::solve_with_law(ModeData& target,
                                                            const system::RoundInputs& inputs,
                                                            std::vector<int>& grade) {
  if (law_.is_contradictory()) {
    return std::nullopt;
  }
  x_ = law_.x_held();
  if (!has_constraints(target) && law_.equations()->rows.empty()) {
    return x_;
  }
  chosen_ = {.jumps = law_.equations(), .rows = {}, .may_jump = law_.may_jump(), .is_law = true};
  for (std::size_t row = 0; row < law_.equations()->rows.size(); ++row) {
    chosen_.rows.push_back(static_cast<Index>(row));
  }
  const Result<reduce::TransferProblem> problem = pose(target, inputs);
  chosen_ = {};
  Result<reduce::TransferValues> values =
      problem ? reduce::transfer_by_grades(*problem, inputs.t) : Unexpected(problem.error());
  if (!values || !values->open_slots.empty()) {
    return std::nullopt;
  }
  grade.assign(problem->is_graded ? x_.size() : 0, 0);
  for (std::size_t i = 0; i < x_.size(); ++i) {
    x_[i] = values->slots[slot_of_state_[i]];
    if (problem->is_graded) {
      grade[i] = values->grade[slot_of_state_[i]];
    }
  }
  return std::move(values->slots);
}

}  // namespace saltus::settle
