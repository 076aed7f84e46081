// check, examples, version, help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

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
  EXPECT_EQ(saltus.read("lorenz.mo"), read_text(SALTUS_SOURCE_DIR "/examples/lorenz.mo"));
  const ProcessResult again = saltus({"examples", "lorenz"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("already"));
  EXPECT_EQ(saltus({"run", "lorenz.mo"}).exit_code, 0);
}

}  // namespace
}  // namespace saltus::test
