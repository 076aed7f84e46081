#include "program/guards/guard_tube.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/machine.hpp"

namespace saltus::program {
namespace {

// Boxes for the unknowns that are tried on one piece.
constexpr int kMostTries = 4;
// A guess is this much wider than what the tube before, or the last try, came to.
constexpr double kWider = 2.0;

Interval widened(const Interval& a, double radius) {
  return {a.lower - radius, a.upper + radius};
}

double length_of(const Interval& a) {
  return a.upper - a.lower;
}

}  // namespace

namespace {

// Instructions of a piece that lead to a root, found once for each root at the cost of what it needs.
class RootSearch {
 public:
  explicit RootSearch(std::span<const TapeInstruction> code, std::size_t n_registers)
      : code_(code), producer_(n_registers, -1), stamp_(n_registers, 0) {
    for (std::size_t place = 0; place < code.size(); ++place) {
      producer_[static_cast<std::size_t>(code[place].result)] = static_cast<std::int32_t>(place);
    }
  }

  /// In the order of the code; what else they read goes to `leaves`, ascending.
  std::vector<std::uint32_t> find(std::int32_t root, std::vector<std::int32_t>& leaves) {
    std::vector<std::uint32_t> places;
    leaves.clear();
    ++n_roots_;
    std::vector<std::int32_t> open = {root};
    while (!open.empty()) {
      const std::int32_t operand = open.back();
      open.pop_back();
      if (operand < 0) {
        leaves.push_back(operand);
        continue;
      }
      const auto place = static_cast<std::size_t>(operand);
      if (std::exchange(stamp_[place], n_roots_) == n_roots_) {
        continue;
      }
      if (producer_[place] < 0) {
        leaves.push_back(operand);
        continue;
      }
      places.push_back(static_cast<std::uint32_t>(producer_[place]));
      const TapeInstruction& i = code_[places.back()];
      open.insert(open.end(), i.operands, i.operands + expr::n_operands(i.op));
    }
    std::sort(places.begin(), places.end());
    std::sort(leaves.begin(), leaves.end());
    leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
    return places;
  }

