#include "structure/match/strong_components.hpp"

#include <algorithm>

namespace saltus::structure {
namespace {

class Tarjan {
 public:
  Tarjan(const Incidence& incidence, const Matching& matching)
      : incidence_(incidence),
        matching_(matching),
        number_(incidence.n_rows(), kNone),
        low_(incidence.n_rows(), 0),
        next_entry_(incidence.n_rows(), 0) {
    result_.component_of_row.assign(incidence.n_rows(), kNone);
  }

  Components run() {
    for (std::uint32_t row = 0; row < incidence_.n_rows(); ++row) {
      if (matching_.column_of_row[row] != kNone && number_[row] == kNone) {
        search_from(row);
      }
    }
    return std::move(result_);
  }

 private:
  void open(std::uint32_t row) {
    number_[row] = low_[row] = counter_++;
    next_entry_[row] = incidence_.row_starts[row];
    open_rows_.push_back(row);
    path_.push_back(row);
  }

  void search_from(std::uint32_t root) {
    open(root);
    while (!path_.empty()) {
      const std::uint32_t row = path_.back();
      if (next_entry_[row] < incidence_.row_starts[row + 1]) {
        const std::uint32_t needed = matching_.row_of_column[incidence_.columns[next_entry_[row]++]];
        if (needed == kNone) {
          continue;
        }
        if (number_[needed] == kNone) {
          open(needed);
        } else if (result_.component_of_row[needed] == kNone) {
          low_[row] = std::min(low_[row], number_[needed]);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        low_[path_.back()] = std::min(low_[path_.back()], low_[row]);
      }
      if (low_[row] == number_[row]) {
        close(row);
      }
    }
  }

  // The rows opened since `root` are one component.
  void close(std::uint32_t root) {
    const std::uint32_t component = result_.size();
    std::uint32_t row = kNone;
    do {
      row = open_rows_.back();
      open_rows_.pop_back();
      result_.component_of_row[row] = component;
      result_.rows.push_back(row);
    } while (row != root);
    std::sort(result_.rows.begin() + result_.starts.back(), result_.rows.end());
    result_.starts.push_back(static_cast<std::uint32_t>(result_.rows.size()));
  }

  const Incidence& incidence_;
  const Matching& matching_;
  Components result_;
  std::uint32_t counter_ = 0;
  std::vector<std::uint32_t> number_;
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> next_entry_;
  std::vector<std::uint32_t> open_rows_;
  std::vector<std::uint32_t> path_;
};

}  // namespace

Components strong_components(const Incidence& incidence, const Matching& matching) {
  return Tarjan(incidence, matching).run();
}

}  // namespace saltus::structure
