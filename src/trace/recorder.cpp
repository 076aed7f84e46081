#include "trace/recorder.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <exception>
#include <new>
#include <vector>

#include "base/work_watch.hpp"
#include "saltus/contract.hpp"

namespace saltus::trace {
namespace {

// Room behind the residuals: what a function writes there was meant for another size.
constexpr std::size_t kRoomBeyond = 16;

constexpr std::int64_t kWorkOfAnOperation = 50;

// The end of a run that cannot go on; the reason is in the recording.
class Stopped : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the trace has ended"; }
};

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): operators have no argument to hand it down
thread_local Recorder* current = nullptr;

std::uint32_t next_run() {
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): runs differ whichever thread makes them
  static std::atomic<std::uint32_t> n_runs{0};
  constexpr std::uint32_t kFirst = 2;  // those before stand for Reals of no run
  std::uint32_t run = 0;
  while (run < kFirst) {
    run = n_runs.fetch_add(1, std::memory_order_relaxed);
  }
  return run;
}

}  // namespace

Recorder::Recorder(TraceGraph& graph, const Answers& answers)
    : graph_(graph), answers_(answers), outer_(current), run_(next_run()) {
  current = this;
}

Recorder::~Recorder() {
  current = outer_;
}

Recording Recorder::record(TraceGraph& graph, const Function& function, std::size_t n_residuals,
                           const Answers& answers) {
  std::vector<Real> residual(n_residuals + kRoomBeyond);
  Recorder recorder(graph, answers);
  try {
    function(recorder, std::span(residual).first(n_residuals));
    recorder.collect(residual, n_residuals);
  } catch (const Stopped&) {
    // said already
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const WorkHalted&) {
    throw;
  } catch (const std::exception& error) {
    recorder.fail(Failure::Kind::thrown, error.what());
  } catch (...) {
    recorder.fail(Failure::Kind::thrown, "something that is no std::exception");
  }
  return std::move(recorder.recording_);
}

void Recorder::fail(Failure::Kind kind, std::string message) {
  if (!recording_.failure) {
    recording_.failure = Failure{kind, std::move(message)};
  }
}

void Recorder::stop(Failure::Kind kind, std::string message) {
  fail(kind, std::move(message));
  throw Stopped();
}

void Recorder::collect(std::span<const Real> residual, std::size_t n) {
  for (std::size_t i = 0; i < residual.size(); ++i) {
    if (i >= n && residual[i].run_ != Real::kUnset) {
      stop(Failure::Kind::beyond, fmt::format("it sets r[{}], but there are {} residuals", i, n));
    }
    if (i < n && residual[i].run_ == Real::kUnset) {
      stop(Failure::Kind::unset, fmt::format("it does not set r[{}]", i));
    }
    if (i < n) {
      recording_.residual.push_back(node(residual[i]));
    }
  }
}

Recorder& Recorder::of(const Real& a) {
  SALTUS_EXPECT(current != nullptr, "a Real of a traced function is used where nothing is traced");
  if (a.run_ != current->run_) {
    current->stop(
        Failure::Kind::misused,
        "it uses a Real of another trace: one that was kept from an earlier run, or of another model");
  }
  return *current;
}

NodeId Recorder::node(const Real& a) {
  if (!is_number(a)) {
    return of(a).run_ == run_ ? NodeId(a.node_) : NodeId();
  }
  if (!std::isfinite(a.value_)) {
    stop(Failure::Kind::not_finite, fmt::format("the number {} is part of an equation", a.value_));
  }
  return graph_.graph.intern({.op = expr::Op::constant, .value = a.value_});
}

Real Recorder::made(expr::Node node, double value) {
  if (++n_operations_ > kMostOperations) {
    stop(Failure::Kind::too_long, fmt::format("it makes more than {} operations", kMostOperations));
  }
  count_work(kWorkOfAnOperation);
  Real real;
  real.value_ = value;
  real.node_ = graph_.graph.intern(node).value();
  graph_.note_what_varies();
  real.run_ = run_;
  return real;
}

Real Recorder::leaf(const expr::Node& node, double value) {
  return made(node, value);
}

bool Recorder::is_true(const expr::Node& leaf, double value) {
  return compare(made(leaf, value), 0.0, Written::greater);
}

bool Recorder::is_made_of_numbers(const Real& a) {
  return is_number(a) || of(a).graph_.varies[a.node_] == 0;
}

Real Recorder::unary(expr::Op op, double value, const Real& a) {
  if (is_number(a) && current == nullptr) {
    return value;
  }
  Recorder& recorder = is_number(a) ? *current : of(a);
  return recorder.made({.op = op, .first = recorder.node(a).value()}, value);
}

Real Recorder::binary(expr::Op op, double value, const Real& a, const Real& b) {
  const bool are_numbers = is_number(a) && is_number(b);
  if (are_numbers && current == nullptr) {
    return value;
  }
  Recorder& recorder = are_numbers ? *current : of(is_number(a) ? b : a);
  const NodeId first = recorder.node(a);
  return recorder.made({.op = op, .first = first.value(), .second = recorder.node(b).value()}, value);
}

bool Recorder::compare(const Real& a, const Real& b, Written written) {
  const bool is_plain = is_made_of_numbers(a) && is_made_of_numbers(b);
  switch (written) {
    case Written::less: return is_plain ? a.value_ < b.value_ : less(a, b, written);
    case Written::greater: return is_plain ? a.value_ > b.value_ : less(b, a, written);
    case Written::less_equal: return is_plain ? a.value_ <= b.value_ : !less(b, a, written);
    case Written::greater_equal: break;
  }
  return is_plain ? a.value_ >= b.value_ : !less(a, b, written);
}

bool Recorder::less(const Real& a, const Real& b, Written written) {
  const bool by_value = a.value_ < b.value_;
  Recorder& recorder = of(is_number(a) ? b : a);
  const NodeId first = recorder.node(a);
  const NodeId second = recorder.node(b);
  if (first == second) {
    return false;
  }
  expr::Graph& graph = recorder.graph_.graph;
  const NodeId less = graph.intern({.op = expr::Op::less, .first = first.value(), .second = second.value()});
  const NodeId greater =
      graph.intern({.op = expr::Op::less, .first = second.value(), .second = first.value()});
  return recorder.decide(less, greater, by_value, written);
}

bool Recorder::decide(NodeId less, NodeId greater, bool by_value, Written written) {
  if (const auto found = asked_.find(less.value()); found != asked_.end()) {
    return found->second;
  }
  if (const auto contrary = asked_.find(greater.value()); contrary != asked_.end() && contrary->second) {
    return false;
  }
  std::vector<Decision>& path = recording_.path;
  if (path.size() >= kMostComparisons) {
    stop(Failure::Kind::too_long, fmt::format("it makes more than {} comparisons", kMostComparisons));
  }
  bool holds = by_value;
  if (path.size() < answers_.first.size()) {
    const Decision& given = answers_.first[path.size()];
    if (!(given.less == less)) {
      stop(Failure::Kind::changed, "it compares other things when it runs again");
    }
    holds = given.holds;
  } else if (answers_.known != nullptr) {
    const auto found = answers_.known->find(less.value());
    holds = found != answers_.known->end() ? found->second : by_value;
  }
  graph_.written.emplace(less.value(), written);
  asked_.emplace(less.value(), holds);
  path.push_back({less, holds});
  return holds;
}

double Recorder::value_for_outside(const Real& a) {
  if (!is_made_of_numbers(a)) {
    of(a).recording_.has_read_values = true;
  }
  return a.value_;
}

}  // namespace saltus::trace
