#include "support/oracle/circuits/reference.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::test::circuits {
namespace {

constexpr Real kPromise = 100;
/// What is left of zero where sums cancel, and of the times of scheduled instants.
constexpr Real kRounding = 1e-8;
/// More diodes at zero at a time are turned one by one.
constexpr std::size_t kMostTurnedTogether = 5;

}  // namespace

Reference::Reference(const Network& network, const CircuitRun& run, Real tolerance)
    : network_(network), run_(run), signals_(network) {
  const Units& units = network.units;
  Vector bound = run.largest;
  for (Eigen::Index j = 0; j < bound.size(); ++j) {
    const bool is_current =
        network.elements[signals_.states[static_cast<std::size_t>(j)]].kind == Element::Kind::inductor;
    const Real unit = units.voltage / (is_current ? units.impedance : 1);
    bound(j) = kPromise * tolerance * (bound(j) + (units.has_nominal ? 1 : 1 / unit));
  }
  bounds_.push_back(bound);
  for (std::size_t k = 0; k < run.instants.size(); ++k) {
    const CircuitInstant& instant = run.instants[k];
    Real blur = kRounding * network.stop;
    if (!instant.is_scheduled) {
      blur += instant.gains.cwiseAbs().dot(bound) / std::max(1e-12, std::abs(instant.slope));
    }
    blurs_.push_back(blur);
    const CircuitPiece& before = run.pieces[k];
    const CircuitPiece& after = run.pieces[k + 1];
    const Vector jump = after.combination->a * after.w.front() - before.combination->a * before.w.back();
    bound += jump.head(bound.size()).cwiseAbs() * (instant.is_scheduled ? 0 : blur);
    bounds_.push_back(bound);
  }
}

Eigen::RowVectorXd Reference::coefficients(const Column& column, const Candidate& candidate) const {
  const Combination& c = *candidate.combination;
  switch (column.what) {
    case Column::What::potential: return c.y.row(static_cast<Eigen::Index>(column.place) - 1);
    case Column::What::voltage: return voltage_row(network_, c.y, column.place);
    case Column::What::current: return current_row(network_, c.y, column.place);
    default: break;
  }
  return is_conducting(candidate, column.place) ? current_row(network_, c.y, column.place)
                                                : voltage_row(network_, c.y, column.place);
}
bool Reference::is_conducting(const Candidate& candidate, std::size_t element) const {
  return ((candidate.truths.conducting >> number_of(element)) & 1U) != 0;
}
std::size_t Reference::number_of(std::size_t element) const {
  const std::vector<std::size_t> diodes = network_.of_kind(Element::Kind::diode);
  return static_cast<std::size_t>(std::find(diodes.begin(), diodes.end(), element) - diodes.begin());
}
Real Reference::unit(const Column& column, const Candidate& candidate) const {
  const bool is_current = column.what == Column::What::current ||
                          (column.what == Column::What::curve && is_conducting(candidate, column.place));
  return network_.units.voltage / (is_current ? network_.units.impedance : 1);
}

Real Reference::ratio(const Column& column, const Candidate& candidate, Real value, Real& right) const {
  const Eigen::RowVectorXd row = coefficients(column, candidate);
  const Real exact = row.dot(candidate.w);
  const Real bound = bound_of(row, candidate.piece, candidate.w);
  if (column.what == Column::What::off) {
    // A blocked thyristor is off whatever its voltage.
    right = is_conducting(candidate, column.place) ? 0 : 1;
    return std::abs(exact) > bound && std::abs(value - right) > 0.5 ? INFINITY : 0;
  }
  right = exact * unit(column, candidate);
  const Real error = std::abs(value / unit(column, candidate) - exact);
  return std::isnan(error) ? INFINITY : error / bound;
}

