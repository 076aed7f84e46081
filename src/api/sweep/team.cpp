#include "api/sweep/team.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "api/sweep/diagnostic_codes.hpp"
#include "base/archive.hpp"
#include "base/on_threads.hpp"

namespace saltus {
namespace api {
namespace {

using Clock = std::chrono::steady_clock;

// Between two looks for messages: a core that looks all the time computes nothing.
constexpr std::chrono::microseconds kBetweenLooks{200};
// Of the work of a task: long beside a message, short beside what a kill may cost.
constexpr double kTaskSeconds = 0.1;
// Runs of one task at the most, so that messages stay small.
constexpr std::size_t kMostRunsOfTask = 4096;

struct FinishedRun {
  std::uint64_t run = 0;
  RunRecord record;

  void fields(Archive& a) { a(run, record); }
};

// Of a member to the lead.
struct Report {
  std::uint64_t identity = 0;
  bool is_halted = false;
  Reason reason = Reason::none;
  std::string problem;
  std::vector<FinishedRun> finished;

  void fields(Archive& a) {
    a(identity, is_halted, reason, problem);
    a.list(finished);
  }
};

// Of the lead to a member: the runs to make; none: it is over.
struct Task {
  std::vector<std::uint64_t> runs;

  void fields(Archive& a) { a.list(runs); }
};

template <class T>
std::string as_bytes(T& message) {
  Archive archive;
  archive(message);
  return archive.saved();
}

template <class T>
std::optional<T> from_bytes(std::string_view bytes) {
  T message;
  Archive archive(bytes);
  archive(message);
  return archive.ok() && archive.is_at_end() ? std::optional<T>(std::move(message)) : std::nullopt;
}

SweepTeam::Message wait_for_message(SweepTeam& team) {
  for (;;) {
    if (std::optional<SweepTeam::Message> message = team.poll()) {
      return *std::move(message);
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

Task answer_to(SweepTeam& team, Report& report) {
  team.send(0, as_bytes(report));
  return from_bytes<Task>(wait_for_message(team).bytes).value_or(Task());
}

void end_work_of(SweepTeam& team, int member) {
  Task none;
  team.send(member, as_bytes(none));
}

// Runs that nobody has taken yet, in their order.
class OpenRuns {
 public:
  explicit OpenRuns(const TeamWork& work) : work_(work) {}

  std::vector<std::uint64_t> take(std::size_t n) {
    const std::lock_guard lock(mutex_);
    std::vector<std::uint64_t> taken;
    for (; next_ < work_.n_runs && taken.size() < n && !work_.is_halted(); ++next_) {
      if (!work_.is_done(next_)) {
        taken.push_back(next_);
      }
    }
    return taken;
  }
  [[nodiscard]] std::size_t n_left() {
    const std::lock_guard lock(mutex_);
    return work_.n_runs - next_;
  }

 private:
  const TeamWork& work_;
  std::size_t next_ = 0;
  std::mutex mutex_;
};

// What the lead knows of the others.
class Lead {
 public:
  Lead(SweepTeam& team, const TeamWork& work, OpenRuns& open)
      : team_(team), work_(work), open_(open), members_(static_cast<std::size_t>(team.size())) {}

  void answer_until_all_have_left() {
    for (int n_left = team_.size() - 1; n_left > 0;) {
      const SweepTeam::Message message = wait_for_message(team_);
      n_left -= answer(message) ? 0 : 1;
    }
  }

 private:
  struct Member {
    std::size_t n_runs = 1;  // of its tasks
    Clock::time_point since{};
  };

  // Whether it has work.
  bool answer(const SweepTeam::Message& message) {
    take_report(message);
    Member& member = members_[static_cast<std::size_t>(message.from)];
    const std::size_t most = open_.n_left() / (2 * members_.size()) + 1;
    Task task{open_.take(std::min({member.n_runs, most, kMostRunsOfTask}))};
    member.since = Clock::now();
    team_.send(message.from, as_bytes(task));
    return !task.runs.empty();
  }

  void take_report(const SweepTeam::Message& message) {
    std::optional<Report> report = from_bytes<Report>(message.bytes);
    const bool is_of_this_sweep = report && report->identity == work_.identity;
    if (!is_of_this_sweep) {
      const std::string why = report && !report->problem.empty()
                                  ? report->problem
                                  : "it has another model, other options or another build of saltus";
      halt(message.from, why, Reason::output_failed);
      return;
    }
    adapt(members_[static_cast<std::size_t>(message.from)], report->finished.size());
    for (FinishedRun& finished : report->finished) {
      if (finished.run < work_.n_runs) {
        work_.take(finished.run, std::move(finished.record));
      }
    }
    if (report->is_halted && report->problem.empty()) {
      work_.halt({}, report->reason);
    } else if (report->is_halted) {
      halt(message.from, report->problem, report->reason);
    }
  }

  void halt(int member, const std::string& why, Reason reason) {
    Diagnostics problems;
    problems.error(kTeamMember,
                   fmt::format("process {} of {} cannot take part: {}", member + 1, team_.size(), why));
    work_.halt(std::move(problems), reason);
  }

  // As many as it does in the time of a task, up or down by 2.
  static void adapt(Member& member, std::size_t n_finished) {
    const double seconds = std::chrono::duration<double>(Clock::now() - member.since).count();
    if (n_finished > 0 && seconds < 0.5 * kTaskSeconds) {
      member.n_runs = std::min(2 * member.n_runs, kMostRunsOfTask);
    } else if (n_finished > 0 && seconds > kTaskSeconds) {
      member.n_runs = std::max<std::size_t>(member.n_runs / 2, 1);
    }
  }

  SweepTeam& team_;
  const TeamWork& work_;
  OpenRuns& open_;
  std::vector<Member> members_;
};

}  // namespace

void lead_team(SweepTeam& team, const TeamWork& work) {
  OpenRuns open(work);
  const auto n_threads = static_cast<std::size_t>(work.jobs);
  // Messages are for this thread; what the others throw comes to it in the end.
  std::future<void> own = std::async(std::launch::async, [&] {
    on_threads(n_threads, work.jobs, [&](std::size_t) {
      for (std::vector<std::uint64_t> one = open.take(1); !one.empty(); one = open.take(1)) {
        if (std::optional<RunRecord> record = work.run_one(one.front())) {
          work.take(one.front(), *std::move(record));
        }
      }
    });
  });
  Lead(team, work, open).answer_until_all_have_left();
  own.get();
}

void work_in_team(SweepTeam& team, const TeamWork& work) {
  Report report;
  report.identity = work.identity;
  for (Task task = answer_to(team, report); !task.runs.empty(); task = answer_to(team, report)) {
    std::vector<std::optional<RunRecord>> records(task.runs.size());
    on_threads(task.runs.size(), work.jobs, [&](std::size_t k) {
      if (!work.is_halted() && task.runs[k] < work.n_runs) {
        records[k] = work.run_one(task.runs[k]);
      }
    });
    report.finished.clear();
    for (std::size_t k = 0; k < records.size(); ++k) {
      if (records[k]) {
        report.finished.push_back({task.runs[k], *std::move(records[k])});
      }
    }
    report.is_halted = work.is_halted();
    if (report.is_halted) {
      std::tie(report.reason, report.problem) = work.why_halted();
    }
  }
}

}  // namespace api

void leave_team(SweepTeam& team, std::string_view why) {
  if (team.rank() == 0) {
    for (int n_left = team.size() - 1; n_left > 0; --n_left) {
      api::end_work_of(team, api::wait_for_message(team).from);
    }
    return;
  }
  api::Report report;
  report.is_halted = true;
  report.problem = why;
  (void)api::answer_to(team, report);
}

}  // namespace saltus
