// Times of instants by number: where several events meet beside the run there are several, and numbers mean others.
#include "gradient_runs.hpp"

namespace saltus::test {
namespace {

constexpr const char* kMeeting =
    R"(model M parameter Real a = 1, b = 1; Real x(start = 0, fixed = true), z(start = 0, fixed = true);
equation der(x) = 1; der(z) = (if x > a then 2 else 1) + (if time > b then 3 else x); end M;)";
constexpr const char* kRoots = R"(model M parameter Real a = 1, b = 1;
Real x(start = 0, fixed = true), y(start = 0, fixed = true), z(start = 0, fixed = true);
equation der(x) = 1; der(y) = 2 - time; der(z) = (if x > 0.5*a then 2 else 1) + (if y > 0.875*b then 3 else x); end M;)";
constexpr const char* kThree =
    R"(model M parameter Real a = 1, b = 1, c = 1.5; Real x(start = 0, fixed = true), z(start = 0, fixed = true);
equation der(x) = 1; der(z) = (if x > a then 2 else 1) + (if time > b then 3 else 0) + (if x > c then 4 else 1); end M;)";
constexpr const char* kStart =
    R"(model M parameter Real p = -0.4, q = 0.2; Real x(start = 1, fixed = true); discrete Real u(start = 0, fixed = true);
equation der(x) = -x + u; when sample(p, q) then u = x*0.3; end when; end M;)";

class EventTimes : public GradientFamily {};

TEST_P(EventTimes, OfEventsThatMeetAreUndefined) {
  for (const char* text : {kMeeting, kRoots}) {
    for (const char* by : {"forward", "adjoint", "auto"}) {
      const GradientResult found = find(text, "event_time(1)", {"a", "b"}, by, 2.0);
      expect_undefined(found, "a", std::string(text) + by);
      expect_undefined(found, "b", std::string(text) + by);
    }
  }
}

// The first of them: for larger a the event of b alone is the first, for smaller a that of a.
TEST_P(EventTimes, ToOneSideAreThoseOfTheFirst) {
  for (const char* by : {"forward", "auto"}) {
    for (const char* name : {"a", "b"}) {
      EXPECT_NEAR(find(kMeeting, "event_time(1)", {name}, by, 2.0, SensitivitySide::plus).derivative(name),
                  0.0, 1e-9)
          << by << way();
      EXPECT_NEAR(find(kMeeting, "event_time(1)", {name}, by, 2.0, SensitivitySide::minus).derivative(name),
                  1.0, 1e-6)
          << by << way();
    }
  }
}

// Beside the value the second instant is the second of those that have met.
TEST_P(EventTimes, AfterEventsThatMeetHaveOtherNumbers) {
  for (const char* by : {"forward", "adjoint", "auto"}) {
    const GradientResult found = find(kThree, "event_time(2)", {"a", "c"}, by, 2.0);
    expect_undefined(found, "a", by);
    if (found.by == "forward") {
      EXPECT_NEAR(found.derivative("c"), 1.0, 1e-6) << by << way();
    }
  }
  // Apart from one another they are what they are.
  for (const char* by : {"forward", "adjoint"}) {
    const GradientResult found =
        find(kThree, "event_time(3)", {"a", "c"}, by, 2.0, SensitivitySide::both, {{"a", 0.9}});
    EXPECT_NEAR(found.derivative("a"), 0.0, 1e-6) << by << way();
    EXPECT_NEAR(found.derivative("c"), 1.0, 1e-6) << by << way();
  }
}

// Two instants whose order small changes turn round.
TEST_P(EventTimes, OfEventsThatNearlyMeetAreUndefined) {
  for (const double offset : {2.0, -2.0}) {
    for (const char* by : {"forward", "adjoint", "auto"}) {
      for (const char* functional : {"event_time(1)", "event_time(2)"}) {
        const GradientResult found = find(kMeeting, functional, {"a", "b"}, by, 2.0, SensitivitySide::both,
                                          {{"a", 1.0 + offset * tolerance()}});
        expect_undefined(found, "a", std::string(functional) + by);
        expect_undefined(found, "b", std::string(functional) + by);
      }
    }
  }
}

// Its clock ticks at the start: for other values later, or before there is a run.
TEST_P(EventTimes, AtTheStartAreUndefined) {
  for (const char* by : {"forward", "auto"}) {
    const GradientResult found = find(kStart, "event_time(1)", {"p", "q"}, by, 1.0);
    expect_undefined(found, "p", by);
    expect_undefined(found, "q", by);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, EventTimes, all_methods(), name_of_way);

}  // namespace
}  // namespace saltus::test
