#include "settle/rest_control.hpp"

namespace saltus::settle {

bool RestControl::begin(Index action, std::span<const Index> crossed, std::span<const double> before) {
  const Index named = state_.system().actions()[static_cast<std::size_t>(action)].guard;
  guard_ = named;
  for (const Index guard : crossed) {
    if (named < 0 && state_.guard(guard).in_rounds && guard_ < 0) {
      guard_ = guard;
    }
  }
  if (guard_ < 0 || before.size() != state_.at.x().size() || state_.at.is_sliding()) {
    return false;
  }
  impulse_.resize(before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    impulse_[i] = state_.at.x()[i] - before[i];
  }
  side_ = state_.touch(guard_).before;
  state_.at.mode().evaluator->set_configuration(state_.at.configuration());
  field_ = std::make_unique<slide::RestField>(*state_.at.mode().evaluator,
                                              static_cast<Index>(state_.guards().size()),
                                              state_.at.mode().engine->nominal());
  x_.assign(state_.at.x().begin(), state_.at.x().end());
  if (!field_->begin(guard_, impulse_, state_.at.time(), x_)) {
    return false;
  }
  state_.at.move({Factor::Kind::rest, guard_}, x_);
  state_.at.set_rest(field_.get());
  state_.set_latched(guard_, 0.0);
  state_.roots.put(guard_);
  return true;
}

void RestControl::end() {
  state_.at.set_rest(nullptr);
  state_.set_latched(guard_, side_);
  state_.roots.put(guard_);
}

}  // namespace saltus::settle
