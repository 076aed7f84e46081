#include "structure/assignment.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "saltus/contract.hpp"

namespace saltus::structure {
namespace {

constexpr int kFar = std::numeric_limits<int>::max();

class ShortestPaths {
 public:
  explicit ShortestPaths(const Signature& signature)
      : signature_(signature),
        distance_(signature.n_columns, kFar),
        came_from_(signature.n_columns, kNone),
        is_done_(signature.n_columns, 0) {
    result_.row_duals.assign(signature.n_rows(), 0);
    result_.column_duals.assign(signature.n_columns, 0);
    for (std::size_t k = 0; k < signature.columns.size(); ++k) {
      int& dual = result_.column_duals[signature.columns[k]];
      dual = std::max(dual, signature.orders[k]);
    }
  }

  std::optional<Assignment> run() {
    match_tight();
    for (std::uint32_t row = 0; row < signature_.n_rows(); ++row) {
      if (result_.matching.column_of_row[row] == kNone && !augment_from(row)) {
        return std::nullopt;
      }
    }
    for (const int dual : result_.column_duals) {
      result_.value += dual;
    }
    for (const int dual : result_.row_duals) {
      result_.value -= dual;
    }
    return std::move(result_);
  }

 private:
  // The largest matching among entries with σ_ij = d_j, where c = 0.
  void match_tight() {
    Incidence tight;
    tight.n_columns = signature_.n_columns;
    for (std::uint32_t row = 0; row < signature_.n_rows(); ++row) {
      for (std::uint32_t k = signature_.row_starts[row]; k < signature_.row_starts[row + 1]; ++k) {
        if (signature_.orders[k] == result_.column_duals[signature_.columns[k]]) {
          tight.columns.push_back(signature_.columns[k]);
        }
      }
      tight.row_starts.push_back(static_cast<std::uint32_t>(tight.columns.size()));
    }
    std::vector<std::uint32_t> rows(signature_.n_rows());
    std::iota(rows.begin(), rows.end(), 0U);
    result_.matching = empty_matching(tight);
    extend_matching(tight, rows, tight.n_columns, result_.matching);
  }

  // Shortest paths from a free row to columns, until a free column is the nearest one left.
  bool augment_from(std::uint32_t root) {
    relax(root, 0);
    std::uint32_t end = kNone;
    while (!queue_.empty()) {
      const auto [distance, column] = queue_.top();
      queue_.pop();
      if (is_done_[column] != 0 || distance > distance_[column]) {
        continue;
      }
      const std::uint32_t owner = result_.matching.row_of_column[column];
      if (owner == kNone) {
        end = column;
        break;
      }
      is_done_[column] = 1;
      relax(owner, distance);  // the entry of the matching has length 0
    }
    if (end != kNone) {
      raise_duals(root, distance_[end]);
      flip_path(root, end);
    }
    forget();
    return end != kNone;
  }

  void relax(std::uint32_t row, int distance) {
    for (std::uint32_t k = signature_.row_starts[row]; k < signature_.row_starts[row + 1]; ++k) {
      const std::uint32_t column = signature_.columns[k];
      const int slack = result_.column_duals[column] - result_.row_duals[row] - signature_.orders[k];
      SALTUS_ASSERT(slack >= 0);
      if (is_done_[column] == 0 && distance + slack < distance_[column]) {
        if (distance_[column] == kFar) {
          touched_.push_back(column);
        }
        distance_[column] = distance + slack;
        came_from_[column] = row;
        queue_.emplace(distance_[column], column);
      }
    }
  }

  // Makes every entry of the shortest path tight and keeps all others feasible.
  void raise_duals(std::uint32_t root, int length) {
    result_.row_duals[root] += length;
    for (const std::uint32_t column : touched_) {
      if (is_done_[column] != 0) {
        result_.column_duals[column] += length - distance_[column];
        result_.row_duals[result_.matching.row_of_column[column]] += length - distance_[column];
      }
    }
  }

  void flip_path(std::uint32_t root, std::uint32_t column) {
    std::uint32_t row = kNone;
    do {
      row = came_from_[column];
      const std::uint32_t given_up = result_.matching.column_of_row[row];
      result_.matching.column_of_row[row] = column;
      result_.matching.row_of_column[column] = row;
      column = given_up;
    } while (row != root);
  }

  void forget() {
    for (const std::uint32_t column : touched_) {
      distance_[column] = kFar;
      is_done_[column] = 0;
    }
    touched_.clear();
    queue_ = {};
  }

  const Signature& signature_;
  Assignment result_;
  std::vector<int> distance_;
  std::vector<std::uint32_t> came_from_;  // by column: the row before it on the path
  std::vector<std::uint8_t> is_done_;
  std::vector<std::uint32_t> touched_;
  using Entry = std::pair<int, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace

std::optional<Assignment> highest_value_transversal(const Signature& signature) {
  if (signature.n_rows() != signature.n_columns) {
    return std::nullopt;
  }
  return ShortestPaths(signature).run();
}

}  // namespace saltus::structure
