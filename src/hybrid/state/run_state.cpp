#include "hybrid/state/run_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hybrid/state/diagnostic_codes.hpp"

namespace saltus::hybrid {
namespace {

constexpr int kSurfaceCorrections = 3;  // of Newton's method, from within rounding

}  // namespace

RunState::RunState(const system::HybridSystem& model, const Options& choices, RunObserver& watcher)
    : system(model),
      guards(model.guards()),
      options(choices),
      observer(watcher),
      direction(choices.stop >= choices.start ? 1.0 : -1.0),
      time_scale(std::max(std::abs(choices.start), std::abs(choices.stop))),
      modes(model, choices),
      is_slid_on(model.guards().size(), 0),
      t(choices.start),
      values(model.variables().size(), std::nan("")),
      at_root(model.guards().size(), 0),
      root_level(model.guards().size(), 0.0),
      departures(model.guards().size()),
      departing_side(model.guards().size(), 0),
      left_limit(model.variables().size(), std::nan("")),
      is_touched_(model.guards().size(), 0) {
  outcome.t = choices.start;
}

LatchChange& RunState::touch(Index guard) {
  const auto i = static_cast<std::size_t>(guard);
  if (is_touched_[i] == 0) {
    is_touched_[i] = 1;
    const bool slid = is_slid_on[i] != 0;
    changes.push_back({guard, configuration.latched[i], slid, configuration.latched[i], slid});
    return changes.back();
  }
  return *std::find_if(changes.begin(), changes.end(),
                       [guard](const LatchChange& change) { return change.guard == guard; });
}

void RunState::set_latched(Index guard, double value) {
  touch(guard);
  latched(guard) = value;
}

trajectory::SegmentView RunState::open_segment() {
  if (is_step_searched) {
    return mode->engine->search().segment();
  }
  trajectory::SegmentView extension;
  mode->engine->stepper().make_output_extension(extension);
  return extension;
}

void RunState::begin_instant() {
  for (const LatchChange& change : changes) {
    is_touched_[static_cast<std::size_t>(change.guard)] = 0;
  }
  changes.clear();
  left_limit_told = false;
  leaves_band = false;
}

std::string_view RunState::mode_text() {
  if (surfaces.empty()) {
    return mode->info->name;
  }
  mode_text_ = mode->info->name;
  const char* separator = " sliding on ";
  for (const Index surface : surfaces) {
    mode_text_ += separator;
    mode_text_ += guard(surface).text;
    separator = ", ";
  }
  if (level != 0.0) {
    mode_text_ += fmt::format(" = {:.9g}", level);
  }
  return mode_text_;
}

bool RunState::evaluate_outputs(std::span<double> into) {
  const system::Evaluation evaluation = evaluator->outputs(time(), x, into);
  if (!evaluation.ok()) {
    fail(*evaluator, evaluation);
    return false;
  }
  return true;
}

void RunState::move_onto(Index guard) {
  move_to_level(guard, 0.0, x);
}

void RunState::move_to_level(Index guard, double goal, std::span<double> point) {
  gradient_.resize(x.size());
  const std::vector<double>& nominal = mode->engine->nominal();
  for (int k = 0; k < kSurfaceCorrections; ++k) {
    double value = 0.0;
    double time_derivative = 0.0;
    if (!mode->evaluator->guards({&guard, 1}, time(), point, {&value, 1}).ok() || value == goal ||
        !mode->evaluator->guard_gradient(guard, time(), point, gradient_, time_derivative).ok()) {
      return;
    }
    double square = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      square += gradient_[i] * gradient_[i] * nominal[i] * nominal[i];
    }
    for (std::size_t i = 0; i < x.size() && square > 0.0; ++i) {
      point[i] -= (value - goal) / square * gradient_[i] * nominal[i] * nominal[i];
    }
  }
}

void RunState::warn(DiagnosticCode code, std::string message, std::string hint,
                    std::optional<SourceSpan> span) {
  Diagnostic diagnostic;
  diagnostic.code = code.name;
  diagnostic.severity = Severity::warning;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostic.span = span;
  observer.warning(std::move(diagnostic));
}

void RunState::warn_of_jump(std::string message, std::string hint) {
  if (!has_told_jump) {
    has_told_jump = true;
    warn(kJumpMoved, std::move(message), std::move(hint) + "; told once in a run");
  }
}

void RunState::end(RunOutcome::Status status, std::string_view reason, std::string message) {
  if (has_ended) {
    return;
  }
  has_ended = true;
  outcome.status = status;
  outcome.reason = reason;
  outcome.message = std::move(message);
}

void RunState::fail(const system::Evaluator& culprit, const system::Evaluation& evaluation) {
  std::string message = culprit.describe(evaluation, time());
  if (system.modes().size() > 1) {
    message += " (in mode " + mode->info->name + ")";
  }
  end(RunOutcome::Status::failed, reason_of(evaluation), std::move(message));
}

bool RunState::go_on(bool answer) {
  if (!answer) {
    end(RunOutcome::Status::stopped, "stopped", "the run was stopped from outside");
  }
  return answer;
}

std::string_view reason_of(const system::Evaluation& evaluation) {
  switch (evaluation.status) {
    case system::Evaluation::Status::singular_block: return "singular_block";
    case system::Evaluation::Status::no_convergence: return "no_convergence";
    case system::Evaluation::Status::no_weights: return "no_weights";
    case system::Evaluation::Status::no_projection: return "no_projection";
    case system::Evaluation::Status::ok:
    case system::Evaluation::Status::not_finite: break;
  }
  return "not_finite";
}

}  // namespace saltus::hybrid
