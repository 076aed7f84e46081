#include "api/fit/loss.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace saltus::api {
namespace {

// ψ is half the derivative of ρ(r²), its slope the derivative of ψ, and the weight what makes ψ of r.
TEST(Losses, DerivativesFitTheirValues) {
  constexpr double kStep = 1e-5;
  for (const Loss loss : {Loss::none, Loss::huber, Loss::cauchy}) {
    for (const double r : {-7.0, -1.0, -0.1, 0.0, 0.4, 1.2, 30.0}) {
      const LossValue here = loss_of(loss, 1.5, r);
      const LossValue above = loss_of(loss, 1.5, r + kStep);
      const LossValue below = loss_of(loss, 1.5, r - kStep);
      EXPECT_NEAR(here.psi, 0.25 * (above.rho - below.rho) / kStep, 1e-7);
      EXPECT_NEAR(here.slope, 0.5 * (above.psi - below.psi) / kStep, 1e-7);
      EXPECT_NEAR(here.weight * r, here.psi, 1e-15);
    }
  }
}

TEST(Losses, AreSquaresNearZero) {
  for (const Loss loss : {Loss::huber, Loss::cauchy}) {
    EXPECT_NEAR(loss_of(loss, 2.0, 1e-4).rho, 1e-8, 1e-15);
    EXPECT_NEAR(loss_of(loss, 2.0, 1e-4).weight, 1.0, 1e-8);
  }
  EXPECT_EQ(loss_of(Loss::huber, 2.0, 5.0).rho, 16.0);
}

}  // namespace
}  // namespace saltus::api
