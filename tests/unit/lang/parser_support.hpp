// Parses texts for tests and writes expressions with every bracket, so that precedence can be read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lang/syntax/parser.hpp"

namespace saltus::lang::test {

struct Parsed {
  std::shared_ptr<const SourceText> source;
  Diagnostics diagnostics;
  ParseResult result;

  [[nodiscard]] const Ast& ast() const { return result.ast; }
  [[nodiscard]] const Class& main() const { return *result.ast.main_model(); }
  /// "code line:column" of every diagnostic.
  [[nodiscard]] std::vector<std::string> found() const {
    std::vector<std::string> list;
    for (const Diagnostic& item : diagnostics.items()) {
      const SourcePosition at = source->position(item.span.value_or(SourceSpan{}).offset);
      list.push_back(item.code + " " + std::to_string(at.line) + ":" + std::to_string(at.column));
    }
    return list;
  }
};

inline Parsed parse_text(std::string text, Dialect dialect = Dialect::modelica) {
  Parsed parsed;
  parsed.source = std::make_shared<const SourceText>("test.mo", std::move(text));
  parsed.diagnostics = Diagnostics(parsed.source);
  parsed.result = parse(*parsed.source, dialect, parsed.diagnostics);
  return parsed;
}

inline std::string written(const Ast& ast, ExpressionId id);

inline std::string joined(const Ast& ast, std::span<const ExpressionId> items, const std::string& separator) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += (i == 0 ? "" : separator) + (items[i].valid() ? written(ast, items[i]) : "");
  }
  return text;
}

inline std::string written(const Ast& ast, std::span<const Iterator> iterators) {
  std::string text;
  for (const Iterator& iterator : iterators) {
    text += " for " + std::string(ast.text(iterator.name)) + " in " + written(ast, iterator.range);
  }
  return text;
}

inline std::string written_name(const Ast& ast, ExpressionId id) {
  std::string text;
  for (const NamePart& part : ast.name_parts(id)) {
    text += (text.empty() ? "" : ".") + std::string(ast.text(part.name));
    if (!part.subscripts.empty()) {
      text += "[" + joined(ast, ast[part.subscripts], ", ") + "]";
    }
  }
  return text;
}

inline std::string written_call(const Ast& ast, ExpressionId id) {
  const Call& call = ast.call(id);
  std::string text = std::string(ast.text(call.function)) + "(";
  for (const Argument& argument : ast[call.arguments]) {
    text += text.back() == '(' ? "" : ", ";
    text += argument.name.valid() ? std::string(ast.text(argument.name)) + " = " : "";
    text += written(ast, argument.value);
  }
  return text + written(ast, ast[call.iterators]) + ")";
}

inline std::string written_chain(const Ast& ast, ExpressionId id) {
  std::string text = "(" + written(ast, ast.operands(id)[0]);
  for (std::size_t i = 1; i < ast.operands(id).size(); ++i) {
    text += " " + std::string(to_string(ast.operators(id)[i - 1])) + " " + written(ast, ast.operands(id)[i]);
  }
  return text + ")";
}

inline std::string written(const Ast& ast, ExpressionId id) {
  const Expression& node = ast[id];
  switch (node.kind) {
    case ExpressionKind::error: return "<error>";
    case ExpressionKind::real: return "real:" + std::to_string(ast.real(id));
    case ExpressionKind::integer: return std::to_string(ast.integer(id));
    case ExpressionKind::boolean: return ast.boolean(id) ? "true" : "false";
    case ExpressionKind::string: return "\"" + std::string(ast.text(ast.string(id))) + "\"";
    case ExpressionKind::name: return written_name(ast, id);
    case ExpressionKind::call: return written_call(ast, id);
    case ExpressionKind::unary:
      return "(" + std::string(to_string(node.op)) + " " + written(ast, ast.operands(id)[0]) + ")";
    case ExpressionKind::binary:
      return "(" + joined(ast, ast.operands(id), " " + std::string(to_string(node.op)) + " ") + ")";
    case ExpressionKind::chain: return written_chain(ast, id);
    case ExpressionKind::conditional: return "if(" + joined(ast, ast.operands(id), ", ") + ")";
    case ExpressionKind::range: return "(" + joined(ast, ast.operands(id), " : ") + ")";
    case ExpressionKind::array: return "{" + joined(ast, ast.operands(id), ", ") + "}";
    case ExpressionKind::matrix: return "[" + joined(ast, ast.operands(id), "; ") + "]";
    case ExpressionKind::matrix_row: return joined(ast, ast.operands(id), ", ");
    case ExpressionKind::comprehension:
      return "{" + written(ast, ast.operands(id)[0]) + written(ast, ast.iterators(id)) + "}";
    case ExpressionKind::element: return "element(" + joined(ast, ast.operands(id), ", ") + ")";
    case ExpressionKind::member:
      return written(ast, ast.operands(id)[0]) + "." + std::string(ast.text(ast.member_name(id)));
    case ExpressionKind::tuple: return "tuple(" + joined(ast, ast.operands(id), ", ") + ")";
    case ExpressionKind::all: return ":";
    case ExpressionKind::last: return "end";
  }
  return "";
}

/// The expression `text` as the value of a declaration, written with every bracket; the codes if there are errors.
inline std::string bracketed(const std::string& text) {
  const Parsed parsed = parse_text("model M\n  Real value = " + text + ";\nend M;\n");
  std::string codes;
  for (const std::string& code : parsed.found()) {
    codes += code + "; ";
  }
  return codes.empty() ? written(parsed.ast(), parsed.main().components.front().value) : codes;
}

}  // namespace saltus::lang::test
