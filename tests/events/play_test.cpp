// Backlash (the play operator): a guard that the equations hold at zero for whole stretches, but for errors of the trajectory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

/// How y may be told to follow u at the distance DIST; DU is the rate of u.
const std::vector<std::string> kPlays = {
    "if g >= DIST and DU > 0 then DU elseif g <= -DIST and DU < 0 then DU else 0",
    "if g > DIST and DU > 0 then DU elseif g < -DIST and DU < 0 then DU else 0",
    "if g >= DIST then max(DU, 0) elseif g <= -DIST then min(DU, 0) else 0",
    "if g >= DIST then (if DU > 0 then DU else 0) elseif g <= -DIST then (if DU < 0 then DU else 0) else 0",
};

std::string with(std::string text, const std::string& word, const std::string& value) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + value.size())) {
    text.replace(at, word.size(), value);
  }
  return text;
}

struct Drive {
  double amplitude;
  double omega;
  double r;
};

/// y(t) from 0: u rises and falls between its extrema, and on such a piece y is what the end of the piece makes of it.
double play(const Drive& drive, double t) {
  const double pi = std::acos(-1.0);
  double y = 0.0;
  const auto follow = [&](double u) { y = std::clamp(y, u - drive.r, u + drive.r); };
  for (double extremum = 0.5 * pi / drive.omega; extremum < t; extremum += pi / drive.omega) {
    follow(drive.amplitude * std::sin(drive.omega * extremum));
  }
  follow(drive.amplitude * std::sin(drive.omega * t));
  return y;
}

// The bound of a row: what 40 tolerances of local errors make, of u - y and y of size one.
TEST(Play, FollowsAtItsDistance) {
  for (const Drive& drive : {Drive{1.0, 1.0, 0.3}, Drive{2.0, 0.7, 1.1}, Drive{0.5, 3.0, 0.05}}) {
    for (const char* const rate : {"der(u)", "AMP*OMEGA*cos(OMEGA*time)"}) {
      for (const std::string& law : kPlays) {
        std::string text =
            "model M\n Real u, y(start = 0, fixed = true), g;\nequation\n u = AMP*sin(OMEGA*time);\n g = u - "
            "y;\n der(y) = " +
            with(law, "DU", rate) + ";\nend M;\n";
        text = with(with(with(text, "AMP", number(drive.amplitude)), "OMEGA", number(drive.omega)), "DIST",
                    number(drive.r));
        for (const char* const method : {"auto", "dopri5", "radau5", "sdirk4", "bdf"}) {
          for (const double tolerance : {1e-5, 1e-8}) {
            const HybridRun run = run_text(
                text,
                {{"stop", "12"}, {"interval", "0.1"}, {"method", method}, {"tolerance", number(tolerance)}});
            ASSERT_EQ(run.result.status, SimulationStatus::success) << method << ' ' << text << run.log();
            EXPECT_LT(run.result.statistics.accepted_steps, 5000) << method << ' ' << text;
            for (const RowRecord& row : run.rows) {
              ASSERT_NEAR(run.value(row, "y"), play(drive, row.time), 40.0 * tolerance)
                  << method << " at " << row.time << '\n'
                  << text;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
