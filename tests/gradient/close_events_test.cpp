// Two events at one time, up to the errors of the run: which of them comes first decides what follows, and no derivative may be given as if that were known.
#include "gradient_runs.hpp"

namespace saltus::test {
namespace {

struct ClosePair {
  const char* name;
  const char* text;
  const char* functional;
  double stop = 2.0;
};

// e^t reaches a = e and sin t reaches b = sin 1, both at t = 1.
const std::vector<ClosePair>& pairs() {
  static const std::vector<ClosePair> all = {
      {"clauses, one reads what the other sets",
       R"(model M parameter Real a = 2.718281828459045, b = 0.8414709848078965;
Real x(start = 1, fixed = true), y(start = 0, fixed = true), v(start = 1, fixed = true), z(start = 0, fixed = true);
discrete Real d(start = 1, fixed = true), c(start = 0, fixed = true);
equation der(x) = x; der(y) = v; der(v) = -y; der(z) = c;
when x > a then d = 2; end when; when y > b then c = d; end when; end M;)",
       "final(z)", 3.0},
      {"a condition of both",
       R"(model M parameter Real a = 2.718281828459045, b = 0.8414709848078965;
Real y(start = 0, fixed = true), x(start = 1, fixed = true), z(start = 0, fixed = true), v(start = 1, fixed = true);
equation der(y) = v; der(v) = -y; der(x) = x; der(z) = if y > b and x > a then 3 else 1; end M;)",
       "final(z)"},
      {"one changes the rate of the other",
       R"(model M parameter Real a = 2.718281828459045, b = 0.8414709848078965;
Real y(start = 0, fixed = true), x(start = 1, fixed = true), z(start = 0, fixed = true), v(start = 1, fixed = true);
equation der(y) = v; der(v) = -y; der(x) = if y > b then 2*x else x; der(z) = if x > a then 3*time else 1; end M;)",
       "final(z)"},
      {"resets that read one another",
       R"(model M parameter Real b = 0.8414709848078965, a = 2.718281828459045;
Real y(start = 0, fixed = true), x(start = 1, fixed = true), v(start = 1, fixed = true);
equation der(y) = v; der(v) = -y; der(x) = x;
when y > b then reinit(v, -0.5*pre(v)*x); end when; when x > a then reinit(x, 0.5*pre(x) + v); end when; end M;)",
       "final(y)"},
      {"a state and the time",
       R"(model M parameter Real b = 0.8414709848078965, a = 1;
Real y(start = 0, fixed = true), v(start = 1, fixed = true), z(start = 0, fixed = true);
discrete Real d(start = 1, fixed = true), c(start = 0, fixed = true);
equation der(y) = v; der(v) = -y; der(z) = c; when y > b then d = 2; end when; when time > a then c = d; end when; end M;)",
       "final(z)"},
      {"a state and a clock",
       R"(model M parameter Real b = 0.8414709848078965, a = 1;
Real y(start = 0, fixed = true), v(start = 1, fixed = true), z(start = 0, fixed = true);
discrete Real d(start = 1, fixed = true), c(start = 0, fixed = true);
equation der(y) = v; der(v) = -y; der(z) = c; when y > b then d = 2; end when; when sample(a, 10) then c = d; end when; end M;)",
       "final(z)"},
      {"two clocks",
       R"(model M parameter Real b = 1.000000001, a = 1;
Real z(start = 0, fixed = true); discrete Real d(start = 1, fixed = true), c(start = 0, fixed = true);
equation der(z) = c; when sample(a, 10) then d = 2; end when; when sample(b, 10) then c = d; end when; end M;)",
       "final(z)"},
      {"two times",
       R"(model M parameter Real b = 1.000000001, a = 1;
Real z(start = 0, fixed = true); discrete Real d(start = 1, fixed = true), c(start = 0, fixed = true);
equation der(z) = c; when time > a then d = 2; end when; when time > b then c = d; end when; end M;)",
       "final(z)"},
      {"a clock, and a state that takes itself away",
       R"(model M parameter Real b = 0.8414709848078965, a = 1;
Real y(start = 0, fixed = true), v(start = 1, fixed = true), z(start = 0, fixed = true);
discrete Real d(start = 1, fixed = true), c(start = 0, fixed = true);
equation der(y) = v; der(v) = -y; der(z) = c;
when y > b then d = 2; reinit(y, -1); end when; when sample(a, 10) then c = d; end when; end M;)",
       "final(z)"},
      {"the first event takes the second one away",
       R"(model M parameter Real a = 2.718281828459045, b = 0.8414709848078965;
Real x(start = 1, fixed = true), y(start = 0, fixed = true), v(start = 1, fixed = true), z(start = 0, fixed = true);
discrete Real c(start = 0, fixed = true);
equation der(x) = x; der(y) = v; der(v) = -y; der(z) = c;
when x > a then reinit(y, pre(y) - 0.5); reinit(x, 0); end when; when y > b then c = 1; reinit(x, 0); reinit(y, -1); end when; end M;)",
       "final(z) + final(y)"}};
  return all;
}

class CloseEvents : public GradientFamily {};

