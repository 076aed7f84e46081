/// A number of 64 bits that stands for many bytes, to see whether they are the same; not against somebody who means harm.
///
/// Method     words of 8 bytes, each by h ← (h ⊕ w)·K, h ← h ⊕ (h >> 32). Each of these is one to one, so bytes that differ in a single word
///            have different numbers; others have equal ones by chance, once in 2⁶⁴.
/// Contract   The same bytes give the same number, in however many parts they come.
/// Cost       about a nanosecond for 8 bytes
/// Checked by tests/unit/base/byte_hash_test.cpp
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace saltus {

class ByteHash {
 public:
  void add(std::string_view bytes) {
    n_bytes_ += bytes.size();
    while (!bytes.empty() && (n_waiting_ > 0 || bytes.size() < kWord)) {
      waiting_[n_waiting_++] = bytes.front();
      bytes.remove_prefix(1);
      if (n_waiting_ == kWord) {
        n_waiting_ = 0;
        mix(word_at(waiting_.data()));
      }
    }
    for (; bytes.size() >= kWord; bytes.remove_prefix(kWord)) {
      mix(word_at(bytes.data()));
    }
    if (!bytes.empty()) {
      add_rest(bytes);
    }
  }
  [[nodiscard]] std::uint64_t value() const {
    ByteHash end = *this;
    for (std::size_t k = n_waiting_; k < kWord; ++k) {
      end.waiting_[k] = 0;
    }
    end.mix(word_at(end.waiting_.data()));
    end.mix(n_bytes_);
    return end.hash_;
  }

 private:
  static constexpr std::size_t kWord = 8;
  static constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;  // odd; 2⁶⁴ over the golden ratio

  [[nodiscard]] static std::uint64_t word_at(const char* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, kWord);
    return word;
  }
  void mix(std::uint64_t word) {
    hash_ = (hash_ ^ word) * kFactor;
    hash_ ^= hash_ >> 32U;
  }
  void add_rest(std::string_view bytes) {
    for (const char byte : bytes) {
      waiting_[n_waiting_++] = byte;
    }
  }

  std::uint64_t hash_ = kFactor;
  std::uint64_t n_bytes_ = 0;
  std::size_t n_waiting_ = 0;
  std::array<char, kWord> waiting_{};
};

[[nodiscard]] inline std::uint64_t hash_of(std::string_view bytes) {
  ByteHash hash;
  hash.add(bytes);
  return hash.value();
}

}  // namespace saltus
