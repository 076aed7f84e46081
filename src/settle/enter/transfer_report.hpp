/// What a round did to the values of differential variables, for a person and for programs (docs/semantics.md 5.9).
///
/// Notation     smooth: no differential variable jumps. A differential variable is one that is a state before or after the round.
/// Choices      A variable that was a state and is given by equations now takes the value that they give: that is told as
///              reinitialised, unless a body of the round sets states. Amounts are those from reduce::kMoved of the size on.
/// Checked by   tests/events/transfer_test.cpp
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "settle/enter/transfer.hpp"
#include "settle/state/event.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::settle {

class TransferReport {
 public:
  explicit TransferReport(const RunState& state) : state_(state) {}

  void begin() {
    items_.clear();
    impulse_order_ = -1;
    transfer_case_ = 0;
    follows_law_ = false;
    law_text_.clear();
  }
  /// After the round is solved in `target`, while the run still stands before it. `x_entry` is what the states of the target
  /// were without the round.
  void look(const ModeData& target, const std::vector<double>& x_entry, const Transfer& transfer);
  [[nodiscard]] TransferKind kind() const;
  [[nodiscard]] bool is_reinitialised() const;
  /// What was reinitialised follows the equations integrated over the instant (integrated_jump.hpp); else the least change.
  [[nodiscard]] bool follows_law() const { return follows_law_; }
  [[nodiscard]] int impulse_order() const { return impulse_order_; }
  /// Number of the case of [Wun08] 5.4 in which d, a and u change; 0: not known, or none of them.
  [[nodiscard]] int transfer_case() const { return transfer_case_; }
  /// "smooth", or "not smooth: …" with what made the jumps and the largest of them.
  [[nodiscard]] std::string text() const;
  /// "reinitialised: …", empty where nothing was.
  [[nodiscard]] std::string reinitialised_text() const;

 private:
  struct Item {
    std::string_view name;
    double from = 0.0;
    double to = 0.0;
    double part = 0.0;  // |to - from| in units of its size
    bool by_body = false;
  };
  // Two engines: variables that are states of the first and no states of the second.
  struct Lost {
    const Engine* from = nullptr;
    const Engine* to = nullptr;
    std::vector<Index> variables;
    std::vector<std::string_view> names;
    std::vector<double> nominal;
    std::vector<Index>
        of_states;  // by state of `to`: the variable that it is, negative for derivatives and algebraic ones
  };

  void add(std::string_view name, double from, double to, double nominal, bool by_body);
  void look_at_entered(const ModeData& target, const std::vector<double>& x_entry, const Transfer& transfer);
  void look_at_lost(const ModeData& target);
  [[nodiscard]] const Lost& lost(const ModeData& target);
  [[nodiscard]] std::string list(bool by_body) const;

  const RunState& state_;
  std::vector<Item> items_;
  int impulse_order_ = -1;
  int transfer_case_ = 0;
  bool follows_law_ = false;
  std::string law_text_;
  std::vector<Lost> lost_;
};

}  // namespace saltus::settle
