// New values of parameters that are given to the compiler.
#include <gtest/gtest.h>

#include <memory>

#include "lang/compile.hpp"

namespace saltus::lang {
namespace {

std::vector<std::string> codes_with(std::vector<std::pair<std::string, double>> parameters) {
  const auto source = std::make_shared<const SourceText>(
      "test.mo",
      "model M\n  parameter Integer n = 2;\n  final parameter Real f = 1;\n  constant Real c = 1;\n"
      "  Real x[n](each start = 1, each fixed = true);\nequation\n  der(x) = -f*c*x;\nend M;\n");
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
  EXPECT_EQ(codes_with({{"n", 5}}), Codes{"5 variables"});
  EXPECT_EQ(codes_with({{"n", 0}}), Codes{"0 variables"});
}

TEST(Overrides, OfNamesThatDoNotExistOrMayNotChangeAreAllReported) {
  EXPECT_EQ(codes_with({{"m", 5}, {"f", 2}, {"c", 2}}),
            (Codes{"unknown-parameter", "parameter-not-changeable", "parameter-not-changeable"}));
}

}  // namespace
}  // namespace saltus::lang
