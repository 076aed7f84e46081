#include "api/sweep/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <utility>

#include "api/sweep/diagnostic_codes.hpp"

namespace saltus::api {
namespace {

// The k-th number of SplitMix64, k ≥ 1.
std::uint64_t split_mix(std::uint64_t seed, std::uint64_t k) {
  std::uint64_t z = seed + k * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

// In [0, 1).
double uniform_number(std::uint64_t bits) {
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

// Numbers of the stream that one value takes: two for a normal one, so that others do not depend on what it is.
constexpr std::uint64_t kNumbersOfValue = 2;

class PlanCheck {
 public:
  explicit PlanCheck(const SweepOptions& options) : options_(options) {}

  Diagnostics run() {
    if (options_.samples) {
      check_samples(*options_.samples);
    } else if (options_.vary.empty()) {
      wrong("nothing is varied", "name values with --vary, or a file with --samples");
    }
    for (const Variation& variation : options_.vary) {
      check_variation(variation);
    }
    if (options_.n_random && !(*options_.n_random >= 1)) {
      wrong(fmt::format("{} random runs are none", *options_.n_random));
    }
    return std::move(problems_);
  }

 private:
  void wrong(std::string message, std::string hint = {}) {
    problems_.error(kWrongSweep, std::move(message), std::nullopt, std::move(hint));
  }

  void check_name(const std::string& name, std::string_view option) {
    if (!names_.insert(name).second) {
      wrong(fmt::format("{}: '{}' is named twice", option, name));
    }
    const auto is_same = [&](const SetValue& item) { return item.name == name; };
    if (std::any_of(options_.simulation.set.begin(), options_.simulation.set.end(), is_same)) {
      wrong(fmt::format("'{}' is varied and set", name), "leave out its --set");
    }
  }

  void check_samples(const SweepSamples& samples) {
    if (!options_.vary.empty() || options_.n_random) {
      wrong(fmt::format("--samples is given beside {}", options_.vary.empty() ? "--random" : "--vary"),
            "a file has all values of its runs");
    }
    for (const std::string& name : samples.names) {
      check_name(name, "--samples");
    }
    if (samples.names.empty() || samples.values.empty()) {
      wrong(fmt::format("{} has no values", samples.source.empty() ? "--samples" : samples.source));
    } else if (samples.values.size() % samples.names.size() != 0) {
      wrong(fmt::format("{} values are no rows of {} names", samples.values.size(), samples.names.size()));
    }
  }

  void check_variation(const Variation& variation) {
    check_name(variation.name, "--vary");
    const bool is_range = variation.kind != Variation::Kind::values;
    if (is_range && !options_.n_random && !options_.samples) {
      wrong(fmt::format("--vary: '{}' has a range, and no number of random runs is given", variation.name),
            "give --random N, or values as LOW:STEP:HIGH");
    } else if (!is_range && options_.n_random) {
      wrong(fmt::format("--vary: '{}' has values, and random runs draw from ranges", variation.name),
            "give LOW..HIGH, log(LOW..HIGH) or normal(MEAN,DEVIATION), or leave out --random");
    } else if (!is_range && variation.values.empty()) {
      wrong(fmt::format("--vary: '{}' has no values", variation.name));
    }
    if (const std::string problem = wrong_range(variation); !problem.empty()) {
      wrong(fmt::format("--vary: '{}': {}", variation.name, problem));
    }
  }

  const SweepOptions& options_;
  std::set<std::string> names_;
  Diagnostics problems_;
};

}  // namespace

std::string wrong_range(const Variation& variation) {
  const double low = variation.low;
  const double high = variation.high;
  switch (variation.kind) {
    case Variation::Kind::values: return "";
    case Variation::Kind::uniform:
      return low < high && std::isfinite(high - low)
                 ? ""
                 : fmt::format("{} is not less than {}, or they are too far apart", low, high);
    case Variation::Kind::logarithmic:
      return low < high && low * high > 0.0
                 ? ""
                 : fmt::format("{} is not less than {}, or has another sign", low, high);
    case Variation::Kind::normal:
      return high > 0.0 && std::isfinite(low) && std::isfinite(high)
                 ? ""
                 : fmt::format("the standard deviation {} is not positive", high);
  }
  return "";
}

Result<SweepPlan> SweepPlan::make(const SweepOptions& options) {
  Diagnostics problems = PlanCheck(options).run();
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  SweepPlan plan(options);
  if (options.samples) {
    plan.names_ = options.samples->names;
    plan.size_ = options.samples->values.size() / plan.names_.size();
  } else {
    plan.size_ = options.n_random ? static_cast<std::size_t>(*options.n_random) : 1;
    for (const Variation& variation : options.vary) {
      plan.names_.push_back(variation.name);
      const std::size_t n = options.n_random ? 1 : variation.values.size();
      plan.size_ = plan.size_ > kMostRunsOfSweep / n ? kMostRunsOfSweep + 1 : plan.size_ * n;
    }
  }
  if (plan.size_ > kMostRunsOfSweep) {
    problems.error(kWrongSweep, fmt::format("there are more than {} runs", kMostRunsOfSweep));
    return Unexpected(std::move(problems));
  }
  return plan;
}

double SweepPlan::drawn(std::size_t run, std::size_t name) const {
  const Variation& variation = options_->vary[name];
  const std::uint64_t k = kNumbersOfValue * (run * names_.size() + name) + 1;
  const double part = uniform_number(split_mix(options_->seed, k));
  const double low = variation.low;
  const double high = variation.high;
  switch (variation.kind) {
    case Variation::Kind::values: break;
    case Variation::Kind::uniform: return std::clamp(low + part * (high - low), low, high);
    case Variation::Kind::logarithmic: return std::clamp(low * std::pow(high / low, part), low, high);
    case Variation::Kind::normal: {
      // √(-2 ln(1 - u))·cos(2πv)
      const double angle = 2.0 * std::numbers::pi * uniform_number(split_mix(options_->seed, k + 1));
      return low + high * std::sqrt(-2.0 * std::log1p(-part)) * std::cos(angle);
    }
  }
  return variation.values.front();
}

void SweepPlan::values(std::size_t run, std::span<double> out) const {
  const std::size_t n = names_.size();
  if (options_->samples) {
    std::copy_n(options_->samples->values.begin() + static_cast<std::ptrdiff_t>(run * n), n, out.begin());
    return;
  }
  std::size_t rest = run;
  for (std::size_t k = n; k-- > 0;) {
    if (options_->n_random) {
      out[k] = drawn(run, k);
    } else {
      const std::vector<double>& values = options_->vary[k].values;
      out[k] = values[rest % values.size()];
      rest /= values.size();
    }
  }
}

}  // namespace saltus::api
