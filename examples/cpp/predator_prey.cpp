// How long is a period of predators and prey, and how does it depend on where they start?
//
// A model as text, runs with different start values, and the solution at any time between the steps.

#include <cstdio>
#include <saltus/saltus.hpp>

namespace {

const char* const kModel = R"(
model PredatorPrey
  parameter Real growth = 1, hunting = 1;
  Real prey(start = 1.5, fixed = true), predators(start = 1, fixed = true);
equation
  der(prey) = growth*prey - hunting*prey*predators;
  der(predators) = hunting*prey*predators - predators;
end PredatorPrey;
)";

// The first time after `from` at which the predators come back to 1 from below: by bisection on the dense solution.
double return_time(const saltus::Trajectory& trajectory, double from) {
  const auto above = [&](double t) { return trajectory.at(t, "predators") > 1.0; };
  double t = from;
  while (above(t)) {
    t += 0.01;
  }
  while (!above(t)) {
    t += 0.01;
  }
  double low = t - 0.01;
  double high = t;
  while (high - low > 1e-10) {
    const double middle = 0.5 * (low + high);
    (above(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

int main() {
  const saltus::Result<saltus::Model> model = saltus::Model::from_text("predator_prey.mo", kModel);
  if (!model) {
    std::fputs(saltus::render_text(model.error()).c_str(), stderr);
    return 1;
  }
  for (const double prey : {1.5, 2.0, 3.0}) {
    const saltus::Result<saltus::SimulationResult> result =
        saltus::simulate(*model, {.stop = 20.0, .tolerance = 1e-9, .set = {{"prey", prey}}});
    if (!result) {
      std::fputs(saltus::render_text(result.error()).c_str(), stderr);
      return 1;
    }
    if (!result->ok()) {
      std::fprintf(stderr, "%s\n", result->message.c_str());
      return 1;
    }
    std::printf("prey %.1f at the start: period %.6f, %lld steps with %s\n", prey,
                return_time(result->trajectory, 0.01),
                static_cast<long long>(result->statistics.accepted_steps), result->statistics.method.c_str());
  }
  return 0;
}
