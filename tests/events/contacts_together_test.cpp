// Bounces of several contacts of one body that accumulate together (docs/semantics.md 7.11).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

// Three bodies on a line; contacts of the bodies 0 and 1 (or of 2 and 1), and of the bodies 0 and 2.
struct Bodies {
  std::array<double, 3> mass;
  std::array<double, 3> force;
  std::array<double, 3> position;
  std::array<double, 3> velocity;
  std::string contacts;
  std::array<std::string, 3> acting;  // forces of the contacts on each body
  double stop = 4.0;                  // long after the last bounce
  std::vector<double> places = {0.0, 1.0, 100.0};
};

std::string text_of(const Bodies& bodies, double place) {
  std::string declarations = "model M Real N, P;";
  std::string equations;
  for (std::size_t i = 0; i < 3; ++i) {
    declarations += fmt::format(" Real x{0}(start = {1}, fixed = true), v{0}(start = {2}, fixed = true);\n",
                                i, place + bodies.position[i], bodies.velocity[i]);
    equations += fmt::format(" der(x{0}) = v{0}; {1}*der(v{0}) = {2} {3};\n", i, bodies.mass[i],
                             bodies.force[i], bodies.acting[i]);
  }
  return declarations + "equation\n" + equations + bodies.contacts + " end M;";
}

const std::array<std::string, 3> kPush = {"- N - P", "+ N", "+ P"};
const std::array<std::string, 3> kBetween = {"- N", "+ N + P", "- P"};
const std::string kChain = "contact(x1 - x0, N, 0); contact(x1 - x2, P, 0);";

// What comes to rest together goes on together, with the momentum of all; the bounces are no more than rounding lets be seen.
class ContactsTogether : public ::testing::TestWithParam<std::string> {};

TEST_P(ContactsTogether, BouncesOfSeveralContactsEnd) {
  const std::vector<Bodies> all = {
      {{1, 0.5, 1},
       {-0.1, -0.8, -1.7},
       {},
       {0.5, 0.51, 0.5},
       "contact(x1 - x0, N, 0.5); contact(x2 - x0, P, 0.5);",
       kPush,
       0.45},
      {{0.7, 2, 0.5},
       {2.3, 0, -1.9},
       {},
       {-0.1, 0.2, -0.1},
       "contact(x1 - x0, N, 0.3); contact(x2 - x0, P, 0.5);",
       kPush},
      {{0.7, 1, 1},
       {2.4, -0.5, -2.8},
       {},
       {-0.3, -0.2, -0.3},
       "contact(x1 - x0, N, 0); contact(x2 - x0, P, 0.7);",
       kPush},
      {{1, 1, 2},
       {2.9, -0.1, -2.4},
       {},
       {-0.8, -0.79, -0.8},
       "contact(x1 - x0, N, 0.5); contact(x2 - x0, P, 0.7);",
       kPush},
      {{0.5, 0.5, 0.7},
       {1.4, -0.6, -2.3},
       {},
       {-0.1, 0.0, -0.1},
       "contact(x1 - x0, N, 0.3); contact(x2 - x0, P, 0.3);",
       kPush},
      {{0.5, 1, 0.7}, {1.9, -2, 0.2}, {0, 0, -0.8}, {0, 0, 1.8}, kChain, kBetween, 4.0, {0.0, 1.0}},
      {{0.5, 0.7, 0.7}, {2.2, -2.7, -0.1}, {0, 0, -0.6}, {0, 0, 0.9}, kChain, kBetween, 4.0, {0.0, 1.0}}};
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Bodies& bodies = all[k];
    for (const double place : bodies.places) {
      for (const char* const tolerance : {"1e-4", "1e-6", "1e-8"}) {
        SCOPED_TRACE(fmt::format("bodies {}, at {}, tolerance {}", k, place, tolerance));
        const HybridRun run = run_text(text_of(bodies, place), {{"stop", fmt::format("{}", bodies.stop)},
                                                                {"method", GetParam()},
                                                                {"tolerance", tolerance},
                                                                {"max-events", "2000"}});
        ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
        double mass = 0.0;
        double momentum = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
          mass += bodies.mass[i];
          momentum += bodies.mass[i] * bodies.velocity[i] + bodies.force[i] * bodies.stop;
        }
        const double bound = 10.0 * std::stod(tolerance);
        for (const char* const name : {"v0", "v1", "v2"}) {
          EXPECT_NEAR(run.final(name), momentum / mass, bound);
        }
        EXPECT_NEAR(run.final("x1"), run.final("x0"), 1e-12 * (1.0 + place));
        EXPECT_NEAR(run.final("x2"), run.final("x0"), 1e-12 * (1.0 + place));
        EXPECT_GT(run.final("N"), 0.0);
        EXPECT_GT(run.final("P"), 0.0);
        for (const EventRecord& event : run.events) {
          EXPECT_TRUE(event.kind != "impact" || event.from != "0") << "an impulse that is rounding is told";
        }
      }
    }
  }
}

// Body 1 is met by 2, then by 0, and so on, ever faster: each time one of them is left behind, until all go on together. Times from the
// collisions computed one after the other, each with the momentum of the two that meet.
TEST_P(ContactsTogether, MeetingsThatAlternateAccumulate) {
  const std::vector<double> meetings = {0.795596939, 1.473666365, 2.625308089, 2.926672278,
                                        3.438513044, 3.572452684, 3.799937469, 3.859466198};
  Bodies bodies{{1, 0.5, 1}, {2.3, -2.9, 1}, {0, 0, -1}, {0, 0, 0.7}, "", kBetween};
  bodies.contacts = "0 = min(x1 - x0, N); 0 = min(x1 - x2, P);";
  for (const double place : {0.0, 100.0, 1e4}) {
    for (const double stop : {3.9, 4.0, 4.2, 4.5}) {
      SCOPED_TRACE(fmt::format("at {}, to {}", place, stop));
      const HybridRun run = run_text(text_of(bodies, place),
                                     {{"stop", number(stop)}, {"tolerance", "1e-7"}, {"method", GetParam()}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
      const std::vector<double> times = run.times("condition");
      ASSERT_GE(times.size(), meetings.size()) << run.log();
      for (std::size_t k = 0; k < meetings.size(); ++k) {
        EXPECT_NEAR(times[k], meetings[k], 1e-8);
      }
      // The momentum of all, and from 4.1 on all are one.
      const double momentum = run.final("v0") + 0.5 * run.final("v1") + run.final("v2");
      EXPECT_NEAR(momentum, 0.7 + 0.4 * stop, 1e-8);
      if (stop > 4.1) {
        EXPECT_NEAR(run.final("v0"), momentum / 2.5, 1e-8) << run.log();
        EXPECT_NEAR(run.final("v2"), momentum / 2.5, 1e-8);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ContactsTogether,
                         ::testing::Values("auto", "dopri5", "radau5", "sdirk4", "bdf"));

}  // namespace
}  // namespace saltus::test
