/// Where a stepper stands between its attempts: nothing to inspect, a good attempt, or an accepted step that is still open (stepper.hpp).
#pragma once

#include "base/archive.hpp"
#include "integrate/step/statistics.hpp"
#include "saltus/contract.hpp"

namespace saltus::integrate {

class StepPhase {
 public:
  /// There is a good attempt that can be inspected …
  [[nodiscard]] bool is_open() const { return is_open_; }
  /// … and it has been accepted.
  [[nodiscard]] bool is_accepted() const { return is_accepted_; }

  void open() { is_open_ = true; }
  void close() { is_open_ = false; }
  /// The accepted point is the start of the step to come.
  void begin() {
    is_open_ = false;
    is_accepted_ = false;
  }
  void accept() {
    SALTUS_EXPECT(is_open_ && !is_accepted_, "only a good attempt can be accepted, and once");
    is_accepted_ = true;
  }
  /// Whether the attempt was good by its estimate, and is refused by another measure.
  bool reject() {
    SALTUS_EXPECT(!is_accepted_, "an accepted step cannot be rejected; retract it instead");
    const bool was_good = is_open_;
    is_open_ = false;
    return was_good;
  }
  void retract() {
    SALTUS_EXPECT(is_open_ && is_accepted_, "only an accepted step that is still open can be retracted");
    begin();
  }

  // … with their counts.
  void accept(Statistics& counts) {
    accept();
    ++counts.accepted;
  }
  void reject(Statistics& counts) { counts.rejected_by_error += reject() ? 1 : 0; }
  void retract(Statistics& counts) {
    retract();
    --counts.accepted;
    ++counts.retracted;
  }

  void fields(Archive& a) { a(is_open_, is_accepted_); }

 private:
  bool is_open_ = false;
  bool is_accepted_ = false;
};

}  // namespace saltus::integrate
