#include "support/oracle/circuits/diode_choice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <vector>

namespace saltus::test::circuits {
namespace {

/// Rounding of what grows within a short time.
constexpr Real kGrowthNoise = 1e-14;
/// … and within a longer one.
constexpr Real kAheadNoise = 1e-13;
/// A state that misses a constraint by more has to jump.
constexpr Real kConsistent = 1e-8;
/// Impulses below it are rounding.
constexpr Real kImpulseNoise = 1e-10;
constexpr std::size_t kMostPivots = 500;
constexpr Real kLeastSize = 1e-3;
/// Values and rates nearer to each other are the same.
constexpr Real kSame = 1e-6;

bool are_equal(const Combination& one, const Combination& other, const Vector& w) {
  const Vector rates = one.a * w;
  const Real difference =
      ((other.y - one.y) * w).cwiseAbs().maxCoeff() + ((other.y - one.y) * rates).cwiseAbs().maxCoeff();
  return difference <=
         kSame * (1 + (one.y * w).cwiseAbs().maxCoeff() + (one.y * rates).cwiseAbs().maxCoeff());
}

/// The constraints between states.
bool satisfies(const Combination& combination, const Vector& w) {
  for (Eigen::Index row = 0; row < combination.constraints.rows(); ++row) {
    const Real size = size_of(combination.constraints.row(row), w);
    if (std::abs(combination.constraints.row(row).dot(w)) > kConsistent * size) {
      return false;
    }
  }
  return true;
}

}  // namespace

Real size_of(const Eigen::RowVectorXd& row, const Vector& w) {
  return kLeastSize + row.cwiseAbs().dot(w.cwiseAbs().cwiseMax(1.0));
}

DiodeChoice::DiodeChoice(const Network& network, const Signals& signals, std::size_t most_enumerated)
    : network_(network),
      signals_(signals),
      n_diodes_(network.of_kind(Element::Kind::diode).size()),
      most_enumerated_(most_enumerated) {}

std::shared_ptr<const Combination> DiodeChoice::combination(Truths truths) {
  auto& known = known_[{truths.conducting, truths.closed, truths.blocked}];
  if (known == nullptr) {
    known = std::make_shared<const Combination>(combine(network_, signals_, truths));
  }
  return known;
}

Real DiodeChoice::growth(const Combination& combination, Eigen::Index row, const Vector& w) const {
  const Real rate = combination.a.cwiseAbs().rowwise().sum().maxCoeff();
  const Real h = std::min(1e-3 * network_.stop, rate > 0 ? 0.05 / rate : 1.0);
  Vector derivative = w;
  Real sum = 0;
  Real factor = 1;
  for (int k = 1; k <= 4; ++k) {
    derivative = combination.a * derivative;
    factor *= h / k;
    sum += factor * combination.guards.row(row).dot(derivative);
  }
  return sum;
}

bool DiodeChoice::is_violated(const Combination& combination, Eigen::Index row, const Vector& w) const {
  const Real g = combination.guards.row(row).dot(w);
  const Real size = size_of(combination.guards.row(row), w);
  return g < -kNoise * size || (g <= kNoise * size && growth(combination, row, w) < -kGrowthNoise * size);
}

bool DiodeChoice::is_consistent(const Combination& combination, const Vector& w) const {
  for (Eigen::Index row = 0; row < combination.guards.rows(); ++row) {
    if (is_violated(combination, row, w)) {
      return false;
    }
  }
  return satisfies(combination, w);
}

/// Whether the combination holds for a while.
bool DiodeChoice::lasts(const Combination& combination, const Vector& w) const {
  for (const Real part : {1e-5, 1e-4, 1e-3}) {
    const Vector ahead = exponential(combination.a * (part * network_.stop)) * w;
    const Vector g = combination.guards * ahead;
    for (Eigen::Index row = 0; row < g.size(); ++row) {
      if (g(row) < -kAheadNoise * size_of(combination.guards.row(row), ahead)) {
        return false;
      }
    }
  }
  return true;
}

/// Diodes that neither conduct nor block, and go on so.
std::uint64_t DiodeChoice::staying_at_zero(const Combination& combination, const Vector& w) const {
  std::uint64_t at_zero = 0;
  for (Eigen::Index row = 0; row < combination.guards.rows(); ++row) {
    const Real size = size_of(combination.guards.row(row), w);
    const bool stays = std::abs(combination.guards.row(row).dot(w)) <= kNoise * size &&
                       std::abs(growth(combination, row, w)) <= kGrowthNoise * size;
    at_zero |= stays ? std::uint64_t{1} << static_cast<std::uint32_t>(row) : 0U;
  }
  return at_zero;
}

/// Whether no solution differs from it: diodes that stay at zero could be the other way, and leave something open there (a conducting
/// one beside a closed switch).
bool DiodeChoice::is_isolated(const Combination& chosen, Truths truths, const Vector& w) {
  const std::uint64_t at_zero = staying_at_zero(chosen, w) & ~truths.blocked;
  for (std::uint64_t other = at_zero; other != 0; other = (other - 1) & at_zero) {
    if (!combination({truths.conducting ^ other, truths.closed, truths.blocked})->is_determined) {
      return false;
    }
  }
  return true;
}

Choice DiodeChoice::choose(const Vector& w, Truths given) {
  return n_diodes_ <= most_enumerated_ ? enumerate(w, given) : pivot(w, given);
}

Choice DiodeChoice::pivot(const Vector& w, Truths given) {
  Choice choice;
  choice.truths = given;
  choice.truths.conducting &= ~given.blocked;
  for (std::size_t k = 0; k < kMostPivots; ++k) {
    choice.combination = combination(choice.truths);
    if (!choice.combination->is_determined || !satisfies(*choice.combination, w)) {
      break;
    }
    Eigen::Index row = 0;
    while (row < choice.combination->guards.rows() && !is_violated(*choice.combination, row, w)) {
      ++row;
    }
    if (row == choice.combination->guards.rows()) {
      choice.has_ties = (staying_at_zero(*choice.combination, w) & ~given.blocked) != 0;
      return choice;
    }
    choice.truths.conducting ^= std::uint64_t{1} << static_cast<std::uint32_t>(row);
  }
  choice.outcome = Choice::Outcome::none;
  return choice;
}

Choice DiodeChoice::enumerate(const Vector& w, Truths given) {
  const auto with = [&](std::uint64_t bits) { return Truths{bits, given.closed, given.blocked}; };
  std::vector<std::uint64_t> consistent;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << n_diodes_); ++bits) {
    const auto candidate = combination(with(bits));
    if ((bits & given.blocked) == 0 && candidate->is_determined && is_consistent(*candidate, w)) {
      consistent.push_back(bits);
    }
  }
  Choice choice;
  if (consistent.empty()) {
    choice.outcome = Choice::Outcome::none;
    return choice;
  }
  if (consistent.size() > 1) {
    std::vector<std::uint64_t> lasting;
    std::copy_if(consistent.begin(), consistent.end(), std::back_inserter(lasting),
                 [&](std::uint64_t bits) { return lasts(*combination(with(bits)), w); });
    consistent = lasting.empty() ? consistent : lasting;
  }
  const auto distance = [&](std::uint64_t bits) { return std::popcount(bits ^ given.conducting); };
  choice.truths =
      with(*std::min_element(consistent.begin(), consistent.end(),
                             [&](std::uint64_t a, std::uint64_t b) { return distance(a) < distance(b); }));
  choice.combination = combination(choice.truths);
  choice.has_ties = consistent.size() > 1;
  const bool is_unique = std::all_of(consistent.begin(), consistent.end(), [&](std::uint64_t bits) {
    return are_equal(*choice.combination, *combination(with(bits)), w);
  });
  if (!is_unique || !is_isolated(*choice.combination, choice.truths, w)) {
    choice.outcome = Choice::Outcome::several;
  }
  return choice;
}

