/// The open step of a method: its ends, its errors, the curve between.
///
/// Contract     Open is a step between a good attempt and the next attempt or restart, before and after it is accepted: events are
///              looked for before anything is committed.
///              Where the evaluator projects, the ends lie where it puts them, and dense output ends at the projected result;
///              between, it keeps its order but is not projected.
#pragma once

#include <span>

#include "base/ids.hpp"
#include "base/interface.hpp"
#include "base/interval.hpp"
#include "integrate/step/error_norm.hpp"
#include "integrate/step/method_facts.hpp"
#include "system/evaluation.hpp"
#include "trajectory/compensated_time.hpp"
#include "trajectory/segment.hpp"

namespace saltus::integrate {

class OpenStep : public Interface {
 public:
  [[nodiscard]] virtual std::span<const double> step_start_state() const = 0;
  [[nodiscard]] virtual std::span<const double> step_end_state() const = 0;
  [[nodiscard]] virtual const trajectory::CompensatedTime& step_start_time() const = 0;
  [[nodiscard]] virtual double step_size() const = 0;  ///< signed
  [[nodiscard]] virtual const Tolerances& tolerances() const = 0;
  /// Of the last attempt that was good: by how much each state may be wrong; empty where the method has no estimate.
  [[nodiscard]] virtual std::span<const double> error_estimate() const { return {}; }
  /// Intervals that hold x̃ᵢ(θ) of the standard extension for θ in [0, 1], for some of the states, without making it; of the full
  /// one if it has been made and rows come from it. No state
  /// is asked for twice.
  virtual void enclose_step(std::span<const Index> states, std::span<Interval> ranges) const = 0;
};

class DenseStep : public OpenStep {
 public:
  /// Fills in the segment of the open step, which stays valid until the next attempt or restart. Fails only when an
  /// extra stage cannot be evaluated; the standard extension cannot fail.
  virtual system::Evaluation dense_output(DenseOutput which, trajectory::SegmentView& segment) = 0;
  /// The extension that rows come from: the full one where the other is of so low an order that rows would be off by many tolerances.
  [[nodiscard]] virtual DenseOutput output_extension() const { return DenseOutput::standard; }
  /// … as a segment; the standard one where the other cannot be evaluated.
  void make_output_extension(trajectory::SegmentView& segment) {
    if (output_extension() == DenseOutput::standard || !dense_output(DenseOutput::full, segment).ok()) {
      static_cast<void>(dense_output(DenseOutput::standard, segment));
    }
  }
  /// Right after the full extension was made, with its segment: moves it at θ to where the equations hold, in components that follow
  /// them at once; the start stays, and what lies beyond θ is no longer the solution. An event there then has a state from which they lead on without a transient. False: it
  /// is there already, or the method has no such components.
  virtual bool settle_extension(double /*theta*/) { return false; }
};

}  // namespace saltus::integrate
