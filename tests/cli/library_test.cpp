// Classes of files and libraries, as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "program.hpp"

namespace saltus::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCircuit =
    "package Circuit\n"
    "  connector Pin\n    Real v;\n    flow Real i;\n  end Pin;\n"
    "  partial model TwoPin\n    Pin p, n;\n    Real v = p.v - n.v;\n  equation\n    p.i + n.i = 0;\n  end "
    "TwoPin;\n"
    "  model Resistor\n    extends TwoPin;\n    parameter Real R = 1;\n  equation\n    v = R*p.i;\n  end "
    "Resistor;\n"
    "  model Capacitor\n    extends TwoPin;\n    parameter Real C = 1;\n    Real u(start = 0, fixed = true) "
    "= v;\n"
    "  equation\n    C*der(u) = p.i;\n  end Capacitor;\n"
    "  model Source\n    extends TwoPin;\n    parameter Real V = 8;\n  equation\n    v = V;\n  end Source;\n"
    "  model Ladder\n    parameter Integer n = 2;\n    Resistor r[n](each R = 2);\n    Capacitor c(C = "
    "0.25);\n"
    "    Source s;\n  equation\n    connect(s.p, r[1].p);\n    for k in 1:n - 1 loop\n"
    "      connect(r[k].n, r[k + 1].p);\n    end for;\n    connect(r[n].n, c.p);\n    connect(c.n, s.n);\n   "
    " s.n.v = 0;\n"
    "    when c.u > 4 then\n      assert(true, \"half\");\n    end when;\n"
    "    annotation(experiment(StopTime = 1));\n  end Ladder;\n"
    "end Circuit;\n";

