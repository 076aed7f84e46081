#include "settle/state/run_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reduce/ranks/characteristic_values.hpp"
#include "settle/state/diagnostic_codes.hpp"

namespace saltus::settle {
namespace {

constexpr int kSurfaceCorrections = 3;  // of Newton's method, from within rounding

}  // namespace

RunState::RunState(const system::HybridSystem& model, const Options& choices, RunObserver& watcher)
    : modes(model, choices),
      at(choices.start, model.guards().size()),
      roots(model.guards().size()),
      values(model.variables().size(), std::nan("")),
      system_(model),
      guards_(model.guards()),
      options_(choices),
      observer_(watcher),
      direction_(choices.stop >= choices.start ? 1.0 : -1.0),
      time_scale_(std::max(std::abs(choices.start), std::abs(choices.stop))),
      is_touched_(model.guards().size(), 0) {
  instant.left_limit.assign(model.variables().size(), std::nan(""));
  if (watcher.wants_moves()) {
    at.keep_steps();
  }
  outcome.t = choices.start;
}

LatchChange& RunState::touch(Index guard) {
  const auto i = static_cast<std::size_t>(guard);
  if (is_touched_[i] == 0) {
    is_touched_[i] = 1;
    const bool slid = is_slid_on(guard);
    return instant.changes.emplace_back(LatchChange{guard, at.latched(guard), slid, at.latched(guard), slid});
  }
  return *std::find_if(instant.changes.begin(), instant.changes.end(),
                       [guard](const LatchChange& change) { return change.guard == guard; });
}

void RunState::set_latched(Index guard, double value) {
  touch(guard);
  at.set_latched(guard, value);
}

trajectory::SegmentView RunState::open_segment() {
  if (is_step_searched) {
    return at.mode().engine->search().segment();
  }
  trajectory::SegmentView extension;
  at.mode().engine->stepper().make_output_extension(extension);
  return extension;
}

void RunState::begin_instant() {
  for (const LatchChange& change : instant.changes) {
    is_touched_[static_cast<std::size_t>(change.guard)] = 0;
  }
  instant.changes.clear();
  instant.is_left_limit_told = false;
  instant.leaves_band = false;
  instant.flight = 0.0;
  at.begin_instant();
  if (at.keeps_steps()) {
    begin_move();
  }
}

// Where the solution comes from.
void RunState::begin_move() {
  instant.move = {};
  instant.move.t = at.time();
  if (at.has_mode()) {
    instant.move.structure = at.mode().structure;
  }
  instant.move.configuration = at.configuration();
  instant.move.x = at.x();
  instant.move.is_at_rest = at.is_at_rest();
  instant.is_move_told = false;
}

void RunState::tell_move() {
  instant.move.values = instant.left_limit;
  instant.move.steps = at.steps();
  instant.move.after = at.configuration();
  instant.move.slides_after = !at.surfaces().empty();
  instant.is_move_told = true;
  observer_.moved(instant.move);
}

bool RunState::report() {
  if (!instant.is_move_told) {
    tell_move();
  }
  return instant.draft.is_empty() || go_on(instant.draft.report(observer_));
}

void RunState::refuse_instant() {
  counters.events -= instant.draft.drop();
  std::copy(instant.left_limit.begin(), instant.left_limit.end(), values.begin());
}

std::string_view RunState::mode_text() {
  if (!at.is_sliding()) {
    return at.mode().info->name;
  }
  mode_text_ = at.mode().info->name;
  const char* separator = " sliding on ";
  for (const Index surface : at.surfaces()) {
    const Index norm = guard(surface).norm;
    if (norm >= 0 && guard(norm).components.front() != surface) {
      continue;  // one of a vector, which has been named
    }
    mode_text_ += separator;
    mode_text_ += guard(norm >= 0 ? norm : surface).text;
    separator = ", ";
  }
  if (at.level() != 0.0) {
    mode_text_ += fmt::format(" = {:.9g}", at.level());
  }
  return mode_text_;
}

bool RunState::evaluate_outputs(std::span<double> into) {
  const system::Evaluation evaluation = at.field().outputs(at.time(), at.x(), into);
  if (!evaluation.ok()) {
    fail(at.field(), evaluation);
    return false;
  }
  return true;
}

void RunState::move_onto(Index guard) {
  moved_.assign(at.x().begin(), at.x().end());
  move_to_level(guard, 0.0, moved_);
  // A guard that hardly depends on the states (a current of a circuit whose sources decide all) has no surface next to them.
  if (at.distance_to(moved_) <= 1.0) {
    at.move({Factor::Kind::onto_root, guard}, moved_);
  }
}

void RunState::move_to_level(Index guard, double goal, std::span<double> point) {
  gradient_.resize(point.size());
  const std::vector<double>& nominal = at.mode().engine->nominal();
  for (int k = 0; k < kSurfaceCorrections; ++k) {
    double value = 0.0;
    double time_derivative = 0.0;
    if (!at.mode().evaluator->guards({&guard, 1}, at.time(), point, {&value, 1}).ok() || value == goal ||
        !at.mode().evaluator->guard_gradient(guard, at.time(), point, gradient_, time_derivative).ok()) {
      return;
    }
    double square = 0.0;
    for (std::size_t i = 0; i < point.size(); ++i) {
      square += gradient_[i] * gradient_[i] * nominal[i] * nominal[i];
    }
    for (std::size_t i = 0; i < point.size() && square > 0.0; ++i) {
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
  observer_.warning(std::move(diagnostic));
}

void RunState::warn_of_jump(std::string message, std::string hint) {
  if (!has_warned_of_jump_) {
    has_warned_of_jump_ = true;
    warn(kJumpMoved, std::move(message), std::move(hint) + "; reported once in a run");
  }
}

void RunState::end(RunOutcome::Status status, std::string_view reason, std::string message) {
  if (has_ended_) {
    return;
  }
  has_ended_ = true;
  outcome.status = status;
  outcome.reason = reason;
  outcome.message = std::move(message);
}

void RunState::fail(const system::Evaluator& culprit, const system::Evaluation& evaluation) {
  fail(failure_of(culprit, evaluation));
}

Failure RunState::failure_of(const system::Evaluator& culprit, const system::Evaluation& evaluation) const {
  std::string message = culprit.describe(evaluation, at.time());
  if (system_.modes().size() > 1) {
    message += " (in mode " + at.mode().info->name + ")";
  }
  if (evaluation.status == system::Evaluation::Status::singular_block &&
      system_.variables().size() > reduce::kMostUnknownsForRanks) {
    message += fmt::format(
        "; numerical ranks, with which a run may go on from there, are decided for at most {} variables, and "
        "the model has {}",
        reduce::kMostUnknownsForRanks, system_.variables().size());
  }
  return {reason_of(evaluation), std::move(message)};
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

}  // namespace saltus::settle
