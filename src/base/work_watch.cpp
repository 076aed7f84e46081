#include "base/work_watch.hpp"

namespace saltus {
namespace {

constexpr std::int64_t kUnwatched = std::numeric_limits<std::int64_t>::max();
// Units of work between two looks at the clock (see Choices).
constexpr std::int64_t kBudget = 1'000'000;
// For the conclusion of work that was ended: what was computed is gathered in less time than this, or given up.
constexpr std::chrono::milliseconds kGrace{400};
// Far beyond any run, and far below what the clock can count.
constexpr double kLongestWait = 1e9;

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): as the budget
constinit thread_local WorkWatch* innermost = nullptr;

}  // namespace

WorkWatch* current_watch() {
  return innermost;
}

WorkWatch::WorkWatch(const WorkLimits& limits)
    : stop_requested_(limits.stop_requested), outer_(innermost), outer_budget_(detail::work_budget) {
  if (limits.max_time && *limits.max_time < kLongestWait) {
    deadline_ = limits.began +
                std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*limits.max_time));
  }
  innermost = this;
  detail::work_budget = 0;
}

WorkWatch::~WorkWatch() {
  innermost = outer_;
  detail::work_budget = outer_budget_;
}

Halt WorkWatch::asked() const {
  if (stop_requested_ != nullptr && stop_requested_->load(std::memory_order_relaxed)) {
    return Halt::interrupted;
  }
  if (deadline_ && Clock::now() > *deadline_) {
    return halted_ == Halt::none ? Halt::time_limit : halted_;
  }
  return Halt::none;
}

Halt WorkWatch::insists() {
  const Halt now = asked();
  if (now == Halt::none || patience_ == Clock::duration{}) {
    return now;
  }
  first_asked_ = first_asked_.value_or(Clock::now());
  return Clock::now() - *first_asked_ >= patience_ ? now : Halt::none;
}

void WorkWatch::begin_grace() {
  patience_ = {};
  if (halted_ == Halt::none) {
    const bool is_interrupted =
        stop_requested_ != nullptr && stop_requested_->load(std::memory_order_relaxed);
    halted_ = is_interrupted ? Halt::interrupted : Halt::time_limit;
  }
  stop_requested_ = nullptr;
  deadline_ = Clock::now() + kGrace;
}

void look_at_limits() {
  if (innermost == nullptr) {
    detail::work_budget = kUnwatched;
    return;
  }
  detail::work_budget = kBudget;
  const Halt reason = innermost->insists();
  if (reason != Halt::none) {
    innermost->begin_grace();
    throw WorkHalted(reason);
  }
}

}  // namespace saltus
