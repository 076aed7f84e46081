/// When the next time event is due (LANGUAGE 5, "Time events"; docs/semantics.md 6).
///
/// Problem      of guards that are affine in time while a configuration holds, and of sample(start, interval), find the
///              first time after t, so exactly that steps can end there.
/// Method       a guard is written as (a·time + b)/d with a, b and d free of time; its surface g = n is reached at
///              (n·d - b)/a. So `floor(time/T)`, and with it mod(time, T), is due at n·T in one rounding. The k-th instant of
///              a clock is start + k·interval in one rounding (a fused product and sum).
/// Notation     a, b, d as above; n: 0 for a relation, else the whole number at which the held number changes next.
/// Contract     immutable and shared by threads; next() does not allocate.
/// Choices      times within one instant (base/time_tolerance.hpp) are due together, at the first of them.
/// Fails when   rounding of b, where it is no number of the model, moves a time by its own rounding error.
/// Cost         linear in the guards and clocks; coefficients that depend on parameters alone are computed once.
/// Checked by   tests/unit/program/schedule_test.cpp
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "program/blocks/block_sequence.hpp"
#include "program/guards/condition_inputs.hpp"
#include "structure/match/causalized.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::program {

/// A guard in its affine form. Nodes are free of time and of continuous variables.
struct ScheduledGuard {
  Index guard = -1;
  flat::Condition::Kind kind = flat::Condition::Kind::greater;
  NodeId rate;     ///< a
  NodeId offset;   ///< b
  NodeId divisor;  ///< d
};

/// The guards that are scheduled. Variables that `blocks` give as functions of time alone are seen through; blocks are
/// those of a model without modes, else empty.
[[nodiscard]] std::vector<ScheduledGuard> find_scheduled_guards(flat::Model& model,
                                                                const ConditionInputs& conditions,
                                                                std::span<const structure::Block> blocks);

using Clock = system::ClockTimes;

/// What is compiled of a schedule: a, b and d of every guard.
struct ScheduleCode {
  ScheduleCode() = default;
  /// The bindings are those of the run, with `n_frozen_inputs` frozen ones.
  ScheduleCode(const expr::Graph& graph, const ConditionInputs& conditions,
               std::vector<ScheduledGuard> guards, LeafBindings bindings, std::size_t n_frozen_inputs,
               std::size_t n_discrete);

  std::vector<ScheduledGuard> guards;
  std::shared_ptr<const SequenceCode> sequence;  ///< null: there are no guards
  std::size_t n_discrete = 0;
  bool varies = false;  ///< coefficients depend on the configuration
};

class Scheduler {
 public:
  /// Code and conditions must outlive the scheduler.
  Scheduler(const ScheduleCode& code, const ConditionInputs& conditions, std::vector<Clock> clocks,
            std::span<const double> frozen_inputs);

  [[nodiscard]] const Clock& clock(Index i) const { return clocks_[static_cast<std::size_t>(i)]; }
  void next(const system::Configuration& configuration, double t, double direction, double scale,
            bool inclusive, system::Schedule& schedule) const;

 private:
  struct Coefficients {
    double rate = 0.0;
    double offset = 0.0;
    double divisor = 1.0;
  };
  void update(const system::Configuration& configuration) const;
  [[nodiscard]] double time_of(std::size_t i, const system::Configuration& configuration,
                               double direction) const;

  const ScheduleCode& code_;
  const ConditionInputs& conditions_;
  std::vector<Clock> clocks_;
  std::optional<BlockSequence> sequence_;
  mutable std::mutex mutex_;  // over what follows
  mutable std::unique_ptr<SequenceRunner> runner_;
  mutable std::vector<Coefficients> coefficients_;
  mutable std::vector<double> times_;
};

}  // namespace saltus::program
