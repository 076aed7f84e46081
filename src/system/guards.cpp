#include "system/guards.hpp"

#include <limits>

#include "saltus/contract.hpp"

// What a system without guards answers; whoever has guards overrides what it can promise.
namespace saltus::system {
namespace {

constexpr Interval kEntire{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};

}  // namespace

Evaluation GuardValues::guards(std::span<const Index> which, double /*t*/, std::span<const double> /*x*/,
                               std::span<double> /*values*/) {
  SALTUS_EXPECT(which.empty(), "the system has no guards");
  return {};
}

double GuardValues::guard_noise(Index /*i*/, double /*t*/, std::span<const double> /*x*/) {
  return 0.0;
}

Evaluation GuardValues::guard_gradient(Index /*i*/, double /*t*/, std::span<const double> /*x*/,
                                       std::span<double> /*gradient*/, double& /*time_derivative*/) {
  SALTUS_EXPECT(false, "the system has no guards");
  return {};
}

AffineGuard GuardFacts::affine_guard(Index /*i*/) const {
  SALTUS_EXPECT(false, "the guard is not affine");
  return {};
}

Evaluation GuardValues::guard_derivatives(Index /*i*/, double /*t*/, std::span<const double> /*x*/,
                                          GuardDerivatives& derivatives) {
  derivatives = {};
  return {};
}

Interval GuardEnclosures::enclose_guard(Index /*i*/, const Interval& /*t*/, std::span<const Interval> /*x*/) {
  return kEntire;
}

Interval GuardEnclosures::enclose_guard_rate(Index /*i*/, const Interval& /*t*/,
                                             std::span<const Interval> /*x*/,
                                             std::span<const Interval> /*xdot*/) {
  return kEntire;
}

GuardBounds GuardEnclosures::bound_guard(Index /*i*/, const CurvePiece& /*piece*/) {
  return {.is_known = false, .value = kEntire, .rate = kEntire};
}

}  // namespace saltus::system