TEST(ClassesOfAFile, TheOneWithAnExperimentIsRun) {
  const Program saltus;
  saltus.write("circuit.mo", kCircuit);
  const ProcessResult result = saltus({"run", "circuit.mo"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("c.u"));
  // R*C = 1: 8*(1 - exp(-1))
  EXPECT_THAT(result.out, HasSubstr("5.0569")) << result.out;
}

TEST(ClassesOfAFile, AParameterThatDecidesMakesTheModelAnew) {
  const Program saltus;
  saltus.write("circuit.mo", kCircuit);
  const ProcessResult result = saltus({"run", "circuit.mo", "--set", "n=4"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(saltus.read("circuit_results/trajectory.csv"), HasSubstr("r[4].v"));
  // R*C = 2: 8*(1 - exp(-1/2))
  EXPECT_THAT(saltus.read("circuit_results/trajectory.csv"), HasSubstr("3.1477"));
}

TEST(ClassesOfAFile, TheFlatModelGivesTheSameFiles) {
  const Program saltus;
  saltus.write("circuit.mo", kCircuit);
  const ProcessResult flat = saltus({"flatten", "circuit.mo"});
  EXPECT_EQ(flat.exit_code, 0) << flat.err;
  saltus.write("flat.mo", flat.out);
  EXPECT_EQ(saltus({"run", "circuit.mo"}).exit_code, 0);
  const ProcessResult result = saltus({"run", "flat.mo"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(saltus.read("flat_results/trajectory.csv"), saltus.read("circuit_results/trajectory.csv"));
  EXPECT_EQ(saltus.read("flat_results/events.csv"), saltus.read("circuit_results/events.csv"));
}

TEST(ClassesOfAFile, AnotherOneByItsName) {
  const Program saltus;
  saltus.write("two.mo",
               "package P\n model A\n Real x = 1;\n end A;\n model B\n Real y = 2;\n end B;\nend P;\n");
  const ProcessResult b = saltus({"flatten", "two.mo", "--class", "P.B"});
  EXPECT_EQ(b.exit_code, 0) << b.err;
  EXPECT_THAT(b.out, AllOf(HasSubstr("Real y = 2;"), Not(HasSubstr("x"))));
  const ProcessResult none = saltus({"flatten", "two.mo", "--class", "P.C"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("P.C"));
}

void put(const Program& saltus, const std::string& name, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(saltus.file(name)).parent_path());
  saltus.write(name, text);
}

TEST(LibraryFolder, IsReadByTheNamesThatAreUsed) {
  const Program saltus;
  put(saltus, "lib/Old 1.0/package.mo", "package Old\nend Old;\n");
  put(saltus, "lib/Parts 2.1/package.mo", "package Parts\n constant Real two = 2;\nend Parts;\n");
  put(saltus, "lib/Parts 2.10/package.mo", "package Parts\n constant Real two = 20;\nend Parts;\n");
  put(saltus, "lib/Parts 2.10/Gain.mo", "within Parts;\nmodel Gain\n Real y = two*time;\nend Gain;\n");
  put(saltus, "lib/Parts 2.10/Broken.mo", "within Parts;\nmodel Broken\n Real y = ;\nend Broken;\n");
  put(saltus, "lib/Parts 2.10/Sub/package.mo",
      "within Parts;\npackage Sub\n model Twice\n Gain a, b;\n end Twice;\nend Sub;\n");
  const ProcessResult result = saltus({"flatten", "-L", "lib", "Parts.Sub.Twice"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("Real 'b.y' = 'Parts.two' * time;"), HasSubstr("'Parts.two' = 20;")));
  EXPECT_EQ(saltus({"run", "--library", "lib", "Parts.Sub.Twice"}).exit_code, 0);
  EXPECT_TRUE(saltus.exists("Parts.Sub.Twice_results/trajectory.csv"));
  saltus.write("main.mo", "model M\n Parts.Gain g;\nend M;\n");
  EXPECT_EQ(saltus({"check", "main.mo", "-L", "lib"}).exit_code, 0);
}

TEST(LibraryFolder, WhatIsWrongInItIsToldWithItsFile) {
  const Program saltus;
  put(saltus, "lib/Parts/package.mo", "package Parts\nend Parts;\n");
  put(saltus, "lib/Parts/Broken.mo", "within Parts;\nmodel Broken\n Real y = ;\nend Broken;\n");
  put(saltus, "lib/Parts/Other.mo", "within Parts;\nmodel Name\nend Name;\n");
  const ProcessResult broken = saltus({"check", "-L", "lib", "Parts.Broken"});
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_THAT(broken.err, AllOf(HasSubstr("Broken.mo:3:11"), HasSubstr("[missing-expression]")));
  const ProcessResult other = saltus({"check", "-L", "lib", "Parts.Other"});
  EXPECT_THAT(other.err, AllOf(HasSubstr("holds no class 'Other'"), HasSubstr("[wrong-class-file]")));
  const ProcessResult none = saltus({"check", "-L", "lib", "Parts.Nothing"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("there is no class 'Parts.Nothing'"));
  EXPECT_THAT(saltus({"check", "Parts.Broken"}).err, HasSubstr("--library"));
}

// A component that one file redeclares, and another modifies further: its type and its own modifications are those of the first.
TEST(LibraryFolder, WhatIsRedeclaredKeepsItsFile) {
  const Program saltus;
  put(saltus, "lib/Plant/package.mo",
      "package Plant\n partial model Sensor\n  Real y;\n end Sensor;\nend Plant;\n");
  put(saltus, "lib/Plant/Sampled.mo",
      "within Plant;\nmodel Sampled \"by a gain and a rate, each of which is set somewhere else\"\n extends "
      "Sensor;\n"
      " parameter Real gain = 1, rate = 1;\nequation\n y = gain*rate;\nend Sampled;\n");
  put(saltus, "lib/Plant/Base.mo", "within Plant;\nmodel Base\n replaceable Sensor s;\nend Base;\n");
  put(saltus, "lib/Plant/Fast.mo",
      "within Plant;\nmodel Fast\n extends Base(redeclare replaceable Sampled s(rate = 7, gain = 2));\nend "
      "Fast;\n");
  put(saltus, "lib/Plant/Tuned.mo", "within Plant;\nmodel Tuned\n extends Fast(s(gain = 3));\nend Tuned;\n");
  put(saltus, "lib/Plant/Again.mo",
      "within Plant;\nmodel Again\n Tuned t(s(rate = 11));\n annotation(experiment(StopTime = 1));\nend "
      "Again;\n");
  EXPECT_THAT(saltus({"run", "-L", "lib", "Plant.Fast"}).out, HasSubstr("s.y = 14"));
  EXPECT_THAT(saltus({"run", "-L", "lib", "Plant.Tuned"}).out, HasSubstr("s.y = 21"));
  const ProcessResult again = saltus({"run", "-L", "lib", "Plant.Again"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("t.s.y = 33"));
}

TEST(LibraryFolder, FilesOutsideOfItAreNotRead) {
  const Program saltus;
  saltus.write("secret.mo", "package Secret\nend Secret;\n");
  put(saltus, "lib/Parts/package.mo", "package Parts\nend Parts;\n");
  std::filesystem::create_symlink(saltus.file("secret.mo"), saltus.file("lib/Parts/Secret.mo"));
  const ProcessResult result = saltus({"check", "-L", "lib", "Parts.Secret"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("lies outside"));
}

}  // namespace
}  // namespace saltus::test
