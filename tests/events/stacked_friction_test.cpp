// Blocks in a line between springs, with dry friction on the floor and on their neighbours, whose laws are spelled with Booleans, `if` and sign.
// Surfaces v1 = 0, v2 = 0 and v1 - v2 = 0 meet and depend on each other: what projections leave of a state that is held is no side of
// the third guard, and weights that reach their bounds together leave together (docs/semantics.md 1.5, 11.5).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

// The same numbers everywhere: a linear congruence modulo 2⁶⁴ (Knuth's MMIX), its upper bits.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) { (void)next(); }
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return state_ >> 33U;
  }
  // In thousandths.
  std::string between(int low, int high) {
    const int value = low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low));
    return "(" + number(value / 1000.0) + ")";
  }

 private:
  std::uint64_t state_;
};

class Stack {
 public:
  Stack(int n_blocks, int seed)
      : numbers_(static_cast<std::uint64_t>(1000 * n_blocks + seed)),
        forces_(static_cast<std::size_t>(n_blocks)) {
    for (int i = 0; i < n_blocks; ++i) {
      add_block(i);
    }
    if (seed % 2 == 1) {
      for (std::size_t i = equations_.size(); i-- > 1;) {
        std::swap(equations_[i], equations_[numbers_.next() % (i + 1)]);
      }
    }
  }

  [[nodiscard]] std::string text() const {
    std::string text = "model M\n" + declarations_ + "equation\n";
    for (const std::string& equation : equations_) {
      text += "  " + equation + ";\n";
    }
    return text + "end M;\n";
  }

 private:
  void add_block(int i) {
    const std::string k = std::to_string(i);
    const bool is_last = i + 1 == static_cast<int>(forces_.size());
    declarations_ += "  Real x" + k + "(start = " + numbers_.between(-1000, 1000) + ", fixed = true);\n";
    declarations_ += "  Real v" + k + "(start = " +
                     (numbers_.next() % 2 == 0 ? std::string("0") : numbers_.between(-1000, 1000)) +
                     ", fixed = true);\n";
    std::string& force = forces_[static_cast<std::size_t>(i)];
    force += " - " + law(numbers_.between(300, 1200), "v" + k, "f" + k);
    if (i == 0 || is_last) {
      force += " - " + numbers_.between(2000, 6000) + "*x" + k;
    }
    if (!is_last) {
      const std::string next = std::to_string(i + 1);
      const std::string stretch = "(x" + k + " - x" + next + ")";
      const std::string stiffness =
          numbers_.next() % 5 > 0 ? numbers_.between(1000, 6000) : numbers_.between(50000, 150000);
      declarations_ += "  Real g" + k + ";\n";
      equations_.push_back("g" + k + " = " + stiffness + "*" + stretch + " + " +
                           law(numbers_.between(100, 800), "(v" + k + " - v" + next + ")", "r" + k));
      force += " - g" + k;
      forces_[static_cast<std::size_t>(i) + 1] += " + g" + k;
    }
    if (numbers_.next() % 5 < 2) {
      force += " + " + numbers_.between(1000, 4000) + "*sin(" + numbers_.between(1000, 5000) + "*time + " +
               numbers_.between(0, 3000) + ")";
    }
    equations_.push_back("der(x" + k + ") = v" + k);
    equations_.push_back(numbers_.between(500, 2000) + "*der(v" + k + ") = 0" + force);
  }

  std::string law(const std::string& size, const std::string& speed, const std::string& name) {
    switch (numbers_.next() % 5) {
      case 0:
        declarations_ += "  Boolean b" + name + ";\n";
        equations_.push_back("b" + name + " = " + speed + " > 0");
        return size + "*(if b" + name + " then 1 else -1)";
      case 1: return size + "*sign(" + speed + ")";
      case 2: return size + "*(if " + speed + " > 0 then 1 else -1)";
      case 3: return size + "*(if " + speed + " > 0 then 1 elseif " + speed + " < 0 then -1 else 0)";
      default:
        declarations_ += "  Boolean b" + name + ";\n  Boolean n" + name + ";\n";
        equations_.push_back("b" + name + " = " + speed + " <= 0");
        equations_.push_back("n" + name + " = not b" + name);
        return size + "*(if n" + name + " then 1 else -1)";
    }
  }

  Numbers numbers_;
  std::string declarations_;
  std::vector<std::string> equations_;
  std::vector<std::string> forces_;
};

struct Family {
  int n_blocks;
  int first_seed;
  int n_seeds;
  std::string stop;
};

// The largest difference of states at the end.
double difference(const HybridRun& a, const HybridRun& b, int n_blocks) {
  double largest = 0;
  for (int i = 0; i < n_blocks; ++i) {
    for (const std::string& name : {"x" + std::to_string(i), "v" + std::to_string(i)}) {
      largest = std::max(largest, std::abs(a.value(a.rows.back(), name) - b.value(b.rows.back(), name)));
    }
  }
  return largest;
}

TEST(StackedFriction, RoundsEndAndMethodsAgree) {
  for (const Family& family :
       {Family{2, 1, 6, "8"}, Family{3, 1, 6, "8"}, Family{5, 1, 8, "6"}, Family{10, 13, 1, "4.5"},
        Family{10, 17, 1, "2.4"}, Family{10, 20, 1, "1.6"}, Family{20, 1, 1, "1"}}) {
    for (int seed = family.first_seed; seed < family.first_seed + family.n_seeds; ++seed) {
      const std::string text = Stack(family.n_blocks, seed).text();
      std::vector<HybridRun> runs;
      for (const std::string method : {"dopri5", "radau5", "sdirk4", "bdf"}) {
        // Not every method for every size: it takes long.
        if (family.n_blocks > 10 && method != "dopri5" && (seed % 2 == 0) == (method == "bdf")) {
          continue;
        }
        runs.push_back(run_text(
            text, {{"stop", family.stop}, {"interval", "1"}, {"method", method}, {"tolerance", "1e-6"}}));
        ASSERT_TRUE((runs.back().result.status == SimulationStatus::success))
            << family.n_blocks << " blocks, seed " << seed << ", " << method << runs.back().log() << "\n"
            << text;
        // Undamped springs, thousands of steps: a few thousand tolerances.
        EXPECT_LT(difference(runs.front(), runs.back(), family.n_blocks), 1e-2)
            << family.n_blocks << " blocks, seed " << seed << ", " << method;
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
