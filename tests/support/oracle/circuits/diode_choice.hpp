/// Which diodes conduct, by trying all combinations; of many diodes, by Murty's least-index pivoting.
///
/// Problem      At given signals w and positions of the switches: the combination in which every diode is as its sign says, just after now.
/// Method       All 2^k combinations are solved. A guard that is zero has the sign of its growth along the flow of the combination (the Taylor
///              sum of four terms over a short time); where that says nothing, of its values a little later.
///              More than kMostEnumerated diodes: from the old combination on, the first diode that is not as its sign says is turned
///              until all are [CPS92, 4.2], which ends where every combination is determined (the matrix is a P-matrix).
///              Where no combination holds because states miss its constraints (a switch joins two capacitors), the impulses of each are
///              tried: diodes that conduct have positive ones of current, blocking ones negative ones of voltage, and some
///              combination must hold after it. Energy decides: the states after it are the same for all that agree.
/// Contract     Combinations with the same values and rates are one; the nearest to the old is returned. Where values are not unique it
///              says so: several combinations differ, or a diode that stays at zero could conduct a current that nothing determines.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "support/oracle/circuits/combination.hpp"

namespace saltus::test::circuits {

inline constexpr std::size_t kMostEnumerated = 10;

/// Rounding of guards, of their size.
inline constexpr Real kNoise = 1e-11;

/// What rounding of a sum counts as small against: signals are near 1, or pass zero; coefficients that cancelled are no size.
[[nodiscard]] Real size_of(const Eigen::RowVectorXd& row, const Vector& w);

struct Choice {
  enum class Outcome { one, none, several };
  Outcome outcome = Outcome::one;
  Truths truths{};
  std::shared_ptr<const Combination> combination;
  bool has_ties =
      false;  ///< some diode neither conducts nor blocks: the combination is not unique, the values are
};

class DiodeChoice {
 public:
  DiodeChoice(const Network& network, const Signals& signals, std::size_t most_enumerated);

  /// With switches and blocked thyristors as in `given`, whose diodes are the old ones.
  [[nodiscard]] Choice choose(const Vector& w, Truths given);
  /// Signals after a jump of the states; none if no impulses, or different ones, lead to a combination that holds.
  [[nodiscard]] std::optional<Vector> jumped(const Vector& w, Truths given);
  [[nodiscard]] std::shared_ptr<const Combination> combination(Truths truths);

 private:
  [[nodiscard]] Choice enumerate(const Vector& w, Truths given);
  [[nodiscard]] Choice pivot(const Vector& w, Truths given);
  [[nodiscard]] bool is_violated(const Combination& combination, Eigen::Index row, const Vector& w) const;
  [[nodiscard]] std::uint64_t staying_at_zero(const Combination& combination, const Vector& w) const;
  [[nodiscard]] Real growth(const Combination& combination, Eigen::Index row, const Vector& w) const;
  [[nodiscard]] bool is_consistent(const Combination& combination, const Vector& w) const;
  [[nodiscard]] bool lasts(const Combination& combination, const Vector& w) const;
  [[nodiscard]] bool is_isolated(const Combination& chosen, Truths truths, const Vector& w);

  const Network& network_;
  const Signals& signals_;
  std::size_t n_diodes_;
  std::size_t most_enumerated_;
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>, std::shared_ptr<const Combination>>
      known_;
};

}  // namespace saltus::test::circuits
