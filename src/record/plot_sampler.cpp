#include "record/plot_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/contract.hpp"

namespace saltus::record {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// fmin and fmax prefer the operand that is a number; infinities count as none.
void widen(double& smallest, double& largest, double value) {
  if (std::isfinite(value)) {
    smallest = std::fmin(smallest, value);
    largest = std::fmax(largest, value);
  }
}

}  // namespace

PlotSampler::PlotSampler(std::size_t n_variables, std::size_t max_buckets)
    : n_variables_(n_variables), max_buckets_(max_buckets), last_(n_variables, kNone) {
  SALTUS_EXPECT(max_buckets >= 2 && max_buckets % 2 == 0, "the number of buckets is even");
}

void PlotSampler::merge_pairs() {
  const std::size_t half = times_.size() / 2;
  for (std::size_t b = 0; b < half; ++b) {
    times_[b] = times_[2 * b];
    segments_[b] = segments_[2 * b];
    modes_[b] = modes_[2 * b];
    for (std::size_t v = 0; v < n_variables_; ++v) {
      const std::size_t left = 2 * b * n_variables_ + v;
      const std::size_t right = left + n_variables_;
      const std::size_t target = b * n_variables_ + v;
      first_[target] = first_[left];
      smallest_[target] = std::fmin(smallest_[left], smallest_[right]);
      largest_[target] = std::fmax(largest_[left], largest_[right]);
    }
  }
  times_.resize(half);
  segments_.resize(half);
  modes_.resize(half);
  first_.resize(half * n_variables_);
  smallest_.resize(half * n_variables_);
  largest_.resize(half * n_variables_);
  stride_ *= 2;
  in_bucket_ = stride_;
}

// Models have few modes, and mostly the rows go on in the last one.
std::size_t PlotSampler::mode_place(std::string_view name) {
  if (last_mode_ < mode_names_.size() && mode_names_[last_mode_] == name) {
    return last_mode_;
  }
  const auto found = std::find(mode_names_.begin(), mode_names_.end(), name);
  last_mode_ = static_cast<std::size_t>(found - mode_names_.begin());
  if (found == mode_names_.end()) {
    mode_names_.emplace_back(name);
  }
  return last_mode_;
}

void PlotSampler::add(const Rows& rows) {
  const std::size_t mode = mode_place(rows.mode);
  for (std::size_t k = 0; k < rows.times.size(); ++k) {
    if (times_.empty() || in_bucket_ == stride_) {
      if (times_.size() == max_buckets_) {
        merge_pairs();
      }
      times_.push_back(rows.times[k]);
      segments_.push_back(rows.segment);
      modes_.push_back(mode);
      for (std::size_t v = 0; v < n_variables_; ++v) {
        first_.push_back(rows.values[v * rows.stride + k]);
      }
      smallest_.resize(first_.size(), kNone);
      largest_.resize(first_.size(), kNone);
      in_bucket_ = 0;
    }
    const std::size_t base = first_.size() - n_variables_;
    for (std::size_t v = 0; v < n_variables_; ++v) {
      last_[v] = rows.values[v * rows.stride + k];
      widen(smallest_[base + v], largest_[base + v], last_[v]);
    }
    last_time_ = rows.times[k];
    ++in_bucket_;
    ++n_rows_;
  }
}

bool PlotSampler::is_sound() const {
  const std::size_t n = times_.size();
  const std::size_t n_names = mode_names_.size();
  const bool names_fit = n_names == 0 ? n == 0 && last_mode_ == 0 : last_mode_ < n_names;
  return names_fit && stride_ > 0 && in_bucket_ >= 0 && in_bucket_ <= stride_ && n_rows_ >= 0 &&
         n <= max_buckets_ && segments_.size() == n && modes_.size() == n &&
         first_.size() == n * n_variables_ && smallest_.size() == first_.size() &&
         largest_.size() == first_.size() && (last_.empty() || last_.size() == n_variables_) &&
         std::all_of(modes_.begin(), modes_.end(), [&](std::size_t mode) { return mode < n_names; });
}

}  // namespace saltus::record
