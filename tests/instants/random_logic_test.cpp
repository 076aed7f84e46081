// The generator of discrete logic: the same texts everywhere, and models that the interpreter decides.
#include "support/oracle/instants/random_logic.hpp"

#include "instants/check.hpp"

namespace saltus::test::instants {
namespace {

constexpr std::uint32_t kSeeds = 24;

/// FNV-1a, so that a compiler that draws in another order is noticed.
std::uint32_t hash_of(const std::string& text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  return hash;
}

TEST(RandomLogic, IsTheSameForTheSameSeed) {
  std::uint32_t all = 0;
  for (int family = 0; family < kLogicFamilies; ++family) {
    const auto kind = static_cast<LogicFamily>(family);
    EXPECT_EQ(random_logic(kind, 5), random_logic(kind, 5));
    EXPECT_NE(random_logic(kind, 5), random_logic(kind, 6));
    all = all * 31 + hash_of(random_logic(kind, 7));
  }
  EXPECT_EQ(all, 1483630005U);
}

TEST(RandomLogic, IsDecidedByTheInterpreter) {
  for (int family = 0; family < kLogicFamilies; ++family) {
    const auto kind = static_cast<LogicFamily>(family);
    std::size_t n_decided = 0;
    std::size_t n_changes = 0;
    for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
      const std::string text = random_logic(kind, seed);
      const InstantRun run = interpret(text);
      EXPECT_TRUE(run.outcome != InstantRun::Outcome::unsupported ||
                  run.why.find("singular") != std::string::npos)
          << to_string(kind) << " " << seed << ": " << run.why << "\n"
          << text;
      n_decided += run.outcome == InstantRun::Outcome::complete && run.doubt.empty() ? 1 : 0;
      n_changes += run.instants.size();
    }
    EXPECT_GE(n_decided, kSeeds / 2) << to_string(kind);
    EXPECT_GE(n_changes, 3 * kSeeds) << to_string(kind);
  }
}

}  // namespace
}  // namespace saltus::test::instants
