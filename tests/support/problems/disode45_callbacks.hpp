/// The four problems of DISODE45 [CMR16] as its users write them: a function that chooses its side by itself, and the surfaces.
/// The same as examples filippov_cycle, structural_pounding, relay_feedback, two_masses_with_friction.
#pragma once

#include <cmath>
#include <numbers>

#include "saltus/callback_model.hpp"

namespace saltus::test {

inline double sign_of(double value) {
  return value > 0.0 ? 1.0 : value < 0.0 ? -1.0 : 0.0;
}

inline CallbackGuard surface(std::string name, std::vector<double> coefficients, double constant = 0.0) {
  CallbackGuard guard;
  guard.name = std::move(name);
  guard.affine = CallbackGuard::Affine{std::move(coefficients), 0.0, constant};
  return guard;
}

inline CallbackModel filippov_cycle() {
  CallbackModel model;
  model.name = "FilippovCycle";
  model.states = {{.name = "y1", .start = -0.75}, {.name = "y2", .start = -1.0 - std::sin(1.5)}};
  model.guards = {{.name = "g"}};
  model.guard_values = [](const CallbackPoint& at, std::span<double> values) {
    values[0] = at.x[1] - 0.2 - std::sin(2.0 * at.x[0]);
  };
  model.rhs = [](const CallbackPoint& at, std::span<double> xdot) {
    const double g = at.x[1] - 0.2 - std::sin(2.0 * at.x[0]);
    const double u = -sign_of(g) / (1.0 + std::pow(std::abs(g), 1.5));
    xdot[0] = at.x[1] - std::sin(2.0 * at.x[0]);
    xdot[1] = 2.0 * std::cos(2.0 * at.x[0]) * xdot[0] - at.x[0] + u;
  };
  model.rhs_chooses_sides = true;
  return model;
}

inline CallbackModel structural_pounding() {
  constexpr double kStiffness = 2.47e6;
  constexpr double kGap = 0.005;
  CallbackModel model;
  model.name = "StructuralPounding";
  model.states = {{.name = "y"}, {.name = "v"}};
  model.guards = {surface("y - gap", {1.0, 0.0}, -kGap), surface("v", {0.0, 1.0})};
  model.rhs = [](const CallbackPoint& at, std::span<double> xdot) {
    const double y = at.x[0];
    const double v = at.x[1];
    double force = 0.0;
    if (y > kGap) {
      force = kStiffness * std::pow(y - kGap, 1.5);
      if (v > 0.0) {
        force += 1.98 * std::sqrt(2.0 * kStiffness * std::sqrt(y - kGap)) * v;
      }
    }
    xdot[0] = v;
    xdot[1] = 0.5 * (-4.1 * v - 210.125 * y - force - 2.0 * std::sin(14.0 * at.time));
  };
  model.rhs_chooses_sides = true;
  return model;
}

inline CallbackModel relay_feedback() {
  constexpr double kOmega = 25.0;
  constexpr double kZeta = 0.05;
  CallbackModel model;
  model.name = "RelayFeedback";
  model.states = {{.name = "y1"}, {.name = "y2", .start = 0.2}, {.name = "y3", .start = 0.06}};
  model.guards = {surface("y1", {1.0, 0.0, 0.0})};
  model.rhs = [](const CallbackPoint& at, std::span<double> xdot) {
    const double u = sign_of(at.x[0]);
    xdot[0] = -(2.0 * kZeta * kOmega + 1.0) * at.x[0] + at.x[1] - u;
    xdot[1] = -(2.0 * kZeta * kOmega + kOmega * kOmega) * at.x[0] + at.x[2] + 2.0 * u;
    xdot[2] = -kOmega * kOmega * at.x[0] - u;
  };
  model.rhs_chooses_sides = true;
  return model;
}

inline CallbackModel two_masses_with_friction() {
  CallbackModel model;
  model.name = "TwoMassesWithFriction";
  model.states = {
      {.name = "y1", .start = -2.0}, {.name = "y2", .start = 3.0}, {.name = "v1"}, {.name = "v2"}};
  model.guards = {surface("y1", {1.0, 0.0, 0.0, 0.0}), surface("y2", {0.0, 1.0, 0.0, 0.0}),
                  surface("v1", {0.0, 0.0, 1.0, 0.0}), surface("v2", {0.0, 0.0, 0.0, 1.0})};
  model.rhs = [](const CallbackPoint& at, std::span<double> xdot) {
    const double f1 = at.x[0] > 0.0 ? 1.0 : 0.6;
    const double f2 = at.x[1] > 0.0 ? 0.2 : 0.5;
    xdot[0] = at.x[2];
    xdot[1] = at.x[3];
    xdot[2] = -(at.x[0] - at.x[1]) - f1 * sign_of(at.x[2]);
    xdot[3] = -(at.x[1] - at.x[0]) - f2 * sign_of(at.x[3]);
  };
  model.rhs_chooses_sides = true;
  return model;
}

}  // namespace saltus::test
