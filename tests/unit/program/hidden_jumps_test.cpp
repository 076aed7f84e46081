#include "program/guards/hidden_jumps.hpp"

#include <gtest/gtest.h>

#include "support/compile_text.hpp"

namespace saltus::program {
namespace {

std::vector<std::string> found_in(const std::string& rate) {
  return hidden_jumps(
      saltus::test::compile_text("model M parameter Real p = 2; Real x(start = 1), v(start = 0), n(start = "
                                 "0); discrete Real d(start = 0);\n"
                                 "equation der(x) = v; der(n) = 1; der(v) = " +
                                 rate + "; when time > 1 then d = pre(d) + 1; end when; end M;"));
}

TEST(HiddenJumps, AreChoicesThatJump) {
  for (const char* rate : {"if noEvent(x > p) then 2 else -v", "noEvent(if x > p then 2 else -v)",
                           "noEvent(if x > p and v < 1 then 2 else -v)", "noEvent(sign(v))",
                           "v*noEvent(sign(x))", "noEvent(floor(x))", "noEvent(atan2(v, x))",
                           "atan2(noEvent(atan2(v, x)), x)", "atan2(v, x) + noEvent(atan2(v, x))",
                           "noEvent(if time > 0.5 then 1 else 2)", "noEvent(if x > 0 then x + 1 else x)"}) {
    EXPECT_FALSE(found_in(rate).empty()) << rate;
  }
}

TEST(HiddenJumps, AreNoneWhereEquationsAreContinuous) {
  for (const char* rate :
       {"-v", "if x > p then 2 else -v", "noEvent(if x > 0 then x else 0)", "noEvent(max(x, 0))",
        "noEvent(abs(v))", "noEvent(if x > 0 then sqrt(x) else 0)", "v*noEvent(sign(v))",
        "noEvent(if x > p then (x - p)^2 else 0)", "noEvent(if d > 0 then 1 else 2)",
        "noEvent(if p > 0 then 1 else 2)", "noEvent(min(x, p))*v", "atan2(v, x)", "atan2(atan2(v, x), -x)",
        "x*atan2(v, -1)", "noEvent(atan2(v, 2))", "atan2(v, p)"}) {
    EXPECT_TRUE(found_in(rate).empty()) << rate;
  }
}

TEST(HiddenJumps, AreNamed) {
  const std::vector<std::string> found = found_in("noEvent(if x > p then 2 else if v < 1 then 3 else 4)");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0] + ", " + found[1], "p < x, v < 1");
}

}  // namespace
}  // namespace saltus::program
