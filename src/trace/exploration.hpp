/// Which paths of a function are traced, and how what was not is found out.
///
/// Problem    n comparisons may make 2^n paths. All of them cannot be run, and one that was not run may differ from what is thought of it.
/// Method     the path of the start values first; then each decision that is met is forced to its other outcome once, on the first path that has it (a
///            new decision on such a path in its turn); then, as long as there are at most kMostPaths paths, all others. A tree that is complete is
///            the function. For one that is not, merge.hpp guesses, and verify() is asked for every configuration that a run visits: the
///            function is run with the outcomes of this configuration, and its residuals must be those of the guess, node by node. If they
///            are not, the path and its neighbours are added; whoever asks builds the larger model and begins again.
/// Contract   after verify() has said `holds`, the residuals are those of the function under these outcomes. Forced outcomes may break what the code
///            relies on: what fails on a forced path fails there alone and is kept, for an assertion of the model.
///            A function that does something else when it runs again, or at another point with the same outcomes, is refused where that is seen.
/// Cost       as many runs of the function as it has comparisons, at least; for functions of few paths as many as these
/// Fails when comparisons follow each other without end (`while (x > 1) x -= 1`): kMostForcedInARow
/// Checked by tests/unit/trace/exploration_test.cpp
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "expr/print.hpp"
#include "trace/path_tree.hpp"
#include "trace/recording.hpp"

namespace saltus::trace {

/// A function of at most so many paths is traced completely.
inline constexpr std::size_t kMostPaths = 256;
/// A comparison that only so many forced outcomes one after the other lead to belongs to a loop without end.
inline constexpr std::size_t kMostForcedInARow = 1'000;
/// Paths that failed and are kept as such; others are met when a run comes there.
inline constexpr std::size_t kMostFailures = 64;
/// Runs of the function for comparisons that were not seen before.
inline constexpr std::size_t kMostRuns = 20'000;

/// A decision of the model that was made of the function.
struct KnownDecision {
  NodeId less;
  /// Outside of these it is not asked and may have no value; empty: it can be asked anywhere.
  std::vector<Decision> within = {};
};

/// Outcomes under which the function fails.
struct FailingOutcomes {
  std::vector<Decision> outcomes;
  std::string message;
};

/// The function as far as it is known.
struct Residuals {
  std::vector<NodeId> residual;
  std::vector<KnownDecision> decisions;
  std::vector<FailingOutcomes> failures;
  bool is_complete = false;
};

struct Verdict {
  enum class Kind : std::uint8_t { holds, extended, failed };
  Kind kind = Kind::holds;
  std::string message = {};
};

class Exploration {
 public:
  using Outcomes = std::unordered_map<std::uint32_t, bool>;
  /// Runs the function at the start values, or at another point.
  using Trace = std::function<Recording(TraceGraph& graph, const Answers& answers, bool elsewhere)>;

  Exploration(Trace trace, expr::LeafName leaf_name)
      : trace_(std::move(trace)), leaf_name_(std::move(leaf_name)) {}

  /// None: the function is known as far as it is to be before a run.
  [[nodiscard]] std::optional<Failure> begin();
  [[nodiscard]] Residuals residuals();
  [[nodiscard]] Verdict verify(const Residuals& residuals, const Outcomes& outcomes);

  [[nodiscard]] const TraceGraph& graph() const { return graph_; }
  [[nodiscard]] const PathTree& tree() const { return tree_; }
  [[nodiscard]] std::size_t n_runs() const { return n_runs_; }
  [[nodiscard]] bool has_read_values() const { return has_read_values_; }
  [[nodiscard]] std::size_t n_decisions() const { return decisions_.size(); }
  /// As it was written: "x > 1".
  [[nodiscard]] std::string text_of(NodeId decision) const;
  /// "'x < 0' is true and 'y > 1' is false"
  [[nodiscard]] std::string text_of(const std::vector<Decision>& outcomes) const;

 private:
  struct Path {
    std::vector<Decision> decisions;
    std::size_t nesting = 0;   // forced outcomes that led here
    std::string failure = {};  // empty: none
  };
  struct Neighbour {
    std::size_t path = 0;
    std::size_t place = 0;
  };

  [[nodiscard]] Recording run(const Answers& answers, bool elsewhere = false);
  [[nodiscard]] std::optional<Failure> check_again(const Recording& first);
  /// False: the function has changed.
  [[nodiscard]] bool add(const Recording& recording, std::size_t first_place, std::size_t nesting);
  [[nodiscard]] std::optional<Failure> visit(const Neighbour& neighbour);
  [[nodiscard]] std::optional<Failure> explore(std::size_t most_paths);
  [[nodiscard]] bool agrees(const Residuals& residuals, const Outcomes& outcomes, const Recording& recording);

  Trace trace_;
  expr::LeafName leaf_name_;
  TraceGraph graph_;
  PathTree tree_;
  std::vector<Path> paths_;
  std::vector<NodeId> decisions_;            // in the order in which they were met
  std::unordered_set<std::uint64_t> seen_;   // decisions with an outcome
  std::unordered_set<std::uint32_t> known_;  // decisions
  std::deque<Neighbour> first_;              // with an outcome that was not seen yet, when they were put here
  std::deque<Neighbour> rest_;
  std::size_t n_runs_ = 0;
  bool has_read_values_ = false;
};

}  // namespace saltus::trace
