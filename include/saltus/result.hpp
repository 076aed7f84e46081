// Result<T, E>: a value or why there is none. The interface is the part of std::expected (C++23) that saltus
// uses, so that it can be replaced by it; value() of a failed result throws saltus::Error.
#pragma once

#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "saltus/diagnostic.hpp"

namespace saltus {

/// Thrown by Result::value() when there is no value; what() holds the rendered diagnostics.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class E>
class Unexpected {
 public:
  explicit Unexpected(E error) : error_(std::move(error)) {}
  [[nodiscard]] E& error() & { return error_; }
  [[nodiscard]] E&& error() && { return std::move(error_); }

 private:
  E error_;
};
template <class E>
Unexpected(E) -> Unexpected<E>;

namespace detail {
[[noreturn]] void throw_error(const Diagnostics& diagnostics);
template <class E>
[[noreturn]] void throw_error(const E&) {
  throw Error("result has no value");
}
}  // namespace detail

template <class T, class E = Diagnostics>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  using error_type = E;

  // Implicit on purpose, as in std::expected: `return value;` and `return Unexpected(error);`.
  // NOLINTNEXTLINE(google-explicit-constructor): see above
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  template <class G>
  // NOLINTNEXTLINE(google-explicit-constructor): see above
  requires std::is_constructible_v<E, G> Result(Unexpected<G> error)
      : content_(std::in_place_index<1>, std::move(error).error()) {}

  [[nodiscard]] bool has_value() const { return content_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  [[nodiscard]] T& operator*() & { return *std::get_if<0>(&content_); }
  [[nodiscard]] const T& operator*() const& { return *std::get_if<0>(&content_); }
  [[nodiscard]] T&& operator*() && { return std::move(*std::get_if<0>(&content_)); }
  [[nodiscard]] T* operator->() { return std::get_if<0>(&content_); }
  [[nodiscard]] const T* operator->() const { return std::get_if<0>(&content_); }

  [[nodiscard]] T& value() & {
    require_value();
    return **this;
  }
  [[nodiscard]] const T& value() const& {
    require_value();
    return **this;
  }
  [[nodiscard]] T&& value() && {
    require_value();
    return std::move(**this);
  }

  [[nodiscard]] E& error() & { return *std::get_if<1>(&content_); }
  [[nodiscard]] const E& error() const& { return *std::get_if<1>(&content_); }
  [[nodiscard]] E&& error() && { return std::move(*std::get_if<1>(&content_)); }

 private:
  void require_value() const {
    if (!has_value()) {
      detail::throw_error(error());
    }
  }

  std::variant<T, E> content_;
};

}  // namespace saltus
