#include "reduce/consistent/transfer_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "saltus/contract.hpp"

namespace saltus::reduce {
namespace {

constexpr std::array<TransferCase, 13> kCases{{
    {1, 0, 0, 0},
    {2, 0, 1, -1},
    {3, 0, -1, 1},
    {4, -1, 1, 0},
    {5, -1, 0, 1},
    {6, -1, 1, 1},
    {7, -1, -1, 1},
    {8, -1, 1, -1},
    {9, 1, -1, 0},
    {10, 1, 0, -1},
    {11, 1, -1, -1},
    {12, 1, -1, 1},
    {13, 1, 1, -1},
}};

int sign(Index change) {
  return change > 0 ? 1 : change < 0 ? -1 : 0;
}

Index total(const ComponentCounts& counts) {
  return counts.differential + counts.algebraic + counts.undetermined;
}

}  // namespace

std::span<const TransferCase> transfer_cases() {
  return kCases;
}

TransferCase transfer_case(const ComponentCounts& before, const ComponentCounts& after) {
  SALTUS_EXPECT(std::min({before.differential, before.algebraic, before.undetermined, after.differential,
                          after.algebraic, after.undetermined}) >= 0,
                "numbers of components are not negative");
  const int differential = sign(after.differential - before.differential);
  const int algebraic = sign(after.algebraic - before.algebraic);
  const Index n = std::max(total(before), total(after));
  const Index open_before = before.undetermined + (n - total(before));
  const Index open_after = after.undetermined + (n - total(after));
  const int undetermined = sign(open_after - open_before);
  const auto found = std::find_if(kCases.begin(), kCases.end(), [&](const TransferCase& item) {
    return item.differential == differential && item.algebraic == algebraic &&
           item.undetermined == undetermined;
  });
  SALTUS_ASSERT(found != kCases.end());
  return *found;
}

std::string text_of(const TransferCase& which) {
  std::string more;
  std::string fewer;
  const auto add = [&](int change, const char* kind) {
    if (change != 0) {
      std::string& list = change > 0 ? more : fewer;
      list += (list.empty() ? "" : " and ") + std::string(kind);
    }
  };
  add(which.differential, "differential");
  add(which.algebraic, "algebraic");
  add(which.undetermined, "undetermined");
  if (more.empty() && fewer.empty()) {
    return fmt::format("case {}: as many components of each kind", which.number);
  }
  std::string text = fmt::format("case {}: fewer {}, more {} components", which.number, fewer, more);
  text += which.may_jump() ? "; values may jump" : "";
  text += which.is_ambiguous() ? "; undetermined components are frozen" : "";
  return text;
}

}  // namespace saltus::reduce
