#include "system/equation_set.hpp"

#include <numeric>

namespace saltus::system {

std::vector<Index> EquationSet::rows_over(Index /*guard*/) const {
  std::vector<Index> all(static_cast<std::size_t>(n_rows()));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

}  // namespace saltus::system
