// A run that goes on from what was saved of it (base/archive.hpp).
#include "hybrid/run_loop.hpp"

namespace saltus::hybrid {

void RunLoop::fields(Archive& a) {
  // Not saved: horizon_, has_schedule_, is_between_steps_, is_unilateral_; what a turn of the loop works with: zeros_, reduced_, left_,
  // coefficients_, end_values_, probe_, gradient_, arrivals_.
  a(state_, settler_);
  state_.at.field_fields(a);
  a(progress_, watch_list_, ranks_, singular_, bounds_, values_, guard_error_, output_error_);
  a.pointer(engine_);
  a(use_of_mode_, is_over_, schedule_, is_fresh_, has_new_ranks_, has_muted_);
}

bool RunLoop::resume(const system::InitialPoint& initial, Archive& a) {
  prepare(initial);
  fields(a);
  if (!a.ok() || !state_.at.has_mode()) {
    return false;
  }
  state_.at.mode().engine->rejoin(state_.at.field());
  return true;
}

}  // namespace saltus::hybrid
