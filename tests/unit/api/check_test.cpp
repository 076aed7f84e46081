// Model::check says what cannot be solved, and nothing about what can.
#include <gtest/gtest.h>

#include "saltus/model.hpp"

namespace saltus {
namespace {

std::vector<std::string> problems(const std::string& text, const std::string& name = "m.mo") {
  std::vector<std::string> messages;
  const Diagnostics found = Model::from_text(name, text).value().check();
  for (const Diagnostic& item : found.items()) {
    messages.push_back(item.code + ": " + item.message);
  }
  return messages;
}

TEST(Check, ClausesConditionsAndModesAreFine) {
  const std::vector<std::string> none;
  EXPECT_EQ(problems("model M Real x(start = 1, fixed = true); equation der(x) = -1;"
                     " when x < 0 then reinit(x, 1); end when; end M;"),
            none);
  EXPECT_EQ(problems("model M Real x[3](each start = 1, each fixed = true); equation"
                     " for i in 1:3 loop der(x[i]) = if x[i] > 2 then 1 else -1; end for; end M;"),
            none);
  EXPECT_EQ(problems("model M Real x(start = 1, fixed = true), y; equation der(x) = abs(x);"
                     " when x > 2 then reinit(x, 1); end when; y = sign(x - 1); end M;"),
            none);
  EXPECT_EQ(problems("model M Real x(start = 1, fixed = true);"
                     " initial mode up equation der(x) = 1; transition to down when x > 2; end up;"
                     " mode down equation der(x) = -1; transition to up when x < 1; end down; end M;",
                     "m.saltus"),
            none);
}

TEST(Check, WhatIsMissingIsNamed) {
  EXPECT_FALSE(problems("model M Real x, y; equation der(x) = y; end M;").empty());
}

}  // namespace
}  // namespace saltus
