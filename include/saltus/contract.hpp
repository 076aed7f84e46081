// Contracts: SALTUS_EXPECT guards the public interface and is always on; SALTUS_ASSERT states a belief of
// the developers and is on in debug, sanitizer and test builds (SALTUS_ENABLE_ASSERTS).
#pragma once

#include <stdexcept>
#include <string>

namespace saltus {

/// Thrown when a caller of the C++ interface breaks a precondition (wrong span length, negative tolerance,
/// …). Wrong models, options and files never throw it: they are reported as values.
class ContractViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {
[[noreturn]] void contract_violated(const char* kind, const char* condition, const char* file, int line,
                                    const std::string& what);
}  // namespace detail
}  // namespace saltus

#define SALTUS_EXPECT(condition, what)                                                             \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      ::saltus::detail::contract_violated("precondition", #condition, __FILE__, __LINE__, (what)); \
    }                                                                                              \
  } while (false)

#ifdef SALTUS_ENABLE_ASSERTS
#define SALTUS_ASSERT(condition)                                                             \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      ::saltus::detail::contract_violated("internal belief", #condition, __FILE__, __LINE__, \
                                          "please report this as a bug of saltus");          \
    }                                                                                        \
  } while (false)
#else
#define SALTUS_ASSERT(condition) static_cast<void>(0)
#endif
