#include "support/known_solutions/run_check.hpp"

#include <sys/time.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <span>

#include "saltus/simulate.hpp"

namespace saltus::test::known {
namespace {

/// What a tolerance promises: errors of at most this times tolerance·K.
constexpr double kPromise = 10.0;
/// What rounding errors may do to values near 1, beside the promise.
constexpr double kRounding = 1e-11;
/// No multiple of a step.
constexpr double kRowsPerRun = 397.3;
constexpr std::int64_t kMostSteps = 200000;
/// Of the processor: other work on the machine is not the run's.
constexpr int kMostSeconds = 10;
/// An explicit method takes some steps for each 1/stiffness of time.
constexpr double kStiffForExplicit = 1000.0;

std::string line(const char* format, auto... values) {
  char buffer[320];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

/// Ends what it is given to after kMostSeconds of processor time.
class ProcessorLimit {
 public:
  ProcessorLimit() {
    is_over = false;
    std::signal(SIGPROF, [](int) { is_over = true; });
    set(kMostSeconds);
  }
  ProcessorLimit(const ProcessorLimit&) = delete;
  ProcessorLimit& operator=(const ProcessorLimit&) = delete;
  ~ProcessorLimit() {
    set(0);
    std::signal(SIGPROF, SIG_DFL);
  }

  static inline std::atomic<bool> is_over = false;

 private:
  static void set(int seconds) {
    const itimerval timer = {.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
    setitimer(ITIMER_PROF, &timer, nullptr);
  }
};

void check_rows(const KnownModel& known, const Trajectory& trajectory, const std::vector<double>& bounds,
                RunCheck& check) {
  std::vector<std::size_t> places;
  for (const ModelVariable& variable : known.variables) {
    places.push_back(static_cast<std::size_t>(trajectory.index(variable.name)));
  }
  check.n_rows = trajectory.n_rows();
  for (std::size_t row = 0; row < trajectory.n_rows(); ++row) {
    const double t = trajectory.times()[row];
    const std::span<const double> values = trajectory.row(row);
    bool is_right = true;
    for (std::size_t j = 0; j < places.size(); ++j) {
      const ModelVariable& variable = known.variables[j];
      double exact = variable.exact.value(t);
      if (variable.jump != 0.0) {
        const std::string& counter = known.clauses[variable.jump_clause].counter;
        exact += variable.jump * variable.scale * values[static_cast<std::size_t>(trajectory.index(counter))];
      }
      const double ratio = std::abs(values[places[j]] - exact) / bounds[j];
      is_right = is_right && ratio <= 1.0;
      if (!(ratio <= check.worst_ratio)) {
        check.worst_ratio = std::isnan(ratio) ? INFINITY : ratio;
        check.worst = line("%s at %.9g is %.9g instead of %.9g (bound %.2g)", known.variables[j].name.c_str(),
                           t, values[places[j]], exact, bounds[j]);
      }
    }
    check.rows_wrong += is_right ? 0 : 1;
  }
}

/// Times at which the counter grows; one that grows by more than one counts so many times.
std::vector<double> firings(const Trajectory& trajectory, const std::string& counter) {
  const auto place = static_cast<std::size_t>(trajectory.index(counter));
  std::vector<double> times;
  double before = trajectory.row(0)[place];
  times.insert(times.end(), static_cast<std::size_t>(std::max(before, 0.0)), trajectory.times()[0]);
  for (std::size_t row = 1; row < trajectory.n_rows(); ++row) {
    for (const double now = trajectory.row(row)[place]; before < now; before += 1.0) {
      times.push_back(trajectory.times()[row]);
    }
  }
  return times;
}

void check_clause(const KnownModel& known, const Clause& clause, const Trajectory& trajectory, double bound,
                  RunCheck& check) {
  if (bound > 0.5 * clause.margin) {
    ++check.undecided;
    return;
  }
  check.n_events += clause.times.size();
  std::vector<double> seen = firings(trajectory, clause.counter);
  std::size_t next = 0;
  for (const double exact : clause.times) {
    // Between a crossing and the next of the same direction the guard leaves its level by the margin at least.
    const auto is_it = [&](double t) {
      const double low = std::min(t, exact);
      const double high = std::max(t, exact);
      bool is_near = true;
      for (int i = 0; i <= 8; ++i) {
        const double g = clause.guard.value(known.canonical, low + (high - low) * i / 8.0);
        is_near = is_near && std::abs(g - clause.level) <= bound + kRounding;
      }
      return is_near;
    };
    while (next < seen.size() && seen[next] < exact && !is_it(seen[next])) {
      ++check.doubled;
      check.wrong_events += line(" %s fires at %.9g;", clause.counter.c_str(), seen[next]);
      ++next;
    }
    if (next < seen.size() && is_it(seen[next])) {
      ++next;
    } else {
      ++check.missed;
      check.wrong_events += line(" %s not at %.9g;", clause.counter.c_str(), exact);
    }
  }
  for (; next < seen.size(); ++next) {
    ++check.doubled;
    check.wrong_events += line(" %s fires at %.9g;", clause.counter.c_str(), seen[next]);
  }
}

}  // namespace

std::string RunCheck::text() const {
  std::string result = line("%-7s %.0e: ", method.c_str(), tolerance);
  if (!failure.empty()) {
    result += failure + " (" + message + "); ";
  }
  if (rows_wrong > 0) {
    result += line("%zu of %zu rows wrong, worst %s, %.3g bounds; ", rows_wrong, n_rows, worst.c_str(),
                   worst_ratio);
  }
  if (missed + doubled > 0) {
    result += line("%zu events missed, %zu too many:", missed, doubled) + wrong_events.substr(0, 200);
  }
  return result +
         line(" [%lld steps, largest error %.2g bounds]", static_cast<long long>(steps), worst_ratio);
}

std::vector<std::string> methods_for(const KnownModel& known) {
  std::vector<std::string> methods = {"auto", "radau5", "sdirk4", "bdf"};
  if (known.canonical.stiffness * known.canonical.stop <= kStiffForExplicit) {
    methods.push_back("dopri5");
  }
  return methods;
}

RunCheck check_run(const Model& model, const KnownModel& known, const std::string& method, double tolerance) {
  RunCheck check{.method = method, .tolerance = tolerance};
  SimulationOptions options;
  options.stop = known.canonical.stop;
  options.interval = known.canonical.stop / kRowsPerRun;
  options.tolerance = tolerance;
  options.method = method;
  options.max_steps = kMostSteps;
  options.stop_requested = &ProcessorLimit::is_over;
  const std::clock_t begin = std::clock();
  const Result<SimulationResult> run = [&] {
    const ProcessorLimit limit;
    return simulate(model, options);
  }();
  check.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (!run.has_value()) {
    check.failure = ProcessorLimit::is_over ? "time_limit" : "refused";
    check.message = render_text(run.error());
    return check;
  }
  check.steps = run->statistics.accepted_steps;
  if (run->status != SimulationStatus::success) {
    check.failure = ProcessorLimit::is_over       ? "time_limit"
                    : run->reason == Reason::none ? "ended early"
                                                  : std::string(to_string(run->reason));
    check.message = run->message;
  }
  const Trajectory& trajectory = run->trajectory;
  if (trajectory.n_rows() == 0) {
    return check;
  }
  const std::vector<double> k = amplifications(known.canonical, trajectory.step_ends());
  const double unit = kPromise * tolerance * known.injection;
  std::vector<double> bounds;
  for (const ModelVariable& variable : known.variables) {
    double sum = 0.0;
    for (std::size_t i = 0; i < k.size(); ++i) {
      sum += variable.gains[i] * k[i];
    }
    bounds.push_back(variable.scale * (unit * sum + kRounding));
  }
  check_rows(known, trajectory, bounds, check);
  if (check.failure.empty()) {
    for (const Clause& clause : known.clauses) {
      const double bound = unit * (clause.guard.gain_i(known.canonical) * k[clause.guard.i] +
                                   clause.guard.gain_j(known.canonical) * k[clause.guard.j]);
      check_clause(known, clause, trajectory, bound, check);
    }
  }
  return check;
}

}  // namespace saltus::test::known
