// Parameters with fixed = false (Modelica 8.6).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lang/compile.hpp"

namespace saltus::lang {
namespace {

Result<Compiled> compiled(const std::string& text) {
  return compile(std::make_shared<const SourceText>("a.mo", text), {Dialect::modelica, {}});
}

TEST(FreeParameters, RestAndHaveTheirBindingAsAnInitialEquation) {
  const auto result = compiled(
      "model A parameter Real p[2](each fixed = false, start = {3, 4}) = {1, 2}; Real x = p[1]; end A;");
  ASSERT_TRUE(result) << result.error().items()[0].message;
  EXPECT_TRUE(result->model.parameters.empty());
  ASSERT_EQ(result->model.variables.size(), 3U);
  EXPECT_EQ(result->model.variables[0].name, "p[1]");
  EXPECT_FALSE(result->model.variables[0].fixed);
  EXPECT_TRUE(result->model.variables[1].start);
  EXPECT_EQ(result->model.equations.size(), 3U);  // der(p) = 0 twice, x = p[1]
  EXPECT_EQ(result->model.initial_equations.size(), 2U);
}

TEST(FreeParameters, AFixedOneIsAParameter) {
  const auto result = compiled("model A parameter Real p(fixed = true) = 1; Real x = p; end A;");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->model.parameters.size(), 1U);
}

struct Refused {
  const char* text;
  const char* message;
};

TEST(FreeParameters, WhatCannotWaitForTheStartIsRefused) {
  for (const auto& [text, message] :
       {Refused{"model A parameter Integer n(fixed = false) = 1; Real x = n; end A;",
                "parameters of type Real only"},
        Refused{"model A parameter Real p(fixed = false) = 1; parameter Real q = 2*p; Real x = q; end A;",
                "'q' depends on a variable"},
        Refused{"model A parameter Real p[2](fixed = {true, false}) = {1, 2}; Real x = p[1]; end A;",
                "some are fixed"}}) {
    const auto result = compiled(text);
    ASSERT_FALSE(result) << text;
    EXPECT_THAT(result.error().items()[0].message, ::testing::HasSubstr(message));
  }
}

}  // namespace
}  // namespace saltus::lang
