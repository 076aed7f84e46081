#include "api/results/configuration_log.hpp"

#include "saltus/contract.hpp"

namespace saltus::api {

void ConfigurationLog::append(const system::Configuration& configuration) {
  const std::size_t n_latched = configuration.latched.size();
  const std::size_t n = n_latched + configuration.discrete.size();
  const auto value = [&](std::size_t i) {
    return i < n_latched ? configuration.latched[i] : configuration.discrete[i - n_latched];
  };
  Entry entry{configuration.mode, 0, entries_.size()};
  const std::size_t before = changes_.size();
  if (!entries_.empty()) {
    SALTUS_ASSERT(n == last_.size() && n_latched == n_latched_);
    const std::size_t last_whole = entries_.back().whole;
    const bool is_whole = before - entries_[last_whole].end > n;
    for (std::size_t i = 0; i < n; ++i) {
      // The same bits: a discrete value may be NaN.
      if (is_whole || !(value(i) == last_[i] || (value(i) != value(i) && last_[i] != last_[i]))) {
        changes_.push_back({i, value(i)});
        last_[i] = value(i);
      }
    }
    entry.whole = is_whole ? entry.whole : last_whole;
  } else {
    n_latched_ = n_latched;
    last_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      last_[i] = value(i);
      changes_.push_back({i, last_[i]});
    }
  }
  entry.end = changes_.size();
  entries_.push_back(entry);
}

system::Configuration ConfigurationLog::at(std::size_t place) const {
  SALTUS_EXPECT(place < entries_.size(), "the configuration must exist");
  const Entry& entry = entries_[place];
  system::Configuration configuration;
  configuration.mode = entry.mode;
  configuration.latched.resize(n_latched_);
  configuration.discrete.resize(last_.size() - n_latched_);
  const std::size_t begin = entry.whole == 0 ? 0 : entries_[entry.whole - 1].end;
  for (std::size_t c = begin; c < entry.end; ++c) {
    const auto& [i, value] = changes_[c];
    (i < n_latched_ ? configuration.latched[i] : configuration.discrete[i - n_latched_]) = value;
  }
  return configuration;
}

std::size_t ConfigurationLog::memory() const {
  return entries_.capacity() * sizeof(Entry) + changes_.capacity() * sizeof(Change);
}

void ConfigurationLog::fields(Archive& a) {
  a(entries_, changes_, last_, n_latched_);
  if (!a.is_loading() || !a.ok()) {
    return;
  }
  bool fits = n_latched_ <= last_.size();
  std::size_t end = 0;
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    fits = fits && entries_[k].end >= end && entries_[k].end <= changes_.size() && entries_[k].whole <= k;
    end = entries_[k].end;
  }
  for (const Change& change : changes_) {
    fits = fits && change.place < last_.size();
  }
  if (!fits) {
    a.refuse("sides and discrete values of stretches do not fit");
  }
}

}  // namespace saltus::api
