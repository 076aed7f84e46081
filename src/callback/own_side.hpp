/// Values of a right-hand side that chooses its side by x itself, on the sides that a run asks for.
///
/// Problem      f(t, x) jumps across surfaces g = 0 that are known, and chooses its side by the point at which it is asked. The side σ of a
///              surface has no values behind it, and on the surface rounding decides.
/// Method       Where σ·g is at least kClearOfSurface of the terms of g, f is asked at x. Within kNearSurface beyond the surface it is asked at the
///              nearest point (in nominal values) with σ·g = kClearOfSurface, along the normals of the surfaces in turn; of a
///              surface over time alone, a moment later or before. Further beyond, there is no value: the step is rejected, and the event is found from the side before it
///              (hybrid/before_surface.hpp) [CMR16] 2.2
/// Contract     f is never asked on another side than that asked for. What is asked beside x lies at most kNearSurface of the sizes of the states
///              away, and so does the value as far as f is Lipschitz continuous on its side. Sides of 0 are not looked at.
///              Does not allocate after construction.
/// Choices      kClearOfSurface: a few roundings of g, so that f sees the side, however it computes g. kNearSurface: what location and projection onto
///              surfaces leave (1e-12 of the states), with room; far below any tolerance of a run.
/// Fails when   x lies further beyond a surface, or the surfaces leave no such point near it (parallel normals): no value
/// Cost         the values of the guards; their gradients next to a surface
/// Checked by   tests/unit/callback/own_side_test.cpp
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "callback/guard_calls.hpp"

namespace saltus::callback {

class OwnSide {
 public:
  explicit OwnSide(std::shared_ptr<const CallbackModel> model);

  /// The point to ask at for these sides; none, because of beyond().
  [[nodiscard]] std::optional<CallbackPoint> place(const CallbackPoint& at);
  [[nodiscard]] Index beyond() const { return beyond_; }
  /// Values of the guards after jumps may be of any size.
  void forget() { std::fill(scale_.begin(), scale_.end(), -1.0); }

 private:
  [[nodiscard]] bool is_clear(std::size_t guard, const CallbackPoint& at, double& value);
  [[nodiscard]] bool move(double amount, CallbackPoint& point);

  std::shared_ptr<const CallbackModel> model_;
  GuardCalls guards_;
  std::vector<double> scale_;  // by guard: size of its terms where its gradient was taken last; -1: not known
  std::vector<double> gradient_;
  double time_derivative_ = 0.0;
  std::vector<double> moved_;
  Index beyond_ = -1;
};

}  // namespace saltus::callback
