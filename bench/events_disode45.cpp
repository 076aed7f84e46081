// Work and precision on the four problems of DISODE45, against the tables of the source: as model texts, and as C++ functions that choose their
// sides themselves, as users of DISODE45 write them.
//
// At equal error: a source's point (error, evaluations) is compared with the evaluations of saltus at that error, interpolated
// linearly in log-log between the best runs (those that no other run beats in both); points outside the range of saltus' errors are left out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "disode45_reference.hpp"
#include "disode45_tables.hpp"
#include "event_run.hpp"
#include "events.hpp"
#include "support/problems/disode45_callbacks.hpp"

namespace saltus::bench {
namespace {

struct Disode45Problem {
  std::string file;
  std::vector<std::string> states;
  const ReferenceSolution* reference;
  const WorkPrecision* published;
  /// Whether the event belongs to those of the source, by the state at it.
  bool (*counts)(const Event& event, const std::vector<double>& x);
  CallbackModel (*functions)();
  double stop = 0.0;
};

using Simulate = std::function<SimulationResult(const SimulationOptions& options)>;

bool every_event(const Event& event, const std::vector<double>&) {
  return event.time > 0.0;
}
// The velocity matters during contact only.
bool event_in_contact(const Event&, const std::vector<double>& x) {
  return x[0] > 0.005 - 1e-5;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return std::sqrt(sum);
}

struct Point {
  WorkAndErrors values;
  std::size_t n_events = 0;
  bool is_complete = false;  ///< as many events as the reference
  std::string failure;
  std::int64_t accepted = 0;
  std::int64_t rejected = 0;
  std::int64_t n_guards = 0;
};

Point measure_point(const Simulate& run, const Disode45Problem& problem, double tolerance) {
  const SimulationResult result = run(
      {.stop = problem.stop, .interval = 1000.0, .rtol = tolerance, .atol = tolerance, .method = "dopri5"});
  Point point;
  point.values.tolerance = tolerance;
  point.values.n_rhs = static_cast<double>(result.statistics.residual_evaluations);
  point.accepted = result.statistics.accepted_steps;
  point.rejected = result.statistics.rejected_steps;
  point.n_guards = result.statistics.guard_evaluations;
  if (!result.ok()) {
    point.failure = outcome(result);
    return point;
  }
  std::vector<ReferenceEvent> found;
  for (const Event event : result.events) {
    std::vector<double> x;
    for (const std::string& name : problem.states) {
      x.push_back(result.trajectory.before(event.time, name));
    }
    const bool is_same_instant = !found.empty() && found.back().time == event.time;
    if (problem.counts(event, x) && !is_same_instant) {
      found.push_back({event.time, x});
    }
  }
  const std::vector<ReferenceEvent>& expected = problem.reference->events;
  point.n_events = found.size();
  point.is_complete = found.size() == expected.size();
  for (std::size_t k = 0; point.is_complete && k < found.size(); ++k) {
    point.values.error_time = std::max(point.values.error_time, std::abs(found[k].time - expected[k].time));
    point.values.error_state = std::max(point.values.error_state, distance(found[k].x, expected[k].x));
  }
  std::vector<double> x_end;
  for (const std::string& name : problem.states) {
    x_end.push_back(result.final_value(name));
  }
  point.values.error_end = distance(x_end, problem.reference->x_end);
  return point;
}

using Measure = double WorkAndErrors::*;
constexpr std::array<Measure, 3> kMeasures{&WorkAndErrors::error_time, &WorkAndErrors::error_state,
                                           &WorkAndErrors::error_end};

/// Evaluations at this error on the front of the best runs; NaN outside.
double work_at(std::vector<WorkAndErrors> runs, Measure error, double value) {
  std::sort(runs.begin(), runs.end(),
            [&](const WorkAndErrors& a, const WorkAndErrors& b) { return a.n_rhs < b.n_rhs; });
  std::vector<WorkAndErrors> front;
  for (const WorkAndErrors& run : runs) {
    if (front.empty() || run.*error < front.back().*error) {
      front.push_back(run);
    }
  }
  for (std::size_t k = 1; k < front.size(); ++k) {
    const double coarse = front[k - 1].*error;
    const double fine = front[k].*error;
    if (fine <= value && value <= coarse) {
      const double part = std::log(coarse / value) / std::log(coarse / fine);
      return front[k - 1].n_rhs * std::pow(front[k].n_rhs / front[k - 1].n_rhs, part);
    }
  }
  return NAN;
}

struct GeometricMean {
  double log_sum = 0.0;
  int n = 0;
  void add(double ratio) {
    if (std::isfinite(ratio) && ratio > 0.0) {
      log_sum += std::log(ratio);
      ++n;
    }
  }
  void add(const GeometricMean& other) {
    log_sum += other.log_sum;
    n += other.n;
  }
  [[nodiscard]] double value() const { return n > 0 ? std::exp(log_sum / n) : NAN; }
};

void print_point(int number, const Point& point, const WorkAndErrors* published, std::size_t n_expected) {
  if (!point.failure.empty()) {
    fmt::print("P{} {:7.1e} {}\n", number, point.values.tolerance, point.failure);
    return;
  }
  fmt::print("P{} {:7.1e} {:>6.0f} {:>6} {:>4} {:>7} {:>3}/{:<3}", number, point.values.tolerance,
             point.values.n_rhs, point.accepted, point.rejected, point.n_guards, point.n_events, n_expected);
  for (const Measure measure : kMeasures) {
    fmt::print(" {:8.1e}", point.values.*measure);
  }
  if (published != nullptr) {
    fmt::print(" | {:>6.0f}", published->n_rhs);
    for (const Measure measure : kMeasures) {
      fmt::print(" {:8.1e}", published->*measure);
    }
  }
  fmt::print("\n");
}

/// One table; `runs_of` gives the runs of a problem.
void print_table(const std::vector<Disode45Problem>& problems, bool quick,
                 const std::function<Simulate(const Disode45Problem&)>& runs_of) {
  fmt::print(
      "\n{:<2} {:>7} {:>6} {:>6} {:>4} {:>7} {:>7} {:>8} {:>8} {:>8} | {:>6} {:>8} {:>8} {:>8} (source)\n",
      "", "tol", "rhs", "steps", "rej", "guards", "events", "time", "state", "end", "rhs", "time", "state",
      "end");
  GeometricMean overall;
  double worst = 0.0;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    const Disode45Problem& problem = problems[p];
    const Simulate run = runs_of(problem);
    const int number = static_cast<int>(p) + 1;
    std::vector<WorkAndErrors> runs;
    std::array<GeometricMean, 3> means;
    double worst_here = 0.0;
    const double factor = quick ? 0.1 : std::sqrt(0.1);
    for (double tolerance = 1e-2; tolerance > 0.9e-11; tolerance *= factor) {
      const auto published = std::find_if(
          problem.published->begin(), problem.published->end(),
          [&](const WorkAndErrors& row) { return std::abs(row.tolerance / tolerance - 1.0) < 1e-6; });
      const bool is_published = published != problem.published->end();
      const Point point = measure_point(run, problem, is_published ? published->tolerance : tolerance);
      if (is_published || !point.failure.empty() || !point.is_complete) {
        print_point(number, point, is_published ? &*published : nullptr, problem.reference->events.size());
      }
      if (point.failure.empty() && point.is_complete) {
        runs.push_back(point.values);
      }
      for (const Measure measure : kMeasures) {
        if (is_published && point.is_complete) {
          worst_here = std::max(worst_here, point.values.*measure / (*published).*measure);
        }
      }
    }
    for (const WorkAndErrors& row : *problem.published) {
      for (std::size_t m = 0; m < kMeasures.size(); ++m) {
        means[m].add(work_at(runs, kMeasures[m], row.*kMeasures[m]) / row.n_rhs);
      }
    }
    fmt::print(
        "P{}: evaluations at equal error, by error of time {:.2f}, state {:.2f}, end {:.2f} of the source's; "
        "largest "
        "error at equal tolerance {:.1f} times the source's\n",
        number, means[0].value(), means[1].value(), means[2].value(), worst_here);
    worst = std::max(worst, worst_here);
    for (const GeometricMean& mean : means) {
      overall.add(mean);
    }
  }
  fmt::print(
      "all: evaluations at equal error {:.2f} of the source's (geometric mean of {} points); largest error "
      "ratio "
      "{:.1f}\n",
      overall.value(), overall.n, worst);
}

}  // namespace

