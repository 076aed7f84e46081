/// Where states go that cannot keep their values and that no body mentions (docs/semantics.md 5.11).
///
/// Problem      the values of the states after a change of the equations: constraints alone leave open which of them give way
/// Method       what the equations integrated over the instant conserve (reduce/consistent/impulse_law.hpp) becomes jump equations
///              of the transfer: a state that is conserved by itself is held, all others may jump, relations between several are rows.
///              Coefficients that depend on what turns out to jump are taken out, and the law is posed again.
/// Contract     pose() and judge() in turn until judge() says accepted or refused; after accepted, follows() and impulses() say what the law
///              did. Refused: it contradicts the constraints, or says nothing; values are then those of the least change.
///              A position that is held and moves nevertheless (its constraint leaves no choice) is followed by velocities at the new positions.
/// Notation     written: the differential variables of the equations as written, of which several may be one state (aliases)
/// Fails when   the equations as written are not known (callbacks), or combined with derivatives of others: pose() is false
/// Cost         that of the law, at most kMostLawPasses times; nothing where nothing jumps
/// Checked by   tests/events/impulses_test.cpp
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

  /// Variables that were several states are one in the target, and had different values.
  [[nodiscard]] bool joins_different(const ModeData& target);

  void begin();
  /// `x_entry`: what the states of the target are without the law. False: there is none.
  bool pose(const ModeData& target, const system::Configuration& configuration, double t,
            std::span<const double> x_entry);
  /// What pose() has found: where the states begin; jump equations over them; by state, whether it may jump.
  [[nodiscard]] const std::vector<double>& x_held() const { return x_held_; }
  [[nodiscard]] const std::shared_ptr<const system::JumpEquations>& equations() const { return equations_; }
  [[nodiscard]] const std::vector<std::uint8_t>& may_jump() const { return may_jump_; }

  enum class Verdict : std::uint8_t { accepted, again, refused };
  /// `x`: the states that were found; `grade`, by state (reduce/consistent/graded_transfer.hpp), empty: not known. `constraints` of the
  /// target, null: none, and the values found of their slots.
  Verdict judge(const ModeData& target, const system::EquationSet* constraints, std::span<const double> slots,
                std::span<const double> x, std::span<const int> grade);

  struct Impulse {
    std::string name;
    double size = 0.0;
  };
  /// Of the last law that was accepted.
  [[nodiscard]] bool is_accepted() const { return is_accepted_; }
  [[nodiscard]] const std::vector<Impulse>& impulses() const { return impulses_; }
  /// The law and the constraints determine all that jumped; else the least change did a part.
  [[nodiscard]] bool is_determined() const { return is_determined_; }
  /// "by the equations integrated over the instant (impulse i = 3)".
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
  };

  [[nodiscard]] double before(const system::Quantity& quantity) const;
  bool find_written(const ModeData& target);
  bool take_rows(const ModeData& target, std::span<const double> x_entry);
  [[nodiscard]] bool has_open(const system::EquationSet* constraints, std::span<const double> slots,
                              std::span<const std::uint8_t> has_moved) const;
  void find_impulses(std::span<const double> x);

  const RunState& state_;
  std::shared_ptr<const system::WrittenCoefficients> coefficients_;
  std::optional<reduce::ImpulseLaw> law_;
  std::vector<Written> written_;
  std::vector<system::Quantity> quantities_;  // of the states
  std::vector<double> slots_;                 // values by slot of the equations as written
  std::vector<std::uint8_t> jumps_;           // by slot
  std::vector<double> moved_to_;              // by state: a position that had to move; NaN
  std::vector<double> x_held_;
  std::vector<std::uint8_t> may_jump_;
  std::vector<reduce::SparseRow> rows_;  // over states
  std::shared_ptr<const system::JumpEquations> equations_;
  system::Configuration configuration_;
  double t_ = 0.0;
  int passes_ = 0;
  bool is_accepted_ = false;
  bool is_determined_ = false;
  std::vector<Impulse> impulses_;
};

}  // namespace saltus::settle
