/// "a, b, c and 4 more": no more items in a message than a person reads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace saltus {

inline constexpr std::size_t kMostListed = 8;

class ShortList {
 public:
  explicit ShortList(std::size_t most = kMostListed) : most_(most) {}

  void add(std::string_view item) {
    if (++size_ <= most_) {
      text_ += text_.empty() ? "" : ", ";
      text_ += item;
    }
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::string text() const {
    return size_ > most_ ? text_ + " and " + std::to_string(size_ - most_) + " more" : text_;
  }

 private:
  std::size_t most_;
  std::size_t size_ = 0;
  std::string text_;
};

}  // namespace saltus
