#include "support/oracle/instants/logic_expressions.hpp"

#include <cstdio>

namespace saltus::test::instants {

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return value < 0 ? "(" + std::string(text) + ")" : text;
}

std::string join(std::initializer_list<std::string> parts) {
  std::string all;
  for (const std::string& part : parts) {
    all += part;
  }
  return all;
}

std::string LogicExpressions::level() {
  return text_of((2.0 * static_cast<double>(draw_.below(64)) - 63) / 32);
}

std::string LogicExpressions::factor() {
  const double values[] = {0.5, 1, 1, 1, 1.5, 2, -1, -0.5};
  return text_of(values[draw_.below(8)]);
}

std::string LogicExpressions::moment() {
  return text_of((1 + static_cast<double>(draw_.below(30))) / 8);
}

std::string LogicExpressions::quantity() {
  Names names;
  for (const std::string& state : states_) {
    names.push_back(state);
  }
  for (const std::string& real : reals_) {
    names.push_back(real);
    names.push_back(real);
  }
  if (chance(1, 4)) {
    names.emplace_back("time");
  }
  return one_of(names);
}

std::string LogicExpressions::kept_real() {
  for (const Discrete& other : visible_) {
    if (other.sort == Sort::real && chance(1, 2)) {
      return other.name;
    }
  }
  for (const Discrete& other : kept_) {
    if (other.sort == Sort::real && chance(1, 2)) {
      return "pre(" + other.name + ")";
    }
  }
  return "";
}

std::string LogicExpressions::real_expression() {
  std::string expression = quantity();
  if (chance(1, 3)) {
    expression = factor() + "*" + expression;
  }
  if (chance(1, 4)) {
    expression += join({" + ", factor(), "*", quantity()});
  }
  if (chance(is(LogicFamily::moves) ? 3 : 1, 4)) {
    if (const std::string other = kept_real(); !other.empty()) {
      expression += (chance(1, 2) ? " - " : " + ") + other;
    }
  }
  return expression;
}

std::string LogicExpressions::relation() {
  const char* const signs[] = {" > ", " < ", " >= ", " <= "};
  // Now and then a level that was used before: two guards on one surface.
  if (!levels_.empty() && chance(1, 3)) {
    const auto& [expression, value] = levels_[draw_.below(levels_.size())];
    return expression + signs[draw_.below(4)] + value;
  }
  const std::string expression = chance(1, 8) ? "time" : real_expression();
  const std::string value = expression == "time" ? moment() : level();
  levels_.emplace_back(expression, value);
  return expression + signs[draw_.below(4)] + value;
}

std::string LogicExpressions::atom() {
  const std::size_t kind = draw_.below(10);
  Names plain;
  Names past;
  for (const Discrete& other : visible_) {
    if (other.sort == Sort::boolean) {
      plain.push_back(other.name);
      plain.push_back("edge(" + other.name + ")");
      past.push_back("pre(" + other.name + ")");
    } else if (other.sort == Sort::integer) {
      plain.push_back(other.name + " >= " + std::to_string(1 + draw_.below(3)));
      plain.push_back("change(" + other.name + ")");
      past.push_back("pre(" + other.name + ") == " + std::to_string(draw_.below(3)));
    }
  }
  for (const Discrete& other : kept_) {
    if (other.sort == Sort::boolean) {
      past.push_back("pre(" + other.name + ")");
    } else if (other.sort == Sort::integer) {
      past.push_back("pre(" + other.name + ") >= " + std::to_string(1 + draw_.below(3)));
    }
  }
  if (kind < 2 && !plain.empty()) {
    return one_of(plain);
  }
  if (kind == 2 && !past.empty()) {
    return one_of(past);
  }
  return relation();
}

std::string LogicExpressions::condition() {
  const std::string first = atom();
  switch (draw_.below(6)) {
    case 0: return "(" + first + ") and (" + atom() + ")";
    case 1: return "(" + first + ") or (" + atom() + ")";
    case 2: return "not (" + first + ")";
    default: return first;
  }
}

std::string LogicExpressions::clock() {
  const double begin =
      is(LogicFamily::starts) && chance(1, 2) ? 0.0 : (1 + static_cast<double>(draw_.below(12))) / 8;
  return "sample(" + text_of(begin) + ", " + text_of((2 + static_cast<double>(draw_.below(12))) / 8) + ")";
}

std::string LogicExpressions::trigger() {
  if (is(LogicFamily::starts) && chance(1, 3)) {
    switch (draw_.below(5)) {
      case 0: return "initial()";
      case 1: return "not initial()";
      case 2: return "initial() or " + atom();
      case 3: return "{initial(), " + clock() + "}";
      default: return "{" + condition() + ", initial()}";
    }
  }
  switch (draw_.below(8)) {
    case 0: return clock();
    case 1: return join({clock(), " and (", atom(), ")"});
    case 2: return join({"{", condition(), ", ", condition(), "}"});
    case 3: return join({"{", condition(), ", ", clock(), "}"});
    default: return condition();
  }
}

}  // namespace saltus::test::instants
