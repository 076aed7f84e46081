#include "program/guards/guard_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace saltus::program {
namespace {

// Widens what λᵀQ and λᵀ∂r/∂x say, for λ is that of one point.
constexpr double kMargin = 1.5;
// Beyond the reciprocal of this condition λ says nothing.
constexpr double kLeastCondition = 1e-13;

linalg::SparsePattern transposed_pattern(const GuardClosure& closure) {
  // Row by row is column by column of the transposed matrix.
  linalg::SparsePattern pattern;
  pattern.n = static_cast<Index>(closure.inputs.size());
  pattern.column_starts.assign(closure.unknowns.starts.begin(), closure.unknowns.starts.end());
  pattern.rows.assign(closure.unknowns.items.begin(), closure.unknowns.items.end());
  return pattern;
}

Interval scaled(const Interval& a, double factor) {
  const double middle = 0.5 * (a.lower + a.upper);
  const double radius = factor * 0.5 * (a.upper - a.lower);
  return {middle - radius, middle + radius};
}

double magnitude(const Interval& a) {
  return std::max(std::abs(a.lower), std::abs(a.upper));
}

}  // namespace

GuardEstimate::GuardEstimate(const GuardTape& tape, const GuardClosure& closure, std::size_t n_states)
    : tape_(tape),
      closure_(closure),
      lu_(std::make_shared<const linalg::SparseLuSymbolic>(transposed_pattern(closure))),
      x_(n_states),
      point_(closure.inputs.size()),
      errors_(point_.size()),
      slopes_(point_.size()),
      region_(point_.size()),
      total_(point_.size()),
      multipliers_(point_.size()),
      entries_(closure.unknowns.items.size()),
      by_states_(closure.states.items.size()),
      gradient_(n_states),
      adjoints_(tape.n_registers()) {}

// Q over the box.
bool GuardEstimate::differentiate(const system::CurvePiece& piece, const TapeMemory& memory) {
  memory.intervals[0] = piece.time;
  memory.tangents[0] = {1.0, 1.0};
  for (std::size_t k = 0; k < point_.size(); ++k) {
    memory.intervals[closure_.inputs[k]] = region_[k];
    memory.tangents[closure_.inputs[k]] = {slopes_[k], slopes_[k]};
  }
  run_tape_tangents(tape_.code_of(closure_.rows), memory.intervals, piece.box.data(), memory.tangents,
                    piece.xdot.data(), memory.levels);
  for (std::size_t row = 0; row < total_.size(); ++row) {
    const std::int32_t root = closure_.rows.roots[row];
    total_[row] = read_operand(root, memory.tangents, piece.xdot.data());
    const bool is_defined =
        root < 0 || memory.levels[static_cast<std::size_t>(root)] == Continuity::continuous;
    if (!is_defined || !std::isfinite(total_[row].lower) || !std::isfinite(total_[row].upper)) {
      return false;
    }
  }
  return true;
}

// J and ∂r/∂x at the point.
bool GuardEstimate::factorize(const system::CurvePiece& piece, const TapeMemory& memory) {
  const std::span<const TapeInstruction> code = tape_.code_of(closure_.rows);
  memory.values[0] = piece.at;
  for (std::size_t k = 0; k < point_.size(); ++k) {
    memory.values[closure_.inputs[k]] = point_[k];
  }
  run_tape(code, memory.values, piece.x.data());
  std::size_t entry = 0;
  std::size_t place = 0;
  for (std::size_t row = 0; row < point_.size(); ++row) {
    run_tape_adjoints(code, closure_.instructions.of(row), closure_.rows.roots[row], memory.values,
                      piece.x.data(), adjoints_.data(), gradient_.data());
    for (const std::uint32_t unknown : closure_.unknowns.of(row)) {
      entries_[entry++] = adjoints_[closure_.inputs[unknown]];
    }
    for (const std::uint32_t state : closure_.states.of(row)) {
      by_states_[place++] = gradient_[state];
    }
  }
  return std::all_of(entries_.begin(), entries_.end(), [](double value) { return std::isfinite(value); }) &&
         lu_.factorize(entries_).ok() && lu_.reciprocal_condition() > kLeastCondition;
}

