// Every code that the command line, the options and the files can report, provoked once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "program.hpp"

namespace saltus::test {
namespace {

using ::testing::HasSubstr;

struct Provoked {
  const char* code;
  std::vector<std::string> arguments;
  int exit_code = 2;
};

class DiagnosticCodeTest : public ::testing::TestWithParam<Provoked> {};

TEST_P(DiagnosticCodeTest, IsReported) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  saltus.write("lorenz.mo", "a file in the way");
  saltus.write("square.mo", "model Square Real x(start = 1); equation der(x) = -x^2; end Square;");
  saltus.write("open.saltus",
               "model Open\n  parameter Real k;\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = "
               "-k*x;\nend Open;\n");
  saltus.write("annotated.mo",
               "model A\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\n"
               "  annotation(__saltus(tolerence = 1e-3));\nend A;\n");
  saltus.write("large.mo", "");
  std::filesystem::resize_file(saltus.file("large.mo"),
                               (std::uintmax_t{256} << 20) + 1);  // sparse: costs nothing
  // A file that exists and whose reading fails, for root too.
  std::filesystem::create_symlink("/proc/self/mem", saltus.file("unreadable.mo"));
  const ProcessResult result = saltus(GetParam().arguments);
  EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.out << result.err;
  EXPECT_THAT(result.err, HasSubstr(std::string("[") + GetParam().code + "]"));
}

INSTANTIATE_TEST_SUITE_P(
    Codes, DiagnosticCodeTest,
    ::testing::Values(Provoked{"wrong-usage", {"run", "decay.mo", "again.mo"}},
                      Provoked{"unknown-command", {"help", "fly"}},
                      Provoked{"unknown-format", {"run", "decay.mo", "--format", "xml"}},
                      Provoked{"unknown-example", {"examples", "none"}},
                      Provoked{"file-exists", {"examples", "lorenz"}},
                      Provoked{"file-not-found", {"run", "none.mo"}},
                      Provoked{"file-is-folder", {"run", "."}},
                      Provoked{"file-unreadable", {"run", "unreadable.mo"}},
                      Provoked{"file-too-large", {"check", "large.mo"}},
                      Provoked{"cannot-create-folder", {"run", "decay.mo", "-o", "lorenz.mo"}},
                      Provoked{"unknown-option", {"run", "annotated.mo"}},
                      Provoked{"wrong-option-value", {"run", "decay.mo", "--stop", "soon"}},
                      Provoked{"option-not-supported", {"run", "decay.mo", "--structure", "all"}},
                      Provoked{"unknown-sensitivity", {"run", "decay.mo", "--sens", "kk"}},
                      Provoked{"no-sensitivity", {"run", "decay.mo", "--sens", "n"}},
                      Provoked{"conflicting-options", {"run", "decay.mo", "--step", "1", "--max-step", "2"}},
                      Provoked{"unknown-method", {"run", "decay.mo", "--method", "euler9"}},
                      Provoked{"not-linear", {"run", "square.mo", "--method", "exact"}},
                      Provoked{"no-motion", {"run", "square.mo", "--method", "rattle", "--step", "0.1"}},
                      Provoked{"option-without-effect", {"run", "decay.mo", "--atol", "twice=1e-9"}, 0},
                      Provoked{"unknown-set-name", {"run", "decay.mo", "--set", "kk=1"}},
                      Provoked{"cannot-be-set", {"run", "decay.mo", "--set", "one=2"}},
                      Provoked{"wrong-set-value", {"run", "decay.mo", "--set", "n=1.5"}},
                      Provoked{"wrong-set-file", {"run", "decay.mo", "--set-file", "decay.mo"}},
                      Provoked{"parameter-not-set", {"run", "open.saltus"}}),
    [](const auto& chosen) {
      std::string name = chosen.param.code;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(DiagnosticCode, CannotWriteOutput) {
  const Program saltus;
  saltus.write("decay.mo", kDecay);
  ProcessOptions options;
  options.standard_output = "/dev/full";
  EXPECT_THAT(saltus({"run", "decay.mo"}, options).err, HasSubstr("[cannot-write-output]"));
}

}  // namespace
}  // namespace saltus::test