std::vector<std::size_t> Reference::open_diodes(const Candidate& candidate) const {
  std::vector<std::size_t> open;
  for (Eigen::Index row = 0; row < candidate.combination->guards.rows(); ++row) {
    const Eigen::RowVectorXd guard = candidate.combination->guards.row(row);
    const bool is_blocked = ((candidate.truths.blocked >> static_cast<std::uint64_t>(row)) & 1U) != 0;
    if (!is_blocked && std::abs(guard.dot(candidate.w)) <= bound_of(guard, candidate.piece, candidate.w)) {
      open.push_back(static_cast<std::size_t>(row));
    }
  }
  return open;
}

bool Reference::is_open(Real t) const {
  const std::vector<Candidate> near = exact(t);
  return std::any_of(near.begin(), near.end(),
                     [this](const Candidate& candidate) { return !open_diodes(candidate).empty(); });
}

bool Reference::holds_within_bounds(const Candidate& candidate) const {
  const Combination& c = *candidate.combination;
  if (!c.is_determined) {
    return false;
  }
  const auto bound = [&](const Eigen::RowVectorXd& row) {
    return bound_of(row, candidate.piece, candidate.w);
  };
  for (Eigen::Index row = 0; row < c.guards.rows(); ++row) {
    if (c.guards.row(row).dot(candidate.w) < -bound(c.guards.row(row))) {
      return false;
    }
  }
  for (Eigen::Index row = 0; row < c.constraints.rows(); ++row) {
    if (std::abs(c.constraints.row(row).dot(candidate.w)) > bound(c.constraints.row(row))) {
      return false;
    }
  }
  return true;
}

std::vector<Reference::Candidate> Reference::exact(Real t) const {
  std::vector<Candidate> found;
  for (const std::size_t k : pieces_near(t)) {
    const CircuitPiece& piece = run_.pieces[k];
    found.push_back({k, piece.truths, piece.combination, CircuitRun::w_at(piece, t)});
  }
  return found;
}

std::vector<Reference::Candidate> Reference::turned(const std::vector<Candidate>& exact) const {
  std::vector<Candidate> found;
  const std::size_t n_diodes = network_.of_kind(Element::Kind::diode).size();
  for (const Candidate& one : exact) {
    const std::vector<std::size_t> open = open_diodes(one);
    const bool is_together = open.size() <= kMostTurnedTogether;
    const std::size_t n_ways = open.empty() ? 0 : is_together ? std::size_t{1} << open.size() : open.size();
    for (std::size_t way = 0; way < n_ways; ++way) {
      Truths truths = one.truths;
      for (std::size_t j = 0; j < open.size(); ++j) {
        const bool is_turned = is_together ? ((way >> j) & 1U) != 0 : j == way;
        truths.conducting ^= is_turned ? std::uint64_t{1} << open[j] : 0;
      }
      // Alone, or with one more, which gives its whole current away; n_diodes stands for none.
      for (std::size_t given = 0; given <= n_diodes; ++given) {
        const std::uint64_t bit = given < n_diodes ? std::uint64_t{1} << given : 0;
        Candidate other = one;
        other.truths.conducting = truths.conducting ^ bit;
        if ((one.truths.blocked & bit) != 0 || other.truths == one.truths) {
          continue;
        }
        other.combination = std::make_shared<const Combination>(combine(network_, signals_, other.truths));
        if (holds_within_bounds(other)) {
          found.push_back(std::move(other));
        }
      }
    }
  }
  return found;
}

std::vector<std::size_t> Reference::pieces_near(Real t) const {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < run_.pieces.size(); ++k) {
    const Real from = k == 0 ? -1 : run_.pieces[k].times.front() - blurs_[k - 1];
    const Real to = k + 1 == run_.pieces.size() ? INFINITY : run_.pieces[k + 1].times.front() + blurs_[k];
    if (t >= from && t <= to) {
      places.push_back(k);
    }
  }
  return places;
}

Real Reference::bound_of(const Eigen::RowVectorXd& row, std::size_t piece, const Vector& w) const {
  const Vector& states = bounds_[std::min(piece, bounds_.size() - 1)];
  return row.head(states.size()).cwiseAbs().dot(states) + kRounding * row.cwiseAbs().dot(w.cwiseAbs()) +
         kRounding;
}

}  // namespace saltus::test::circuits
