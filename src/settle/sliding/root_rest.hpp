/// Problem      laws with infinite slopes, k·√(h1 - h2) of a valve: levels that meet do so in finite time and stay equal, and several
///              that exchange come to rest at one instant. What rounding leaves of a difference then moves it (√1e-16 = 1e-8), and where
///              the first of them is zero, others are 1e-14 away
/// Method       Guards across which the equations are continuous with infinite slopes (GuardInfo::has_root) and that are zero, with
///              those of the kind that are within their reach of zero: C. All of C on their surfaces (least change in nominal values, by
///              conjugate gradients), roots as they are there, gives ẋ. A guard that this moves is taken from C; what is left is
///              asked again, until nothing in C moves: it rests. The equations do not jump, so that of the others that are zero the
///              rate says the side; they stay on their surfaces: a side that ends there has no values behind it. What was at rest and is
///              not any more keeps its value, which says its side.
/// Notation     reach δ = kRestReach·e_g, e_g what the error test allows the guard to be off; moved: |ġ|·(length of the run) > δ, unless it
///              stays within its reach for kRestMoment of the run and its root leads it back there (a valve through which next to nothing
///              flows: what keeps it open is smaller than what can be resolved)
/// Contract     what rests has the side 0 and a reach (RootMarks): it counts as zero as long as |g| ≤ δ, which is watched. States move by
///              no more than that makes necessary; another guard of the kind that this brings to its other side has that side.
/// Choices      guards that depend on sides (over variables that choices give implicitly) are not asked for
/// Fails when   ẋ cannot be evaluated: nothing is decided, the general decision follows
/// Cost         for each turn one right-hand side and |C| gradients; at most |C| turns
/// Checked by   tests/events/root_laws_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "settle/state/run_state.hpp"

namespace saltus::settle {

class RootRest {
 public:
  explicit RootRest(RunState& state) : state_(state) {}

  /// Whether a guard is one that is decided here.
  [[nodiscard]] bool is_asked(Index guard) const;
  /// Guards that are zero, each of them asked here: sides, or rest. False: nothing was decided.
  /// `has_left`: a guard has come to the end of its reach, so that roots do not lead back what moves.
  [[nodiscard]] bool decide(std::span<const Index> zero, bool has_left);

 private:
  struct Member {
    Index guard = -1;
    bool is_zero = false;     // it was asked for; otherwise near
    bool is_brought = false;  // onto its surface, by others
    bool rests = true;
    double reach = 0.0;
    double rate = 0.0;
    std::size_t first = 0;  // of its slopes
    std::size_t last = 0;
    double time_slope = 0.0;

    bool is_off = false;  // it was at rest, within its reach of zero and not at zero

    [[nodiscard]] bool is_on_surface() const { return rests || is_brought || (is_zero && !is_off); }
  };
  struct Slope {
    std::size_t state = 0;
    double value = 0.0;
  };

  [[nodiscard]] bool gather(std::span<const Index> zero);
  void join(Member member);
  void forget_joined();
  [[nodiscard]] bool has_joined();
  [[nodiscard]] double value_of(Index guard);
  [[nodiscard]] bool is_within_rounding(Index guard);
  [[nodiscard]] bool move_onto_surfaces();
  void least_change(std::span<const double> values);
  [[nodiscard]] bool take_sides();
  [[nodiscard]] bool evaluate();
  [[nodiscard]] double rate_of(const Member& member) const;
  [[nodiscard]] double square_of_slopes(const Member& member) const;
  [[nodiscard]] bool is_led_back(const Member& member);
  [[nodiscard]] bool drop_moving();
  void give(const system::Configuration& configuration);
  void step_off_surfaces();
  void accept();

  RunState& state_;
  bool has_left_ = false;
  std::vector<Member> members_;
  std::size_t n_gathered_ = 0;  // of the members; what others have brought comes after them
  std::vector<Slope> slopes_;
  std::vector<double> x_;
  std::vector<double> xdot_;
  std::vector<double> beside_;
  std::vector<double> gradient_;
  std::vector<double> values_;
  std::vector<Index> on_surfaces_;
  std::vector<Index> asked_;  // all guards of the kind
  system::Configuration tried_;
  // Conjugate gradients: by member, and by state.
  std::vector<double> residual_;
  std::vector<double> direction_;
  std::vector<double> image_;
  std::vector<double> along_;
};

}  // namespace saltus::settle
