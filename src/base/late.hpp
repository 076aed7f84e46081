/// Something that is made when somebody first asks for it and shared from then on.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace saltus {

/// Contract     may be asked by several threads: one makes it, the others wait. Where making it throws, the next one tries again.
template <class T>
class Late {
 public:
  /// `make` gives a std::shared_ptr<const T>, or null: there is none.
  template <class Make>
  [[nodiscard]] const std::shared_ptr<const T>& get(Make&& make) const {
    std::call_once(once_, [&] { value_ = std::forward<Make>(make)(); });
    return value_;
  }

 private:
  mutable std::once_flag once_;
  mutable std::shared_ptr<const T> value_;
};

}  // namespace saltus
