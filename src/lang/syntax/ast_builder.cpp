#include "lang/syntax/ast_builder.hpp"

#include <functional>

namespace saltus::lang {
namespace {

constexpr std::size_t kFirstNames = 1024;

}  // namespace

AstBuilder::AstBuilder() : table_(kFirstNames, 0) {}

Symbol AstBuilder::intern(std::string_view name) {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = std::hash<std::string_view>{}(name)&mask;
  while (table_[slot] != 0) {
    if (ast_.symbols_[table_[slot] - 1] == name) {
      return Symbol(table_[slot] - 1);
    }
    slot = (slot + 1) & mask;
  }
  ast_.symbols_.emplace_back(name);
  table_[slot] = static_cast<std::uint32_t>(ast_.symbols_.size());
  const Symbol symbol(ast_.symbols_.size() - 1);
  if (2 * ast_.symbols_.size() > table_.size()) {
    grow_table();
  }
  return symbol;
}

void AstBuilder::grow_table() {
  table_.assign(table_.size() * 2, 0);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = 0; i < ast_.symbols_.size(); ++i) {
    std::size_t slot = std::hash<std::string_view>{}(ast_.symbols_[i]) & mask;
    while (table_[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    table_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

StringId AstBuilder::add_string(std::string text) {
  ast_.strings_.push_back(std::move(text));
  return StringId(ast_.strings_.size() - 1);
}

ExpressionId AstBuilder::real(double value, SourceSpan span) {
  ast_.reals_.push_back(value);
  return add(
      {ExpressionKind::real, Operator::none, span, static_cast<std::uint32_t>(ast_.reals_.size() - 1)});
}

ExpressionId AstBuilder::integer(std::int64_t value, SourceSpan span) {
  ast_.integers_.push_back(value);
  return add(
      {ExpressionKind::integer, Operator::none, span, static_cast<std::uint32_t>(ast_.integers_.size() - 1)});
}

ExpressionId AstBuilder::boolean(bool value, SourceSpan span) {
  return add({ExpressionKind::boolean, Operator::none, span, value ? 1U : 0U});
}

ExpressionId AstBuilder::string(StringId text, SourceSpan span) {
  return add({ExpressionKind::string, Operator::none, span, text.value()});
}

ExpressionId AstBuilder::name(List<NamePart> parts, SourceSpan span) {
  return add({ExpressionKind::name, Operator::none, span, parts.first, parts.count});
}

ExpressionId AstBuilder::call(const Call& call, SourceSpan span) {
  ast_.calls_.push_back(call);
  return add(
      {ExpressionKind::call, Operator::none, span, static_cast<std::uint32_t>(ast_.calls_.size() - 1)});
}

ExpressionId AstBuilder::compound(ExpressionKind kind, Operator op, List<ExpressionId> operands,
                                  SourceSpan span) {
  return add({kind, op, span, operands.first, operands.count});
}

ExpressionId AstBuilder::unary(Operator op, ExpressionId operand, SourceSpan span) {
  std::vector<ExpressionId>& operands = array<ExpressionId>();
  operands.push_back(operand);
  return add({ExpressionKind::unary, op, span, static_cast<std::uint32_t>(operands.size() - 1), 1});
}

ExpressionId AstBuilder::binary(Operator op, ExpressionId left, ExpressionId right, SourceSpan span) {
  std::vector<ExpressionId>& operands = array<ExpressionId>();
  operands.push_back(left);
  operands.push_back(right);
  return add({ExpressionKind::binary, op, span, static_cast<std::uint32_t>(operands.size() - 2), 2});
}

ExpressionId AstBuilder::chain(List<ExpressionId> operands, List<Operator> operators, SourceSpan span) {
  return add({ExpressionKind::chain, Operator::none, span, operands.first, operands.count, operators.first});
}

ExpressionId AstBuilder::member(ExpressionId value, Symbol name, SourceSpan span) {
  std::vector<ExpressionId>& operands = array<ExpressionId>();
  operands.push_back(value);
  return add({ExpressionKind::member, Operator::none, span, static_cast<std::uint32_t>(operands.size() - 1),
              1, name.value()});
}

ExpressionId AstBuilder::comprehension(ExpressionId element, List<Iterator> iterators, SourceSpan span) {
  std::vector<ExpressionId>& operands = array<ExpressionId>();
  operands.push_back(element);
  ast_.iterator_lists_.push_back(iterators);
  return add({ExpressionKind::comprehension, Operator::none, span,
              static_cast<std::uint32_t>(operands.size() - 1), 1,
              static_cast<std::uint32_t>(ast_.iterator_lists_.size() - 1)});
}

}  // namespace saltus::lang
