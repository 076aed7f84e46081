// Choices on their edge at the end of a run: within terms, where the solution decides, and outside of them.
#include "gradient_runs.hpp"

namespace saltus::test {
namespace {

constexpr const char* kLine =
    R"(model M parameter Real p = 1, q = 1; Real x(start = 0, fixed = true), y(start = 1, fixed = true);
equation der(x) = q; der(y) = -y; end M;)";
constexpr const char* kManyNames =
    R"(model M parameter Real p = 1, q = 1, k[20] = fill(1.0, 20); Real x(start = 0, fixed = true);
equation der(x) = q + 0*sum(k); end M;)";
// Ends where it rests.
constexpr const char* kRest =
    R"(model M parameter Real p = 1; Real x(start = p, fixed = true); equation der(x) = 0; end M;)";

class Edges : public GradientFamily {};

TEST_P(Edges, OfTermsAtTheEndHaveNoDerivative) {
  for (const char* functional :
       {"final(abs(x - p))", "final(max(x - p, 0))", "final(max(x, p))", "final(min(p, x))",
        "final(if x > p then 2*x else p)", "final(sign(x - p))", "2*final(abs(x - p)) + final(y)"}) {
    for (const double offset : {0.0, 0.5, -0.5, 3.0, -3.0}) {
      for (const char* by : {"forward", "adjoint", "auto"}) {
        const std::string what = std::string(functional) + ' ' + by + ' ' + std::to_string(offset);
        expect_undefined(find(kLine, functional, {"p"}, by, 1.0, SensitivitySide::both,
                              {{"p", 1.0 + offset * tolerance()}}),
                         "p", what);
      }
    }
  }
}

TEST_P(Edges, OfTermsWithManyNames) {
  const GradientResult found = find(kManyNames, "final(abs(x - p))", {"all"}, "auto", 1.0);
  EXPECT_EQ(found.by, "forward") << way();
  expect_undefined(found, "p", "many names");
}

TEST_P(Edges, OfTermsWhereTheRunRests) {
  for (const char* by : {"forward", "adjoint", "auto"}) {
    expect_undefined(find(kRest, "final(abs(x - 1))", {"p"}, by, 1.0), "p", by);
  }
}

// To one side: the right number or none. |x - p| at x = p: +1 for larger p, -1 for smaller.
TEST_P(Edges, OfTermsToOneSide) {
  for (const char* by : {"forward", "adjoint", "auto"}) {
    for (const auto& [side, right] :
         {std::pair(SensitivitySide::plus, 1.0), {SensitivitySide::minus, -1.0}}) {
      const double found = find(kLine, "final(abs(x - p))", {"p"}, by, 1.0, side).derivative("p");
      EXPECT_TRUE(std::isnan(found) || std::abs(found - right) < 1e-6) << by << ' ' << way() << ' ' << found;
    }
  }
}

TEST_P(Edges, ThatAreFurtherAwayDoNotMatter) {
  for (const double offset : {-1e-2, 1e-2}) {
    for (const char* by : {"forward", "adjoint"}) {
      for (const char* functional : {"final(abs(x - p))", "abs(final(x) - p)"}) {
        const double found =
            find(kLine, functional, {"p"}, by, 1.0, SensitivitySide::both, {{"p", 1.0 + offset}})
                .derivative("p");
        EXPECT_NEAR(found, offset > 0.0 ? 1.0 : -1.0, 1e-6) << functional << ' ' << by << ' ' << way();
      }
    }
  }
}

TEST_P(Edges, OutsideOfTermsCountWithinTheErrorsOfTerms) {
  for (const char* functional :
       {"abs(final(x) - p)", "max(final(x), p)", "min(final(x), p)", "if final(x) > p then 2*final(x) else p",
        "sign(final(x) - p)", "abs(integral(q) - p)", "abs(p*final(y) - p*exp(-1))", "floor(final(x))"}) {
    for (const double offset : {0.0, 1e-16, -3e-16, 0.5, -0.5, 3.0, -3.0}) {
      for (const char* by : {"forward", "adjoint"}) {
        if (offset != 0.0 && std::string(functional) == "floor(final(x))") {
          continue;
        }
        const double p = 1.0 + offset * (std::abs(offset) < 1e-3 ? 1.0 : tolerance());
        expect_undefined(find(kLine, functional, {"p"}, by, 1.0, SensitivitySide::both, {{"p", p}}), "p",
                         std::string(functional) + ' ' + by);
      }
    }
  }
}

// Choices whose sides have the same slopes are none.
TEST_P(Edges, OfSmoothFunctionsAreNone) {
  for (const char* functional :
       {"max(final(x) - p, 0)^2", "(final(x) - p)*abs(final(x) - p)", "abs(final(x) - p)^3"}) {
    for (const char* by : {"forward", "adjoint"}) {
      EXPECT_NEAR(find(kLine, functional, {"p"}, by, 1.0).derivative("p"), 0.0, 1e-6)
          << functional << ' ' << by << ' ' << way();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Edges, all_methods(), name_of_way);

}  // namespace
}  // namespace saltus::test
