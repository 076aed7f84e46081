// An instant at which the structure of the equations changes without a condition that says so (docs/semantics.md 4.6).
#include <fmt/format.h>

#include "settle/enter/mode_entry.hpp"
#include "settle/enter/rank_entry.hpp"
#include "settle/enter/transfer.hpp"
#include "settle/settler.hpp"

namespace saltus::settle {

// Onto the constraints of the present equations. False: the run ended.
bool Settler::project() {
  probe_.assign(state_.at.x().begin(), state_.at.x().end());
  if (const system::Evaluation evaluation = state_.at.field().project_instant(state_.at.time(), probe_);
      !evaluation.ok()) {
    state_.fail(state_.at.field(), evaluation);
    return false;
  }
  state_.at.move({Factor::Kind::projection}, probe_);
  return true;
}

// The equations are analysed anew at the first point of the new structure; states move onto its constraints by the least change. What
// has jumped then changes sides and fires clauses as after any jump.
bool Settler::settle_ranks(std::string_view before, std::string_view after) {
  begin_event();
  if (!begin_record()) {
    return false;
  }
  state_.at.mode().by_ranks->analyse_again();
  if (!project()) {
    return false;
  }
  if (state_.at.mode().by_ranks->values()->text() == before) {
    state_.end(RunOutcome::Status::failed, "structure_not_decided",
               fmt::format("the structure of the equations changes from {} to {} at t = {:.9g}, but at the "
                           "values that it asks for it is that of before",
                           before, after, state_.at.time()));
    return false;
  }
  return report_structure(before, after);
}

// The new structure is an event; conditions and clauses follow it. False: the run ended.
bool Settler::report_structure(std::string_view before, std::string_view after) {
  if (!state_.evaluate_outputs()) {
    return false;
  }
  record_.open_segment(false);
  log_.structure(before, after);
  record_.row();
  if (!settle_anew({})) {
    return false;
  }
  note_switches();
  return !state_.has_ended();
}

// The numbers that the instant leaves make a matrix of the same structure singular: the states move onto the constraints that ranks
// find, with what follows from that, before the next step. Where ranks do not help the run ends with what the structure said.
bool Settler::enter_by_ranks(const system::Evaluation& why) {
  const bool is_free = !state_.at.is_sliding() && state_.at.partner() == nullptr && !state_.at.is_at_rest();
  RankEntry entry(state_);
  ModeData* const other = is_free && why.status == system::Evaluation::Status::singular_block
                              ? entry.by_ranks_instead(state_.at.mode())
                              : nullptr;
  entry.set_why(state_.at.field().describe(why, state_.at.time()));
  Transfer transfer(state_);
  if (other != nullptr) {
    ModeEntry states(state_);
    states.states_for(*other, probe_);
    transfer.set_rates(states.rates());
  }
  if (other == nullptr || !transfer.onto_constraints(*other, state_.at.configuration(), probe_)) {
    state_.fail(state_.at.field(), why);
    return false;
  }
  entry.take(state_.at.mode());
  state_.at.enter(*other, probe_, {Factor::Kind::ranks});
  sliding_.forget_derivative();
  if (!project()) {
    return false;
  }
  if (!report_structure("", other->by_ranks->values() != nullptr ? other->by_ranks->values()->text() : "")) {
    return false;
  }
  // Sides that were only tried may have had another structure.
  other->by_ranks->analyse_again();
  return true;
}

}  // namespace saltus::settle
