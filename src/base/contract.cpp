#include "saltus/contract.hpp"

#include <fmt/format.h>

namespace saltus::detail {

void contract_violated(const char* kind, const char* condition, const char* file, int line,
                       const std::string& what) {
  throw ContractViolation(fmt::format("{}:{}: {} '{}' does not hold: {}", file, line, kind, condition, what));
}

}  // namespace saltus::detail
