#include "api/gradient/counted_instants.hpp"

#include <algorithm>
#include <cmath>

#include "sensitivity/instant/surface_places.hpp"

namespace saltus::api {
namespace {

using sensitivity::InstantTangents;

void undefine_values(InstantTangents& instant, std::size_t k) {
  const std::size_t n = instant.sigma.size();
  for (std::vector<double>* tangents : {&instant.before_along, &instant.after_along}) {
    for (std::size_t e = k; e < tangents->size(); e += n) {
      (*tangents)[e] = std::nan("");
    }
  }
}

void undefine(InstantTangents& instant, std::size_t k) {
  instant.sigma[k] = std::nan("");
  undefine_values(instant, k);
}

}  // namespace

void CountedInstants::take(const InstantTangents& instant) {
  if (last_ && last_->t == instant.t) {
    join(instant);
  } else {
    have_parted_.resize(instant.sigma.size(), false);
    for (std::size_t k = 0; last_ && k < last_->parts.size(); ++k) {
      have_parted_[k] = have_parted_[k] || last_->parts[k];
    }
    ++n_;
    last_ = instant;
    last_->parts.resize(instant.sigma.size(), false);
    for (std::size_t k = 0; k < have_parted_.size(); ++k) {
      if (have_parted_[k]) {
        undefine(*last_, k);
      } else if (last_->parts[k]) {
        undefine_values(*last_, k);
      }
    }
    part_from_kept(*last_);
  }
  if (n_ <= last_wanted_) {
    kept_.resize(static_cast<std::size_t>(n_));
    kept_.back() = *last_;
  }
}

// Another instant at the time of the last one.
void CountedInstants::join(const InstantTangents& next) {
  last_->values_after = next.values_after;
  last_->after_along = next.after_along;
  for (std::size_t k = 0; k < last_->sigma.size(); ++k) {
    double& first = last_->sigma[k];
    const bool is_alike = first == next.sigma[k] && (next.parts.empty() || !next.parts[k]);
    if (is_alike && !last_->parts[k] && !have_parted_[k]) {
      continue;
    }
    first = have_parted_[k] ? std::nan("")
            : is_alike      ? first
                            : sensitivity::first_to_side(first, next.sigma[k], run_.setup->side, direction());
    undefine_values(*last_, k);
    last_->parts[k] = true;
  }
}

void CountedInstants::part_from_kept(InstantTangents& next) {
  const double most = sensitivity::kTolerancesOfReach * run_.rtol * sensitivity::kMostMotion *
                      std::abs(run_.stop - run_.start);
  const auto n_before = static_cast<std::int64_t>(kept_.size());
  for (std::int64_t i = n_before;
       i-- > 0 && std::abs(next.t - kept_[static_cast<std::size_t>(i)].t) <= most;) {
    InstantTangents& earlier = kept_[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < next.sigma.size(); ++k) {
      if (may_swap(earlier, next, k)) {
        undefine(earlier, k);
        undefine(next, k);
      }
    }
  }
}

bool CountedInstants::may_swap(const InstantTangents& earlier, const InstantTangents& later,
                               std::size_t k) const {
  const double apart = later.sigma[k] - earlier.sigma[k];
  const double motion =
      std::isfinite(apart) ? std::abs(apart) * run_.setup->columns[k].size : std::abs(run_.stop - run_.start);
  const double away =
      run_.setup->side == sensitivity::Side::minus ? -direction() * apart : direction() * apart;
  const bool keeps_order = run_.setup->side != sensitivity::Side::none && away > 0.0;
  return motion > 0.0 && !keeps_order &&
         std::abs(later.t - earlier.t) <= sensitivity::kTolerancesOfReach * run_.rtol * motion;
}

}  // namespace saltus::api
