// check, examples, version, help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "support/source_folder.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;

TEST(Version, IsPrinted) {
  const Program saltus;
  for (const char* argument : {"version", "--version"}) {
    const ProcessResult result = saltus({argument});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.out, ::testing::MatchesRegex("saltus [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  }
}

TEST(Help, ExplainsProgramAndCommands) {
  const Program saltus;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"help"}, std::vector<std::string>{"--help"}, std::vector<std::string>{}}) {
    const ProcessResult result = saltus(arguments);
    EXPECT_EQ(result.exit_code, 0);
    for (const char* command : {"run", "check", "examples", "version"}) {
      EXPECT_THAT(result.out, HasSubstr(command));
    }
  }
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"help", "run"}, std::vector<std::string>{"run", "--help"}}) {
    const ProcessResult result = saltus(arguments);
    EXPECT_EQ(result.exit_code, 0);
    for (const char* option :
         {"--stop", "--tolerance", "--method", "dopri5", "--set", "--format", "--max-time"}) {
      EXPECT_THAT(result.out, HasSubstr(option));
    }
  }
}

TEST(Check, TellsThatAModelIsFine) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  const ProcessResult result = saltus({"check", "decay.mo"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "decay.mo: model Decay is fine (3 variables, 3 equations, 3 parameters)\n");
  EXPECT_FALSE(saltus.exists("decay_results"));
}

TEST(Check, ModelsWithEventsAreFine) {
  const Program saltus;
  saltus.write("tick.mo",
               "model Tick Real x(start=0, fixed=true); equation der(x) = 1;\n"
               "when x > 1 then reinit(x, 0); end when; end Tick;\n");
  const ProcessResult checked = saltus({"check", "tick.mo"});
  EXPECT_EQ(checked.exit_code, 0);
  EXPECT_THAT(checked.out, HasSubstr("model Tick is fine (1 variable"));
  EXPECT_EQ(checked.err, "");
}

TEST(Examples, AreListedCopiedAndRun) {
  const Program saltus;
  const ProcessResult list = saltus({"examples"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, HasSubstr("arenstorf"));
  EXPECT_THAT(list.out, HasSubstr("periodic orbit of the restricted three-body problem"));
  EXPECT_EQ(saltus({"examples", "lorenz"}).exit_code, 0);
  EXPECT_EQ(saltus.read("lorenz.mo"), read_text(source_folder() + "/examples/lorenz.mo"));
  const ProcessResult again = saltus({"examples", "lorenz"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("already"));
  EXPECT_EQ(saltus({"run", "lorenz.mo"}).exit_code, 0);
}

constexpr const char* kPendulum =
    "model Pendulum Real x(start = 1), y(start = 0), l; equation\n"
    "der(der(x)) = -l*x; der(der(y)) = -l*y - 9.81; x^2 + y^2 = 1; end Pendulum;\n";

TEST(Analyze, PrintsATable) {
  const Program saltus;
  saltus.write("p.mo", kPendulum);
  const ProcessResult result = saltus({"analyze", "p.mo"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("main"));
  EXPECT_THAT(result.out, HasSubstr("2 free initial values"));
  EXPECT_THAT(result.out, HasSubstr("2*(x*der(x)) + 2*(y*der(y)) = 0"));
  EXPECT_THAT(result.out, HasSubstr("'x^2 + y^2 = 1' (2)"));
  EXPECT_THAT(result.out, HasSubstr("6 unknowns, index 3"));
  EXPECT_FALSE(saltus.exists("p_results"));
  EXPECT_THAT(saltus({"analyze", "p.mo", "--structure"}).out,
              HasSubstr("structure: none; the equations are not linear"));
}

TEST(Analyze, PrintsAStructure) {
  const Program saltus;
  saltus.write("s.mo",
               "model S Real x(start = 1, fixed = true), y; equation der(x) = y - x; 0 = x - 2*y; end S;\n");
  const ProcessResult result = saltus({"analyze", "s.mo", "--structure"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("structure: symmetric, order 1, constant coefficients"));
  EXPECT_THAT(result.out, HasSubstr("index 0 (E is positive semidefinite: at most 1)"));
}

TEST(Analyze, PrintsJson) {
  const Program saltus;
  saltus.write("p.mo", kPendulum);
  const ProcessResult result = saltus({"analyze", "p.mo", "--format", "json", "--at", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part :
       {"\"time\": 2,", "\"name\": \"main\"", "\"equations\": 3", "\"d\": 2",
        "\"d2\": ", "\"data_derivatives\": [", "\"companion\": {", "\"size\": 6", "\"structural_index\": 3",
        "\"dof\": 2", "\"linear\": false", "\"hidden_constraints\": ["}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
}

TEST(Analyze, RefusesWhatItCannotRead) {
  const Program saltus;
  saltus.write("p.mo", kPendulum);
  EXPECT_EQ(saltus({"analyze"}).exit_code, 2);
  EXPECT_EQ(saltus({"analyze", "nosuch.mo"}).exit_code, 2);
  EXPECT_EQ(saltus({"analyze", "p.mo", "--format", "yaml"}).exit_code, 2);
  EXPECT_EQ(saltus({"analyze", "p.mo", "--at", "noon"}).exit_code, 2);
  EXPECT_EQ(saltus({"analyze", "p.mo", "--pencil-tolerance", "2"}).exit_code, 2);
  EXPECT_EQ(saltus({"analyze", "p.mo", "--pencil-tolerance", "small"}).exit_code, 2);
  const ProcessResult pencil = saltus({"analyze", "p.mo", "--pencil"});
  EXPECT_EQ(pencil.exit_code, 0);
  EXPECT_THAT(pencil.out, HasSubstr("sizes of infinite blocks: 3"));
}

}  // namespace
}  // namespace saltus::test
