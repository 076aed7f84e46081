// What is read but not run yet is named once for each place of the text.
#include <gtest/gtest.h>

#include "saltus/model.hpp"

namespace saltus {
namespace {

std::vector<std::string> problems(const std::string& text) {
  std::vector<std::string> messages;
  const Diagnostics found = Model::from_text("m.mo", text).value().check();
  for (const Diagnostic& item : found.items()) {
    messages.push_back(item.code + ": " + item.message);
  }
  return messages;
}

TEST(NotYet, AWhenClauseIsNamedWithoutItsConditions) {
  EXPECT_EQ(problems("model M Real x(start = 1, fixed = true); equation der(x) = -1;"
                     " when x < 0 then reinit(x, 1); end when; end M;"),
            std::vector<std::string>{"not-supported-yet: a when clause: events are not run yet"});
}

TEST(NotYet, ALoopNamesItsConditionOnce) {
  EXPECT_EQ(
      problems("model M Real x[3](each start = 1, each fixed = true); equation"
               " for i in 1:3 loop der(x[i]) = if x[i] > 2 then 1 else -1; end for; end M;"),
      std::vector<std::string>{
          "not-supported-yet: the condition 'x[1] - 2 > 0' changes during the run: events are not run yet"});
}

TEST(NotYet, ConditionsOutsideOfClausesAreAllNamed) {
  EXPECT_EQ(problems("model M Real x(start = 1, fixed = true), y; equation der(x) = abs(x);"
                     " when x > 2 then reinit(x, 1); end when; y = sign(x - 1); end M;")
                .size(),
            3U);
}

}  // namespace
}  // namespace saltus
