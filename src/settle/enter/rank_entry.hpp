/// Structures that are entered by ranks, because their matrix is singular where they are entered.
///
/// Problem      a transition or a change of structure leads to equations whose structure promises a regular matrix of the highest
///              derivatives, but whose numbers do not: their index is higher, and hidden constraints are not among those known
/// Method       the rates are asked for at the values of the entry, before guards and transitions of the target are: a singular
///              block says that ranks are needed, as at the start. The same structure reduced by ranks is then entered.
/// Contract     A structure that was taken by ranks once is so for the rest of the run (ModeCache::use_ranks), and is reported once.
/// Fails when   there are too many unknowns for ranks, or the system offers none: what the structure said then stands
/// Cost         an evaluation of rates for an entry
/// Checked by   tests/events/rank_entry_test.cpp, tests/property/random_dae_test.cpp
#pragma once

#include <span>
#include <string>
#include <vector>

#include "settle/state/run_state.hpp"

namespace saltus::settle {

class RankEntry {
 public:
  explicit RankEntry(RunState& state) : state_(state) {}

  /// Whether the equations of `target` have no unique rates at x because a matrix is singular; why() then says which. What is NaN counts
  /// as zero.
  [[nodiscard]] bool is_singular(ModeData& target, const system::Configuration& configuration,
                                 std::span<const double> x);
  /// … or no unique values.
  [[nodiscard]] bool has_singular_values(ModeData& target, std::span<const double> x);
  /// The same by ranks; null where that cannot be, or where it is so already.
  [[nodiscard]] ModeData* by_ranks_instead(const ModeData& target);
  /// The structure could be entered by ranks: it stays so, with a warning.
  void take(const ModeData& structural);

  [[nodiscard]] const std::string& why() const { return why_; }
  void set_why(std::string reason) { why_ = std::move(reason); }

 private:
  bool note(const ModeData& target, const system::Evaluation& evaluation);

  RunState& state_;
  std::string why_;
  std::vector<double> x_;
  std::vector<double> rates_;
  std::vector<double> values_;
};

}  // namespace saltus::settle
