#include "base/similar_name.hpp"

#include <algorithm>
#include <cstdlib>

namespace saltus {
namespace {

/// More characters and more names than this are not compared: the hint is not worth the time.
constexpr std::size_t kMaxLength = 64;
constexpr std::size_t kMaxNames = 5000;

}  // namespace

int edit_distance(std::string_view a, std::string_view b, int limit) {
  // Optimal string alignment by rows: previous two rows suffice.
  a = a.substr(0, kMaxLength);
  b = b.substr(0, kMaxLength);
  if (std::abs(static_cast<int>(a.size()) - static_cast<int>(b.size())) > limit) {
    return limit + 1;
  }
  std::vector<int> before_last(b.size() + 1);
  std::vector<int> last(b.size() + 1);
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    last[j] = static_cast<int>(j);
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return std::min(last[b.size()], limit + 1);
}

std::string_view similar_name(std::string_view name, const std::vector<std::string_view>& candidates) {
  const std::size_t length = std::min(name.size(), kMaxLength);
  const int limit = std::max(1, static_cast<int>(length) / 3);
  int best = limit + 1;
  std::string_view nearest;
  for (std::size_t i = 0; i < std::min(candidates.size(), kMaxNames); ++i) {
    const int distance = edit_distance(name, candidates[i], std::min(limit, best - 1));
    if (distance < best && distance < static_cast<int>(length)) {
      best = distance;
      nearest = candidates[i];
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates) {
  const std::string_view nearest = similar_name(name, candidates);
  if (nearest.empty()) {
    return {};
  }
  std::string hint = "did you mean '";
  hint.append(nearest).append("'?");
  return hint;
}

}  // namespace saltus
