#include "callback/own_side.hpp"

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"

namespace saltus::callback {
namespace {

constexpr double kClearOfSurface = 16.0 * kEpsilon;
constexpr double kNearSurface = 1e-10;
// Further than this part of its terms from a surface nothing more is asked about it: terms change by less than its inverse between
// two looks.
constexpr double kFarthestLook = 1e-3;
// Turns through the surfaces; two that are perpendicular need one.
constexpr int kMostSurfaceTurns = 16;

}  // namespace

OwnSide::OwnSide(std::shared_ptr<const CallbackModel> model)
    : model_(std::move(model)),
      guards_(model_),
      scale_(model_->guards.size(), -1.0),
      gradient_(model_->states.size()),
      moved_(model_->states.size()) {}

// Whether nothing is to be done for a guard; else its gradient and scale are known.
bool OwnSide::is_clear(std::size_t guard, const CallbackPoint& at, double& value) {
  const auto index = static_cast<Index>(guard);
  value = at.sides[guard] * guards_.value(index, at);
  if (scale_[guard] >= 0.0 && value >= kFarthestLook * scale_[guard]) {
    return true;
  }
  guards_.gradient(index, at, gradient_, time_derivative_);
  double scale = std::abs(time_derivative_ * at.t);
  for (std::size_t j = 0; j < at.x.size(); ++j) {
    scale += std::abs(gradient_[j]) * std::max(std::abs(at.x[j]), model_->nominal(j));
  }
  scale_[guard] = scale;
  return value >= kClearOfSurface * scale;
}

std::optional<CallbackPoint> OwnSide::place(const CallbackPoint& at) {
  beyond_ = -1;
  CallbackPoint moved = at;
  for (int turn = 0; turn < kMostSurfaceTurns; ++turn) {
    bool is_placed = true;
    for (std::size_t i = 0; i < model_->guards.size(); ++i) {
      double value = 0.0;
      if (!model_->guards[i].in_equations || std::abs(at.sides[i]) != 1.0 || is_clear(i, moved, value)) {
        continue;
      }
      is_placed = false;
      beyond_ = static_cast<Index>(i);
      // Written so that a NaN does not pass. What the other surfaces have moved it by is no way beyond.
      if (!(turn > 0 || value >= -kNearSurface * scale_[i]) ||
          !move(at.sides[i] * (2.0 * kClearOfSurface * scale_[i] - value), moved)) {
        return std::nullopt;
      }
    }
    if (is_placed) {
      beyond_ = -1;
      return moved;
    }
  }
  return std::nullopt;
}

// By this much of the guard whose gradient is known.
bool OwnSide::move(double amount, CallbackPoint& point) {
  double length = 0.0;  // of the gradient, in nominal values
  for (std::size_t j = 0; j < point.x.size(); ++j) {
    length += std::pow(gradient_[j] * model_->nominal(j), 2);
  }
  if (length > 0.0) {
    if (point.x.data() != moved_.data()) {
      std::copy(point.x.begin(), point.x.end(), moved_.begin());
      point.x = moved_;
    }
    for (std::size_t j = 0; j < moved_.size(); ++j) {
      moved_[j] += amount / length * gradient_[j] * std::pow(model_->nominal(j), 2);
    }
    return true;
  }
  if (time_derivative_ != 0.0) {
    point.t += amount / time_derivative_;
    return true;
  }
  return false;
}

}  // namespace saltus::callback
