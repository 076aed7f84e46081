/// What the variables of a network are by brute force, and how far a run of the library may be from it.
///
/// Method       A state may be off by 100·tolerance·(nominal + largest |x|), where an error of the states displaces an instant at which rates
///              jump by more; every other variable by what its coefficients make of that in the combination that holds. An instant may be off
///              by what that bound is of the slope of its guard. Passive networks of diodes bring solutions nearer to each other (in
///              the energy of their difference), so local errors add up and do not grow.
///              Where diodes are nearer to zero than the bounds of the states make of them, states within their bounds turn them: a value
///              is also right if it is within its bound in a combination that differs in such diodes alone, whose own guards and
///              constraints hold within theirs. (The current of an ideal diode that blocks has no coefficient at all, and that of the
///              same diode turned has one.) Such a diode may take the whole current of another one, which is not near zero itself (two
///              at one voltage, that of an empty capacitor): with them one more may turn.
#pragma once

#include <memory>
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
  /// A combination that may hold at a time.
  struct Candidate {
    std::size_t piece = 0;
    Truths truths{};
    std::shared_ptr<const Combination> combination;
    Vector w;
  };
  /// Those of the pieces near it …
  [[nodiscard]] std::vector<Candidate> exact(Real t) const;
  /// … and those that errors within the bounds turn them into.
  [[nodiscard]] std::vector<Candidate> turned(const std::vector<Candidate>& exact) const;
  /// Error over bound of a value of the library, against one of them; and what is right.
  [[nodiscard]] Real ratio(const Column& column, const Candidate& candidate, Real value, Real& right) const;
  /// Of a diode among diodes.
  [[nodiscard]] std::size_t number_of(std::size_t element) const;

 private:
  [[nodiscard]] Eigen::RowVectorXd coefficients(const Column& column, const Candidate& candidate) const;
  [[nodiscard]] bool is_conducting(const Candidate& candidate, std::size_t element) const;
  [[nodiscard]] Real unit(const Column& column, const Candidate& candidate) const;
  /// Diodes that an error within the bounds may turn.
  [[nodiscard]] std::vector<std::size_t> open_diodes(const Candidate& candidate) const;
  [[nodiscard]] bool holds_within_bounds(const Candidate& candidate) const;
  [[nodiscard]] Real bound_of(const Eigen::RowVectorXd& row, std::size_t piece, const Vector& w) const;

  const Network& network_;
  const CircuitRun& run_;
  Signals signals_;
  std::vector<Vector> bounds_;  ///< of states, by piece
  std::vector<Real> blurs_;     ///< of times, by instant
};

}  // namespace saltus::test::circuits
