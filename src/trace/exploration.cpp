#include "trace/exploration.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trace/merge.hpp"
#include "trace/needed_outcomes.hpp"

namespace saltus::trace {
namespace {

constexpr std::size_t kLongestName = 120;

std::uint64_t outcome_key(NodeId decision, bool holds) {
  return (static_cast<std::uint64_t>(decision.value()) << 1U) | (holds ? 1U : 0U);
}

Failure changed(std::string message) {
  return {Failure::Kind::changed, std::move(message)};
}

}  // namespace

std::string Exploration::text_of(NodeId decision) const {
  const expr::Node& node = graph_.graph[decision];
  const auto written = graph_.written.find(decision.value());
  const Written how = written == graph_.written.end() ? Written::less : written->second;
  std::string lesser = expr::print(graph_.graph, NodeId(node.first), leaf_name_, kLongestName);
  std::string greater = expr::print(graph_.graph, NodeId(node.second), leaf_name_, kLongestName);
  switch (how) {
    case Written::less: return fmt::format("{} < {}", lesser, greater);
    case Written::greater: return fmt::format("{} > {}", greater, lesser);
    case Written::less_equal: return fmt::format("{} <= {}", greater, lesser);
    case Written::greater_equal: break;
  }
  return fmt::format("{} >= {}", lesser, greater);
}

std::string Exploration::text_of(const std::vector<Decision>& outcomes) const {
  // The last are those that were forced, or follow from them.
  constexpr std::size_t kMostNamed = 3;
  std::string text;
  for (std::size_t i = outcomes.size() - std::min(outcomes.size(), kMostNamed); i < outcomes.size(); ++i) {
    const Decision& item = outcomes[i];
    const Written how = graph_.written.at(item.less.value());
    const bool is_true = item.holds == (how == Written::less || how == Written::greater);
    text += fmt::format("{}'{}' is {}", text.empty() ? "" : " and ", text_of(item.less), is_true);
  }
  return text;
}

Recording Exploration::run(const Answers& answers, bool elsewhere) {
  ++n_runs_;
  Recording recording = trace_(graph_, answers, elsewhere);
  has_read_values_ = has_read_values_ || recording.has_read_values;
  return recording;
}

// The same again, and at another point with the same outcomes.
std::optional<Failure> Exploration::check_again(const Recording& first) {
  for (const bool elsewhere : {false, true}) {
    Answers answers;
    answers.first = elsewhere ? first.path : std::vector<Decision>();
    const Recording again = run(answers, elsewhere);
    if (again.failure && again.failure->kind != Failure::Kind::changed && elsewhere) {
      continue;  // another point may lie where the code cannot go
    }
    const bool is_same = !again.failure && again.residual == first.residual && again.path == first.path;
    if (!is_same) {
      return changed(
          elsewhere && has_read_values_
              ? "its equations are made of numbers that value() gave: they would hold at one point only"
          : elsewhere ? "its equations depend on the point in a way that its comparisons do not show"
                      : "it does something else when it runs again at the same point");
    }
  }
  return std::nullopt;
}

bool Exploration::add(const Recording& recording, std::size_t first_place, std::size_t nesting) {
  if (!tree_.add(recording)) {
    return false;
  }
  paths_.push_back({recording.path, nesting, recording.failure ? recording.failure->message : std::string()});
  for (const Decision& step : recording.path) {
    if (known_.insert(step.less.value()).second) {
      decisions_.push_back(step.less);
    }
    seen_.insert(outcome_key(step.less, step.holds));
  }
  for (std::size_t place = first_place; place < recording.path.size(); ++place) {
    const Decision& step = recording.path[place];
    if (seen_.count(outcome_key(step.less, !step.holds)) == 0) {
      first_.push_back({paths_.size() - 1, place});
    } else if (rest_.size() < kMostPaths) {  // more would not be visited
      rest_.push_back({paths_.size() - 1, place});
    }
  }
  return true;
}

std::optional<Failure> Exploration::visit(const Neighbour& neighbour) {
  const Path& path = paths_[neighbour.path];
  Answers answers;
  answers.first.assign(path.decisions.begin(),
                       path.decisions.begin() + static_cast<std::ptrdiff_t>(neighbour.place) + 1);
  answers.first.back().holds = !answers.first.back().holds;
  if (tree_.has(answers.first)) {
    return std::nullopt;
  }
  const std::size_t nesting = path.nesting + 1;
  const Recording recording = run(answers);
  const bool is_limit = recording.failure && (recording.failure->kind == Failure::Kind::too_long ||
                                              recording.failure->kind == Failure::Kind::misused);
  if (is_limit) {
    return recording.failure;
  }
  const bool is_changed = recording.failure && recording.failure->kind == Failure::Kind::changed;
  if (is_changed || !add(recording, answers.first.size(), nesting)) {
    return changed("it does something else when it runs again with the same outcomes");
  }
  return std::nullopt;
}

std::optional<Failure> Exploration::explore(std::size_t most_paths) {
  while (!first_.empty() || (!rest_.empty() && paths_.size() < most_paths)) {
    std::deque<Neighbour>& queue = first_.empty() ? rest_ : first_;
    const Neighbour neighbour = queue.front();
    const bool is_first = &queue == &first_;
    queue.pop_front();
    const Decision step = paths_[neighbour.path].decisions[neighbour.place];
    if (is_first && seen_.count(outcome_key(step.less, !step.holds)) != 0) {
      if (rest_.size() < kMostPaths) {
        rest_.push_back(neighbour);
      }
      continue;
    }
    if (is_first && (paths_[neighbour.path].nesting >= kMostForcedInARow || n_runs_ >= kMostRuns)) {
      return Failure{Failure::Kind::too_long,
                     fmt::format("its comparisons go on and on: after {} forced outcomes it asks '{}'",
                                 paths_[neighbour.path].nesting, text_of(step.less))};
    }
    if (std::optional<Failure> failure = visit(neighbour)) {
      return failure;
    }
  }
  return std::nullopt;
}

std::optional<Failure> Exploration::begin() {
  const Recording first = run({});
  if (first.failure) {
    return first.failure;
  }
  if (std::optional<Failure> failure = check_again(first)) {
    return failure;
  }
  (void)add(first, 0, 0);
  return explore(kMostPaths);
}

Residuals Exploration::residuals() {
  Residuals result{
      .residual = merged(graph_, tree_), .decisions = {}, .failures = {}, .is_complete = tree_.is_complete()};
  for (const NodeId decision : decisions_) {
    KnownDecision& known = result.decisions.emplace_back(KnownDecision{decision});
    if (is_partial(graph_.graph, decision)) {
      known.within = needed_outcomes(tree_, decision);
    }
  }
  for (const Path& path : paths_) {
    if (path.failure.empty()) {
      continue;
    }
    if (result.failures.size() == kMostFailures) {
      result.is_complete = false;
      break;
    }
    FailingOutcomes failing{failing_outcomes(tree_, path.decisions), path.failure};
    if (std::none_of(
            result.failures.begin(), result.failures.end(),
            [&failing](const FailingOutcomes& known) { return known.outcomes == failing.outcomes; })) {
      result.failures.push_back(std::move(failing));
    }
  }
  return result;
}

bool Exploration::agrees(const Residuals& residuals, const Outcomes& outcomes, const Recording& recording) {
  for (const Decision& step : recording.path) {
    const auto known = std::find_if(residuals.decisions.begin(), residuals.decisions.end(),
                                    [&step](const KnownDecision& item) { return item.less == step.less; });
    if (known == residuals.decisions.end() ||
        std::any_of(known->within.begin(), known->within.end(), [&outcomes](const Decision& needed) {
          return outcomes.at(needed.less.value()) != needed.holds;
        })) {
      return false;
    }
  }
  return restricted(graph_, residuals.residual, outcomes) == recording.residual;
}

Verdict Exploration::verify(const Residuals& residuals, const Outcomes& outcomes) {
  const Recording recording = run({.first = {}, .known = &outcomes});
  if (recording.failure) {
    return {Verdict::Kind::failed, recording.failure->message};
  }
  if (agrees(residuals, outcomes, recording)) {
    return {};
  }
  const std::size_t before = paths_.size();
  rest_.clear();  // neighbours of this path come first
  if (!add(recording, 0, 0)) {
    return {Verdict::Kind::failed, "it does something else when it runs again with the same outcomes"};
  }
  if (const std::optional<Failure> failure = explore(before + kMostPaths)) {
    return {Verdict::Kind::failed, failure->message};
  }
  return {Verdict::Kind::extended, {}};
}

}  // namespace saltus::trace
