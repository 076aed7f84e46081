#include "structure/index/elimination.hpp"

namespace saltus::structure {
namespace {

bool is_before(const EliminationEntry& a, const EliminationEntry& b) {
  return a.column < b.column;
}

}  // namespace

Elimination::Elimination(std::vector<std::vector<EliminationEntry>> rows, std::vector<std::uint8_t> may_go)
    : rows_(std::move(rows)),
      columns_(rows_.size()),
      may_go_(std::move(may_go)),
      giver_(rows_.size(), kKept),
      is_left_(rows_.size(), 1) {
  for (std::uint32_t row = 0; row < rows_.size(); ++row) {
    for (const EliminationEntry& entry : rows_[row]) {
      columns_[entry.column].push_back(row);
    }
  }
}

std::uint32_t Elimination::find_pivot(std::uint32_t row, std::size_t most) const {
  std::uint32_t best = kKept;
  std::size_t fewest = most;
  const std::size_t r = rows_[row].size();
  for (const EliminationEntry& entry : rows_[row]) {
    if (entry.unit == 0.0 || may_go_[entry.column] == 0) {
      continue;
    }
    const std::size_t c = columns_[entry.column].size();
    const std::size_t count = (r - 1) * (c - 1);
    const bool is_better = count < fewest || (count == fewest && best == kKept);
    if (is_better && count <= r + c - 1 && comes_in_anew(row, entry.column)) {
      best = entry.column;
      fewest = count;
    }
  }
  return best;
}

// Whether the other unknowns of the row are in no row that contains the one it gives.
bool Elimination::comes_in_anew(std::uint32_t row, std::uint32_t column) const {
  const std::vector<EliminationEntry>& given = rows_[row];
  return std::all_of(columns_[column].begin(), columns_[column].end(), [&](std::uint32_t target) {
    const std::vector<EliminationEntry>& own = rows_[target];
    return target == row || std::none_of(given.begin(), given.end(), [&](const EliminationEntry& entry) {
             return entry.column != column && std::binary_search(own.begin(), own.end(), entry, is_before);
           });
  });
}

std::vector<std::uint32_t> Elimination::take_out(std::uint32_t row, std::uint32_t column) {
  giver_[column] = row;
  is_left_[row] = 0;
  for (const EliminationEntry& entry : rows_[row]) {
    std::erase(columns_[entry.column], row);
  }
  return std::exchange(columns_[column], {});
}

void Elimination::put_in(std::uint32_t target, std::uint32_t column,
                         std::span<const EliminationEntry> gained) {
  std::vector<EliminationEntry>& own = rows_[target];
  std::erase_if(own, [&](const EliminationEntry& entry) { return entry.column == column; });
  own.insert(own.end(), gained.begin(), gained.end());
  std::sort(own.begin(), own.end(), is_before);
  for (const EliminationEntry& entry : gained) {
    columns_[entry.column].push_back(target);
  }
}

std::vector<std::uint32_t> Elimination::order_of_formulas(
    const std::vector<std::vector<EliminationEntry>>& written) const {
  constexpr int kNotYet = -1;
  std::vector<int> chains(written.size(), kNotYet);
  std::vector<std::uint32_t> columns;
  std::vector<std::uint32_t> stack;
  for (std::uint32_t first = 0; first < written.size(); ++first) {
    if (giver_[first] == kKept) {
      continue;
    }
    columns.push_back(first);
    stack.assign(1, first);
    while (!stack.empty()) {
      const std::uint32_t column = stack.back();
      int chain = 0;
      for (const EliminationEntry& entry : written[giver_[column]]) {
        if (entry.column == column || giver_[entry.column] == kKept) {
          continue;
        }
        if (chains[entry.column] == kNotYet) {
          stack.push_back(entry.column);
        }
        chain = std::max(chain, chains[entry.column] + 1);
      }
      if (stack.back() == column) {
        chains[column] = chain;
        stack.pop_back();
      }
    }
  }
  std::sort(columns.begin(), columns.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(chains[a], giver_[a]) < std::pair(chains[b], giver_[b]);
  });
  return columns;
}

}  // namespace saltus::structure
