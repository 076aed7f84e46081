// Values that must be known while components are made: sizes, conditions, ranges of loops with connections.
//
// The values of parameters that are used here decide which components there are. They are noted, so that the flat model does
// not offer to change them.
#include <fmt/format.h>

#include <cmath>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"

namespace saltus::lang {

using Type = KnownValue::Type;

const Locals* Instantiator::find_local(const Locals* locals, Name name) {
  while (locals != nullptr && locals->name != name) {
    locals = locals->outer;
  }
  return locals;
}

std::optional<KnownValue> Instantiator::not_known(std::string reason, FilePlace place) {
  unknown_reason_ = std::move(reason);
  unknown_place_ = place;
  return std::nullopt;
}

std::optional<KnownValue> Instantiator::decide(const ClassFile& file, ExpressionId id, Context from,
                                               const Locals* locals, std::string_view what) {
  const std::size_t n_before = reports_.items().size();
  unknown_reason_.clear();
  std::optional<KnownValue> value = evaluate(file, id, from, locals);
  if (!value && reports_.items().size() == n_before) {
    auto& item =
        reports_.error(kNotDecided, fmt::format("{} must be known while the components are made", what),
                       {&file, file.ast[id].span});
    if (!unknown_reason_.empty()) {
      item.notes.push_back({unknown_reason_, unknown_place_});
    }
  }
  return value;
}

std::optional<KnownValue> Instantiator::evaluate(const ClassFile& file, ExpressionId id, Context from,
                                                 const Locals* locals) {
  const Ast& ast = file.ast;
  if (!id.valid()) {
    return std::nullopt;
  }
  const Expression& expression = ast[id];
  const FilePlace place{&file, expression.span};
  switch (expression.kind) {
    case ExpressionKind::real: return known_number(Type::real, ast.real(id));
    case ExpressionKind::integer: return known_number(Type::integer, static_cast<double>(ast.integer(id)));
    case ExpressionKind::boolean: return known_number(Type::boolean, ast.boolean(id) ? 1.0 : 0.0);
    case ExpressionKind::string: return known_text(std::string(ast.text(ast.string(id))));
    case ExpressionKind::name: return evaluate_name(file, id, from, locals);
    case ExpressionKind::call: return evaluate_call(file, id, from, locals);
    case ExpressionKind::chain: return evaluate_chain(file, id, from, locals);
    case ExpressionKind::range: return evaluate_range(file, id, from, locals);
    case ExpressionKind::last:
      return end_sizes_.empty()
                 ? std::nullopt
                 : std::optional(known_number(Type::integer, static_cast<double>(end_sizes_.back())));
    case ExpressionKind::unary: {
      std::optional<KnownValue> value = evaluate(file, ast.operands(id)[0], from, locals);
      if (!value || expression.op == Operator::add) {
        return value;
      }
      if (expression.op == Operator::logical_not) {
        return value->type == Type::boolean
                   ? combined(Operator::equal, *value, known_number(Type::boolean, 0.0))
                   : std::nullopt;
      }
      return combined(Operator::subtract, known_number(Type::integer, 0.0), *value);
    }
    case ExpressionKind::binary: {
      const std::optional<KnownValue> a = evaluate(file, ast.operands(id)[0], from, locals);
      const std::optional<KnownValue> b =
          a ? evaluate(file, ast.operands(id)[1], from, locals) : std::nullopt;
      return b ? combined(expression.op, *a, *b) : std::nullopt;
    }
    case ExpressionKind::conditional: {
      const auto operands = ast.operands(id);
      for (std::size_t k = 0; k + 1 < operands.size(); k += 2) {
        const std::optional<KnownValue> condition = evaluate(file, operands[k], from, locals);
        if (!condition || condition->type != Type::boolean) {
          return std::nullopt;
        }
        if (condition->is_true()) {
          return evaluate(file, operands[k + 1], from, locals);
        }
      }
      return evaluate(file, operands.back(), from, locals);
    }
    case ExpressionKind::array: {
      std::vector<KnownValue> parts;
      for (const ExpressionId operand : ast.operands(id)) {
        std::optional<KnownValue> part = evaluate(file, operand, from, locals);
        if (!part) {
          return std::nullopt;
        }
        parts.push_back(std::move(*part));
      }
      return stacked(parts);
    }
    case ExpressionKind::matrix: {
      std::vector<KnownValue> rows;
      for (const ExpressionId row : ast.operands(id)) {
        std::vector<KnownValue> parts;
        for (const ExpressionId operand : ast.operands(row)) {
          std::optional<KnownValue> part = evaluate(file, operand, from, locals);
          if (!part || !part->is_scalar()) {
            return not_known("this matrix is made of more than numbers", place);
          }
          parts.push_back(std::move(*part));
        }
        std::optional<KnownValue> line = stacked(parts);
        if (!line) {
          return std::nullopt;
        }
        rows.push_back(std::move(*line));
      }
      return stacked(rows);
    }
    case ExpressionKind::comprehension: {
      const auto iterators = ast.iterators(id);
      if (iterators.size() != 1) {
        return not_known("this array is made by several loops", place);
      }
      const auto values = range_values(file, iterators[0], {ast.operands(id)[0], {}}, from, locals);
      const ValueType type = type_of_iterator(file, iterators[0], from, locals);
      std::vector<KnownValue> parts;
      for (std::size_t i = 0; values && i < values->size(); ++i) {
        const Locals inner{name(file, iterators[0].name), (*values)[i], locals, type};
        std::optional<KnownValue> part = evaluate(file, ast.operands(id)[0], from, &inner);
        if (!part) {
          return std::nullopt;
        }
        parts.push_back(std::move(*part));
      }
      return values ? stacked(parts) : std::nullopt;
    }
    case ExpressionKind::element: {
      std::optional<KnownValue> value = evaluate(file, ast.operands(id)[0], from, locals);
      std::vector<std::int64_t> subscripts;
      for (const ExpressionId operand : ast[ast.element_subscripts(id)]) {
        const std::optional<KnownValue> subscript = evaluate(file, operand, from, locals);
        if (!subscript || !subscript->is_scalar()) {
          return std::nullopt;
        }
        subscripts.push_back(subscript->whole());
      }
      return value ? part_at(*value, subscripts) : std::nullopt;
    }
    case ExpressionKind::member:
      return locals == nullptr ? evaluate_binding({&file, id, from, {}})
                               : not_known("it is a member of a record in a loop", place);
    default: return std::nullopt;
  }
}

std::optional<KnownValue> Instantiator::evaluate_chain(const ClassFile& file, ExpressionId id, Context from,
                                                       const Locals* locals) {
  const auto operands = file.ast.operands(id);
  const auto operators = file.ast.operators(id);
  std::optional<KnownValue> result = evaluate(file, operands[0], from, locals);
  for (std::size_t k = 1; result && k < operands.size(); ++k) {
    // What follows is not looked at once the answer is known.
    const bool decided = result->type == Type::boolean && result->is_scalar() &&
                         (operators[k - 1] == Operator::logical_or) == result->is_true();
    if (decided) {
      return result;
    }
    const std::optional<KnownValue> next = evaluate(file, operands[k], from, locals);
    result = next ? combined(operators[k - 1], *result, *next) : std::nullopt;
  }
  return result;
}

std::optional<KnownValue> Instantiator::evaluate_range(const ClassFile& file, ExpressionId id, Context from,
                                                       const Locals* locals) {
  constexpr double kMostRangeValues = 1e6;
  std::vector<KnownValue> parts;
  for (const ExpressionId operand : file.ast.operands(id)) {
    std::optional<KnownValue> part = evaluate(file, operand, from, locals);
    if (!part || !part->is_scalar() || part->type == Type::string) {
      return std::nullopt;
    }
    parts.push_back(std::move(*part));
  }
  const double first = parts.front().numbers[0];
  const double last = parts.back().numbers[0];
  const double step = parts.size() == 3 ? parts[1].numbers[0] : 1.0;
  const double count = step == 0.0 ? kMostRangeValues : std::floor((last - first) / step + 1e-10) + 1.0;
  if (!(count < kMostRangeValues)) {
    return not_known("this range has too many values", {&file, file.ast[id].span});
  }
  KnownValue result;
  result.type = Type::integer;
  for (const KnownValue& part : parts) {
    result.type = part.type == Type::real ? Type::real : result.type;
  }
  if (parts.size() == 2 && parts[0].type == Type::boolean && parts[1].type == Type::boolean) {
    result.type = Type::boolean;
  }
  result.shape = {static_cast<std::int64_t>(std::max(count, 0.0))};
  for (std::int64_t i = 0; i < result.shape[0]; ++i) {
    result.numbers.push_back(first + static_cast<double>(i) * step);
  }
  return result;
}

std::optional<KnownValue> Instantiator::evaluate_name(const ClassFile& file, ExpressionId id, Context from,
                                                      const Locals* locals) {
  return value_of(resolve(file, id, from, locals), file, from, locals, {&file, file.ast[id].span});
}

std::optional<KnownValue> Instantiator::value_of(const Reference& reference, const ClassFile& file,
                                                 Context from, const Locals* locals, FilePlace place) {
  switch (reference.kind) {
    case Reference::Kind::local:
      return reference.local != nullptr && reference.local->value
                 ? reference.local->value
                 : not_known("it depends on a loop variable or on time", place);
    case Reference::Kind::literal: return known_number(Type::integer, static_cast<double>(reference.literal));
    case Reference::Kind::array: {
      std::vector<KnownValue> parts;
      for (const Reference& element : reference.elements) {
        std::optional<KnownValue> part = value_of(element, file, from, locals, place);
        if (!part) {
          return std::nullopt;
        }
        parts.push_back(std::move(*part));
      }
      return stacked(parts);
    }
    case Reference::Kind::primitive: break;
    default: return not_known("it is no value", place);
  }
  std::optional<KnownValue> value = value_of(*reference.node);
  const NameStep& step = reference.last.front();
  std::vector<std::int64_t> subscripts;
  for (const ExpressionId id : file.ast[step.subscripts]) {
    end_sizes_.push_back(value && subscripts.size() < value->shape.size() ? value->shape[subscripts.size()]
                                                                          : 0);
    const std::optional<KnownValue> subscript = value ? evaluate(file, id, from, locals) : std::nullopt;
    end_sizes_.pop_back();
    if (!subscript || !subscript->is_scalar()) {
      return subscript ? not_known("it chooses several elements", place) : std::nullopt;
    }
    subscripts.push_back(subscript->whole() + (subscript->type == Type::boolean ? 1 : 0));
  }
  subscripts.insert(subscripts.end(), step.known.begin(), step.known.end());
  return value && !subscripts.empty() ? part_at(*value, subscripts) : value;
}

}  // namespace saltus::lang
