/// Texts kept once and named by small numbers: a run has a million events and a dozen texts.
///
/// Method     a direct-mapped cache of the last places in front of a hash table; the cache is asked with a hash of the
///            length and the ends of the text, and verified.
/// Contract   numbers count up from 0 in the order of first sight; views stay valid as long as the table.
/// Cost       a few nanoseconds for a text seen lately; an allocation for a new one.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/archive.hpp"

namespace saltus::api {

class TextTable {
 public:
  TextTable() = default;
  TextTable(const TextTable&) = delete;
  TextTable& operator=(const TextTable&) = delete;

  std::uint32_t place_of(std::string_view text) {
    Slot& cached = cache_[slot(text)];
    if (cached.place == kNone || cached.text != text) {
      cached.place = look_up(text);
      cached.text = texts_[cached.place];
    }
    return cached.place;
  }
  [[nodiscard]] std::string_view text(std::uint32_t place) const { return texts_[place]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

  void fields(Archive& a) {
    // Not saved: cache_, places_, which follow from texts_.
    std::vector<std::string> texts(texts_.begin(), texts_.end());
    a(texts);
    if (a.is_loading()) {
      for (const std::string& text : texts) {
        (void)place_of(text);
      }
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  static constexpr std::size_t kSlots = 256;

  struct Slot {
    std::string_view text;  // of texts_
    std::uint32_t place = kNone;
  };

  static std::size_t slot(std::string_view text) {
    if (text.empty()) {
      return 0;
    }
    const auto byte = [&](std::size_t i) {
      return static_cast<std::size_t>(static_cast<unsigned char>(text[i]));
    };
    const std::size_t n = text.size();
    return (n * 31U + byte(0) * 7U + byte(n - 1) * 13U + byte(n / 2) * 17U) % kSlots;
  }
  std::uint32_t look_up(std::string_view text);

  std::array<Slot, kSlots> cache_{};
  std::deque<std::string> texts_;  // a deque: the views of the table below stay valid
  std::unordered_map<std::string_view, std::uint32_t> places_;
};

}  // namespace saltus::api
