/// One run of the library, held against the interpreter of instants.
///
/// Contract     Compared are: the instants at which a discrete variable is another after than before, in order, with their times and
///              all discrete values after them; the values of all other variables at the rows between instants; that every instant at
///              which a clause fired or a state jumped has an event. Set aside, with the reason, are models that the interpreter
///              does not decide (doubt, sliding, outside the class) and those whose instants change if states begin 1e-8 elsewhere.
///              Where the interpreter finds that the model has no solution the library must not reach the end either.
/// Choices      Runs have tolerance 1e-9, motions have rates near 1: what is right is right to 1e-6.
#pragma once

#include <string>

namespace saltus::test::instants {

struct Comparison {
  enum class Verdict {
    agrees,
    aside,     ///< not compared
    refused,   ///< the library does not read or start it
    ended,     ///< … does not reach its end
    start,     ///< other values at the start
    missing,   ///< an instant is missing
    extra,     ///< an instant too many
    discrete,  ///< other discrete values after an instant
    real,      ///< other values of other variables
    no_event,  ///< an instant without an event
    too_far,   ///< reaches the end of a model without a solution
  };
  Verdict verdict = Verdict::agrees;
  std::string what;          ///< one line
  std::size_t instants = 0;  ///< compared
};

[[nodiscard]] const char* to_string(Comparison::Verdict verdict);

[[nodiscard]] Comparison compare(const std::string& text);

}  // namespace saltus::test::instants
