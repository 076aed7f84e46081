/// Expressions of a model text as nodes of a DiscreteModel.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/oracle/instants/discrete_model.hpp"
#include "support/oracle/instants/model_tokens.hpp"

namespace saltus::test::instants {

class ExpressionReader {
 public:
  ExpressionReader(DiscreteModel& model, std::vector<Token> tokens)
      : model_(model), tokens_(std::move(tokens)) {}

  [[nodiscard]] std::size_t expression();
  /// Of parameters and numbers alone.
  [[nodiscard]] Real constant_value(std::size_t node) const;

  [[nodiscard]] bool at(const std::string& text) const { return tokens_[place_].text == text; }
  [[nodiscard]] bool at_name() const { return tokens_[place_].kind == Token::Kind::name; }
  [[nodiscard]] bool take(const std::string& text);
  void expect(const std::string& text);
  [[nodiscard]] std::string name();
  void skip() { ++place_; }

  /// Relations and floors that are read while it is set are literal.
  bool is_in_body = false;

  /// The place of the variable; one that is not declared yet is made.
  [[nodiscard]] std::size_t variable(const std::string& name);
  void set_parameter(const std::string& name, Real value) { parameters_[name] = model_.number(value); }

 private:
  [[nodiscard]] std::size_t disjunction();
  [[nodiscard]] std::size_t conjunction();
  [[nodiscard]] std::size_t negation();
  [[nodiscard]] std::size_t relation();
  [[nodiscard]] std::size_t sum();
  [[nodiscard]] std::size_t product();
  [[nodiscard]] std::size_t factor();
  [[nodiscard]] std::size_t call(const std::string& function);
  [[nodiscard]] std::size_t rate_of(const std::string& state);

  [[nodiscard]] std::size_t greater(Op op, std::size_t a, std::size_t b) {
    return model_.node({.op = op, .a = a, .b = b, .is_literal = is_in_body});
  }
  [[nodiscard]] std::size_t floor_of(std::size_t a) {
    return model_.node({.op = Op::floor, .a = a, .is_literal = is_in_body});
  }
  [[nodiscard]] std::size_t not_of(std::size_t a) { return model_.node({.op = Op::logical_not, .a = a}); }
  [[nodiscard]] std::size_t negative(std::size_t a) {
    return model_.binary(Op::subtract, model_.number(0), a);
  }
  [[nodiscard]] std::size_t select(std::size_t c, std::size_t a, std::size_t b) {
    return model_.node({.op = Op::select, .a = c, .b = a, .c = b});
  }

  DiscreteModel& model_;
  std::vector<Token> tokens_;
  std::size_t place_ = 0;
  std::map<std::string, std::size_t> parameters_;
};

}  // namespace saltus::test::instants
