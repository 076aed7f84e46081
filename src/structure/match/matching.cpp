#include "structure/match/matching.hpp"

#include <algorithm>

#include "base/work_watch.hpp"
#include "saltus/contract.hpp"

namespace saltus::structure {
namespace {

class HopcroftKarp {
 public:
  HopcroftKarp(const Incidence& incidence, std::span<const std::uint32_t> roots,
               std::uint32_t n_allowed_columns, Matching& matching)
      : incidence_(incidence),
        roots_(roots),
        n_allowed_columns_(n_allowed_columns),
        matching_(matching),
        layer_(incidence.n_rows(), kNone),
        next_entry_(incidence.n_rows(), 0) {}

  void run() {
    assign_cheaply();
    while (build_layers()) {
      bool grew = false;
      for (const std::uint32_t root : roots_) {
        if (is_free(root) && layer_[root] == 0) {
          grew |= augment_from(root);
        }
      }
      if (!grew) {
        return;
      }
    }
  }

 private:
  bool is_free(std::uint32_t row) const { return matching_.column_of_row[row] == kNone; }

  void assign_cheaply() {
    for (const std::uint32_t row : roots_) {
      if (!is_free(row)) {
        continue;
      }
      for (const std::uint32_t column : incidence_.row(row)) {
        if (column < n_allowed_columns_ && matching_.row_of_column[column] == kNone) {
          matching_.column_of_row[row] = column;
          matching_.row_of_column[column] = row;
          break;
        }
      }
    }
  }

  // layer_[row] = length of the shortest alternating path from a free root, in rows; true if a free column was met.
  bool build_layers() {
    for (const std::uint32_t row : queue_) {
      layer_[row] = kNone;
    }
    queue_.clear();
    for (const std::uint32_t root : roots_) {
      if (is_free(root)) {
        enqueue(root, 0);
      }
    }
    bool free_column_met = false;
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      const std::uint32_t row = queue_[head];
      count_work(static_cast<std::int64_t>(incidence_.row(row).size()));
      for (const std::uint32_t column : incidence_.row(row)) {
        if (column >= n_allowed_columns_) {
          continue;
        }
        const std::uint32_t owner = matching_.row_of_column[column];
        if (owner == kNone) {
          free_column_met = true;
        } else if (layer_[owner] == kNone && !free_column_met) {
          enqueue(owner, layer_[row] + 1);
        }
      }
    }
    return free_column_met;
  }

  void enqueue(std::uint32_t row, std::uint32_t layer) {
    layer_[row] = layer;
    next_entry_[row] = incidence_.row_starts[row];
    queue_.push_back(row);
  }

  bool augment_from(std::uint32_t root) {
    path_.assign(1, root);
    while (!path_.empty()) {
      count_work(1);
      const std::uint32_t row = path_.back();
      if (next_entry_[row] == incidence_.row_starts[row + 1]) {
        layer_[row] = kNone - 1;  // a dead end for the rest of the phase
        path_.pop_back();
        if (!path_.empty()) {
          ++next_entry_[path_.back()];
        }
        continue;
      }
      const std::uint32_t column = incidence_.columns[next_entry_[row]];
      const std::uint32_t owner = column < n_allowed_columns_ ? matching_.row_of_column[column] : row;
      if (owner == kNone) {
        flip_path();
        return true;
      }
      if (owner != row && layer_[owner] == layer_[row] + 1) {
        path_.push_back(owner);
      } else {
        ++next_entry_[row];
      }
    }
    return false;
  }

  // Every row of the path takes the column it looks at; from the end, so that each column is given up before.
  void flip_path() {
    for (std::size_t i = path_.size(); i-- > 0;) {
      const std::uint32_t row = path_[i];
      const std::uint32_t column = incidence_.columns[next_entry_[row]];
      matching_.column_of_row[row] = column;
      matching_.row_of_column[column] = row;
      layer_[row] = kNone - 1;  // paths of one phase are disjoint
    }
  }

  const Incidence& incidence_;
  std::span<const std::uint32_t> roots_;
  std::uint32_t n_allowed_columns_;
  Matching& matching_;
  std::vector<std::uint32_t> layer_;
  std::vector<std::uint32_t> next_entry_;
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint32_t> path_;
};

// Everything an alternating walk from `start` reaches: start's side first, then partners by `partner`.
Part reach(const Incidence& incidence, const std::vector<std::uint32_t>& partner_of_column,
           std::uint32_t start) {
  Part part;
  std::vector<std::uint8_t> row_seen(incidence.n_rows(), 0);
  std::vector<std::uint8_t> column_seen(incidence.n_columns, 0);
  part.rows.push_back(start);
  row_seen[start] = 1;
  for (std::size_t head = 0; head < part.rows.size(); ++head) {
    for (const std::uint32_t column : incidence.row(part.rows[head])) {
      if (column_seen[column] != 0) {
        continue;
      }
      column_seen[column] = 1;
      part.columns.push_back(column);
      const std::uint32_t partner = partner_of_column[column];
      if (partner != kNone && row_seen[partner] == 0) {
        row_seen[partner] = 1;
        part.rows.push_back(partner);
      }
    }
  }
  std::sort(part.rows.begin(), part.rows.end());
  std::sort(part.columns.begin(), part.columns.end());
  return part;
}

}  // namespace

Matching empty_matching(const Incidence& incidence) {
  return {.column_of_row = std::vector<std::uint32_t>(incidence.n_rows(), kNone),
          .row_of_column = std::vector<std::uint32_t>(incidence.n_columns, kNone)};
}

std::size_t extend_matching(const Incidence& incidence, std::span<const std::uint32_t> rows,
                            std::uint32_t n_allowed_columns, Matching& matching) {
  SALTUS_ASSERT(matching.column_of_row.size() == incidence.n_rows());
  SALTUS_ASSERT(matching.row_of_column.size() == incidence.n_columns);
  HopcroftKarp(incidence, rows, n_allowed_columns, matching).run();
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [&](std::uint32_t row) { return matching.column_of_row[row] != kNone; }));
}

Part overdetermined_part(const Incidence& incidence, const Matching& matching, std::uint32_t row) {
  SALTUS_ASSERT(matching.column_of_row[row] == kNone);
  return reach(incidence, matching.row_of_column, row);
}

Part underdetermined_part(const Incidence& transposed, const Matching& matching, std::uint32_t column) {
  SALTUS_ASSERT(matching.row_of_column[column] == kNone);
  Part part = reach(transposed, matching.column_of_row, column);
  std::swap(part.rows, part.columns);
  return part;
}

}  // namespace saltus::structure
