#include "api/gradient/functional_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "api/gradient/diagnostic_codes.hpp"
#include "api/gradient/mapped_text.hpp"
#include "lang/syntax/lexer.hpp"
#include "lang/syntax/parser.hpp"

namespace saltus::api {
namespace {

using lang::ExpressionId;
using lang::ExpressionKind;

struct Word {
  std::string_view name;
  Term::Kind kind;
  bool has_event;
  bool has_expression;
  std::string_view form;
};

constexpr Word kWords[] = {
    {"final", Term::Kind::final, false, true, "final(e)"},
    {"integral", Term::Kind::integral, false, true, "integral(e)"},
    {"at_event", Term::Kind::at_event, true, true, "at_event(k, e)"},
    {"before_event", Term::Kind::before_event, true, true, "before_event(k, e)"},
    {"event_time", Term::Kind::event_time, true, false, "event_time(k)"},
};

const Word* find_word(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kWords), std::end(kWords), [&](const Word& word) { return word.name == name; });
  return found == std::end(kWords) ? nullptr : found;
}

class Reader {
 public:
  Reader(const std::string& name, const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) {
      found_.functionals.push_back(
          {{static_cast<std::uint32_t>(all.size()), static_cast<std::uint32_t>(text.size())}, {}});
      all += text + "\n";
    }
    found_.source = std::make_shared<const SourceText>(name, std::move(all));
    problems_.set_source(found_.source);
  }

  Result<FunctionalTexts> read() {
    parse();
    if (problems_.has_errors()) {
      return Unexpected(std::move(problems_));
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::string_view text(SourceSpan span) const { return found_.source->text(span); }
  [[nodiscard]] SourceSpan place(SourceSpan span) const { return wrapped_->original(span); }

  void error(std::string message, SourceSpan span, std::string hint = {}) {
    problems_.error(kWrongFunctional, std::move(message), span, std::move(hint));
  }

  // As declarations of a model; `final` is a keyword there and becomes a name of the same length.
  void parse() {
    wrapped_.emplace(found_.source->text());
    wrapped_->add("model functionals\n");
    for (std::size_t i = 0; i < found_.functionals.size(); ++i) {
      wrapped_->add(fmt::format("Real f{} =\n", i));
      wrapped_->copy(found_.functionals[i].span);
      wrapped_->add("\n;\n");
    }
    wrapped_->add("end functionals;\n");
    Diagnostics ignored;
    const SourceText before("functionals", wrapped_->text());
    for (const lang::Token& token : lang::lex(before, ignored, lang::kMaxReportedErrors)) {
      if (token.kind == lang::TokenKind::kw_final) {
        wrapped_->text()[token.span.offset] = 'F';
      }
    }
    Diagnostics found;
    const SourceText source("functionals", wrapped_->text());
    const lang::ParseResult parsed = lang::parse(source, lang::Dialect::modelica, found);
    for (const Diagnostic& item : found.items()) {
      if (item.severity == Severity::error) {
        problems_.error(DiagnosticCode{item.code}, item.message, place(item.span.value_or(SourceSpan{})),
                        item.hint);
      }
    }
    if (problems_.has_errors()) {
      return;
    }
    ast_ = &parsed.ast;
    if (!holds_expressions_alone()) {
      error("a functional is one expression", found_.functionals.front().span);
      return;
    }
    for (std::size_t i = 0; i < found_.functionals.size(); ++i) {
      uses_ = &found_.functionals[i].uses;
      visit(ast_->classes.front().components[i].value);
      std::sort(uses_->begin(), uses_->end(),
                [](const auto& a, const auto& b) { return a.span.offset < b.span.offset; });
    }
  }

  [[nodiscard]] bool holds_expressions_alone() const {
    if (ast_->classes.size() != 1) {
      return false;
    }
    const lang::Class& all = ast_->classes.front();
    return all.components.size() == found_.functionals.size() && all.equations.empty() &&
           all.initial_equations.empty() && all.annotations.empty() && all.modes.empty() &&
           std::all_of(all.components.begin(), all.components.end(), [](const lang::Component& component) {
             return component.value.valid() && !component.condition.valid() &&
                    !component.description.valid() && component.annotation.empty() &&
                    component.modifications.empty();
           });
  }

  [[nodiscard]] const Word* word_of(ExpressionId id) const {
    return (*ast_)[id].kind == ExpressionKind::call ? find_word(text(place(ast_->call(id).function_span)))
                                                    : nullptr;
  }

  template <class Each>
  void for_parts(ExpressionId id, Each each) const {
    switch ((*ast_)[id].kind) {
      case ExpressionKind::call:
        for (const lang::Argument& argument : (*ast_)[ast_->call(id).arguments]) {
          each(argument.value);
        }
        for (const lang::Iterator& iterator : (*ast_)[ast_->call(id).iterators]) {
          each(iterator.range);
        }
        return;
      case ExpressionKind::name:
        for (const lang::NamePart& part : ast_->name_parts(id)) {
          for (const ExpressionId subscript : (*ast_)[part.subscripts]) {
            each(subscript);
          }
        }
        return;
      case ExpressionKind::comprehension:
        for (const lang::Iterator& iterator : ast_->iterators(id)) {
          each(iterator.range);
        }
        break;
      case ExpressionKind::unary:
      case ExpressionKind::binary:
      case ExpressionKind::chain:
      case ExpressionKind::conditional:
      case ExpressionKind::range:
      case ExpressionKind::array:
      case ExpressionKind::matrix:
      case ExpressionKind::matrix_row:
      case ExpressionKind::tuple: break;
      default: return;
    }
    for (const ExpressionId operand : ast_->operands(id)) {
      if (operand.valid()) {
        each(operand);
      }
    }
  }

  void visit(ExpressionId id) {
    if (const Word* const word = word_of(id)) {
      read_term(id, *word);
    } else if ((*ast_)[id].kind == ExpressionKind::name) {
      const SourceSpan span = place((*ast_)[id].span);
      use({Term::Kind::parameter, 0, span, span, std::string(text(span))});
    } else {
      for_parts(id, [&](ExpressionId part) { visit(part); });
    }
  }

  void read_term(ExpressionId id, const Word& word) {
    const lang::Call& call = ast_->call(id);
    const SourceSpan span = place((*ast_)[id].span);
    const std::span<const lang::Argument> arguments = (*ast_)[call.arguments];
    const bool is_named = std::any_of(arguments.begin(), arguments.end(),
                                      [](const lang::Argument& argument) { return argument.name.valid(); });
    const std::size_t n = (word.has_event ? 1U : 0U) + (word.has_expression ? 1U : 0U);
    if (arguments.size() != n || is_named || !call.iterators.empty()) {
      error(fmt::format("'{}' is written {}", word.name, word.form), span);
      return;
    }
    Term term{word.kind, 0, {}, span, std::string(text(span))};
    if (word.has_event) {
      const ExpressionId number = arguments.front().value;
      term.event = (*ast_)[number].kind == ExpressionKind::integer ? ast_->integer(number) : 0;
      if (term.event < 1) {
        error(fmt::format("{} names an event by its number, 1 or more, not by '{}'", word.form,
                          text(place((*ast_)[number].span))),
              place((*ast_)[number].span));
        return;
      }
    }
    if (word.has_expression) {
      term.expression = place(arguments.back().span);
      refuse_terms_within(arguments.back().value, word);
    }
    use(std::move(term));
  }

  void refuse_terms_within(ExpressionId id, const Word& outer) {
    if (const Word* const word = word_of(id)) {
      error(fmt::format("'{}' within '{}': a term is made of the model's own variables", word->name,
                        outer.name),
            place((*ast_)[id].span), "terms are added and multiplied outside of each other");
      return;
    }
    for_parts(id, [&](ExpressionId part) { refuse_terms_within(part, outer); });
  }

  void use(Term term) {
    const SourceSpan span = term.span;
    const auto known = std::find_if(found_.terms.begin(), found_.terms.end(),
                                    [&](const Term& other) { return other.text == term.text; });
    const auto place = static_cast<std::size_t>(known - found_.terms.begin());
    if (known == found_.terms.end()) {
      found_.terms.push_back(std::move(term));
    }
    uses_->push_back({span, place});
  }

  FunctionalTexts found_;
  Diagnostics problems_;
  std::optional<MappedText> wrapped_;
  const lang::Ast* ast_ = nullptr;
  std::vector<FunctionalTexts::Use>* uses_ = nullptr;
};

}  // namespace

Result<FunctionalTexts> read_functionals(const std::string& name, const std::vector<std::string>& texts) {
  return Reader(name, texts).read();
}

}  // namespace saltus::api
