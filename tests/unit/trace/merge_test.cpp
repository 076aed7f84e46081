// Residuals with choices, from the paths that were traced.
#include "trace/merge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "expr/print.hpp"
#include "trace/exploration.hpp"
#include "trace/recorder.hpp"

namespace saltus::trace {
namespace {

using Function = std::function<void(const std::vector<Real>&, std::span<Real>)>;

class MergeTest : public testing::Test {
 protected:
  // Traces the path with these outcomes, in the order of the decisions.
  Recording trace(const Function& f, const std::vector<bool>& outcomes, std::size_t n_residuals = 1) {
    const auto run = [&](Recorder& recorder, std::span<Real> r) {
      std::vector<Real> x;
      for (std::uint32_t i = 0; i < 6; ++i) {
        x.push_back(recorder.leaf({.op = expr::Op::variable, .first = i}, 0.1 * (i + 1)));
      }
      f(x, r);
    };
    Answers answers;
    for (const bool outcome : outcomes) {
      // Which decision comes next is known from the path so far.
      const Recording so_far = Recorder::record(graph_, run, n_residuals, answers);
      answers.first = so_far.path;
      answers.first.resize(answers.first.size() > n_forced_ ? n_forced_ + 1 : answers.first.size());
      answers.first.back().holds = outcome;
      ++n_forced_;
    }
    n_forced_ = 0;
    return Recorder::record(graph_, run, n_residuals, answers);
  }

  void add(const Function& f, const std::vector<std::vector<bool>>& paths, std::size_t n_residuals = 1) {
    for (const std::vector<bool>& path : paths) {
      recordings_.push_back(trace(f, path, n_residuals));
      ASSERT_TRUE(tree_.add(recordings_.back()));
    }
  }

  std::string text(std::size_t residual = 0) {
    return expr::print(graph_.graph, merged(graph_, tree_)[residual]);
  }

  void expect_that_it_is_each_path() {
    const std::vector<NodeId> all = merged(graph_, tree_);
    for (const Recording& recording : recordings_) {
      std::unordered_map<std::uint32_t, bool> outcomes;
      for (const Decision& step : recording.path) {
        outcomes.emplace(step.less.value(), step.holds);
      }
      EXPECT_EQ(restricted(graph_, all, outcomes), recording.residual);
    }
  }

  TraceGraph graph_;
  PathTree tree_;
  std::vector<Recording> recordings_;
  std::size_t n_forced_ = 0;
};

TEST_F(MergeTest, AChoiceIsAsSmallAsItCanBe) {
  add([](const std::vector<Real>& x, std::span<Real> r) { r[0] = x[1] - 3 * (x[0] > 0 ? 1 : 2) * x[2]; },
      {{true}, {false}});
  EXPECT_EQ(text(), "x1 - (if 0 < x0 then 3 else 6)*x2");
  expect_that_it_is_each_path();
}

TEST_F(MergeTest, FunctionsOfWhatIsChosenAreChosenThemselves) {
  add([](const std::vector<Real>& x, std::span<Real> r) { r[0] = 1 + sin(x[0] > 0 ? x[1] : x[2]); },
      {{true}, {false}});
  EXPECT_EQ(text(), "1 + (if 0 < x0 then sin(x1) else sin(x2))");
  expect_that_it_is_each_path();
}

TEST_F(MergeTest, ProductsOfTwoThingsThatAreChosenAreChosenAsOne) {
  add(
      [](const std::vector<Real>& x, std::span<Real> r) {
        const bool c = x[0] > 0;
        r[0] = (c ? x[1] : x[2]) * (c ? x[3] : x[4]) + (c ? x[1] : x[2]) / x[5];
      },
      {{true}, {false}});
  EXPECT_EQ(text(), "(if 0 < x0 then x1*x3 else x2*x4) + (if 0 < x0 then x1 else x2)/x5");
  expect_that_it_is_each_path();
}

// Three comparisons that have nothing to do with each other: four of eight paths tell all.
TEST_F(MergeTest, WhatWasNotTracedIsTakenToBeIndependent) {
  const Function f = [](const std::vector<Real>& x, std::span<Real> r) {
    const Real a = x[0] > 0 ? x[3] : x[4];
    const Real b = x[1] > 0 ? x[4] : x[5];
    const Real c = x[2] > 0 ? x[5] : x[3];
    r[0] = a + b - c;
    r[1] = sin(b);
  };
  add(f, {{true, true, true}, {false, true, true}, {true, false, true}, {true, true, false}}, 2);
  EXPECT_EQ(text(0),
            "(if 0 < x0 then x3 else x4) + (if 0 < x1 then x4 else x5) - (if 0 < x2 then x5 else x3)");
  EXPECT_EQ(text(1), "if 0 < x1 then sin(x4) else sin(x5)");
  expect_that_it_is_each_path();
  const std::vector<NodeId> all = merged(graph_, tree_);
  const Recording other = trace(f, {false, false, false}, 2);
  std::unordered_map<std::uint32_t, bool> outcomes;
  for (const Decision& step : other.path) {
    outcomes.emplace(step.less.value(), step.holds);
  }
  EXPECT_EQ(restricted(graph_, all, outcomes), other.residual);
}

// Of random functions and random sets of their paths: each traced path is what it was.
TEST_F(MergeTest, RandomPathsAreKept) {
  constexpr unsigned kSeed = 20261117;
  std::mt19937 random(kSeed);
  for (int round = 0; round < 60; ++round) {
    graph_ = {};
    tree_ = {};
    recordings_.clear();
    const unsigned long shape = random();
    const Function f = [shape](const std::vector<Real>& x, std::span<Real> r) {
      Real y = x[0];
      double k = 1;
      for (std::size_t i = 0; i < 6; ++i) {
        const unsigned long kind = (shape >> (3 * i)) % 6;
        if (x[i] > (kind == 1 && y.value() < 0 ? 0.5 : 0.25)) {
          y = kind == 0 ? y + x[i] : kind == 2 ? y * x[i] : kind == 3 ? sin(y) : y - k;
          k *= 1.5;
        } else if (kind > 3 && x[(i + 1) % 6] > 0.3) {
          y = kind == 4 ? Real(k) : y / x[i];
        } else {
          k += 1;
        }
      }
      r[0] = y - x[5];
      r[1] = k * y;
    };
    std::vector<std::vector<bool>> paths;
    for (int n = 1 + static_cast<int>(random() % 12); n > 0; --n) {
      std::vector<bool> path;
      for (int i = 0; i < 6; ++i) {
        path.push_back(random() % 2 == 0);
      }
      paths.push_back(path);
    }
    add(f, paths, 2);
    expect_that_it_is_each_path();
    if (testing::Test::HasFailure()) {
      FAIL() << "round " << round << " of seed " << kSeed;
    }
  }
}

TEST_F(MergeTest, AFunctionThatContradictsItselfIsSeen) {
  const Function one = [](const std::vector<Real>& x, std::span<Real> r) { r[0] = x[0] > 0 ? x[1] : x[2]; };
  const Function other = [](const std::vector<Real>& x, std::span<Real> r) { r[0] = x[0] > 0 ? x[3] : x[2]; };
  ASSERT_TRUE(tree_.add(trace(one, {true})));
  EXPECT_TRUE(tree_.add(trace(one, {true})));
  EXPECT_FALSE(tree_.add(trace(other, {true})));
  EXPECT_FALSE(tree_.is_complete());
  EXPECT_TRUE(tree_.add(trace(one, {false})));
  EXPECT_TRUE(tree_.is_complete());
}

}  // namespace
}  // namespace saltus::trace
