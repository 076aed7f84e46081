/// What was made for a key, for the keys that were asked for last.
///
/// Contract     may be asked by several threads; what is made for one key is made once, while others wait for it and those with
///              another key do not. Where making throws, the next one who asks tries again. What is given away stays alive for whoever
///              has it. At most `most` values are kept: the one that was asked for longest ago goes first.
/// Cost         linear in the number of keys kept, which is meant to be small
/// Checked by   tests/unit/base/bounded_cache_test.cpp
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "base/late.hpp"

namespace saltus {

template <class Key, class Value>
class BoundedCache {
 public:
  explicit BoundedCache(std::size_t most) : most_(most) {}

  /// `make` gives a std::shared_ptr<const Value>.
  template <class Make>
  [[nodiscard]] std::shared_ptr<const Value> get(const Key& key, Make&& make) {
    return place_of(key)->get(std::forward<Make>(make));
  }
  [[nodiscard]] std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return entries_.size();
  }

 private:
  using Entry = std::pair<Key, std::shared_ptr<const Late<Value>>>;

  std::shared_ptr<const Late<Value>> place_of(const Key& key) {
    const std::scoped_lock lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (entry->first == key) {
        entries_.splice(entries_.begin(), entries_, entry);
        return entry->second;
      }
    }
    entries_.emplace_front(key, std::make_shared<const Late<Value>>());
    if (entries_.size() > most_) {
      entries_.pop_back();
    }
    return entries_.front().second;
  }

  std::size_t most_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // the one asked for last is the first
};

}  // namespace saltus
