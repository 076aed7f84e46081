/// Rows of events.csv, in the order in which things happen (docs/output.md).
///
/// Choices      Events hold views of the model's texts; the few that are written anew stay here until the next event.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/archive.hpp"
#include "settle/enter/transfer_report.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::settle {

class EventLog {
 public:
  explicit EventLog(RunState& state) : state_(state) {}

  /// A guard of the equations whose latched value was `from`; what it is now stands in the configuration.
  void condition(Index guard, double from, bool is_scheduled);
  /// A guard that has crossed and come back in one instant, after states have jumped.
  void returned(Index guard);
  void slide_enter(Index guard, double from);
  void slide_exit(Index guard, double from);
  /// `transfer`: what the round did to the values.
  void fired(const system::ActionInfo& action, const TransferReport& transfer);
  /// `others`: transitions that hold too and come later in the text.
  void transition(const system::ActionInfo& action, std::string_view from, std::string_view to,
                  bool is_immediate, const TransferReport& transfer, std::span<const Index> others);
  void zeno(const system::ActionInfo& action, double accumulation);
  /// From one set of characteristic values to another.
  void structure(std::string_view from, std::string_view to);
  void terminate(std::string_view text);
  /// Of a gap: its rates before and after.
  void impact(Index gap, double from, double to, double impulse);
  /// What a change of structure has moved in this instant, and by which rule: for the next row of a condition.
  void note_moved(std::string text);

  /// Whether the next row is the one of Options::explain_event.
  [[nodiscard]] bool explains_next() const;

  void fields(Archive& a) {
    // Not saved: what is being told event_, from_text_, to_text_, detail_text_.
    a(moved_, time_moved_);
  }

 private:
  Event& begin(EventKind kind);
  void tell();
  void add_cause(const system::ActionInfo& action);
  void add_transfer(const TransferReport& transfer, std::string_view text);
  // The latched value of a guard in words; `text` holds it if it must be written.
  [[nodiscard]] std::string_view value_text(Index guard, double value, std::string& text) const;
  [[nodiscard]] std::string_view guard_of(const system::ActionInfo& action) const;

  RunState& state_;
  Event event_;
  std::string from_text_;
  std::string to_text_;
  std::string detail_text_;
  std::string moved_;
  double time_moved_ = 0.0;
};

}  // namespace saltus::settle