 private:
  std::span<const TapeInstruction> code_;
  std::vector<std::int32_t> producer_;  // by register: the place that writes it; -1: none
  std::vector<std::uint32_t> stamp_;    // by register: the root that has visited it
  std::uint32_t n_roots_ = 0;
};

}  // namespace

void GuardClosure::find_parts(const GuardTape& tape) {
  RootSearch search(tape.code_of(rows), tape.n_registers());
  std::vector<std::int32_t> leaves;
  const auto end_row = [](Part& part) {
    part.starts.push_back(static_cast<std::uint32_t>(part.items.size()));
  };
  for (Part* part : {&instructions, &unknowns, &states}) {
    part->starts.assign(1, 0);
  }
  for (const std::int32_t root : rows.roots) {
    may_jump = may_jump || tape.degree_of(root) == kMayJump;
    const std::vector<std::uint32_t> chosen = search.find(root, leaves);
    instructions.items.insert(instructions.items.end(), chosen.begin(), chosen.end());
    for (const std::int32_t leaf : leaves) {
      if (leaf < 0) {
        states.items.push_back(static_cast<std::uint32_t>(-1 - leaf));
        continue;
      }
      const auto found = std::lower_bound(inputs.begin(), inputs.end(), static_cast<std::uint32_t>(leaf));
      if (found != inputs.end() && *found == static_cast<std::uint32_t>(leaf)) {
        unknowns.items.push_back(static_cast<std::uint32_t>(found - inputs.begin()));
      }
    }
    for (Part* part : {&instructions, &unknowns, &states}) {
      end_row(*part);
    }
  }
}

GuardTube::GuardTube(const GuardTape& tape, const GuardClosure& closure, std::size_t n_states)
    : tape_(tape),
      closure_(closure),
      krawczyk_(closure.unknowns.starts, closure.unknowns.items),
      middle_rates_(n_states),
      point_(closure.inputs.size()),
      slopes_(point_.size()),
      turned_(point_.size()),
      radii_(point_.size()),
      region_(point_.size()),
      total_(point_.size()),
      beside_(point_.size()),
      sides_(point_.size()),
      side_(point_.size()),
      distance_(point_.size()) {
  for (Kept& kept : kept_) {
    kept.box.resize(closure.rows.states.size());
    kept.values.resize(point_.size());
    kept.rates.resize(point_.size());
    kept.at_point.resize(point_.size());
  }
  for (Memory& memory : memories_) {
    memory.radii.resize(point_.size());
  }
}

bool GuardTube::find(const system::CurvePiece& piece, std::uint64_t version) {
  const auto is_of_piece = [&](const Kept& kept) {
    if (kept.version != version || kept.at != piece.at || kept.time != piece.time ||
        kept.is_box != piece.is_box) {
      return false;
    }
    for (std::size_t k = 0; k < kept.box.size(); ++k) {
      if (kept.box[k] != piece.box[static_cast<std::size_t>(closure_.rows.states[k])]) {
        return false;
      }
    }
    return true;
  };
  const auto found = std::find_if(kept_.begin(), kept_.end(), is_of_piece);
  if (found == kept_.end()) {
    return false;
  }
  place_ = static_cast<std::size_t>(found - kept_.begin());
  return true;
}

void GuardTube::remember(const system::CurvePiece& piece, std::uint64_t version) {
  place_ = next_;
  next_ = (next_ + 1) % kMostKept;
  Kept& kept = kept_[place_];
  kept.is_known = false;
  kept.version = version;
  kept.time = piece.time;
  kept.at = piece.at;
  kept.is_box = piece.is_box;
  for (std::size_t k = 0; k < kept.box.size(); ++k) {
    kept.box[k] = piece.box[static_cast<std::size_t>(closure_.rows.states[k])];
  }
}

// z̃(T) widened by the radii.
void GuardTube::place_box(const system::CurvePiece& piece) {
  const Interval tau = subtract(piece.time, {piece.at, piece.at});
  for (std::size_t k = 0; k < point_.size(); ++k) {
    const Interval way = multiply(tau, {slopes_[k], slopes_[k]});
    region_[k] = widened(add({point_[k], point_[k]}, way), radii_[k]);
  }
}

// Q, ∂r/∂z and ∂r/∂x·ε over the box. False: an equation is not defined or may jump there.
bool GuardTube::differentiate(const system::CurvePiece& piece, const TapeMemory& memory) {
  const std::span<const TapeInstruction> code = tape_.code_of(closure_.rows);
  memory.intervals[0] = piece.time;
  memory.tangents[0] = {1.0, 1.0};
  for (std::size_t k = 0; k < point_.size(); ++k) {
    memory.intervals[closure_.inputs[k]] = region_[k];
    memory.tangents[closure_.inputs[k]] = {slopes_[k], slopes_[k]};
  }
  run_tape_tangents(code, memory.intervals, piece.box.data(), memory.tangents, piece.xdot.data(),
                    memory.levels);
  const std::span<double> middle = krawczyk_.middle();
  const std::span<double> radius = krawczyk_.radius();
  std::size_t entry = 0;
  for (std::size_t row = 0; row < point_.size(); ++row) {
    const std::int32_t root = closure_.rows.roots[row];
    if (root >= 0 && memory.levels[static_cast<std::size_t>(root)] != Continuity::continuous) {
      return false;
    }
    total_[row] = read_operand(root, memory.tangents, piece.xdot.data());
    run_tape_adjoints(code, closure_.instructions.of(row), root, memory.intervals, piece.box.data(),
                      memory.adjoints, memory.gradient);
    for (const std::uint32_t unknown : closure_.unknowns.of(row)) {
      const Interval& slope = memory.adjoints[closure_.inputs[unknown]];
      middle[entry] = 0.5 * (slope.lower + slope.upper);
      radius[entry] = std::max(slope.upper - middle[entry], middle[entry] - slope.lower);
      if (!std::isfinite(middle[entry]) || !std::isfinite(radius[entry])) {
        return false;
      }
      ++entry;
    }
    Interval sum{0.0, 0.0};
    for (const std::uint32_t state : closure_.states.of(row)) {
      if (const Interval& by = piece.around[state]; by.lower != 0.0 || by.upper != 0.0) {
        sum = add(sum, multiply(memory.gradient[state], by));
      }
    }
    beside_[row] = sum;
    if (!std::isfinite(sum.lower) || !std::isfinite(sum.upper) || !std::isfinite(total_[row].lower) ||
        !std::isfinite(total_[row].upper)) {
      return false;
    }
  }
  return true;
}

// s = -Y·(∂r/∂t + ∂r/∂x ẋ) at the point.
void GuardTube::find_slopes(const system::CurvePiece& piece, const TapeMemory& memory) {
  for (const Index state : closure_.rows.states) {
    const auto i = static_cast<std::size_t>(state);
    middle_rates_[i] = 0.5 * (piece.xdot[i].lower + piece.xdot[i].upper);
  }
  memory.values[0] = piece.at;
  memory.value_tangents[0] = 1.0;
  for (std::size_t k = 0; k < point_.size(); ++k) {
    memory.values[closure_.inputs[k]] = point_[k];
    memory.value_tangents[closure_.inputs[k]] = 0.0;
  }
  run_tape_tangents(tape_.code_of(closure_.rows), memory.values, piece.x.data(), memory.value_tangents,
                    middle_rates_.data());
  for (std::size_t row = 0; row < point_.size(); ++row) {
    side_[row] = read_operand(closure_.rows.roots[row], memory.value_tangents, middle_rates_.data());
  }
  krawczyk_.step(side_, slopes_);
  for (double& slope : slopes_) {
    slope = std::isfinite(slope) ? slope : 0.0;
  }
}

void GuardTube::guess_radii(const system::CurvePiece& piece, std::span<const double> errors) {
  const Memory& memory = memories_[piece.is_box ? 1 : 0];
  const double length = length_of(piece.time);
  const double ratio = memory.length > 0.0 ? length / memory.length : 0.0;
  for (std::size_t k = 0; k < radii_.size(); ++k) {
    const double way = kShareOfWay * std::abs(slopes_[k]) * length;
    const double guess = ratio > 0.0 ? kWider * ratio * std::max(ratio, 1.0) * memory.radii[k]
                                     : way + kShareOfSize * std::abs(point_[k]);
    radii_[k] = guess + kWider * errors[k];
  }
}

// The slopes that make the middle of Q zero. Q is linear in them, so that nothing is run again; they may have come from a
// preconditioner of another place.
void GuardTube::correct_slopes() {
  for (std::size_t row = 0; row < total_.size(); ++row) {
    const double middle = 0.5 * (total_[row].lower + total_[row].upper);
    sides_[row] = {middle, middle};
  }
  krawczyk_.find_centre(sides_);
  const std::span<const double> change = krawczyk_.centre();
  krawczyk_.add_product(change, total_);
  for (std::size_t k = 0; k < slopes_.size(); ++k) {
    slopes_[k] += change[k];
    turned_[k] = std::abs(change[k]);
  }
}

// Whether the derivatives hold where d may be; what it came to is kept for the next guess.
bool GuardTube::is_in_region(Memory& memory, std::span<const double> errors, double half_length) {
  bool is_inside = true;
  for (std::size_t k = 0; k < radii_.size(); ++k) {
    const Interval& outer = krawczyk_.outer()[k];
    const double reach = std::max(std::abs(outer.lower), std::abs(outer.upper));
    is_inside = is_inside && reach + turned_[k] * half_length <= radii_[k];
    memory.radii[k] = reach;
    radii_[k] = kWider * (reach + errors[k]);
  }
  return is_inside;
}

// d over the piece by Krawczyk's operator, over boxes for the unknowns until one holds it.
bool GuardTube::find_distance(const system::CurvePiece& piece, std::span<const double> errors,
                              const TapeMemory& memory) {
  Memory& before = memories_[piece.is_box ? 1 : 0];
  const Interval tau = subtract(piece.time, {piece.at, piece.at});
  bool needs_slopes = !piece.is_box && !krawczyk_.has_preconditioner();
  std::fill(slopes_.begin(), slopes_.end(), 0.0);
  std::fill(turned_.begin(), turned_.end(), 0.0);
  if (!piece.is_box && !needs_slopes) {
    find_slopes(piece, memory);
  }
  guess_radii(piece, errors);
  for (int n_tries = 0; n_tries < kMostTries; ++n_tries) {
    place_box(piece);
    bool contracts = differentiate(piece, memory) && krawczyk_.prepare(false);
    if (contracts && needs_slopes) {
      needs_slopes = false;
      find_slopes(piece, memory);
      guess_radii(piece, errors);
      continue;
    }
    if (contracts) {
      if (!piece.is_box) {
        correct_slopes();
      }
      for (std::size_t row = 0; row < sides_.size(); ++row) {
        sides_[row] = add(multiply(total_[row], tau), beside_[row]);
      }
      contracts =
          krawczyk_.solve(sides_, errors, distance_) ||
          (!krawczyk_.is_new() && krawczyk_.prepare(true) && krawczyk_.solve(sides_, errors, distance_));
    }
    if (contracts) {
      before.length = length_of(piece.time);
      if (is_in_region(before, errors, std::max(std::abs(tau.lower), std::abs(tau.upper)))) {
        return true;
      }
      continue;
    }
    // The box may have been wider than it need be.
    krawczyk_.forget();
    if (n_tries > 0 || before.length == 0.0) {
      break;
    }
    before.length = 0.0;
    guess_radii(piece, errors);
  }
  before.length = 0.0;
  return false;
}

bool GuardTube::build(const system::CurvePiece& piece, std::uint64_t version, std::span<const double> z,
                      std::span<const double> errors, const TapeMemory& memory) {
  remember(piece, version);
  std::copy(z.begin(), z.end(), point_.begin());
  Kept& kept = kept_[place_];
  if (!find_distance(piece, errors, memory)) {
    return false;
  }
  const Interval tau = subtract(piece.time, {piece.at, piece.at});
  for (std::size_t k = 0; k < point_.size(); ++k) {
    kept.values[k] = add(add({point_[k], point_[k]}, multiply(tau, {slopes_[k], slopes_[k]})), distance_[k]);
  }
  kept.is_known = piece.is_box || (krawczyk_.solve(total_, {}, kept.rates) &&
                                   krawczyk_.solve(beside_, errors, kept.at_point));
  for (std::size_t k = 0; !piece.is_box && k < point_.size(); ++k) {
    kept.rates[k] = add(kept.rates[k], {slopes_[k], slopes_[k]});
    kept.at_point[k] = add(kept.at_point[k], {point_[k], point_[k]});
  }
  return kept.is_known;
}

bool GuardTube::holds(double t, std::span<const double> z, std::span<const double> errors) const {
  const Interval tau = subtract({t, t}, {kept_[place_].at, kept_[place_].at});
  for (std::size_t k = 0; k < z.size(); ++k) {
    const Interval way = multiply(tau, {slopes_[k], slopes_[k]});
    const Interval here = add(add({point_[k], point_[k]}, way), distance_[k]);
    const double slack = kWider * errors[k] + kEpsilon * std::abs(z[k]);
    if (!(here.lower - slack <= z[k] && z[k] <= here.upper + slack)) {
      return false;
    }
  }
  return true;
}

}  // namespace saltus::program
