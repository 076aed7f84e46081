#include <cstdio>
#include <saltus/saltus.hpp>

int main() {
  const auto model = saltus::Model::from_text(
      "decay.mo", "model Decay Real x(start = 1, fixed = true); equation der(x) = -x; end Decay;");
  const auto result = saltus::simulate(model.value(), {.stop = 1.0, .tolerance = 1e-8});
  std::printf("x = %.10f\n", result.value().final_value("x"));
  return result.value().ok() ? 0 : 1;
}
