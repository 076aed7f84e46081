/// What is looked at in every round: when branches, transitions, assertions, terminates, in one list.
///
/// Contract     actions are numbered: branches of when clauses in the order of the source, transitions mode by mode,
///              assertions, terminates of the equation section. Assertions over parameters alone are no actions: they
///              are checked when a system is built.
/// Checked by   tests/unit/program/rounds_test.cpp
#pragma once

#include <vector>

#include "flat/model.hpp"
#include "program/guards/condition_inputs.hpp"
#include "program/guards/parameter_values.hpp"
#include "system/guards.hpp"
#include "system/rounds.hpp"

namespace saltus::program {

struct ActionTable {
  std::vector<system::ActionInfo> infos;
  std::vector<const flat::Body*> bodies;  ///< by action; null for assertions and terminates
  std::vector<ModeId> from;  ///< by action: mode that a transition leaves; else as infos[…].mode
  std::vector<NodeId> triggers;
  std::vector<system::BodyMessageInfo> messages;
  std::vector<NodeId> message_conditions;
  std::vector<Index> first_reinit;  ///< by action: number of the first reinit of its body
  Index n_reinits = 0;
};

/// The model must outlive the table.
[[nodiscard]] ActionTable collect_actions(const flat::Model& model, const ConditionInputs& conditions,
                                          ParameterValues& parameters);

/// Fills ActionInfo::is_scheduled: every condition of the triggers is a clock or over a scheduled guard.
void find_scheduled_actions(const flat::Model& model, const ConditionInputs& conditions,
                            const std::vector<system::GuardInfo>& guards, ActionTable& actions);

/// Whether the body of action `action` takes part in rounds that end in `mode`: its own, those of clauses that hold
/// everywhere or of a mode from which a transition leads here, and transitions into the mode.
[[nodiscard]] bool takes_part(const flat::Model& model, const ActionTable& actions, std::size_t action,
                              ModeId mode);

}  // namespace saltus::program
