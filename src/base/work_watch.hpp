/// Ends work that takes too long, wherever it is.
///
/// Problem    a limit of wall time and a request from outside (ctrl-C) end any phase (reading, elaboration, differentiation,
///            structure, compiling, the start, one long step, the solution of one block) within a second.
/// Method     loops that may take long say what they do: count_work(work). The work is taken from a budget; where it is used up the
///            request and the clock are looked at, and WorkHalted is thrown. Whoever begins the work (api) puts it under a
///            WorkWatch and turns the exception into a value; hybrid::run does so too, because it has a run to conclude.
/// Contract   a watch holds for its thread and scope; watches nest, the inner one replaces the outer. Without a watch count_work() does
///            nothing. After it has thrown, a watch leaves kGrace for what concludes the work, then it throws again.
/// Choices    one unit of work is about a nanosecond: a node built, ten floating-point operations. kBudget is a millisecond of them,
///            so that estimates may be wrong by two orders of magnitude. The budget belongs to the thread: handing it down to
///            every loop of every layer would put an argument into each function between here and there.
/// Cost       a subtraction and a branch for each call of count_work(); a look at the clock for each kBudget units.
/// Checked by tests/unit/base/work_watch_test.cpp, tests/cli/limits_test.cpp
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>

#include "saltus/work_limits.hpp"

namespace saltus {

enum class Halt : std::uint8_t { none, interrupted, time_limit };

/// Thrown by count_work(); never leaves the library.
class WorkHalted : public std::exception {
 public:
  explicit WorkHalted(Halt reason) : reason_(reason) {}
  [[nodiscard]] Halt reason() const { return reason_; }
  [[nodiscard]] const char* what() const noexcept override { return "the work was ended from outside"; }

 private:
  Halt reason_;
};

class WorkWatch {
 public:
  using Clock = std::chrono::steady_clock;

  explicit WorkWatch(const WorkLimits& limits);
  ~WorkWatch();
  WorkWatch(const WorkWatch&) = delete;
  WorkWatch& operator=(const WorkWatch&) = delete;

  /// What asks for an end now; `none` too while what concludes the work has its grace.
  [[nodiscard]] Halt asked() const;
  /// As asked(), once that has been asked for so long: work that comes to a good place soon is to end there.
  [[nodiscard]] Halt insists();
  void set_patience(Clock::duration patience) { patience_ = patience; }
  /// From now on the work concludes: nothing but the end of kGrace ends it.
  void begin_grace();

 private:
  friend void look_at_limits();

  const std::atomic<bool>* stop_requested_;
  std::optional<Clock::time_point> deadline_;
  Clock::duration patience_{};
  std::optional<Clock::time_point> first_asked_;
  Halt halted_ = Halt::none;
  WorkWatch* outer_;
  std::int64_t outer_budget_;
};

/// The watch of this thread; null without one.
[[nodiscard]] WorkWatch* current_watch();

void look_at_limits();

namespace detail {
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): the one thing that every loop shares (Choices)
inline constinit thread_local std::int64_t work_budget = std::numeric_limits<std::int64_t>::max();
}  // namespace detail

/// Units of work that are done now, or will be before the next call.
inline void count_work(std::int64_t work) {
  if ((detail::work_budget -= work) < 0) {
    look_at_limits();
  }
}

}  // namespace saltus