std::optional<Vector> DiodeChoice::jumped(const Vector& w, Truths given) {
  const std::vector<std::size_t> diodes = network_.of_kind(Element::Kind::diode);
  const auto with = [&](std::uint64_t bits) { return Truths{bits, given.closed, given.blocked}; };
  std::optional<Vector> found;
  if (n_diodes_ > most_enumerated_) {
    return found;
  }
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << n_diodes_); ++bits) {
    const auto candidate = combination(with(bits));
    if ((bits & given.blocked) != 0 || !candidate->is_determined || satisfies(*candidate, w)) {
      continue;
    }
    bool has_right_signs = true;
    for (std::size_t k = 0; k < diodes.size(); ++k) {
      const bool is_on = ((bits >> k) & 1U) != 0;
      const Real impulse = is_on ? current_row(network_, candidate->impulses, diodes[k]).dot(w)
                                 : -voltage_row(network_, candidate->impulses, diodes[k]).dot(w);
      const bool is_blocked = ((given.blocked >> k) & 1U) != 0;
      has_right_signs = has_right_signs && (is_blocked || impulse >= -kImpulseNoise);
    }
    Vector after = w;
    after.head(candidate->jump.rows()) += candidate->jump * w;
    if (!has_right_signs || choose(after, with(bits)).outcome != Choice::Outcome::one) {
      continue;
    }
    if (found.has_value() && (*found - after).cwiseAbs().maxCoeff() > kSame) {
      return std::nullopt;
    }
    found = after;
  }
  return found;
}

}  // namespace saltus::test::circuits
