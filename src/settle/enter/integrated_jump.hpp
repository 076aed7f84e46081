/// Where states go that cannot keep their values and that no body mentions (docs/semantics.md 5.11).
///
/// Problem      the values of the states after a change of the equations: constraints alone leave open which of them give way
/// Method       what the equations integrated over the instant conserve (reduce/consistent/impulse_law.hpp) becomes jump equations
///              of the transfer: a state that is conserved by itself is held, all others may jump, relations between several are rows.
///              Coefficients that depend on what turns out to jump are taken out, and the law is posed again. A state that only follows from
///              what jumps, by a product that cannot be integrated (an energy), keeps its value: open().
///              Where the law contradicts the constraints, what both determine are positions (reduce/consistent/law_positions.hpp): they
///              move first, by least change, and the law is posed from there, until the positions stay.
/// Contract     pose(), then judge() with what was found or move() where there is nothing, in turn until they say accepted or refused;
///              after accepted, follows() and impulses() say what the law did. Refused: values are those of the least change.
/// Notation     written: the differential variables of the equations as written, of which several may be one state (aliases)
/// Fails when   the equations as written are not known (callbacks), or combined with derivatives of others: pose() is false
/// Cost         that of the law, at most kMostLawPasses times; nothing where nothing jumps
/// Checked by   tests/events/impulses_test.cpp, tests/events/impulse_monitors_test.cpp, tests/events/kept_positions_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reduce/consistent/impulse_law.hpp"
#include "settle/state/run_state.hpp"
#include "system/rounds.hpp"

namespace saltus::settle {

class IntegratedJump {
 public:
  explicit IntegratedJump(const RunState& state) : state_(state) {}

  /// By state of the target: variables that were several states are one in it, and had different values. Empty: there are none.
  [[nodiscard]] std::vector<std::uint8_t> joined(const ModeData& target) const;
  [[nodiscard]] bool joins_different(const ModeData& target) const { return !joined(target).empty(); }

  void begin();
  /// `x_entry`: what the states of the target are without the law. False: there is none.
  bool pose(const ModeData& target, const system::Configuration& configuration, double t,
            std::span<const double> x_entry);
  /// What pose() has found contradicts itself: variables that are one state are to keep different values.
  [[nodiscard]] bool is_contradictory() const { return is_contradictory_; }
  /// Else: where the states begin; jump equations over them; by state, whether it may jump.
  [[nodiscard]] const std::vector<double>& x_held() const { return x_held_; }
  [[nodiscard]] const std::shared_ptr<const system::JumpEquations>& equations() const { return equations_; }
  [[nodiscard]] const std::vector<std::uint8_t>& may_jump() const { return may_jump_; }

  enum class Verdict : std::uint8_t { accepted, again, refused };
  /// States that meet the constraints of the target (null: none), and the values of the slots of these.
  struct Consistent {
    std::span<const double> x;
    const system::EquationSet* constraints = nullptr;
    std::span<const double> slots;
  };
  /// What was found for the law as posed; `least`: by least change.
  Verdict judge(const ModeData& target, const Consistent& found, const Consistent& least);
  /// Nothing was found for it.
  Verdict move(const ModeData& target, const Consistent& least);

  /// Beside bodies, by state: those that stay while their rates jump, whatever values bodies give to `is_given` (by state), as the equations integrated over the
  /// instant and the constraints at `at` say: positions where velocities are given. Empty: not known. Ends what was posed.
  [[nodiscard]] std::vector<std::uint8_t> find_kept(const ModeData& target,
                                                    const system::Configuration& configuration, double t,
                                                    const Consistent& at,
                                                    std::span<const std::uint8_t> is_given);

  struct Impulse {
    std::string name;
    double size = 0.0;
  };
  /// Of the last law that was accepted.
  [[nodiscard]] bool is_accepted() const { return is_accepted_; }
  [[nodiscard]] const std::vector<Impulse>& impulses() const { return impulses_; }
  /// States whose jump depends on the way in between: they have kept their values. Empty: there are none.
  [[nodiscard]] const std::vector<std::string>& open() const { return open_; }
  [[nodiscard]] std::string open_text() const;
  /// The law and the constraints determine all that jumped; else the least change did a part.
  [[nodiscard]] bool is_determined() const { return is_determined_; }
  /// "by the equations integrated over the instant (impulse i = 3)", with what was done by least change.
  [[nodiscard]] std::string text() const;
  /// The law is about this quantity.
  [[nodiscard]] bool follows(const system::Quantity& quantity) const;

 private:
  // A differential variable of the equations as written.
  struct Written {
    std::size_t slot = 0;
    std::size_t state = 0;
    double sign = 1.0;
    double before = 0.0;  // NaN: not known
    double moved = 0.0;   // … a position: where it has moved to
  };

  [[nodiscard]] double before(const system::Quantity& quantity) const;
  bool find_written(const ModeData& target);
  void take_rows(const ModeData& target, std::span<const double> x_entry);
  bool linearise(const ModeData& target, const Consistent& at, std::vector<reduce::SparseRow>& rows,
                 std::size_t& n_columns) const;
  bool look_at(const ModeData& target, const Consistent& at);
  bool move_positions(const ModeData& target);
  [[nodiscard]] bool has_open(const ModeData& target, const Consistent& found,
                              std::span<const std::uint8_t> has_moved) const;
  void find_impulses(std::span<const double> x);

  const RunState& state_;
  std::shared_ptr<const system::WrittenCoefficients> coefficients_;
  std::optional<reduce::ImpulseLaw> law_;
  std::vector<Written> written_;
  std::vector<system::Quantity> quantities_;  // of the states
  std::vector<double> slots_;                 // values by slot of the equations as written
  std::vector<std::uint8_t> jumps_;           // by slot
  bool moves_positions_ = false;
  std::vector<double> x_at_;                    // that meet the constraints: where positions go
  std::vector<reduce::SparseRow> constraints_;  // there, over states and other slots, in nominal values
  std::size_t n_constrained_ = 0;               // columns of these
  std::vector<std::uint8_t> is_dropped_;        // by row of the law: constraints say it
  bool is_contradictory_ = false;
  std::vector<double> x_held_;
  std::vector<std::uint8_t> may_jump_;
  std::vector<reduce::SparseRow> rows_;  // over states
  std::shared_ptr<const system::JumpEquations> equations_;
  system::Configuration configuration_;
  double t_ = 0.0;
  int passes_ = 0;
  bool is_accepted_ = false;
  bool has_moved_positions_ = false;
  bool is_determined_ = false;
  std::vector<Impulse> impulses_;
  std::vector<std::string> open_;
};

}  // namespace saltus::settle