TEST_P(CloseEvents, HaveNoDerivativeWhereTheirOrderIsNotKnown) {
  for (const ClosePair& pair : pairs()) {
    for (const char* by : {"forward", "adjoint", "auto"}) {
      const GradientResult found = find(pair.text, pair.functional, {"a", "b"}, by, pair.stop);
      expect_undefined(found, "a", std::string(pair.name) + ' ' + by);
      expect_undefined(found, "b", std::string(pair.name) + ' ' + by);
    }
  }
}

// There is no way back through them: many names take forward sensitivities, which know what depends on the order and what does not.
TEST_P(CloseEvents, AreLeftToForwardSensitivities) {
  for (const ClosePair& pair : pairs()) {
    std::string text = pair.text;
    text.insert(text.find("parameter"), "parameter Real k[20] = fill(1.0, 20); ");
    const GradientResult found = find(text, pair.functional, {"k", "a", "b"}, "auto", pair.stop);
    EXPECT_EQ(found.by, "forward") << pair.name << ' ' << way();
    expect_undefined(found, "a", pair.name);
    EXPECT_EQ(found.derivative("k[3]"), 0.0) << pair.name << ' ' << way();
  }
}

// Events that are further apart than what changes their order have derivatives, both ways.
TEST_P(CloseEvents, HaveDerivativesAtADistance) {
  for (const ClosePair& pair : pairs()) {
    for (const double part : {0.98, 1.02}) {
      const bool is_time = std::string(pair.text).find("a = 1;") != std::string::npos;
      const std::vector<SetValue> set = {{"a", part * (is_time ? 1.0 : 2.718281828459045)}};
      const auto at = [&](const char* by) {
        return find(pair.text, pair.functional, {"a", "b"}, by, pair.stop, SensitivitySide::both, set);
      };
      const GradientResult forward = at("forward");
      const GradientResult adjoint = at("adjoint");
      for (const char* name : {"a", "b"}) {
        EXPECT_NEAR(adjoint.derivative(name), forward.derivative(name),
                    1e3 * tolerance() * std::max(1.0, std::abs(forward.derivative(name))))
            << pair.name << ' ' << way() << ' ' << part << ' ' << name;
      }
    }
  }
}

// z = 3·2 - 2·max(t_a, t_b) + const: to the side on which an event is the later one it counts.
TEST_P(CloseEvents, HaveDerivativesToASideOrNone) {
  const ClosePair& pair = pairs()[1];
  for (const char* by : {"forward", "adjoint", "auto"}) {
    const GradientResult plus =
        find(pair.text, pair.functional, {"a", "b"}, by, pair.stop, SensitivitySide::plus);
    const GradientResult minus =
        find(pair.text, pair.functional, {"a", "b"}, by, pair.stop, SensitivitySide::minus);
    const double of_a = -2.0 / 2.718281828459045;
    const double of_b = -2.0 / std::cos(1.0);
    const auto is_or_none = [&](double found, double right, const char* what) {
      EXPECT_TRUE(std::isnan(found) || std::abs(found - right) <= 1e3 * tolerance())
          << by << ' ' << way() << ' ' << what << ' ' << found << ' ' << right;
    };
    is_or_none(plus.derivative("a"), of_a, "a plus");
    is_or_none(plus.derivative("b"), of_b, "b plus");
    is_or_none(minus.derivative("a"), 0.0, "a minus");
    is_or_none(minus.derivative("b"), 0.0, "b minus");
  }
}

// A clock at 30.15 and x > c at 30.1498: parameters that change the pace move events by their part of the time that has passed.
TEST_P(CloseEvents, AreThoseThatALongTimeBringsTogether) {
  const char* const text = R"(model M parameter Real w1 = 1, w2 = 1.37, c = 0.3;
Real x(start = 1, fixed = true), v(start = 0, fixed = true), y(start = 0.5, fixed = true), u(start = 0, fixed = true), z(start = 0, fixed = true);
discrete Real d(start = 0, fixed = true);
equation der(x) = v; der(v) = -w1^2*x; der(y) = u; der(u) = -w2^2*y; der(z) = -0.1*z + d + (if y > 0.1 then 1 else 0);
when x > c then d = 0.5*pre(d) + y; end when; when sample(0.05, 0.7) then reinit(z, 0.9*pre(z)); end when; end M;)";
  for (const double stop : {10.2, 40.2}) {
    const GradientResult forward = find(text, "final(z)", {"w1", "w2", "c"}, "forward", stop);
    const GradientResult adjoint = find(text, "final(z)", {"w1", "w2", "c"}, "adjoint", stop);
    for (const char* name : {"w1", "w2", "c"}) {
      EXPECT_TRUE(!std::isnan(forward.derivative(name)) || std::isnan(adjoint.derivative(name)))
          << way() << ' ' << stop << ' ' << name << ' ' << adjoint.derivative(name);
    }
    EXPECT_TRUE(tolerance() > 1e-8 || !std::isnan(adjoint.derivative("w1"))) << way() << ' ' << stop;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, CloseEvents, all_methods(), name_of_way);

}  // namespace
}  // namespace saltus::test
