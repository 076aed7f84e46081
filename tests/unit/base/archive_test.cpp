#include "base/archive.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

namespace saltus {
namespace {

struct Inner {
  int number = 0;
  std::vector<double> values;

  void fields(Archive& a) { a(number, values); }
};

struct Everything {
  double plain = 0.0;
  bool flag = false;
  ModeId id;
  std::string text;
  std::vector<Inner> inner;
  std::vector<bool> bits;
  std::array<std::uint16_t, 3> three{};
  std::optional<Inner> maybe;
  std::unique_ptr<Inner> owned = std::make_unique<Inner>();
  std::complex<double> number;
  Interval interval;
  std::pair<std::string, Index> pair;

  void fields(Archive& a) {
    a(plain, flag, id, text, inner, bits, three, maybe, owned, number, interval, pair);
  }
};

Everything full() {
  Everything e;
  e.plain = -0.0;
  e.flag = true;
  e.id = ModeId(std::size_t{7});
  e.text = std::string("a\0b", 3);
  e.inner = {{3, {1.0, std::numeric_limits<double>::quiet_NaN()}}, {4, {}}};
  e.bits = {true, false, true};
  e.three = {1, 2, 65535};
  e.maybe = Inner{9, {0.1}};
  e.owned->number = 11;
  e.number = {1.0, -2.0};
  e.interval = {-1.0, 1.0};
  e.pair = {"x", -4};
  return e;
}

TEST(Archive, GivesBackWhatItTook) {
  Everything before = full();
  Archive save;
  save(before);
  Everything after;
  Archive load(save.saved());
  load(after);
  EXPECT_TRUE(load.ok() && load.is_at_end()) << load.problem();
  Archive again;
  again(after);
  EXPECT_EQ(again.saved(), save.saved());
  EXPECT_EQ(after.id, before.id);
  EXPECT_EQ(after.text, before.text);
  EXPECT_TRUE(std::signbit(after.plain));
  EXPECT_EQ(after.inner.size(), 2U);
  EXPECT_EQ(after.bits, before.bits);
  EXPECT_EQ(after.pair, before.pair);
}

// Cut anywhere: nothing is read beyond the end, and it is said.
TEST(Archive, CutBytesAreRefused) {
  Everything before = full();
  Archive save;
  save(before);
  for (std::size_t n = 0; n < save.saved().size(); ++n) {
    Everything after;
    Archive load(std::string_view(save.saved()).substr(0, n));
    load(after);
    EXPECT_FALSE(load.ok()) << n;
  }
}

// Sizes that cannot be are not believed.
TEST(Archive, HugeSizesAreRefused) {
  std::string bytes(16, '\xff');
  std::vector<Inner> list;
  Archive load(bytes);
  load(list);
  EXPECT_FALSE(load.ok());
  EXPECT_TRUE(list.empty());
}

TEST(Archive, WhatMustFitIsComparedAndNotChanged) {
  std::vector<double> three = {1.0, 2.0, 3.0};
  Archive save;
  std::span<double> all(three);
  save(all);
  std::vector<double> two = {5.0, 6.0};
  Archive load(save.saved());
  std::span<double> part(two);
  load(part);
  EXPECT_FALSE(load.ok());
  EXPECT_EQ(two, (std::vector<double>{5.0, 6.0}));
  Archive none;
  std::unique_ptr<Inner> missing;
  none(missing);
  Archive other(none.saved());
  auto there = std::make_unique<Inner>();
  other(there);
  EXPECT_FALSE(other.ok());
}

TEST(Archive, PointersAreNumbersOfWhatIsKnown) {
  Inner a{1, {}};
  Inner b{2, {}};
  Inner* to = &b;
  Inner* none = nullptr;
  auto shared = std::make_shared<const int>(5);
  std::shared_ptr<const int> shared_to = shared;
  Archive save;
  save.know(a);
  save.know(b);
  save.know(std::as_const(shared));
  save.pointer(to);
  save.pointer(none);
  save.pointer(shared_to);
  ASSERT_TRUE(save.ok());
  Inner c{3, {}};
  Inner d{4, {}};
  auto other = std::make_shared<const int>(6);
  Archive load(save.saved());
  load.know(c);
  load.know(d);
  load.know(std::as_const(other));
  Inner* loaded = nullptr;
  Inner* null = &c;
  std::shared_ptr<const int> loaded_shared;
  load.pointer(loaded);
  load.pointer(null);
  load.pointer(loaded_shared);
  EXPECT_TRUE(load.ok());
  EXPECT_EQ(loaded, &d);
  EXPECT_EQ(null, nullptr);
  EXPECT_EQ(loaded_shared, other);
  Archive unknown;
  unknown.pointer(to);
  EXPECT_FALSE(unknown.ok());
  // A number that belongs to something of another type.
  Archive wrong(save.saved());
  wrong.know(std::as_const(other));
  wrong.know(std::as_const(other));
  loaded = &c;
  wrong.pointer(loaded);
  EXPECT_FALSE(wrong.ok());
  EXPECT_EQ(loaded, &c);
}

TEST(Archive, TheFirstReasonCounts) {
  Archive save;
  save.refuse("first");
  save.refuse("second");
  double number = 1.0;
  save(number);
  EXPECT_EQ(save.problem(), "first");
  EXPECT_TRUE(save.saved().empty());
}

enum class Colour : std::uint8_t { red, green, blue };

// Whatever the bytes are, what is loaded can be used.
TEST(Archive, BytesThatMeanNothingAreRefused) {
  const auto is_refused = [](const std::string& bytes, auto item, const auto& load) {
    Archive a{std::string_view(bytes)};
    load(a, item);
    return !a.ok();
  };
  const auto plain = [](Archive& a, auto& item) { a(item); };
  EXPECT_FALSE(is_refused(std::string(1, 1), false, plain));
  EXPECT_TRUE(is_refused(std::string(1, 2), false, plain));
  EXPECT_FALSE(is_refused(std::string(1, 2), Colour::red, plain));
  EXPECT_TRUE(is_refused(std::string(1, 3), Colour::red, plain));
  const auto number = [](auto value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto mode = [](Archive& a, ModeId& id) {
    a.limit<ModeId>(3);
    a(id);
  };
  EXPECT_FALSE(is_refused(number(std::uint32_t{2}), ModeId{}, mode));
  EXPECT_FALSE(is_refused(number(~std::uint32_t{0}), ModeId{}, mode)) << "none";
  EXPECT_TRUE(is_refused(number(std::uint32_t{3}), ModeId{}, mode));
  const auto place = [](Archive& a, auto& item) { a.index(item, 3); };
  EXPECT_FALSE(is_refused(number(Index{-1}), Index{0}, place));
  EXPECT_FALSE(is_refused(number(Index{2}), Index{0}, place));
  EXPECT_TRUE(is_refused(number(Index{3}), Index{0}, place));
  EXPECT_TRUE(is_refused(number(Index{-2}), Index{0}, place));
  EXPECT_FALSE(is_refused(number(std::uint64_t{1}) + number(Index{2}), std::vector<Index>{}, place));
  EXPECT_TRUE(is_refused(number(std::uint64_t{1}) + number(Index{3}), std::vector<Index>{}, place));
  const auto sized = [](Archive& a, std::vector<double>& item) { a.sized(item, 2); };
  EXPECT_FALSE(is_refused(number(std::uint64_t{0}), std::vector<double>{}, sized));
  EXPECT_FALSE(
      is_refused(number(std::uint64_t{2}) + number(1.0) + number(2.0), std::vector<double>{}, sized));
  EXPECT_TRUE(is_refused(number(std::uint64_t{1}) + number(1.0), std::vector<double>{}, sized));
}

}  // namespace
}  // namespace saltus
