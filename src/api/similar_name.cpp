#include "api/similar_name.hpp"

#include <algorithm>
#include <cstdlib>

namespace saltus::api {
namespace {

// Longer names are cut: the cost is quadratic and the answer only a hint.
constexpr std::size_t kMaxLength = 64;

// Levenshtein distance, row by row.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string similar_name(std::string_view name, const std::vector<std::string_view>& candidates) {
  name = name.substr(0, kMaxLength);
  std::string best;
  std::size_t best_distance = name.size() / 3 + 2;
  for (const std::string_view candidate : candidates) {
    const std::string_view cut = candidate.substr(0, kMaxLength);
    const std::size_t difference =
        cut.size() > name.size() ? cut.size() - name.size() : name.size() - cut.size();
    if (difference >= best_distance) {
      continue;
    }
    const std::size_t distance = edit_distance(name, cut);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string similar_name_hint(std::string_view name, const std::vector<std::string_view>& candidates) {
  const std::string similar = similar_name(name, candidates);
  return similar.empty() ? "" : "did you mean '" + similar + "'?";
}

}  // namespace saltus::api
