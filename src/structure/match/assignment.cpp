#include "structure/match/assignment.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "base/work_watch.hpp"
#include "saltus/contract.hpp"

namespace saltus::structure {
namespace {

constexpr int kFar = std::numeric_limits<int>::max();

class PrimalDual {
 public:
  explicit PrimalDual(const Signature& signature)
      : signature_(signature), distance_(signature.n_columns, kFar), is_done_(signature.n_columns, 0) {
    result_.row_duals.assign(signature.n_rows(), 0);
    result_.column_duals.assign(signature.n_columns, 0);
    for (std::size_t k = 0; k < signature.columns.size(); ++k) {
      int& dual = result_.column_duals[signature.columns[k]];
      dual = std::max(dual, signature.orders[k]);
    }
  }

  std::optional<Assignment> run() {
    std::vector<std::uint32_t> free_rows(signature_.n_rows());
    std::iota(free_rows.begin(), free_rows.end(), 0U);
    result_.matching = {.column_of_row = std::vector<std::uint32_t>(signature_.n_rows(), kNone),
                        .row_of_column = std::vector<std::uint32_t>(signature_.n_columns, kNone)};
    while (!free_rows.empty()) {
      const Incidence tight = tight_entries();
      extend_matching(tight, free_rows, tight.n_columns, result_.matching);
      free_rows.erase(
          std::remove_if(free_rows.begin(), free_rows.end(),
                         [&](std::uint32_t row) { return result_.matching.column_of_row[row] != kNone; }),
          free_rows.end());
      if (!free_rows.empty() && !raise_duals(free_rows)) {
        return std::nullopt;
      }
    }
    result_.value = std::accumulate(result_.column_duals.begin(), result_.column_duals.end(), 0L) -
                    std::accumulate(result_.row_duals.begin(), result_.row_duals.end(), 0L);
    return std::move(result_);
  }

 private:
  int slack(std::uint32_t row, std::uint32_t entry) const {
    return result_.column_duals[signature_.columns[entry]] - result_.row_duals[row] -
           signature_.orders[entry];
  }

  Incidence tight_entries() const {
    Incidence tight;
    tight.n_columns = signature_.n_columns;
    tight.row_starts.reserve(signature_.row_starts.size());
    for (std::uint32_t row = 0; row < signature_.n_rows(); ++row) {
      for (std::uint32_t k = signature_.row_starts[row]; k < signature_.row_starts[row + 1]; ++k) {
        if (slack(row, k) == 0) {
          tight.columns.push_back(signature_.columns[k]);
        }
      }
      tight.row_starts.push_back(static_cast<std::uint32_t>(tight.columns.size()));
    }
    return tight;
  }

  // Shortest paths from all free rows until a free column is the nearest one left; then makes them tight and keeps all
  // other entries feasible. False if no free column can be reached.
  bool raise_duals(const std::vector<std::uint32_t>& free_rows) {
    for (const std::uint32_t row : free_rows) {
      relax(row, 0);
    }
    int length = kFar;
    while (!queue_.empty() && length == kFar) {
      const auto [distance, column] = queue_.top();
      queue_.pop();
      if (is_done_[column] != 0) {
        continue;
      }
      is_done_[column] = 1;
      const std::uint32_t owner = result_.matching.row_of_column[column];
      if (owner == kNone) {
        length = distance;
      } else {
        relax(owner, distance);  // the entry of the matching has length 0
      }
    }
    if (length != kFar) {
      for (const std::uint32_t row : free_rows) {
        result_.row_duals[row] += length;
      }
      for (const std::uint32_t column : touched_) {
        if (is_done_[column] != 0 && distance_[column] < length) {
          result_.column_duals[column] += length - distance_[column];
          result_.row_duals[result_.matching.row_of_column[column]] += length - distance_[column];
        }
      }
    }
    forget();
    return length != kFar;
  }

  void relax(std::uint32_t row, int distance) {
    count_work(signature_.row_starts[row + 1] - signature_.row_starts[row]);
    for (std::uint32_t k = signature_.row_starts[row]; k < signature_.row_starts[row + 1]; ++k) {
      const std::uint32_t column = signature_.columns[k];
      const int length = distance + slack(row, k);
      SALTUS_ASSERT(length >= distance);
      if (length < distance_[column]) {
        if (distance_[column] == kFar) {
          touched_.push_back(column);
        }
        distance_[column] = length;
        queue_.emplace(length, column);
      }
    }
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
  return PrimalDual(signature).run();
}

}  // namespace saltus::structure
