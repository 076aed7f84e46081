/// What a system and its locked systems share: compiled code with one set of numbers. Immutable once bound.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "program/equations/system_code.hpp"
#include "program/guards/parameter_values.hpp"

namespace saltus::program {

struct ModeData {
  const ModeCode& code;
  std::vector<system::StateInfo> states;
  std::vector<double> entry_states;
  BlockSequence derivatives;
  BlockSequence values;
  GuardSet guards;
  std::optional<BlockSequence> round;
};

struct SystemData {
  std::shared_ptr<const SystemCode> code;
  /// Parameters, then the values of conditions that depend on parameters alone.
  std::vector<double> frozen_inputs;
  std::vector<UnknownScale> scales;  ///< by variable
  std::vector<ModeData> modes;
  std::optional<Scheduler> scheduler;
  std::optional<BlockSequence> start;
  std::vector<double> start_values;  ///< by column: what pre(…) is in the problem of the start
  std::vector<double> start_guess;   ///< by slot of SystemCode::start_problem

  [[nodiscard]] const ModeData& initial_mode() const { return modes[code->initial_mode]; }
  /// Of a condition that depends on parameters alone.
  [[nodiscard]] double constant(ConditionId condition) const {
    return frozen_inputs[code->model.parameters.size() + condition.index()];
  }
  Late<std::vector<double>> time_units;      ///< by variable (program/time_units.cpp)
  std::shared_ptr<const SystemData> common;  ///< of another structure: the data whose units of time are these

  /// The time in which a variable changes by its nominal value where it moves, as far as the equations show it.
  [[nodiscard]] double time_unit(VariableId variable) const;
  /// The size of a variable or one of its derivatives.
  [[nodiscard]] double nominal_of(const structure::Unknown& unknown) const;
  /// Start values of the discrete variables.
  [[nodiscard]] std::vector<double> discrete_starts() const;
};

/// The unit of time of each variable, from the coefficients of the equations.
[[nodiscard]] std::shared_ptr<const std::vector<double>> find_time_units(const SystemData& data);

/// Where iterations for an unknown begin and how large it is.
struct ScaleOf {
  const SystemData& data;
  [[nodiscard]] UnknownScale operator()(const structure::Unknown& unknown) const;
};

[[nodiscard]] BlockSequence bind_sequence(std::shared_ptr<const SequenceCode> code, const SystemData& data);
/// The numbers of a system for equations over slots, in which discrete variables begin at their start values.
[[nodiscard]] EquationNumbers equation_numbers(std::shared_ptr<const SystemData> data);
/// … that does not outlive the data.
[[nodiscard]] EquationNumbers equation_numbers(const SystemData& numbers);
[[nodiscard]] std::shared_ptr<const EquationProgram> bind_equations(std::shared_ptr<const EquationCode> code,
                                                                    std::shared_ptr<const SystemData> data);

[[nodiscard]] std::shared_ptr<const system::LockedDae> make_locked(std::shared_ptr<const SystemData> data,
                                                                   std::size_t mode);

/// `asked` (null: none): sides from which truth values are looked for; a guard that is zero keeps its side there.
[[nodiscard]] Result<system::InitialPoint> find_initial_point(const SystemData& data, double t,
                                                              const system::Configuration* asked);
/// All guards at the start values of variables: where the search for truth values begins.
[[nodiscard]] std::vector<double> guards_at_starts(const SystemData& data, double t);
/// SystemStarts::start_configuration().
[[nodiscard]] system::Configuration start_configuration(const SystemData& data, double t);
/// What guards with these values latch in the initial mode, as written; 0 for those that it cannot evaluate.
[[nodiscard]] std::vector<double> latched_of_values(const SystemCode& code, std::span<const double> values);

/// The start of a system with start_problem: a point that is still to be found.
[[nodiscard]] Result<system::InitialPoint> begin_constrained_start(std::shared_ptr<const SystemData> data,
                                                                   double t,
                                                                   const system::Configuration* asked);
/// One or the other of these.
[[nodiscard]] Result<system::InitialPoint> initial_of(const std::shared_ptr<const SystemData>& data, double t,
                                                      const system::Configuration* asked = nullptr);
[[nodiscard]] std::unique_ptr<system::RoundSolver> make_round_solver(std::shared_ptr<const SystemData> data,
                                                                     std::size_t mode);

}  // namespace saltus::program
