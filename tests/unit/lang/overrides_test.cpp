// New values of parameters that are given to the compiler.
#include <gtest/gtest.h>

#include <memory>

#include "lang/compile.hpp"

namespace saltus::lang {
namespace {

ParameterSetting one(double value) {
  return {.shape = {}, .numbers = {value}};
}

std::vector<std::string> codes_with(std::vector<std::pair<std::string, ParameterSetting>> parameters) {
  const auto source = std::make_shared<const SourceText>(
      "test.mo",
      "model M\n  parameter Integer n = 2;\n  final parameter Real f = 1;\n  constant Real c = 1;\n"
      "  parameter Real k[:] = {1, 2, 3};\n  Real x[n](each start = 1, each fixed = true);\nequation\n  "
      "der(x) = -f*c*sum(k)*x;\nend M;\n");
  const Result<Compiled> compiled = compile(source, {Dialect::modelica, std::move(parameters)});
  std::vector<std::string> codes;
  if (!compiled) {
    for (const Diagnostic& item : compiled.error().items()) {
      codes.push_back(item.code);
    }
  } else {
    codes.push_back(std::to_string(compiled->model.variables.size()) + " variables");
  }
  return codes;
}

using Codes = std::vector<std::string>;

TEST(Overrides, ChangeSizes) {
  EXPECT_EQ(codes_with({}), Codes{"2 variables"});
  EXPECT_EQ(codes_with({{"n", one(5)}}), Codes{"5 variables"});
  EXPECT_EQ(codes_with({{"n", one(0)}}), Codes{"0 variables"});
  EXPECT_EQ(codes_with({{"k", {.shape = {2}, .numbers = {1, 2}}}}), Codes{"2 variables"});
  EXPECT_EQ(codes_with({{"k", {.shape = {0}, .numbers = {}}}}), Codes{"2 variables"});
}

TEST(Overrides, OfNamesThatDoNotExistOrMayNotChangeAreAllReported) {
  EXPECT_EQ(codes_with({{"m", one(5)}, {"f", one(2)}, {"c", one(2)}}),
            (Codes{"unknown-parameter", "parameter-not-changeable", "parameter-not-changeable"}));
}

TEST(Overrides, OfOtherShapesAreRefused) {
  EXPECT_EQ(codes_with({{"k", one(1)}}), Codes{"shape-mismatch"});
  EXPECT_EQ(codes_with({{"n", {.shape = {1}, .numbers = {1}}}}), Codes{"shape-mismatch"});
  EXPECT_EQ(codes_with({{"k", {.shape = {1, 1}, .numbers = {1}}}}), Codes{"shape-mismatch"});
}

}  // namespace
}  // namespace saltus::lang
