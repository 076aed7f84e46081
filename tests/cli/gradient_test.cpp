// saltus gradient: the file, exit codes, messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "program.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFall = R"(model Fall
  parameter Real g = 10; parameter Real e = 0.5;
  Real h(start = 5, fixed = true); Real v(start = 0, fixed = true);
equation
  der(h) = v; der(v) = -g;
  when h <= 0 then
    reinit(v, -e*pre(v));
  end when;
end Fall;
)";

nlohmann::json json_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return nlohmann::json::parse(text.str());
}

TEST(GradientCommand, WritesItsFile) {
  const Program saltus;
  saltus.write("fall.mo", kFall);
  const ProcessResult result = saltus({"gradient", "fall.mo", "--of", "event_time(2) + final(h)*0", "--with",
                                       "g,e,h", "--stop", "2.3", "--by", "forward"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("d/d e  2"));
  const auto json = json_of(saltus.file("fall_gradient/gradient.json"));
  EXPECT_NEAR(json["value"].get<double>(), 2.0, 1e-6);
  EXPECT_NEAR(json["gradient"]["g"].get<double>(), -0.1, 1e-6);
  EXPECT_NEAR(json["gradient"]["h"].get<double>(), 0.2, 1e-6);
  EXPECT_EQ(json["by"], "forward");
  EXPECT_EQ(json["terms"].size(), 2U);
  EXPECT_EQ(json["statistics"]["events"], 2);
}

TEST(GradientCommand, SaysWhereThereIsNoValueOrDerivative) {
  const Program saltus;
  saltus.write("fall.mo", kFall);
  ProcessResult result =
      saltus({"gradient", "fall.mo", "--of", "event_time(9)", "--with", "all", "--stop", "2.3", "-o", "r"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("the run has 2 instants with events [no-value]"));
  EXPECT_TRUE(json_of(saltus.file("r/gradient.json"))["value"].is_null());
  result = saltus({"gradient", "fall.mo", "--of", "final(v)", "--with", "g", "--stop", "1", "-o", "r"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("an event lies exactly at the end of the run [gradient-undefined]"));
  EXPECT_TRUE(json_of(saltus.file("r/gradient.json"))["gradient"]["g"].is_null());
  result = saltus({"gradient", "fall.mo", "--of", "final(v)", "--with", "g", "--max-steps", "2", "-o", "r"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(json_of(saltus.file("r/gradient.json"))["gradient"]["g"].is_null());
}

TEST(GradientCommand, RefusesWrongInput) {
  const Program saltus;
  saltus.write("fall.mo", kFall);
  ProcessResult result = saltus({"gradient", "fall.mo", "--of", "h + 1", "--with", "g"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--of:1:1: error: 'h' changes during the run"));
  EXPECT_THAT(result.err, HasSubstr("[wrong-functional]"));
  result = saltus({"gradient", "fall.mo", "--of", "final(h)", "--with", "gg"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--with: the model has no parameter or variable 'gg'"));
  result = saltus({"gradient", "fall.mo", "--with", "g"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--of is required"));
  result = saltus({"gradient", "fall.mo", "--of", "final(h)", "--with", "g", "--by", "reverse"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--by takes one of auto, forward, adjoint"));
}

}  // namespace
}  // namespace saltus::test
