// Any bytes are a model text: the parser must answer, keep its limits, and build a tree that holds together.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "lang/syntax/parser.hpp"
#include "saltus/diagnostic.hpp"

namespace {

using namespace saltus;
using namespace saltus::lang;

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void check_diagnostics(const Diagnostics& diagnostics, const SourceText& source) {
  require(diagnostics.n_errors() <= static_cast<std::size_t>(kMaxReportedErrors));
  std::uint32_t last = 0;
  for (const Diagnostic& item : diagnostics.items()) {
    require(!item.message.empty() && !item.code.empty());
    if (item.span) {
      require(item.span->end() <= source.text().size());
      require(item.span->offset >= last);
      last = item.span->offset;
    }
  }
}

void check_operands(const Ast& ast, ExpressionId id, bool ok) {
  for (const ExpressionId operand : ast.operands(id)) {
    const bool omitted = !operand.valid() && ast[id].kind == ExpressionKind::tuple;
    require(omitted || operand < id);
  }
  if (ast[id].kind == ExpressionKind::chain) {
    require(ast.operands(id).size() >= 2 && ast.operators(id).size() + 1 == ast.operands(id).size());
  } else if (ast[id].kind == ExpressionKind::conditional) {
    require(!ok || (ast.operands(id).size() >= 3 && ast.operands(id).size() % 2 == 1));
  } else if (ast[id].kind == ExpressionKind::comprehension) {
    for (const Iterator& iterator : ast.iterators(id)) {
      require(!iterator.range.valid() || iterator.range < id);
    }
  }
}

void check_expression(const Ast& ast, ExpressionId id, bool ok, const SourceText& source) {
  const Expression& node = ast[id];
  require(node.span.end() <= source.text().size());
  switch (node.kind) {
    case ExpressionKind::error: require(!ok); break;
    case ExpressionKind::real: static_cast<void>(ast.real(id)); break;
    case ExpressionKind::integer: static_cast<void>(ast.integer(id)); break;
    case ExpressionKind::string: static_cast<void>(ast.text(ast.string(id))); break;
    case ExpressionKind::name:
      require(!ast.name_parts(id).empty());
      for (const NamePart& part : ast.name_parts(id)) {
        const bool from_top = &part == ast.name_parts(id).data() && ast.name_parts(id).size() > 1;
        require(!ok || from_top || !ast.text(part.name).empty());
        for (const ExpressionId subscript : ast[part.subscripts]) {
          require(subscript < id);
        }
      }
      break;
    case ExpressionKind::call:
      for (const Argument& argument : ast[ast.call(id).arguments]) {
        require(argument.value < id);
      }
      break;
    case ExpressionKind::boolean:
    case ExpressionKind::all:
    case ExpressionKind::last: break;
    default: check_operands(ast, id, ok); break;
  }
}

void parse_as(const std::shared_ptr<const SourceText>& source, Dialect dialect) {
  Diagnostics diagnostics(source);
  const ParseResult result = parse(*source, dialect, diagnostics);
  require(result.ok == !diagnostics.has_errors());
  check_diagnostics(diagnostics, *source);
  require(!result.ok || !result.ast.classes.empty());
  for (std::size_t i = 0; i < result.ast.n_expressions(); ++i) {
    check_expression(result.ast, ExpressionId(i), result.ok, *source);
  }
  require(render_text(diagnostics).empty() == diagnostics.empty());
  static_cast<void>(render_json(diagnostics));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto source =
      std::make_shared<const SourceText>("input", std::string(reinterpret_cast<const char*>(data), size));
  parse_as(source, Dialect::modelica);
  parse_as(source, Dialect::saltus);
  return 0;
}
