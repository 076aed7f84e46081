/// Conditions and expressions of random discrete logic, over what has been made so far.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "support/oracle/draw.hpp"
#include "support/oracle/instants/random_logic.hpp"

namespace saltus::test::instants {

using Names = std::vector<std::string>;

/// As a model text spells it.
[[nodiscard]] std::string text_of(double value);

/// In braces arguments are evaluated from left to right, between operators + in no fixed order: two draws never stand between them.
[[nodiscard]] std::string join(std::initializer_list<std::string> parts);

enum class Sort { real, integer, boolean };

struct Discrete {
  std::string name;
  Sort sort = Sort::integer;
};

class LogicExpressions {
 public:
  LogicExpressions(LogicFamily family, std::uint32_t seed)
      : draw_(seed * 7 + static_cast<std::uint32_t>(family)), family_(family) {}

 protected:
  [[nodiscard]] bool chance(std::size_t part, std::size_t of) { return draw_.below(of) < part; }
  [[nodiscard]] bool is(LogicFamily family) const {
    return family_ == family || family_ == LogicFamily::mixtures;
  }
  [[nodiscard]] const std::string& one_of(const Names& names) { return names[draw_.below(names.size())]; }
  /// An odd multiple of 1/32: no such level is met by accident at a whole time.
  [[nodiscard]] std::string level();
  [[nodiscard]] std::string factor();
  [[nodiscard]] std::string moment();
  /// A state, an algebraic variable, or time.
  [[nodiscard]] std::string quantity();
  [[nodiscard]] std::string real_expression();
  [[nodiscard]] std::string atom();
  [[nodiscard]] std::string condition();
  [[nodiscard]] std::string clock();
  /// The condition of a clause.
  [[nodiscard]] std::string trigger();

  oracle::Draw draw_;
  Names states_;
  Names reals_;                    // algebraic variables that may be read
  std::vector<Discrete> kept_;     // set by clauses; pre of them may be read everywhere
  std::vector<Discrete> visible_;  // may be read by their plain names

 private:
  [[nodiscard]] std::string kept_real();
  [[nodiscard]] std::string relation();

  LogicFamily family_;
  std::vector<std::pair<std::string, std::string>> levels_;  // of relations so far
};

}  // namespace saltus::test::instants
