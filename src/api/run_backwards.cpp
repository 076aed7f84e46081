// A run whose tape is followed backwards, piece by piece (sensitivity/adjoint/tape.hpp).
#include "api/run.hpp"
#include "saltus/contract.hpp"

namespace saltus::api {

bool Run::save_cut(sensitivity::TapeCut cut) {
  std::string problem;
  std::string saved = state(problem);
  if (!problem.empty()) {
    return false;
  }
  cuts_.push_back({std::move(saved), std::move(cut)});
  return true;
}

// Records a piece of another run again. False: it did not come to the end of the piece.
bool Run::replay(const PieceWish& wish) {
  piece_wish_ = wish;
  bool has_begun = false;
  if (wish.from == nullptr) {
    has_begun = begin();
  } else {
    const Checkpoint from{{}, "", wish.from->cut.stretch.from, wish.from->state, ""};
    has_begun = resume(from);
  }
  if (has_begun) {
    (void)advance(settings_.stop, hybrid::RunLoop::Until::horizon);
  }
  return tape_ && tape_->is_at_end();
}

sensitivity::AdjointAnswer Run::go_back(const sensitivity::AdjointQuestion& question) const {
  SALTUS_EXPECT(tape_.has_value(), "there is no tape");
  sensitivity::WayBack way(*instance_.system, *options_, initial_->guess, setup_, tape_->most_states(),
                           question);
  bool goes_on = way.pass(*tape_);
  for (std::size_t k = cuts_.size(); k-- > 0 && goes_on;) {
    SimulationResult ignored;
    ignored.variables = result_.variables;
    ignored.columns = result_.columns;
    Run again(instance_, settings_, columns_, hooks_, ignored);
    const bool is_recorded = again.replay({k == 0 ? nullptr : &cuts_[k - 1], cuts_[k].cut.n_told});
    // Structures are numbered by the system that has them.
    if (!is_recorded || again.instance_.system != instance_.system) {
      sensitivity::AdjointAnswer answer;
      answer.problem = "the run cannot be recorded again";
      answer.t = cuts_[k].cut.stretch.from;
      return answer;
    }
    goes_on = way.pass(*again.tape_);
  }
  return way.finish();
}

}  // namespace saltus::api
