/// Functionals as they are written: which terms they have, and what is made of these.
///
/// Problem      'final(x^2) + 3*integral(u^2)' mixes expressions of the model, taken somewhere on the run, with arithmetic on what came out
/// Method       the parser of the language reads all; calls of the five words are terms, names outside of them are parameters and count as terms
///              too, because they may depend on others. What is left is an expression in terms and numbers.
/// Contract     Places of terms and problems are those in the text of all functionals, one behind the other on lines of their own.
/// Fails when   the text is no expression, a term stands within a term, or its arguments are others than those it has
/// Checked by   tests/gradient/gradient_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "saltus/result.hpp"
#include "saltus/source_text.hpp"

namespace saltus::api {

struct Term {
  enum class Kind : std::uint8_t { final, integral, at_event, before_event, event_time, parameter };
  Kind kind = Kind::final;
  std::int64_t event = 0;  ///< from 1; 0 where none is meant
  SourceSpan expression;   ///< of event_time: empty
  SourceSpan span;
  std::string text;  ///< of `span`
};

[[nodiscard]] inline bool is_at_an_event(Term::Kind kind) {
  return kind == Term::Kind::at_event || kind == Term::Kind::before_event || kind == Term::Kind::event_time;
}

struct FunctionalTexts {
  std::shared_ptr<const SourceText> source;  ///< all of them
  std::vector<Term> terms;                   ///< equal ones once
  struct Use {
    SourceSpan span;
    std::size_t term = 0;
  };
  struct Functional {
    SourceSpan span;
    std::vector<Use> uses;  ///< in the order of the text
  };
  std::vector<Functional> functionals;
};

/// `name`: stands in messages.
[[nodiscard]] Result<FunctionalTexts> read_functionals(const std::string& name,
                                                       const std::vector<std::string>& texts);

}  // namespace saltus::api
