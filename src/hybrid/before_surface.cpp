#include "hybrid/before_surface.hpp"

#include <array>

namespace saltus::hybrid {
namespace {

// Where the root shall lie, in units of the step, guess by guess: the extension loses accuracy quickly beyond the end of its
// step, a polynomial of degree three is right to some per cent within a step, and it may be used up to 1.3.
constexpr std::array<double, 4> kRatios = {1.03, 1.12, 1.5, 2.5};
// A root nearer than this part of the step may be the one just left, seen again by rounding: the controller decides.
constexpr double kTooNear = 0.03;
// Points at which the sign of a polynomial is looked at, and halvings of the piece in which it changes.
constexpr int kPieces = 32;
constexpr int kHalvings = 40;

}  // namespace

double BeforeSurface::first_root(double tried) {
  double first = 0.0;
  for (const locate::Watch& watch : watches_) {
    if (is_first_ && watch.starts_at_root) {
      continue;  // its root is behind, and what rounding makes of it says nothing
    }
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
  if (!(root_ > kTooNear * tried) || n_asked_ >= kRatios.size()) {
    return 0.0;
  }
  return root_ / kRatios[n_asked_++];
}

}  // namespace saltus::hybrid
