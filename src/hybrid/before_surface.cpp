#include "hybrid/before_surface.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::hybrid {
namespace {

// In the middle of where the extension may be used: the root at 1.15 h.
constexpr double kRatio = 1.15;
// A guess that failed was a little too long.
constexpr double kShrink = 0.6;
constexpr int kMostGuesses = 4;
// Points at which the sign of a polynomial is looked at, and halvings of the piece in which it changes.
constexpr int kPieces = 32;
constexpr int kHalvings = 40;

}  // namespace

double BeforeSurface::first_root(double tried) {
  double first = 0.0;
  for (const locate::Watch& watch : watches_) {
    double value = 0.0;
    system::GuardDerivatives derivatives;
    const double t = stepper_.time().value();
    if (!evaluator_.guards({&watch.guard, 1}, t, stepper_.state(), {&value, 1}).ok() ||
        !evaluator_.guard_derivatives(watch.guard, t, stepper_.state(), derivatives).ok() ||
        derivatives.n_known == 0) {
      continue;
    }
    const auto on_side = [&](double distance) {
      const double tau = direction_ * distance;
      double factor = 1.0;
      double sum = value - watch.level;
      for (int order = 1; order <= derivatives.n_known; ++order) {
        factor *= tau / order;
        sum += factor * derivatives.value[static_cast<std::size_t>(order - 1)];
      }
      return watch.side * sum > 0.0;
    };
    const double end = first > 0.0 ? first : tried;
    for (int piece = 1; piece <= kPieces; ++piece) {
      double low = end * (piece - 1) / kPieces;
      double high = end * piece / kPieces;
      if (on_side(high) || (piece == 1 && !on_side(0.0))) {
        continue;
      }
      for (int i = 0; i < kHalvings; ++i) {
        const double middle = 0.5 * (low + high);
        (on_side(middle) ? low : high) = middle;
      }
      first = high;
      break;
    }
  }
  return first;
}

double BeforeSurface::size_after(double tried) {
  if (root_ < 0.0) {
    root_ = first_root(tried);
  }
  if (!(root_ > 0.0) || n_asked_++ >= kMostGuesses) {
    return 0.0;
  }
  return std::min(root_ / kRatio, kShrink * tried);
}

}  // namespace saltus::hybrid
