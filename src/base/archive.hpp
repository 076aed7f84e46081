/// State of a run as bytes, and back.
///
/// Problem      a run is saved and goes on elsewhere with the same bits (docs/checkpoints.md). What is saved and what is loaded must not
///              drift apart, and nothing that the run remembers may be forgotten
/// Method       a class lists what it remembers once, in `void fields(Archive& a) { a(first_, second_); }`, for both directions. What follows from
///              the model and from what is listed is made anew. scripts/check_saved.py compares the list with the members of the class.
/// Contract     Loading gives every item what saving took from it, bit by bit. A vector gets its size; a std::span and a std::unique_ptr
///              must fit already. Bytes that do not fit, or end too early, make ok() false: from then on nothing is changed.
///              Pointers are saved as the numbers of the objects that were made known() before, in the same order both times.
///              What is loaded can be used: a bool is one, an enumeration has a value that has a name, an Id is below the
///              limit() of its kind, index() and sized() hold to what they are given, and a vector that has a length keeps it unless
///              it is a list(); whatever the bytes are. Numbers are as they come.
/// Choices      Numbers stand as the machine has them: the same build alone reads them again.
/// Fails when   something says that it cannot be saved: refuse()
/// Checked by   tests/unit/base/archive_test.cpp
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/interval.hpp"

namespace saltus {

class Archive {
 public:
  /// Saves.
  Archive() = default;
  /// Loads; the bytes outlive it.
  explicit Archive(std::string_view bytes) : is_loading_(true), bytes_(bytes) {}
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  [[nodiscard]] bool is_loading() const { return is_loading_; }
  [[nodiscard]] bool ok() const { return problem_.empty(); }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// Why this cannot be saved, or does not fit. The first reason counts.
  void refuse(std::string_view why);
  /// What was saved.
  [[nodiscard]] const std::string& saved() const { return saved_; }
  /// Whether all that was saved has been loaded.
  [[nodiscard]] bool is_at_end() const { return at_ == bytes_.size(); }

  template <class... Items>
  void operator()(Items&&... items) {
    (item(items), ...);
  }

  /// The object may be pointed to from now on.
  template <class T>
  void know(T& object) {
    known_.push_back({&typeid(T), const_cast<std::remove_const_t<T>*>(&object), nullptr});
  }
  template <class T>
  void know(const std::shared_ptr<T>& object) {
    known_.push_back({&typeid(T), const_cast<std::remove_const_t<T>*>(object.get()), object});
  }
  /// A pointer to something known, or none.
  template <class T>
  void pointer(T*& to) {
    const Known* const known = number(to, typeid(T));
    if (is_loading_ && ok()) {
      to = known == nullptr ? nullptr : static_cast<T*>(known->object);
    }
  }
  template <class T>
  void pointer(std::shared_ptr<T>& to) {
    const Known* const known = number(to.get(), typeid(T));
    if (is_loading_ && ok()) {
      to = known == nullptr ? nullptr
                            : std::static_pointer_cast<T>(std::const_pointer_cast<void>(known->owner));
    }
  }
  [[nodiscard]] bool is_known(const void* object) const;

  /// A number that must be the same both times.
  void same(std::uint64_t number, std::string_view what);
  /// A place in a list of n items, or -1 for none; and a list of such, all of which are places.
  void index(Index& value, std::size_t n);
  void index(std::vector<Index>& values, std::size_t n);
  /// A list that has n items, or none.
  template <class T>
  void sized(std::vector<T>& values, std::size_t n) {
    item(values);
    if (is_loading_ && ok() && !values.empty() && values.size() != n) {
      refuse("the length of a list does not fit");
    }
  }
  /// A list that may have another length than it has now.
  template <class T>
  void list(std::vector<T>& values) {
    if (is_loading_ && ok()) {
      values.clear();
    }
    item(values);
  }
  /// Ids of this kind name one of n things, from now on.
  template <class Kind>
  void limit(std::size_t n) {
    limits_.push_back({&typeid(Kind), n});
  }

 private:
  struct Known {
    const std::type_info* type;
    void* object;
    std::shared_ptr<const void> owner;
  };

  struct Limit {
    const std::type_info* type;
    std::size_t n;
  };

  /// Any bytes are one of them.
  template <class T>
  static constexpr bool kIsPlain = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
  /// What the compiler calls a value of an enumeration: a number in parentheses where it has no name.
  template <auto Value>
  static constexpr bool has_name() {
    constexpr std::string_view kText = __PRETTY_FUNCTION__;
    constexpr std::size_t kAt = kText.find("Value = ") + 8;
    return kText[kAt] != '(' && !(kText[kAt] >= '0' && kText[kAt] <= '9');
  }
  template <class Enum, std::size_t... Values>
  static constexpr std::size_t n_names(std::index_sequence<Values...> /*values*/) {
    return (static_cast<std::size_t>(has_name<static_cast<Enum>(Values)>()) + ...);
  }
  /// Values from zero on have names, and there are fewer than this.
  static constexpr std::size_t kMostEnumerators = 48;