void print_disode45(bool quick) {
  const std::vector<Disode45Problem> problems{{"filippov_cycle.mo",
                                               {"y1", "y2"},
                                               &kFilippovCycle,
                                               &kDisode45Problem1,
                                               every_event,
                                               test::filippov_cycle,
                                               30.0},
                                              {"structural_pounding.mo",
                                               {"y", "v"},
                                               &kStructuralPounding,
                                               &kDisode45Problem2,
                                               event_in_contact,
                                               test::structural_pounding,
                                               3.0},
                                              {"relay_feedback.mo",
                                               {"y1", "y2", "y3"},
                                               &kRelayFeedback,
                                               &kDisode45Problem3,
                                               every_event,
                                               test::relay_feedback,
                                               4.0 * std::numbers::pi},
                                              {"two_masses_with_friction.mo",
                                               {"y1", "y2", "v1", "v2"},
                                               &kTwoMassesWithFriction,
                                               &kDisode45Problem4,
                                               every_event,
                                               test::two_masses_with_friction,
                                               11.0}};
  print_table(problems, quick, [](const Disode45Problem& problem) -> Simulate {
    return [model = model_from(problem.file, example_text(problem.file))](const SimulationOptions& options) {
      return simulate(model, options).value();
    };
  });
  fmt::print("\nC++ functions that choose their sides:\n");
  print_table(problems, quick, [](const Disode45Problem& problem) -> Simulate {
    return [model = problem.functions()](const SimulationOptions& options) {
      return simulate(model, options).value();
    };
  });
}

}  // namespace saltus::bench
