/// What the variables of a network are by brute force, and how far a run of the library may be from it.
///
/// Method       A state may be off by 100·tolerance·(nominal + largest |x|), where an error of the states displaces an instant at which rates
///              jump by more; every other variable by what its coefficients make of that in the combination that holds. An instant may be off
///              by what that bound is of the slope of its guard. Passive networks of diodes bring solutions nearer to each other (in
///              the energy of their difference), so local errors add up and do not grow.
#pragma once

#include <vector>

#include "support/oracle/circuits/circuit_oracle.hpp"
#include "support/oracle/circuits/write_network.hpp"

namespace saltus::test::circuits {

class Reference {
 public:
  Reference(const Network& network, const CircuitRun& run, Real tolerance);

  /// How far the time of an instant may be off.
  [[nodiscard]] Real blur(std::size_t instant) const { return blurs_[instant]; }
  /// Places of the pieces that may hold at a time.
  [[nodiscard]] std::vector<std::size_t> pieces_near(Real t) const;
  /// Whether some diode is so near to zero that an error within the bounds may turn it.
  [[nodiscard]] bool is_open(Real t) const;
  /// Error over bound of a value of the library at a time, against one piece; and what is right.
  [[nodiscard]] Real ratio(const Column& column, std::size_t piece, Real t, Real value, Real& right) const;
  /// Of a diode among diodes.
  [[nodiscard]] std::size_t number_of(std::size_t element) const;

 private:
  [[nodiscard]] Eigen::RowVectorXd coefficients(const Column& column, const CircuitPiece& piece) const;
  [[nodiscard]] bool is_conducting(const CircuitPiece& piece, std::size_t element) const;
  [[nodiscard]] Real unit(const Column& column, const CircuitPiece& piece) const;
  [[nodiscard]] Real bound_of(const Eigen::RowVectorXd& row, std::size_t piece, const Vector& w) const;

  const Network& network_;
  const CircuitRun& run_;
  std::vector<Vector> bounds_;  ///< of states, by piece
  std::vector<Real> blurs_;     ///< of times, by instant
};

}  // namespace saltus::test::circuits
