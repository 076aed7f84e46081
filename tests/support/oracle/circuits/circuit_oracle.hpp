/// Networks of ideal diodes and switches by brute force.
///
/// Problem      The trajectory of a Network: for every time the combination of conducting diodes in which all of them are as their signs
///              say, the instants at which it changes, and all values.
/// Method       The combination is found by trying all, or by pivoting (diode_choice.hpp). Where the network of resistors and diodes is passive its solutions at
///              given states form a convex set (linear complementarity with a positive semidefinite matrix), so one that is determined and
///              strict is the only one. Between instants w' = A w is solved by matrix exponentials on a grid that begins at H/2²⁴ after each
///              instant and doubles; guards are looked at there together with minima between two points (by the sign of their rates), and
///              crossings are bisected to rounding.
/// Contract     Shares nothing with src. What is not decided is said (`Outcome`).
/// Fails when   No combination is consistent; start values miss a constraint; a switch chatters on its own threshold.
/// Cost         2^k solutions of small systems for each position of the switches; milliseconds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/oracle/circuits/combination.hpp"
#include "support/oracle/circuits/diode_choice.hpp"

namespace saltus::test::circuits {

/// Bits of Truths.
inline constexpr std::size_t kMostDiodes = 60;

struct CircuitInstant {
  Real time = 0;
  Truths before{};
  Truths after{};
  bool is_scheduled = false;  ///< by time alone
  Real slope = 0;             ///< of the guard that crossed, for others 0
  Vector gains{};             ///< of that guard with respect to the states
};

/// Between two instants.
struct CircuitPiece {
  Truths truths{};
  std::shared_ptr<const Combination> combination;
  std::vector<Real> times;
  std::vector<Vector> w;
};

struct CircuitRun {
  enum class Outcome { complete, none, several, start, slides, touches, too_many };
  Outcome outcome = Outcome::complete;
  std::string why;
  std::vector<CircuitPiece> pieces;
  std::vector<CircuitInstant> instants;
  Vector largest;              ///< |state|
  bool has_jumps = false;      ///< of states, at some instant
  bool changes_index = false;  ///< some piece has constraints between states
  bool has_ties =
      false;  ///< some diode neither conducts nor blocks: the combination is not unique, the values are
  bool grazes = false;  ///< a guard of a diode comes near zero and returns

  /// The piece that holds just after the time, or just before it.
  [[nodiscard]] const CircuitPiece& piece_at(Real t, bool is_after) const;
  [[nodiscard]] static Vector w_at(const CircuitPiece& piece, Real t);
};
[[nodiscard]] const char* to_string(CircuitRun::Outcome outcome);

/// Of more diodes than `most_enumerated` the combination is found by pivoting.
[[nodiscard]] CircuitRun solve(const Network& network, std::size_t most_enumerated = kMostEnumerated);

}  // namespace saltus::test::circuits
