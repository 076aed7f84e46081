// What is written down of a round, and the messages of its bodies.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <string_view>

#include "settle/rounds/rounds.hpp"
#include "settle/state/diagnostic_codes.hpp"

namespace saltus::settle {
namespace {

// As bits; what does not exist is NaN.
bool is_same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

std::string accumulation_text(const system::ActionInfo& action, double time) {
  return fmt::format("the firings of '{}' accumulate at t = {:.12g}", action.text, time);
}

}  // namespace

std::vector<double> Rounds::jump_of_round() const {
  const std::vector<double>& x = state_.at.x();
  std::vector<double> jump;
  if (has_jumped_ && x_before_.size() == x.size()) {
    std::transform(x.begin(), x.end(), x_before_.begin(), std::back_inserter(jump), std::minus<>());
  }
  return jump;
}

bool Rounds::note_firing(std::size_t action) {
  const auto estimate = zeno_.fired(action, state_.at.time());
  const Zeno choice = state_.options().zeno;
  const system::ActionInfo& info = state_.system().actions()[action];
  if (!estimate || (estimate->is_over && choice != Zeno::rest)) {
    if (choice != Zeno::keep_on && info.has_jump) {
      accumulating_.push_back(
          {.action = action, .time = state_.at.time(), .jump = jump_of_round(), .is_single = true});
    }
    return true;
  }
  const Accumulation accumulation{
      .action = action, .time = estimate->time, .is_over = estimate->is_over, .jump = jump_of_round()};
  switch (choice) {
    case Zeno::rest: accumulating_.push_back(accumulation); return true;
    case Zeno::stop: stop_at(accumulation); return false;
    case Zeno::keep_on: break;
  }
  log_.zeno(info, estimate->time);
  zeno_.report(action);
  state_.warn(kZeno, accumulation_text(info, estimate->time), {}, info.span);
  return true;
}

void Rounds::note_rest(const Accumulation& accumulation) {
  const system::ActionInfo& info = state_.system().actions()[accumulation.action];
  log_.zeno(info, accumulation.time);
  zeno_.forget(accumulation.action);
  state_.warn(kZeno, accumulation_text(info, accumulation.time) + "; the solution goes on at rest there", {},
              info.span);
}

void Rounds::stop_at(const Accumulation& accumulation) {
  const system::ActionInfo& info = state_.system().actions()[accumulation.action];
  log_.zeno(info, accumulation.time);
  state_.end(RunOutcome::Status::stopped, "zeno", accumulation_text(info, accumulation.time));
}

bool Rounds::tell() {
  const auto& actions = state_.system().actions();
  const std::string_view from =
      state_.system()
          .modes()[actions.empty() || transition_ < 0
                       ? state_.at.mode().id.index()
                       : actions[static_cast<std::size_t>(transition_)].mode.index()]
          .name;
  // Guards of clauses and transitions are not logged besides what fired; those of discrete equations are.
  record_.open_segment(latest_fired_.empty() && has_discrete_change_);
  bool goes_on = true;
  for (const Index a : latest_fired_) {
    const auto i = static_cast<std::size_t>(a);
    if (log_.explains_next()) {
      state_.outcome.explanation = sliding_.explanation();
    }
    if (a == transition_) {
      log_.transition(actions[i], from, state_.at.mode().info->name, just_entered_, report_, others_);
    } else {
      log_.fired(actions[i], report_);
    }
    goes_on = goes_on && note_firing(i);
  }
  return goes_on;
}

// States that are assigned after a round belong to the next one, with all that follows from them: where that does something, the round
// before has the row of its own solution.
bool Rounds::record_late_row(bool goes_on) {
  if (!std::exchange(is_row_late_, false)) {
    return true;
  }
  if (goes_on) {
    record_.row(values_of_round_);
    return true;
  }
  return record_row(true);
}

// In the round that changes nothing any more pre(…) are the values of the last one that did. Equations that read them give other values;
// these are the values after the instant, and the row of the last round has them.
bool Rounds::record_last_values() {
  const std::vector<double>& last = state_.at.mode().conditions.values;
  if (n_rounds_ == 0 || state_.at.partner() != nullptr || !has_its_structure() ||
      std::equal(last.begin(), last.end(), state_.values.begin(), state_.values.end(), is_same)) {
    return true;
  }
  if (!state_.evaluate_outputs()) {
    return false;
  }
  record_.replace_row();
  return true;
}

// The values of the round, with the truths that they have.
bool Rounds::record_row(bool has_other_truths) {
  if (has_other_truths && has_its_structure() && !(sliding_.install() && state_.evaluate_outputs())) {
    return false;
  }
  record_.row();
  return true;
}

bool Rounds::check_messages() {
  const auto& messages = state_.system().messages();
  for (std::size_t m = 0; m < messages.size() && !latest_fired_.empty(); ++m) {
    const double truth = state_.at.mode().solution.messages[m];
    const bool has_fired = fired_[static_cast<std::size_t>(messages[m].action)] != 0;
    if (messages[m].is_warning) {
      warn_of_assertion(state_.system().actions().size() + m, has_fired && truth < 0.5, messages[m].text,
                        messages[m].span);
      continue;
    }
    if (has_fired && messages[m].is_assertion && truth < 0.5) {
      state_.end(RunOutcome::Status::failed, "assert",
                 fmt::format("assertion failed at t = {:.9g}: {}", state_.at.time(), messages[m].text));
      return false;
    }
    if (has_fired && !messages[m].is_assertion && truth > 0.5 && !terminates_) {
      terminates_ = true;
      terminate_text_ = messages[m].text;
    }
  }
  if (terminates_) {
    record_late_row(false);
    log_.terminate(terminate_text_);
    state_.end(RunOutcome::Status::terminated, "terminate", terminate_text_);
    return false;
  }
  return true;
}

std::string Rounds::fired_texts() const {
  std::string texts;
  for (const Index a : latest_fired_) {
    texts +=
        (texts.empty() ? "'" : ", '") + state_.system().actions()[static_cast<std::size_t>(a)].text + "'";
  }
  return texts.empty() ? "discrete equations" : texts;
}

void Rounds::end_at_limit(std::string_view reason, std::int64_t limit, std::string_view what) {
  for (const Index action : loop_) {
    if (std::find(latest_fired_.begin(), latest_fired_.end(), action) == latest_fired_.end()) {
      latest_fired_.push_back(action);
    }
  }
  state_.end(RunOutcome::Status::stopped, reason,
             fmt::format("{} {} at t = {:.9g} without an end; what fired last: {}", limit, what,
                         state_.at.time(), fired_texts()));
}

}  // namespace saltus::settle
