/// Runs of the library on a network, held against brute force.
///
/// Contract     Compared are: every variable of the text at every row; that every change of a diode or a switch has an event at its time, and every
///              event a change; how often the Boolean of each diode changes, by rows and by a counting clause.
///              Set aside, with the reason, are networks that the oracle does not decide.
#pragma once

#include <string>
#include <vector>

#include "support/oracle/circuits/network.hpp"

namespace saltus::test::circuits {

struct CircuitCheck {
  enum class Verdict {
    agrees,
    aside,    ///< not compared
    refused,  ///< the library does not read or start it
    ended,    ///< … ends before its end, with a reason
    hangs,    ///< … does not end within the limit of time
    start,    ///< other values at the start
    values,   ///< other values later
    missing,  ///< a change without an event
    extra,    ///< an event without a change
    count,    ///< a Boolean changes too often or too rarely
  };
  Verdict verdict = Verdict::agrees;
  std::string method;
  std::string what;  ///< one line
  std::size_t n_instants = 0;
  Real worst = 0;  ///< error over bound
};
[[nodiscard]] const char* to_string(CircuitCheck::Verdict verdict);
/// Exit code 0 and something is wrong.
[[nodiscard]] bool is_wrong(CircuitCheck::Verdict verdict);

/// One check for each method; a single one where the network is set aside.
[[nodiscard]] std::vector<CircuitCheck> compare(const Network& network,
                                                const std::vector<std::string>& methods);

}  // namespace saltus::test::circuits