void GuardEstimate::build(const system::CurvePiece& piece, std::uint64_t version,
                          std::span<const double> start, std::span<const double> point,
                          std::span<const double> errors, const TapeMemory& memory) {
  version_ = version;
  time_ = piece.time;
  at_ = piece.at;
  std::copy(piece.x.begin(), piece.x.end(), x_.begin());
  std::copy(point.begin(), point.end(), point_.begin());
  std::copy(errors.begin(), errors.end(), errors_.begin());
  const Interval tau = subtract(piece.time, {piece.at, piece.at});
  const double length = piece.time.upper - piece.time.lower;
  const double way = piece.at - piece.start_time;
  for (std::size_t k = 0; k < point_.size(); ++k) {
    slopes_[k] = way != 0.0 ? (point[k] - start[k]) / way : 0.0;
    const double radius =
        kShareOfWay * std::abs(slopes_[k]) * length + kShareOfSize * std::abs(point[k]) + errors[k];
    const Interval line = add({point[k], point[k]}, multiply(tau, {slopes_[k], slopes_[k]}));
    region_[k] = {line.lower - radius, line.upper + radius};
  }
  is_known_ = differentiate(piece, memory) && factorize(piece, memory);
}

system::GuardBounds GuardEstimate::bound(const TapePiece& guard, const system::CurvePiece& piece,
                                         const TapeMemory& memory) {
  system::GuardBounds bounds{.is_known = false, .value = entire_interval(), .rate = entire_interval()};
  if (!is_known_) {
    return bounds;
  }
  const std::span<const TapeInstruction> code = tape_.code_of(guard);
  const std::int32_t root = guard.roots[0];
  memory.intervals[0] = piece.time;
  memory.tangents[0] = {1.0, 1.0};
  memory.values[0] = piece.at;
  for (std::size_t k = 0; k < point_.size(); ++k) {
    memory.intervals[closure_.inputs[k]] = region_[k];
    memory.tangents[closure_.inputs[k]] = {slopes_[k], slopes_[k]};
    memory.values[closure_.inputs[k]] = point_[k];
    adjoints_[closure_.inputs[k]] = 0.0;
  }
  run_tape_tangents(code, memory.intervals, piece.box.data(), memory.tangents, piece.xdot.data(),
                    memory.levels);
  if (root >= 0 && memory.levels[static_cast<std::size_t>(root)] != Continuity::continuous) {
    return bounds;
  }
  std::fill(gradient_.begin(), gradient_.end(), 0.0);
  run_tape(code, memory.values, piece.x.data());
  clear_adjoints(code, adjoints_.data());
  run_tape_adjoints(code, root, memory.values, piece.x.data(), adjoints_.data(), gradient_.data());
  double beside = 0.0;
  for (std::size_t k = 0; k < point_.size(); ++k) {
    multipliers_[k] = adjoints_[closure_.inputs[k]];
    beside += std::abs(multipliers_[k]) * errors_[k];
  }
  lu_.solve(multipliers_);
  Interval sum{0.0, 0.0};
  std::size_t place = 0;
  for (std::size_t row = 0; row < multipliers_.size(); ++row) {
    sum = add(sum, multiply({multipliers_[row], multipliers_[row]}, total_[row]));
    for (const std::uint32_t state : closure_.states.of(row)) {
      gradient_[state] -= multipliers_[row] * by_states_[place++];
    }
  }
  for (std::size_t state = 0; state < gradient_.size(); ++state) {
    beside += gradient_[state] != 0.0 ? std::abs(gradient_[state]) * magnitude(piece.around[state]) : 0.0;
  }
  const Interval along = read_operand(root, memory.tangents, piece.xdot.data());
  bounds.rate = scaled(subtract(along, sum), kMargin);
  const double value = read_operand(root, memory.values, piece.x.data());
  const double around = kMargin * beside;
  const Interval way = multiply(bounds.rate, subtract(piece.time, {piece.at, piece.at}));
  bounds.value = add({value - around, value + around}, way);
  bounds.is_known = std::isfinite(bounds.value.lower) && std::isfinite(bounds.value.upper);
  return bounds;
}

}  // namespace saltus::program
