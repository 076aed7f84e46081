#include "base/archive.hpp"

#include <algorithm>

namespace saltus {

void Archive::refuse(std::string_view why) {
  if (ok()) {
    problem_ = why;
  }
}

void Archive::raw(void* data, std::size_t size) {
  if (!ok() || size == 0) {
    return;
  }
  if (!is_loading_) {
    saved_.append(static_cast<const char*>(data), size);
    return;
  }
  if (size > bytes_.size() - at_) {
    refuse("it ends too early");
    return;
  }
  std::memcpy(data, bytes_.data() + at_, size);
  at_ += size;
}

std::size_t Archive::count(std::size_t now, std::size_t least) {
  std::uint64_t n = now;
  raw(&n, sizeof n);
  // What has no smallest size has at least one number in most cases; the limit keeps damaged bytes from asking for all memory.
  if (is_loading_ && ok() && n > (bytes_.size() - at_) / std::max<std::size_t>(least, 1)) {
    refuse("it ends too early");
  }
  return ok() ? static_cast<std::size_t>(n) : now;
}

void Archive::same(std::uint64_t number, std::string_view what) {
  std::uint64_t other = number;
  raw(&other, sizeof other);
  if (ok() && other != number) {
    refuse(std::string(what) + " do not fit");
  }
}

void Archive::index(Index& value, std::size_t n) {
  Index loaded = value;
  raw(&loaded, sizeof loaded);
  if (is_loading_ && (loaded < -1 || loaded >= static_cast<Index>(n))) {
    refuse("something is named that is not there");
    return;
  }
  value = loaded;
}

void Archive::index(std::vector<Index>& values, std::size_t n) {
  item(values);
  const auto is_wrong = [n](Index value) { return value < 0 || value >= static_cast<Index>(n); };
  if (is_loading_ && ok() && std::any_of(values.begin(), values.end(), is_wrong)) {
    refuse("something is named that is not there");
  }
}

bool Archive::may_have(std::size_t n, std::size_t now) {
  if (now != 0 && n != now) {
    refuse("the length of a list does not fit");
  }
  return ok();
}

bool Archive::is_within(const std::type_info& kind, std::size_t value) const {
  return std::none_of(limits_.begin(), limits_.end(),
                      [&](const Limit& limit) { return *limit.type == kind && value >= limit.n; });
}

void Archive::item(std::vector<bool>& values) {
  std::vector<std::uint8_t> bytes(values.begin(), values.end());
  item(bytes);
  values.assign(bytes.begin(), bytes.end());
}

const Archive::Known* Archive::number(const void* object, const std::type_info& type) {
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  const auto is_it = [&](const Known& known) { return known.object == object && *known.type == type; };
  const auto found = object == nullptr ? known_.end() : std::find_if(known_.begin(), known_.end(), is_it);
  if (!is_loading_ && object != nullptr && found == known_.end()) {
    refuse("something that a part of the run refers to is not saved");
    return nullptr;
  }
  std::uint64_t place = object == nullptr ? kNone : static_cast<std::uint64_t>(found - known_.begin());
  raw(&place, sizeof place);
  if (!ok() || place == kNone) {
    return nullptr;
  }
  if (place >= known_.size() || *known_[place].type != type) {
    refuse("parts of a run do not fit");
    return nullptr;
  }
  return &known_[place];
}

bool Archive::is_known(const void* object) const {
  return std::any_of(known_.begin(), known_.end(),
                     [object](const Known& known) { return known.object == object; });
}

}  // namespace saltus
