#include "api/results/configuration_log.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace saltus::api {
namespace {

system::Configuration random_configuration(std::mt19937& random, std::size_t n_latched,
                                           std::size_t n_discrete) {
  system::Configuration configuration;
  configuration.latched.resize(n_latched);
  configuration.discrete.resize(n_discrete);
  for (double& side : configuration.latched) {
    side = random() % 2 == 0 ? 1.0 : -1.0;
  }
  for (double& value : configuration.discrete) {
    value = static_cast<double>(random() % 5);
  }
  return configuration;
}

TEST(ConfigurationLog, GivesBackWhatWasAppended) {
  std::mt19937 random(7);
  for (const std::size_t n : {0U, 1U, 3U, 40U}) {
    ConfigurationLog log;
    std::vector<system::Configuration> expected;
    system::Configuration configuration = random_configuration(random, n, n / 2);
    for (int k = 0; k < 500; ++k) {
      configuration.mode = ModeId(static_cast<std::size_t>(random() % 3));
      if (n > 0 && random() % 10 == 0) {
        configuration = random_configuration(random, n, n / 2);
      } else if (n > 0) {
        configuration.latched[random() % n] *= -1.0;
      }
      log.append(configuration);
      expected.push_back(configuration);
    }
    ASSERT_EQ(log.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      ASSERT_EQ(log.at(k), expected[k]) << "n = " << n << ", entry " << k;
    }
  }
}

TEST(ConfigurationLog, NotANumberIsKept) {
  ConfigurationLog log;
  system::Configuration configuration;
  configuration.discrete = {1.0};
  log.append(configuration);
  configuration.discrete = {std::nan("")};
  log.append(configuration);
  log.append(configuration);
  EXPECT_EQ(log.at(0).discrete[0], 1.0);
  EXPECT_TRUE(std::isnan(log.at(1).discrete[0]));
  EXPECT_TRUE(std::isnan(log.at(2).discrete[0]));
}

// A thousand relays that switch in turn: the values of all configurations would take 80 MB.
TEST(ConfigurationLog, MemoryGrowsWithChanges) {
  ConfigurationLog log;
  system::Configuration configuration;
  configuration.latched.assign(1000, 1.0);
  for (std::size_t k = 0; k < 10'000; ++k) {
    configuration.latched[k % 1000] *= -1.0;
    log.append(configuration);
  }
  EXPECT_LT(log.memory(), 2'000'000U);
  EXPECT_EQ(log.at(9'999), configuration);
}

}  // namespace
}  // namespace saltus::api
