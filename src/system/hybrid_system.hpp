/// The whole model as the numeric tower sees it (DESIGN 3): immutable, shared by threads.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/interface.hpp"
#include "saltus/result.hpp"
#include "system/initial_problem.hpp"
#include "system/locked_dae.hpp"
#include "system/rounds.hpp"

namespace saltus::system {

struct VariableInfo {
  std::string name;
  bool is_discrete = false;
  bool is_boolean = false;
  bool is_integer = false;
  std::string unit;
  std::string description;
};

struct ModeInfo {
  std::string name;                                               ///< "main" for a model without modes
  std::optional<std::pair<ModeId, ModeId>> sliding_between = {};  ///< a sliding mode that the user wrote
  std::vector<std::uint8_t> has_variable = {};                    ///< by variable; empty: all exist
  Index n_algebraic = 0;  ///< for reports: a of the characteristic values
};

/// Consistent values at the start, with what had to be decided to find them.
struct InitialPoint {
  std::vector<double> x;
  std::vector<double> guess;   ///< values of what implicit blocks determine, for LockedDae::make_evaluator
  std::vector<double> values;  ///< all variables
  /// Relations as written on the initial values: a guard that is zero there has side 0.
  Configuration configuration;
  std::vector<double> discrete_before;  ///< pre(…) of discrete variables in the initial problem
  Diagnostics warnings;                 ///< starts that were moved or were missing
  /// Set where the mode has constraints or is reduced by ranks: x, guess and values are then still to be found
  /// (initial_problem.hpp says how, reduce/consistent/consistent_values.hpp does it).
  std::shared_ptr<const InitialProblem> problem = {};

  void fields(Archive& a) {
    // Not saved: warnings, which were told; problem, which is solved.
    a(x, guess, values, configuration, discrete_before);
  }
};

/// One of the structures of a mode. Where conditions or discrete values decide which unknowns the equations contain, a mode has several: each is
/// a system of its own, with its own states and index. Number 0 is the one that all configurations share where they can.
struct StructureId {
  ModeId mode;
  Index number = 0;

  StructureId() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a mode alone means the common one
  StructureId(ModeId of_mode, Index its_number = 0) : mode(of_mode), number(its_number) {}
  friend bool operator==(const StructureId&, const StructureId&) = default;
};

/// Which variables and guards have to do with each other, by number of their part: what happens in one part changes nothing in another. What
/// is given from outside (a source that many circuits share) is a part of its own.
struct ModelParts {
  Index n_parts = 0;
  std::vector<Index> of_variable;  ///< by column
  std::vector<Index> of_guard;
};

/// What is due at the next scheduled time.
struct Schedule {
  double time = 0.0;          ///< ±∞: nothing more
  std::vector<Index> guards;  ///< scheduled guards that reach their surface then
  std::vector<Index> clocks;  ///< samples

  void fields(Archive& a) { a(time, guards, clocks); }
};

/// When a clock is due: start + k·interval, k = 0, 1, …
struct ClockTimes {
  double start = 0.0;
  double interval = 1.0;
};

/// What the model consists of.
class SystemFacts : public Interface {
 public:
  /// The columns of a trajectory.
  [[nodiscard]] virtual const std::vector<VariableInfo>& variables() const = 0;
  /// Places of the discrete variables in variables().
  [[nodiscard]] virtual const std::vector<Index>& discrete() const = 0;
  [[nodiscard]] virtual const std::vector<ModeInfo>& modes() const = 0;
  [[nodiscard]] virtual const std::vector<GuardInfo>& guards() const = 0;
  [[nodiscard]] virtual const std::vector<ActionInfo>& actions() const = 0;
  [[nodiscard]] virtual const std::vector<BodyMessageInfo>& messages() const = 0;
  [[nodiscard]] virtual Index n_clocks() const = 0;
  [[nodiscard]] virtual ClockTimes clock_times(Index /*clock*/) const { return {}; }
  /// Whether there is anything to solve in a round: actions or discrete equations.
  [[nodiscard]] virtual bool has_rounds() const = 0;
};

/// Where states begin: in a run, in a mode.
class SystemStarts : public Interface {
 public:
  [[nodiscard]] virtual ModeId initial_mode() const { return ModeId(std::size_t{0}); }
  [[nodiscard]] virtual Result<InitialPoint> initial(double t) const = 0;
  /// The same in the structure of a configuration of the initial mode, looked for from its sides on; a guard that is zero there keeps
  /// its side.
  [[nodiscard]] virtual Result<InitialPoint> initial_in(const Configuration& /*asked*/, double t) const {
    return initial(t);
  }
  /// The initial mode with the sides that the start values of the variables have by themselves, whatever equations say.
  [[nodiscard]] virtual Configuration start_configuration(double /*t*/) const { return {}; }
  /// Start values of the states of a mode, for own variables on entry; NaN where the model gives none.
  [[nodiscard]] virtual std::vector<double> entry_states(const StructureId& structure) const = 0;
};

class HybridSystem : public SystemFacts, public SystemStarts {
 public:
  /// Whether some mode has more than one structure.
  [[nodiscard]] virtual bool has_structures() const { return false; }
  [[nodiscard]] virtual StructureId structure_of(const Configuration& configuration) const {
    return configuration.mode;
  }
  /// By guard: those with one number decide the structure together, whatever the others are; -1: it does not decide any. Empty where no
  /// mode has more than one structure.
  [[nodiscard]] virtual std::span<const Index> structure_groups(ModeId /*mode*/) const { return {}; }
  /// A structure in the state of a run (base/archive.hpp): numbers are those of this object, what decides the structure is not.
  virtual void structure_fields(Archive& a, StructureId& structure) const {
    a(structure.mode, structure.number);
  }
  /// Null: all is one part.
  [[nodiscard]] virtual const ModelParts* parts() const { return nullptr; }
  /// The smooth system of a mode; evaluators then take the configuration, which must be one of that structure.
  [[nodiscard]] virtual Result<std::shared_ptr<const LockedDae>> lock(const StructureId& structure) const = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<RoundSolver>> rounds(const StructureId& structure) const = 0;

  /// The first scheduled time after `t` (beyond it by more than one instant; in the direction of the run), or at `t`
  /// itself with `inclusive` (the start). `scale` is the largest |time| of the run (base/time_tolerance.hpp).
  virtual void next_scheduled(const Configuration& configuration, double t, double direction, double scale,
                              bool inclusive, Schedule& schedule) const = 0;
};

}  // namespace saltus::system
