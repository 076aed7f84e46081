/// Values of the interpreter of instants, beside those found by hand.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/oracle/instants/instant_oracle.hpp"

namespace saltus::test::instants {

/// A run that must reach its end, without a doubt.
inline InstantRun complete_run(const std::string& text) {
  InstantRun run = interpret(text);
  EXPECT_EQ(run.outcome, InstantRun::Outcome::complete) << run.why << "\n" << text;
  EXPECT_EQ(run.doubt, "") << text;
  return run;
}

inline double at(const InstantRun& run, const std::string& name, double t) {
  return static_cast<double>(run.value(name, t));
}

inline void expect_times(const std::vector<Real>& times, const std::vector<double>& expected) {
  ASSERT_EQ(times.size(), expected.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(times[i]), expected[i], 1e-13) << i;
  }
}

}  // namespace saltus::test::instants
