#include "base/byte_hash.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace saltus {
namespace {

std::string sample(std::size_t n) {
  std::string bytes;
  for (std::size_t i = 0; i < n; ++i) {
    bytes += static_cast<char>(i * 37 + i / 7);
  }
  return bytes;
}

TEST(ByteHash, PartsDoNotMatter) {
  const std::string bytes = sample(61);
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    for (std::size_t second = first; second <= bytes.size(); ++second) {
      ByteHash hash;
      hash.add(std::string_view(bytes).substr(0, first));
      hash.add(std::string_view(bytes).substr(first, second - first));
      hash.add(std::string_view(bytes).substr(second));
      ASSERT_EQ(hash.value(), hash_of(bytes)) << first << " " << second;
    }
  }
}

TEST(ByteHash, EveryByteAndTheLengthCount) {
  const std::string bytes = sample(40);
  std::set<std::uint64_t> seen = {hash_of(bytes)};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      EXPECT_TRUE(seen.insert(hash_of(changed)).second);
    }
  }
  for (std::size_t n = 0; n < 20; ++n) {
    EXPECT_TRUE(seen.insert(hash_of(std::string(n, '\0'))).second);
  }
}

}  // namespace
}  // namespace saltus
