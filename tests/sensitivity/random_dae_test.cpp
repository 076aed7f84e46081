// Random switched linear DAEs of index up to 3: sensitivities of end values and event times against differences of the oracle's runs in long double
// (support/oracle/dae_sensitivities.hpp). More of them: scripts/campaign sensitivities N SEED.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "support/oracle/dae_sensitivities.hpp"

namespace saltus::test::oracle {
namespace {

TEST(SensitivitiesOfRandomDaes, AreDifferencesOfTheOracle) {
  constexpr std::uint32_t kSystems = 48;
  constexpr std::uint32_t kStep = 11;  // so that all kinds are among few
  const char* const methods[] = {"auto", "radau5", "bdf"};
  std::size_t n_systems = 0;
  std::size_t n_compared = 0;
  std::size_t n_undefined = 0;
  for (std::uint32_t i = 0; i < kSystems; ++i) {
    const std::uint32_t seed = 1 + kStep * i;
    const SensitivityCheck check = check_sensitivities(seed, methods[i % 3]);
    EXPECT_TRUE(check.verdict == SensitivityCheck::Verdict::agrees ||
                check.verdict == SensitivityCheck::Verdict::aside)
        << "seed " << seed << " by " << methods[i % 3] << ": " << to_string(check.verdict) << ", "
        << check.what;
    n_systems += check.n_compared > 0 ? 1 : 0;
    n_compared += check.n_compared;
    n_undefined += check.n_undefined;
  }
  std::printf("%zu systems, %zu parameters, %zu of them undefined somewhere\n", n_systems, n_compared,
              n_undefined);
  EXPECT_GT(n_systems, kSystems / 2);
  EXPECT_LT(n_undefined, n_compared / 2);
}

}  // namespace
}  // namespace saltus::test::oracle
