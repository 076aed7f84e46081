// Builds a syntax tree from the inside out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "lang/syntax/ast.hpp"

namespace saltus::lang {

class AstBuilder {
 public:
  AstBuilder();

  /// The symbol of a name; equal names give equal symbols.
  Symbol intern(std::string_view name);
  StringId add_string(std::string text);

  ExpressionId error(SourceSpan span) { return add({ExpressionKind::error, Operator::none, span}); }
  ExpressionId leaf(ExpressionKind kind, SourceSpan span) { return add({kind, Operator::none, span}); }
  ExpressionId real(double value, SourceSpan span);
  ExpressionId integer(std::int64_t value, SourceSpan span);
  ExpressionId boolean(bool value, SourceSpan span);
  ExpressionId string(StringId text, SourceSpan span);
  ExpressionId name(List<NamePart> parts, SourceSpan span);
  ExpressionId call(const Call& call, SourceSpan span);
  ExpressionId compound(ExpressionKind kind, Operator op, List<ExpressionId> operands, SourceSpan span);
  ExpressionId unary(Operator op, ExpressionId operand, SourceSpan span);
  ExpressionId binary(Operator op, ExpressionId left, ExpressionId right, SourceSpan span);
  ExpressionId chain(List<ExpressionId> operands, List<Operator> operators, SourceSpan span);
  ExpressionId member(ExpressionId value, Symbol name, SourceSpan span);
  ExpressionId comprehension(ExpressionId element, List<Iterator> iterators, SourceSpan span);

  [[nodiscard]] const Ast& ast() const { return ast_; }
  [[nodiscard]] Ast& ast() { return ast_; }

 private:
  template <class T>
  friend class ListBuilder;

  ExpressionId add(const Expression& expression) {
    ast_.expressions_.push_back(expression);
    return ExpressionId(ast_.expressions_.size() - 1);
  }
  template <class T>
  std::vector<T>& array() {
    return std::get<std::vector<T>>(ast_.arrays_);
  }
  void grow_table();

  Ast ast_;
  /// Open addressing from the hash of a name to symbol + 1; 0 is a free slot; the size is a power of two.
  std::vector<std::uint32_t> table_;
  /// Items of lists that are still being parsed, innermost last: lists of one type nest (statements in statements).
  decltype(Ast::arrays_) pending_;
};

/// Collects the items of one list. Lists of one type nest like brackets: the innermost is finished first.
template <class T>
class ListBuilder {
 public:
  explicit ListBuilder(AstBuilder& builder)
      : pending_(std::get<std::vector<T>>(builder.pending_)),
        array_(builder.template array<T>()),
        start_(pending_.size()) {}
  ListBuilder(const ListBuilder&) = delete;
  ListBuilder& operator=(const ListBuilder&) = delete;
  ~ListBuilder() { pending_.resize(start_); }

  void push(T item) { pending_.push_back(std::move(item)); }
  [[nodiscard]] std::size_t size() const { return pending_.size() - start_; }
  [[nodiscard]] std::span<const T> items() const { return std::span<const T>(pending_).subspan(start_); }

  /// Moves the items into the tree.
  List<T> finish() {
    const List<T> list{static_cast<std::uint32_t>(array_.size()), static_cast<std::uint32_t>(size())};
    array_.insert(array_.end(), pending_.begin() + static_cast<std::ptrdiff_t>(start_), pending_.end());
    pending_.resize(start_);
    return list;
  }

 private:
  std::vector<T>& pending_;
  std::vector<T>& array_;
  std::size_t start_;
};

}  // namespace saltus::lang
