// Linear first integrals that the equations of the examples imply (charge, momentum, volume) are kept through all of their events.
//
// They are computed from the equations (support/first_integrals.hpp). c·x is then constant, also across the jumps of a transition between
// two modes that both imply it, and across those that nobody wrote. Where a body gives one of its variables a value it need not be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/first_integrals.hpp"
#include "support/source_folder.hpp"

namespace saltus::test {
namespace {

/// Of c·x, in units of Σ|c|·max|x|: over a run, and at one instant, where nothing but projections and the solution of the round may err.
constexpr double kRunBound = 100 * kIntegralTolerance;
constexpr double kInstantBound = 1e-9;

std::string read(const std::string& name) {
  std::ifstream in(source_folder() + "/examples/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/examples")) {
    if (entry.path().extension() == ".mo" || entry.path().extension() == ".saltus") {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

struct Kept {
  std::size_t n_integrals = 0;
  std::size_t n_instants = 0;  ///< that an integral was compared over
  std::size_t n_skipped = 0;   ///< modes
};

Kept expect_kept(const std::string& name, const std::string& text, bool has_modes) {
  const IntegralsOfModel example(text, has_modes);
  EXPECT_NE(example.run().result.status, SimulationStatus::failed)
      << name << ": " << example.run().result.message;
  Kept kept;
  for (const std::string& mode : example.skipped()) {
    std::printf("%s, mode %s: not looked at\n", name.c_str(), mode.c_str());
    ++kept.n_skipped;
  }
  for (const auto& [mode, integrals] : example.integrals()) {
    for (const std::string& formula : example.texts(integrals)) {
      std::printf("%s, mode %s: %s\n", name.c_str(), mode.c_str(), formula.c_str());
      ++kept.n_integrals;
    }
  }
  std::map<std::pair<std::string, std::string>, Integrals> across;  // what both modes imply and no body gives
  const std::vector<RowRecord>& rows = example.run().rows;
  const RowRecord* first = nullptr;  // of the stretch that a mode has been in
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto here = example.integrals().find(rows[k].mode);
    if (here == example.integrals().end()) {
      first = nullptr;
      continue;
    }
    const bool is_instant = k > 0 && rows[k].segment != rows[k - 1].segment;
    const auto before = k > 0 ? example.integrals().find(rows[k - 1].mode) : example.integrals().end();
    if (is_instant && before != example.integrals().end()) {
      auto place = across.find({rows[k - 1].mode, rows[k].mode});
      if (place == across.end()) {
        const Integrals both = without(meet(before->second, here->second), example.given());
        place = across.emplace(std::pair(rows[k - 1].mode, rows[k].mode), both).first;
      }
      kept.n_instants += place->second.columns() > 0 ? 1 : 0;
      EXPECT_LE(example.difference(place->second, rows[k - 1], rows[k]), kInstantBound)
          << name << " at t = " << rows[k].time << ", from " << rows[k - 1].mode << " to " << rows[k].mode;
    }
    first = is_instant || first == nullptr ? &rows[k] : first;
    EXPECT_LE(example.difference(here->second, *first, rows[k]), kRunBound)
        << name << " at t = " << rows[k].time << " in " << rows[k].mode;
  }
  if (kept.n_instants > 0) {
    std::printf("%s: kept over %zu instants\n", name.c_str(), kept.n_instants);
  }
  return kept;
}

class FirstIntegrals : public ::testing::TestWithParam<std::string> {};

TEST_P(FirstIntegrals, AreKept) {
  const Kept kept =
      expect_kept(GetParam(), read(GetParam()), std::filesystem::path(GetParam()).extension() == ".saltus");
  // Too many equations; too many structures, most of which no run enters.
  const bool is_large = GetParam() == "bouncing_balls.mo" || GetParam() == "six_pulse_rectifier.mo";
  EXPECT_EQ(kept.n_skipped, is_large ? 1U : 0U);
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Examples, FirstIntegrals, ::testing::ValuesIn(example_names()), test_name);

/// Switches that join or cut, bodies that lock, tanks that are connected: what is kept, and over how many instants.
struct Jumps {
  const char* name;
  std::string text;
  std::size_t n_integrals = 1;
  std::size_t n_instants = 1;
};

std::vector<Jumps> jumps() {
  const std::string end = " annotation(experiment(StopTime = 2)); end M;";
  const std::string bodies =
      "model M parameter Real m1 = 1, m2 = 3; Real x1(start = 0, fixed = true), x2(start = 1, fixed = true), "
      "v1(start = 4, fixed = true), v2(start = 0, fixed = true), f;\n"
      "equation der(x1) = v1; der(x2) = v2; m1*der(v1) = -f; m2*der(v2) = f;\n";
  std::string with_ball = bodies;
  with_ball.replace(with_ball.find("f;"), 2, "f, y(start = 1, fixed = true), w(start = 0, fixed = true);");
  return {
      {"capacitors",
       "model M parameter Real C1 = 1, C2 = 3; Real v1(start = 4, fixed = true), v2(start = 0, fixed = "
       "true), "
       "i;\n"
       "equation C1*der(v1) = -i; C2*der(v2) = i; if time < 1 then i = 0; else v1 = v2; end if;" +
           end},
      {"capacitors_one_after_the_other",
       "model M parameter Real C1 = 1e-6, C2 = 2e-6, C3 = 3e-6, R = 1e5; Real v1(start = 6, fixed = true), "
       "v2(start = 0, fixed = true), v3(start = 3, fixed = true), i1, i2;\n"
       "equation C1*der(v1) = -i1; C2*der(v2) = i1 - i2; C3*der(v3) = i2;\n"
       " if time < 0.5 then i1 = (v1 - v2)/R; else v1 = v2; end if;\n"
       " if time < 1 then R*i2 = v2 - v3; else v2 = v3; end if;" +
           end,
       1, 2},
      {"a_diode_beside",
       "model M Real v1(start = 4, fixed = true), v2(start = 0, fixed = true), v3(start = 1, fixed = true), "
       "i, "
       "id, vd(start = 0);\n"
       "equation der(v1) = -i - id; 3*der(v2) = i; 0.5*der(v3) = id; vd + 1e3*id = v1 - v3; id = "
       "1e-9*(exp(vd/0.5) - 1);\n"
       " if time < 1 then i = 0; else v1 = v2; end if;" +
           end},
      {"inductors",
       "model M Real i1(start = 2, fixed = true), i2(start = -1, fixed = true), u, d;\n"
       "equation 0.1*der(i1) = u; 0.3*der(i2) = -u; d = i1 - i2;\n"
       " if time < 1 then u = 0; else d = 0; end if;" +
           end},
      {"bodies_that_lock", bodies + " if time < 1 then f = v1 - v2; else v1 = v2; end if;" + end},
      {"bodies_joined_at_a_distance", bodies + " if time < 0.5 then f = 0; else x1 = x2; end if;" + end},
      {"bodies_and_a_spring_between",
       "model M Real x[3](each start = 0, each fixed = true), v[3](start = {1, 0, -2}, each fixed = true), "
       "f, "
       "g;\n"
       "equation der(x) = v; der(v[1]) = -f - sin(x[1] - x[3]); 2*der(v[2]) = f - g; 3*der(v[3]) = g + "
       "sin(x[1] - x[3]);\n"
       " if time < 0.5 then f = 0; else v[1] = v[2]; end if; if time < 1 then g = 0; else v[2] = v[3]; end "
       "if;" +
           end,
       1, 2},
      {"a_body_that_is_set_beside",  // its velocity is given, and it is no part of the momentum of the others
       with_ball +
           " if time < 1 then f = 0; else v1 = v2; end if; der(y) = w; der(w) = -10;\n"
           " when y < 0 then reinit(w, -w); end when;" +
           end,
       1, 3},
  };
}

class FirstIntegralsOver : public ::testing::TestWithParam<Jumps> {};

TEST_P(FirstIntegralsOver, JumpsThatNobodyWroteAreKept) {
  const Kept kept = expect_kept(GetParam().name, GetParam().text, false);
  EXPECT_EQ(kept.n_integrals, GetParam().n_integrals);
  EXPECT_GE(kept.n_instants, GetParam().n_instants);
  EXPECT_EQ(kept.n_skipped, 0U);
}

INSTANTIATE_TEST_SUITE_P(Models, FirstIntegralsOver, ::testing::ValuesIn(jumps()),
                         [](const auto& of) { return std::string(of.param.name); });

/// A term that is no part of another, however small, and a source of time alone leave nothing to keep.
TEST(FirstIntegralsOfEquations, AreNotSeenWhereThereAreNone) {
  for (const std::string extra : {"1e-3*sin(v1)", "1e-3*time", "(if v1 > 3 then 1e-3 else 0)"}) {
    const IntegralsOfModel example(
        "model M Real v1(start = 4, fixed = true), v2(start = 0, fixed = true), i;\n"
        "equation der(v1) = -i - " +
            extra +
            "; 3*der(v2) = i; if time < 1 then i = 0; else v1 = v2; end if;\n"
            "  annotation(experiment(StopTime = 2)); end M;",
        false);
    EXPECT_TRUE(example.integrals().empty()) << extra;
    EXPECT_TRUE(example.skipped().empty()) << extra;
  }
}

}  // namespace
}  // namespace saltus::test