  void raw(void* data, std::size_t size);
  /// How many items follow, of at least so many bytes each.
  [[nodiscard]] std::size_t count(std::size_t now, std::size_t least);
  [[nodiscard]] const Known* number(const void* object, const std::type_info& type);
  /// Whether a list of `now` items may get n of them: what has been given a length keeps it. Refuses.
  [[nodiscard]] bool may_have(std::size_t n, std::size_t now);
  [[nodiscard]] bool is_within(const std::type_info& kind, std::size_t value) const;

  template <class T>
  void item(T& value) {
    if constexpr (kIsPlain<T>) {
      raw(&value, sizeof(T));
    } else if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = value ? 1 : 0;
      raw(&byte, sizeof byte);
      if (byte > 1) {
        refuse("what is true or false is neither");
      }
      value = byte == 1;
    } else if constexpr (std::is_enum_v<T>) {
      constexpr std::size_t kEnumerators = n_names<T>(std::make_index_sequence<kMostEnumerators>());
      static_assert(kEnumerators > 0 && kEnumerators < kMostEnumerators);
      auto place = static_cast<std::uint8_t>(value);
      raw(&place, sizeof place);
      if (place >= kEnumerators) {
        refuse("a choice is none of those that there are");
      } else {
        value = static_cast<T>(place);
      }
    } else if constexpr (requires { value.fields(*this); }) {
      value.fields(*this);
    } else {
      fields(*this, value);
    }
  }
  template <class T>
  void plain(T* data, std::size_t n) {
    if constexpr (kIsPlain<T>) {
      raw(data, n * sizeof(T));
    } else {
      for (std::size_t i = 0; i < n && ok(); ++i) {
        item(data[i]);
      }
    }
  }

  template <class Tag>
  void item(Id<Tag>& id) {
    std::uint32_t value = id.value();
    raw(&value, sizeof value);
    if (Id<Tag>(value).valid() && !is_within(typeid(Id<Tag>), value)) {
      refuse("something is named that is not there");
      return;
    }
    id = Id<Tag>(value);
  }
  template <class T>
  void item(std::complex<T>& value) {
    raw(&value, sizeof value);
  }
  void item(Interval& interval) { (*this)(interval.lower, interval.upper); }
  void item(std::string& text) {
    const std::size_t n = count(text.size(), 1);
    if (is_loading_ && ok()) {
      text.resize(n);
    }
    raw(text.data(), text.size());
  }
  template <class T>
  void item(std::vector<T>& values) {
    const std::size_t n = count(values.size(), kIsPlain<T> ? sizeof(T) : 0);
    if (is_loading_ && ok() && values.size() != n && may_have(n, values.size())) {
      if constexpr (std::is_default_constructible_v<T>) {
        values.resize(n);
      } else {
        refuse("a list that cannot grow has another length");
      }
    }
    if (ok()) {
      plain(values.data(), values.size());
    }
  }
  void item(std::vector<bool>& values);
  template <class T, std::size_t N>
  void item(std::array<T, N>& values) {
    plain(values.data(), N);
  }
  template <class T>
  void item(std::span<T>& values) {
    same(values.size(), "numbers of a step");
    if (ok()) {
      plain(values.data(), values.size());
    }
  }
  template <class T>
  void item(std::optional<T>& value) {
    bool is_there = value.has_value();
    item(is_there);
    if (is_loading_ && ok() && is_there != value.has_value()) {
      if constexpr (std::is_default_constructible_v<T>) {
        value = is_there ? std::optional<T>(std::in_place) : std::nullopt;
      } else {
        refuse("something that is made elsewhere is missing");
      }
    }
    if (ok() && value) {
      item(*value);
    }
  }
  template <class T>
  void item(std::unique_ptr<T>& value) {
    same(value != nullptr ? 1 : 0, "parts of a run");
    if (ok() && value) {
      item(*value);
    }
  }
  template <class First, class Second>
  void item(std::pair<First, Second>& value) {
    (*this)(value.first, value.second);
  }

  bool is_loading_ = false;
  std::string_view bytes_;
  std::size_t at_ = 0;
  std::string saved_;
  std::string problem_;
  std::vector<Known> known_;
  std::vector<Limit> limits_;
};

}  // namespace saltus
