// A switch with its body diode, both ideal, before a coil: where the switch closes while the diode carries the current, nothing divides the
// current between them, and the diode blocks (docs/semantics.md 2.3). Between dead times of a synchronous converter the same.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

constexpr double kStop = 4.0;
constexpr double kHalf = 0.25;  // closed for so long, then open for so long

// i' = e = V sin(w t + p) + c through the switch or, where it is open and i < 0, through the diode; else i = 0.
struct Coil {
  double v, w, p, c;
  double i_start;

  [[nodiscard]] double drive(double t) const { return v * std::sin(w * t + p) + c; }
  [[nodiscard]] double gained(double t) const { return -v / w * std::cos(w * t + p) + c * t; }

  // The first root of `f`, which is negative after a, in (a, b]; b where there is none.
  template <typename F>
  static double root(F f, double a, double b) {
    constexpr int kPieces = 400;  // none of these drives turns twice within 0.25/400
    double from = a;
    for (int k = 1; k <= kPieces; ++k) {
      double to = a + (b - a) * k / kPieces;
      if (f(to) < 0.0) {
        from = to;
        continue;
      }
      for (int n = 0; n < 60; ++n) {
        const double middle = 0.5 * (from + to);
        (f(middle) < 0.0 ? from : to) = middle;
      }
      return to;
    }
    return b;
  }

  [[nodiscard]] double current(double t) const {
    double i = i_start;
    for (double from = 0.0; from < t; from += 2.0 * kHalf) {
      const double opened = std::min(from + kHalf, t);
      i += gained(opened) - gained(from);
      if (opened == t) {
        return i;
      }
      const double end = std::min(from + 2.0 * kHalf, t);
      i = std::min(i, 0.0);
      for (double at = opened; at < end;) {
        if (i == 0.0) {
          at = root([this](double s) { return -drive(s); }, at, end);
          if (at == end) {
            break;
          }
        }
        const double held = i - gained(at);
        const double stopped = root([&](double s) { return held + gained(s); }, at, end);
        i = stopped == end ? held + gained(end) : 0.0;
        at = stopped;
      }
    }
    return i;
  }
};

struct Spelling {
  const char* name;
  const char* unknowns;
  const char* parts;
};

// u across both, isw and id through them: i = isw - id.
const std::vector<Spelling> kSpellings = {
    {"equations of a Boolean, curve", " Boolean closed; Real s;\n",
     " closed = mod(time, 0.5) < 0.25;\n if closed then u = 0; else isw = 0; end if;\n"
     " u = if s < 0 then -s else 0;\n id = if s < 0 then 0 else s;\n"},
    {"curves", " Real s, q;\n",
     " u = if mod(time, 0.5) < 0.25 then 0 else q;\n isw = if mod(time, 0.5) < 0.25 then q else 0;\n"
     " u = -min(s, 0);\n id = max(s, 0);\n"},
    {"complementarity", " Boolean closed;\n",
     " closed = mod(time, 0.5) < 0.25;\n if closed then u = 0; else isw = 0; end if;\n 0 = min(id, u);\n"},
    {"equations of the sum", " Boolean closed;\n",
     " closed = mod(time, 0.5) < 0.25;\n if closed then u = 0; else isw = 0; end if;\n"
     " if id - u > 0 then u = 0; else id = 0; end if;\n"}};

const std::vector<Coil> kCoils = {{3.0, 4.0, 0.0, 0.0, -1.0},
                                  {2.0, 7.3, 1.0, -0.4, -0.3},
                                  {5.0, 2.9, -2.0, 0.7, 0.5},
                                  {1.0, 11.0, 0.4, 0.0, 0.0}};

std::string text_of(const Coil& coil, const Spelling& spelling) {
  return "model M\n Real i(start = " + number(coil.i_start) + ", fixed = true), u, isw, id;\n" +
         spelling.unknowns + "equation\n der(i) = " + number(coil.v) + "*sin(" + number(coil.w) +
         "*time + (" + number(coil.p) + ")) + (" + number(coil.c) + ") - u;\n i = isw - id;\n" +
         spelling.parts + "end M;\n";
}

class BodyDiode : public testing::TestWithParam<std::string> {};

TEST_P(BodyDiode, GivesTheCurrentToTheSwitchThatCloses) {
  for (const Coil& coil : kCoils) {
    for (const Spelling& spelling : kSpellings) {
      SCOPED_TRACE(std::string(spelling.name) + ", w = " + number(coil.w));
      const HybridRun run = run_text(
          text_of(coil, spelling),
          {{"stop", number(kStop)}, {"interval", "0.01"}, {"tolerance", "1e-8"}, {"method", GetParam()}});
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
      for (const RowRecord& row : run.rows) {
        if (std::abs(std::remainder(row.time, kHalf)) < 1e-9) {
          continue;  // switched here: which side of it the row has is its business
        }
        ASSERT_NEAR(run.value(row, "i"), coil.current(row.time), 2e-6) << "at " << row.time;
        ASSERT_GE(run.value(row, "id"), -1e-9) << "at " << row.time;
        ASSERT_GE(run.value(row, "u"), -1e-9) << "at " << row.time;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, BodyDiode, testing::Values("auto", "dopri5", "radau5", "sdirk4", "bdf"));

}  // namespace
}  // namespace saltus::test
