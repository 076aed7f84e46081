// A block on a rough table, pulled by a force that swings: when does it stick, when does it slip?
//
// The equations are C++ functions. The friction force depends on the side of the guard v, not on the sign of the number v,
// so each side is smooth; where the force cannot overcome the friction the block sticks, which is sliding on v = 0.

#include <cmath>
#include <cstdio>
#include <saltus/saltus.hpp>
#include <string>

namespace {

constexpr double kFriction = 0.6;

saltus::CallbackModel block() {
  saltus::CallbackModel model;
  model.name = "Block";
  model.description = "block on a rough table";
  model.states = {{.name = "x", .unit = "m"}, {.name = "v", .unit = "m/s"}};
  model.guards = {{.name = "v", .affine = saltus::CallbackGuard::Affine{{0.0, 1.0}, 0.0, 0.0}}};
  model.rhs = [](const saltus::CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.x[1];
    xdot[1] = std::sin(at.time) - kFriction * at.sides[0];
  };
  model.rhs_takes_weights = true;
  model.output_names = {"friction"};
  model.outputs = [](const saltus::CallbackPoint& at, std::span<double> outputs) {
    outputs[0] = kFriction * at.sides[0];
  };
  return model;
}

}  // namespace

int main() {
  const saltus::Result<saltus::SimulationResult> result =
      saltus::simulate(block(), {.stop = 10.0, .tolerance = 1e-9});
  if (!result) {
    std::fputs(saltus::render_text(result.error()).c_str(), stderr);
    return 1;
  }
  if (!result->ok()) {
    std::fprintf(stderr, "%s\n", result->message.c_str());
    return 1;
  }
  for (const saltus::Event event : result->events) {
    std::printf("%-11s at %.7f\n", std::string(to_string(event.kind)).c_str(), event.time);
  }
  // It leaves rest when |sin(t)| = 0.6; until then the friction is the force that holds it.
  std::printf("friction at 0.2: %.7f, sin(0.2) = %.7f\n", result->trajectory.at(0.2, "friction"),
              std::sin(0.2));
  return 0;
}
