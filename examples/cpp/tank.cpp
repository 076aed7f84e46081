// A tank that is kept full by a controller outside of the model.
//
// Values that are asked for before anything begins (Initialization), a simulation that is led from outside and changed in between (Simulation), and
// rows that are taken while they are computed (OutputSink).

#include <algorithm>
#include <cstdio>
#include <saltus/saltus.hpp>

namespace {

const char* const kModel = R"(
model Tank
  parameter Real leak = 0.1 "of the outlet";
  input Real valve(start = 0);
  Real level(start = 1, fixed = true, unit = "m", displayUnit = "cm");
  output Real outflow;
equation
  outflow = leak*sqrt(level);
  der(level) = valve - outflow;
end Tank;
)";

// The lowest level of all rows; none of them is kept.
class LowestLevel : public saltus::OutputSink {
 public:
  bool begin(std::span<const saltus::VariableInfo> columns) override {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      place_ = columns[i].name == "level" ? i : place_;
    }
    return true;
  }
  bool rows(const saltus::OutputRows& rows) override {
    for (std::size_t k = 0; k < rows.times.size(); ++k) {
      lowest_ = std::min(lowest_, rows.value(k, place_));
    }
    return true;
  }
  [[nodiscard]] double lowest() const { return lowest_; }

 private:
  std::size_t place_ = 0;
  double lowest_ = 1e9;
};

}  // namespace

int main() {
  const saltus::Model model = saltus::Model::from_text("tank.mo", kModel).value();
  LowestLevel sink;
  const saltus::SimulationOptions options{.stop = 60.0, .keep_dense = false, .keep_rows = false, .sink = &sink};

  saltus::Initialization start(model, options, {"leak"});
  start.set({{"level", 0.64}});
  std::printf("outflow at the start %.3f\n", start.value("outflow").value());

  saltus::Simulation tank = std::move(start.exit().value());
  while (!tank.has_ended()) {
    const double valve = tank.value("level") < 0.5 ? 0.12 : 0.0;
    const double leak = tank.time() < 30.0 ? 0.1 : 0.11;  // it wears out
    if (!tank.set({{"valve", valve}, {"leak", leak}})) {
      break;
    }
    (void)tank.advance_to(std::min(tank.time() + 0.5, tank.stop_time()));
  }
  std::printf("rate at the end %.4f\n", tank.derivative("level"));
  const saltus::SimulationResult result = tank.finish();
  std::printf("%s, never below %.2f\n", std::string(to_string(result.status)).c_str(), sink.lowest());
  return result.ok() && sink.lowest() > 0.4 ? 0 : 1;
}
