// Bounds of guards that depend on unknowns of implicit blocks, along a curve of states.
//
// Problem      g(t, x(t), z(t)) and its rate over a piece, z being what the blocks give
// Method       z and ż from the tube of the guard's blocks (guard_tube.hpp). The rate by tangents over the piece; the value as the
//              smaller of its range over the boxes and its mean value form in t, g(t_p) + ġ·(t - t_p).
// Contract     Does not allocate. Guards over the same blocks share the tube of a piece.
// Fails when   there is no tube, the solution at the start of the piece is not in it (another branch), or the guard is not defined
//              and continuous over it: not known
// Checked by   tests/unit/program/guard_tube_test.cpp
#include <algorithm>

#include "program/guards/guard_series.hpp"
#include "program/guards/guard_set.hpp"

namespace saltus::program {

namespace {

Interval intersection(const Interval& a, const Interval& b) {
  const Interval both{std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
  return both.empty() ? a : both;
}

}  // namespace

TapeMemory GuardRunner::memory() {
  return {.values = registers_.data(),
          .value_tangents = value_tangents_.data(),
          .intervals = intervals_.data(),
          .tangents = tangents_.data(),
          .adjoints = interval_adjoints_.data(),
          .gradient = interval_gradient_.data(),
          .levels = levels_.data()};
}

// The unknowns where a piece begins, at its point, and what solving leaves.
bool GuardRunner::solve_piece(const GuardSet::Closure& closure, const system::CurvePiece& piece) {
  const std::size_t n = closure.inputs.size();
  const auto read = [&](std::span<double> z) {
    for (std::size_t k = 0; k < n; ++k) {
      z[k] = registers_[closure.inputs[k]];
    }
  };
  if (!piece.is_box) {
    registers_[0] = piece.start_time;
    if (!solve(piece.start_time, piece.start.data()).ok()) {
      return false;
    }
    read(tube_start_);
  }
  registers_[0] = piece.at;
  if (!solve(piece.at, piece.x.data()).ok()) {
    return false;
  }
  read(tube_point_);
  for (std::size_t k = 0; k < n; ++k) {
    tube_errors_[k] = solved_errors_[closure.inputs[k]];
  }
  return true;
}

bool GuardRunner::make_tube(const GuardSet::Closure& closure, GuardTube& tube,
                            const system::CurvePiece& piece) {
  if (!solve_piece(closure, piece)) {
    return false;
  }
  const std::size_t n = closure.inputs.size();
  const std::span<const double> start = std::span<const double>(tube_start_).first(n);
  const std::span<const double> point = std::span<const double>(tube_point_).first(n);
  const std::span<const double> errors = std::span<const double>(tube_errors_).first(n);
  if (!tube.build(piece, version_, point, errors, memory())) {
    return false;
  }
  if (!piece.is_box && !tube.holds(piece.start_time, start, errors)) {
    tube.drop();
  }
  return tube.is_known();
}

// Nothing is kept of boxes: what they hold would have to be proved.
system::GuardBounds GuardRunner::estimate(const GuardSet::Guard& guard, const system::CurvePiece& piece) {
  const GuardSet::Closure& closure = set_.code().large_closures()[static_cast<std::size_t>(guard.large)];
  GuardEstimate& estimate = estimates_[static_cast<std::size_t>(guard.large)];
  if (piece.is_box || (!estimate.is_of(piece, version_) && !solve_piece(closure, piece))) {
    return {.is_known = false, .value = entire_interval(), .rate = entire_interval()};
  }
  if (!estimate.is_of(piece, version_)) {
    const std::size_t n = closure.inputs.size();
    estimate.build(piece, version_, std::span<const double>(tube_start_).first(n),
                   std::span<const double>(tube_point_).first(n),
                   std::span<const double>(tube_errors_).first(n), memory());
  }
  return estimate.bound(guard.value, piece, memory());
}

system::GuardBounds GuardRunner::bound(Index i, const system::CurvePiece& piece) {
  const GuardSet::Guard& guard = set_[i];
  system::GuardBounds bounds{.is_known = false, .value = entire_interval(), .rate = entire_interval()};
  if (guard.shape.kind != system::GuardShape::Kind::implicit) {
    return bounds;
  }
  if (guard.large >= 0) {
    return estimate(guard, piece);
  }
  const GuardSet::Closure& closure = set_.code().closures()[static_cast<std::size_t>(guard.closure)];
  GuardTube& tube = tubes_[static_cast<std::size_t>(guard.closure)];
  if (tube.find(piece, version_) ? !tube.is_known() : !make_tube(closure, tube, piece)) {
    return bounds;
  }
  const std::span<const TapeInstruction> code = set_.tape().code_of(guard.value);
  const std::int32_t root = guard.value.roots[0];
  intervals_[0] = piece.time;
  tangents_[0] = {1.0, 1.0};
  for (std::size_t k = 0; k < closure.inputs.size(); ++k) {
    intervals_[closure.inputs[k]] = tube.values()[k];
    tangents_[closure.inputs[k]] = tube.rates()[k];
  }
  run_tape_tangents(code, intervals_.data(), piece.box.data(), tangents_.data(), piece.xdot.data(),
                    levels_.data());
  if (root >= 0 && levels_[static_cast<std::size_t>(root)] != Continuity::continuous) {
    return bounds;
  }
  bounds.value = read_operand(root, intervals_.data(), piece.box.data());
  if (bounds.value.empty()) {
    bounds.value = entire_interval();
    return bounds;
  }
  bounds.is_known = true;
  if (piece.is_box) {
    refine(i, tube, piece, bounds);
    return bounds;
  }
  bounds.rate = read_operand(root, tangents_.data(), piece.xdot.data());
  intervals_[0] = {piece.at, piece.at};
  for (const Index state : guard.value.states) {
    const auto place = static_cast<std::size_t>(state);
    point_[place] = add({piece.x[place], piece.x[place]}, piece.around[place]);
  }
  for (std::size_t k = 0; k < closure.inputs.size(); ++k) {
    intervals_[closure.inputs[k]] = tube.at_point()[k];
  }
  run_tape(code, intervals_.data(), point_.data());
  const Interval way = multiply(bounds.rate, subtract(piece.time, {piece.at, piece.at}));
  bounds.value = intersection(bounds.value, add(read_operand(root, intervals_.data(), point_.data()), way));
  refine(i, tube, piece, bounds);
  return bounds;
}

// By series in time, where the equations are affine.
void GuardRunner::refine(Index i, const GuardTube& tube, const system::CurvePiece& piece,
                         system::GuardBounds& bounds) {
  if (!set_[i].has_series) {
    return;
  }
  if (const std::optional<system::GuardBounds> finer =
          series_->bound(i, tube, piece, version_, memory(), point_)) {
    bounds.value = intersection(bounds.value, finer->value);
    if (!piece.is_box) {
      bounds.rate = intersection(bounds.rate, finer->rate);
    }
  }
}

}  // namespace saltus::program
