#include "structure/match/offsets.hpp"

#include <algorithm>
#include <deque>
#include <numeric>

namespace saltus::structure {
namespace {

// σ of the entry that the transversal has in each row.
std::vector<int> chosen_orders(const Signature& signature, const Matching& transversal) {
  std::vector<int> orders(signature.n_rows(), 0);
  for (std::uint32_t row = 0; row < signature.n_rows(); ++row) {
    for (std::uint32_t k = signature.row_starts[row]; k < signature.row_starts[row + 1]; ++k) {
      if (signature.columns[k] == transversal.column_of_row[row]) {
        orders[row] = signature.orders[k];
      }
    }
  }
  return orders;
}

}  // namespace

int Offsets::structural_index() const {
  if (differentiations.empty()) {
    return 0;
  }
  const int most = *std::max_element(differentiations.begin(), differentiations.end());
  const int lowest = *std::min_element(highest_orders.begin(), highest_orders.end());
  return most + (lowest == 0 ? 1 : 0);
}

int Offsets::degrees_of_freedom() const {
  return std::accumulate(highest_orders.begin(), highest_orders.end(), 0) -
         std::accumulate(differentiations.begin(), differentiations.end(), 0);
}

Offsets smallest_offsets(const Signature& signature, const Matching& transversal,
                         std::span<const int> demanded) {
  const std::vector<int> chosen = chosen_orders(signature, transversal);
  Offsets offsets;
  offsets.differentiations.assign(signature.n_rows(), 0);
  offsets.highest_orders.assign(signature.n_columns, 0);
  std::copy(demanded.begin(), demanded.end(), offsets.highest_orders.begin());
  for (std::size_t k = 0; k < signature.columns.size(); ++k) {
    int& order = offsets.highest_orders[signature.columns[k]];
    order = std::max(order, signature.orders[k]);
  }
  std::deque<std::uint32_t> grown;
  std::vector<std::uint8_t> is_waiting(signature.n_rows(), 0);
  const auto settle = [&](std::uint32_t row) {
    const int needed = offsets.highest_orders[transversal.column_of_row[row]] - chosen[row];
    if (needed > offsets.differentiations[row]) {
      offsets.differentiations[row] = needed;
      if (is_waiting[row] == 0) {
        is_waiting[row] = 1;
        grown.push_back(row);
      }
    }
  };
  for (std::uint32_t row = 0; row < signature.n_rows(); ++row) {
    settle(row);
  }
  while (!grown.empty()) {
    const std::uint32_t row = grown.front();
    grown.pop_front();
    is_waiting[row] = 0;
    for (std::uint32_t k = signature.row_starts[row]; k < signature.row_starts[row + 1]; ++k) {
      int& order = offsets.highest_orders[signature.columns[k]];
      const int needed = signature.orders[k] + offsets.differentiations[row];
      if (needed > order) {
        order = needed;
        settle(transversal.row_of_column[signature.columns[k]]);
      }
    }
  }
  return offsets;
}

}  // namespace saltus::structure
