#include "program/equations/schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/text_system.hpp"

namespace saltus::program {
namespace {

using test::build_text;
using test::TextSystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Schedule, ClockInstantsAreOneRoundingFromExact) {
  TextSystem s(R"(
model M
  discrete Real u(start = 0, fixed = true);
equation
  when sample(0.05, 0.1) then u = time; end when;
end M;)");
  double t = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const system::Schedule schedule = s.next(t, 1.0, false, 100.0);
    ASSERT_EQ(schedule.time, std::fma(k, 0.1, 0.05)) << k;
    EXPECT_THAT(schedule.clocks, ElementsAre(0));
    t = schedule.time;
  }
  for (int k = 998; k >= 0; --k) {
    const system::Schedule schedule = s.next(t, -1.0, false, 100.0);
    ASSERT_EQ(schedule.time, std::fma(k, 0.1, 0.05)) << k;
    t = schedule.time;
  }
  EXPECT_EQ(s.next(t, -1.0).time, -HUGE_VAL);
  EXPECT_EQ(s.next(0.05, 1.0, true).time, 0.05);  // k = 0 included
  EXPECT_EQ(s.next(0.05, 1.0, false).time, std::fma(1.0, 0.1, 0.05));
}

TEST(Schedule, RelationsAffineInTime) {
  TextSystem s(R"(
model M
  parameter Real T = 0.3;
  Real x(start = 0, fixed = true), ramp;
equation
  ramp = 2*time - 1;
  der(x) = if time > T then 1 elseif ramp >= 3 then 2 else sin(time) + (if x > 4 then 1 else 0);
end M;)");
  EXPECT_TRUE(s.hybrid->guards()[s.guard("time > T")].is_scheduled);
  EXPECT_TRUE(s.hybrid->guards()[s.guard("ramp >= 3")].is_scheduled);  // seen through its formula
  EXPECT_FALSE(s.hybrid->guards()[s.guard("x > 4")].is_scheduled);
  EXPECT_EQ(s.next(0.0).time, 0.3);
  EXPECT_THAT(s.next(0.0).guards, ElementsAre(static_cast<Index>(s.guard("time > T"))));
  EXPECT_EQ(s.next(0.3).time, 2.0);
  EXPECT_EQ(s.next(2.0).time, HUGE_VAL);
  EXPECT_EQ(s.next(2.0, -1.0).time, 0.3);
  EXPECT_EQ(s.next(0.3, 1.0, true).time, 0.3);
  EXPECT_THAT(s.next(5.0).guards, IsEmpty());
}

// mod(time, T) changes at n·T in one rounding; a relation inside it follows the held number.
TEST(Schedule, InsideMod) {
  TextSystem s(R"(
model M
  parameter Real T = 0.1;
  Real x(start = 0, fixed = true);
equation
  der(x) = if mod(time, T) < 0.04 then 1 else 0;
end M;)");
  ASSERT_EQ(s.hybrid->guards().size(), 2U);
  const std::size_t turn = s.hybrid->guards()[0].kind == system::GuardInfo::Kind::floor ? 0 : 1;
  const std::size_t inside = 1 - turn;
  EXPECT_TRUE(s.hybrid->guards()[0].is_scheduled);
  EXPECT_TRUE(s.hybrid->guards()[1].is_scheduled);
  double t = 0.0;
  for (int n = 0; n < 50; ++n) {
    s.configuration.latched[turn] = n;
    system::Schedule schedule = s.next(t);
    EXPECT_DOUBLE_EQ(schedule.time, n * 0.1 + 0.04);
    EXPECT_THAT(schedule.guards, ElementsAre(static_cast<Index>(inside)));
    schedule = s.next(schedule.time);
    EXPECT_EQ(schedule.time, (n + 1) * 0.1);
    EXPECT_THAT(schedule.guards, ElementsAre(static_cast<Index>(turn)));
    t = schedule.time;
  }
  s.configuration.latched[turn] = 49;
  EXPECT_EQ(s.next(49 * 0.1 + 0.02, -1.0).time, 49 * 0.1);  // falling: at the number itself
}

TEST(Schedule, DiscreteValuesMoveTheTime) {
  TextSystem s(R"(
model M
  discrete Real next(start = 0.7, fixed = true);
equation
  when time >= pre(next) then
    next = pre(next) + 0.5;
  end when;
end M;)");
  ASSERT_EQ(s.hybrid->guards().size(), 1U);
  EXPECT_TRUE(s.hybrid->guards()[0].is_scheduled);
  EXPECT_TRUE(s.hybrid->actions()[0].is_scheduled);
  EXPECT_EQ(s.next(0.0).time, 0.7);
  s.fire({0});
  EXPECT_EQ(s["next"], 0.7 + 0.5);
  EXPECT_EQ(s.next(0.7).time, 0.7 + 0.5);
}

TEST(Schedule, TimesOfOneInstantAreDueTogether) {
  TextSystem s(R"(
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = if time > 0.3 then 1 else 0;
  when sample(0, 0.1) then reinit(x, 0); end when;
end M;)");
  const system::Schedule schedule = s.next(0.25);
  EXPECT_EQ(schedule.guards.size(), 1U);
  EXPECT_EQ(schedule.clocks.size(), 1U);
}

TEST(Schedule, ClocksThatMakeNoSenseAreRefused) {
  const auto zero = build_text(R"(
model M
  parameter Real T = 1;
  discrete Real u(start = 0);
equation
  when sample(0, T) then u = time; end when;
end M;)",
                               lang::Dialect::modelica, {{"T", 0.0}});
  ASSERT_FALSE(zero);
  EXPECT_EQ(zero.error().items()[0].code, "sample-interval");
}

// With T = 0: 0/0, 1/0, and instants at which doubles are farther apart than the interval.
TEST(Schedule, ClocksWithoutTimesAreRefused) {
  for (const char* clock : {"sample(T/T, 1)", "sample(1/T, 1)", "sample(0, 1/T)", "sample(-1e16 + T, 0.1)",
                            "sample(-1e300 + T, 1)"}) {
    const auto built = build_text("model M parameter Real T = 1; discrete Real u(start = 0); equation when " +
                                      std::string(clock) + " then u = time; end when; end M;",
                                  lang::Dialect::modelica, {{"T", 0.0}});
    ASSERT_FALSE(built) << clock;
    EXPECT_EQ(built.error().items()[0].code, "sample-interval") << clock;
  }
}

TEST(Schedule, AClockFasterThanTimesCanBeToldApartDoesNotFallSilent) {
  TextSystem s(R"(
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  when sample(0, 1e-320) then reinit(x, 0); end when;
end M;)");
  const system::Schedule schedule = s.next(0.25);
  EXPECT_GT(schedule.time, 0.25);
  EXPECT_LT(schedule.time, 0.25 + 1e-13);
  EXPECT_EQ(schedule.clocks.size(), 1U);
}

}  // namespace
}  // namespace saltus::program
