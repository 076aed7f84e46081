#include "settle/check/kink_passage.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::settle {

void KinkPassage::add(const system::Evaluator& evaluator, const Kink& kink) {
  const auto sides = evaluator.guard_sides(kink.guard);
  if (!sides || !sides->empty()) {
    kinks_.push_back(kink);
  }
}

// ±1 where the guard moves beyond what noise can be, else 0.
int KinkPassage::rate_sign(system::Evaluator& evaluator, double t, std::span<const double> x, Index guard,
                           double direction) {
  system::GuardDerivatives rate;
  if (!evaluator.guard_derivatives(guard, t, x, rate).ok() || rate.n_known < 1 ||
      std::abs(rate.value[0]) <= rate.noise[0]) {
    return 0;
  }
  return direction * rate.value[0] > 0.0 ? 1 : -1;
}

// A kink that has taken its old side back although nothing moves it there either: that it has crossed is all that is known.
void KinkPassage::prefer_behind(system::Evaluator& evaluator, double t, std::span<const double> x,
                                double direction) {
  for (std::size_t k = 0; k < kinks_.size(); ++k) {
    if (sides_[k] != kinks_[k].behind && rate_sign(evaluator, t, x, kinks_[k].guard, direction) == 0) {
      sides_[k] = kinks_[k].behind;
      evaluator.set_latched(kinks_[k].guard, sides_[k]);
    }
  }
}

bool KinkPassage::passes(system::Evaluator& evaluator, double t, std::span<const double> x,
                         double direction) {
  const auto take = [&](std::span<const double> sides) {
    for (std::size_t k = 0; k < kinks_.size(); ++k) {
      evaluator.set_latched(kinks_[k].guard, sides[k]);
    }
  };
  sides_.clear();
  seen_.clear();
  for (const Kink& kink : kinks_) {
    sides_.push_back(kink.behind);
  }
  take(sides_);
  while (std::find(seen_.begin(), seen_.end(), sides_) == seen_.end()) {
    seen_.push_back(sides_);
    next_ = sides_;
    for (std::size_t k = 0; k < kinks_.size(); ++k) {
      const int sign = rate_sign(evaluator, t, x, kinks_[k].guard, direction);
      if (sign != 0 && sign != sides_[k]) {
        next_[k] = -sides_[k];
        culprit_ = kinks_[k].guard;
      }
    }
    if (next_ == sides_) {
      prefer_behind(evaluator, t, x, direction);
      return true;
    }
    sides_ = next_;
    take(sides_);
  }
  sides_ = seen_.front();
  take(sides_);
  return false;
}

}  // namespace saltus::settle
