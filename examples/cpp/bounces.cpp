// A bouncing ball that is built in C++ and never written down.
//
// A model from expressions (ModelBuilder), what it says of itself (Model), events (EventList), the solution at any time (Trajectory) and the files
// of the command line (ResultFiles).

#include <cstdio>
#include <saltus/saltus.hpp>

int main() {
  saltus::ModelBuilder builder("Ball");
  const saltus::Expression e = builder.parameter("e", 0.8);
  const saltus::Expression h = builder.real("h", {.start = 1, .fixed = true, .unit = "m", .display_unit = "cm"});
  const saltus::Expression v = builder.real("v", {.start = 0, .fixed = true, .unit = "m/s"});
  builder.equation(der(h), v);
  builder.equation(der(v), -9.81);
  builder.when(h <= 0 && v < 0, [&](saltus::Body& body) { body.reinit(v, -e * pre(v)); });
  const saltus::Result<saltus::Model> built = builder.build();
  if (!built) {
    std::printf("%s", render_text(built.error()).c_str());
    return 1;
  }
  const saltus::Model& model = *built;
  for (const saltus::VariableInfo& variable : model.variables()) {
    std::printf("%s in %s\n", variable.name.c_str(), variable.unit.c_str());
  }

  saltus::ResultFiles files(model, {.folder = "bounces_results", .html = false});
  const saltus::SimulationResult result = saltus::simulate(model, {.stop = 2.0, .sink = &files}).value();
  for (const saltus::Event event : result.events) {
    std::printf("%.6f: %.4f m/s before, %.4f after\n", event.time, result.trajectory.before(event.time, "v"),
                result.trajectory.at(event.time, "v"));
  }
  const saltus::Diagnostics problems = files.finish(result);
  return result.ok() && !problems.has_errors() ? 0 : 1;
}
