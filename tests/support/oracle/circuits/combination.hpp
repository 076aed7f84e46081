/// The linear circuit of one combination of conducting diodes and closed switches.
///
/// Problem      Element laws and Kirchhoff's current law are M y = F w for y = (potentials of the nodes, currents of the elements), where
///              w = (voltages of capacitors and currents of inductors, 1, levels of square waves, sine and cosine of each sine wave).
///              The rate of w follows: w' = A w.
/// Method       Gaussian elimination with full pivoting and one refinement in long double. Where M is singular (a capacitor parallel to a
///              conducting ideal diode and a source, an inductor in series with a blocking one), its left null vectors N give the
///              constraints N F w = 0 that the states must satisfy; their derivatives complete M. States that do not satisfy them jump by
///              impulses that obey the laws integrated over the instant (M with zero right side: charges and fluxes are kept).
/// Contract     Shares nothing with src. `is_determined` is false where that leaves something open. Guards are ≥ 0 where the diode is as the
///              combination says: its current if it conducts, minus its voltage if it blocks; 0 where it is blocked.
#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <vector>

#include "support/oracle/circuits/network.hpp"

namespace saltus::test::circuits {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Places within w.
class Signals {
 public:
  explicit Signals(const Network& network);

  [[nodiscard]] Eigen::Index size() const { return n_; }
  [[nodiscard]] Eigen::Index n_states() const { return static_cast<Eigen::Index>(states.size()); }
  [[nodiscard]] Eigen::Index one() const { return n_states(); }
  /// The value of a source as a combination of w.
  [[nodiscard]] Eigen::RowVectorXd source(const Network& network, std::size_t element) const;
  /// w at the time, with the states given.
  [[nodiscard]] Vector at(const Network& network, Real t, const Vector& states) const;
  /// Rates of all but the states.
  [[nodiscard]] Matrix rates(const Network& network) const;

  std::vector<std::size_t> states;  ///< elements
  std::vector<Eigen::Index> place;  ///< by element: of its wave, -1 for none
  std::vector<Eigen::Index> state;  ///< by element: of its state, -1 for none

 private:
  Eigen::Index n_ = 0;
};

/// Bits: diodes that conduct, switches that are closed, thyristors (as diodes) that block whatever their voltage; in the order of the elements.
struct Truths {
  std::uint64_t conducting = 0;
  std::uint32_t closed = 0;
  std::uint64_t blocked = 0;
  friend bool operator==(const Truths&, const Truths&) = default;
};

struct Combination {
  bool is_determined = false;
  Matrix y;            ///< potentials of nodes 1 …, then currents of the elements
  Matrix a;            ///< w' = a w
  Matrix constraints;  ///< rows c with c w = 0; none: index 1
  Matrix
      impulses;  ///< as y, from w before: what brings the states onto the constraints; only where there are some
  Matrix jump;    ///< of the states by it
  Matrix guards;  ///< one row for each diode
};

[[nodiscard]] Combination combine(const Network& network, const Signals& signals, Truths truths);

/// The voltage of an element, of the rows of Combination::y or ::impulses.
[[nodiscard]] Eigen::RowVectorXd voltage_row(const Network& network, const Matrix& y, std::size_t element);
[[nodiscard]] Eigen::RowVectorXd current_row(const Network& network, const Matrix& y, std::size_t element);

/// exp(a)
[[nodiscard]] Matrix exponential(const Matrix& a);

/// Just after an edge: edges are further apart.
inline constexpr Real kAfter = 1e-9;
/// Level of a square wave just after time t.
[[nodiscard]] Real level_of(const Wave& wave, Real t);

}  // namespace saltus::test::circuits
