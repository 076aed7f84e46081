#include "support/known_solutions/coupling.hpp"

#include <cmath>

namespace saltus::test::known {

Coupling random_coupling(const Canonical& canonical, Random& random, bool is_smooth) {
  std::vector<std::size_t> drivers;
  for (std::size_t i = 0; i < canonical.unknowns.size(); ++i) {
    if (!is_smooth || canonical.unknowns[i].lipschitz != kNotBounded) {
      drivers.push_back(i);
    }
  }
  if (drivers.empty() || random.chance(0.15)) {
    return {};
  }
  const std::size_t u = drivers[random.below(drivers.size())];
  const double coefficient = random.signed_between(0.2, 1.0);
  const double size = std::abs(coefficient);
  const double lipschitz = canonical.unknowns[u].lipschitz;
  const Sizes& sizes = canonical.unknowns[u].sizes;
  if (random.chance(0.5)) {
    return {.text = text_of(coefficient) + "*" + z(u),
            .value = {{u, size}},
            .rate = {{u, size * lipschitz}},
            .second = {{u, size * lipschitz * lipschitz}}};
  }
  return {.text = text_of(coefficient) + "*sin(" + z(u) + ")",
          .value = {{u, size}},
          .rate = {{u, size * (sizes.rate + lipschitz)}},
          .second = {{u, size * (sizes.rate * sizes.rate + sizes.second + 2.0 * sizes.rate * lipschitz +
                                 lipschitz * lipschitz)}}};
}

void add_gains(Gains& to, const Gains& gains, double factor) {
  for (const auto& [driver, gain] : gains) {
    to.emplace_back(driver, factor * gain);
  }
}

}  // namespace saltus::test::known
