// Sizes of the values that arrays of components are given (Modelica 7.2.5).
//
// Problem     Each element of an array of components takes its part of a value. What nobody takes, because the value is longer than
//             the array, would be lost.
// Method      The sizes of what a modification or declaration gives are compared with those of the component. They follow from the
//             text for names, array literals, ranges, and operations on them, without a value of any parameter that no size needs;
//             of anything else (what functions return, matrices made of arrays) an assertion in the flat model asks for them, which
//             elaboration decides.
// Tested by   tests/corpus/fail/component_arrays.test, tests/classes/hold/components.test.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"

namespace saltus::lang {
namespace {

using Shape = std::vector<std::int64_t>;

/// Functions whose value has the sizes of their argument at this position.
struct ElementByElement {
  std::string_view name;
  std::size_t argument = 0;
};
constexpr std::array kElementByElement = {
    ElementByElement{"abs"},   ElementByElement{"acos"},      ElementByElement{"asin"},
    ElementByElement{"atan"},  ElementByElement{"ceil"},      ElementByElement{"cos"},
    ElementByElement{"cosh"},  ElementByElement{"der"},       ElementByElement{"exp"},
    ElementByElement{"floor"}, ElementByElement{"homotopy"},  ElementByElement{"integer"},
    ElementByElement{"log"},   ElementByElement{"log10"},     ElementByElement{"noEvent"},
    ElementByElement{"pre"},   ElementByElement{"sign"},      ElementByElement{"sin"},
    ElementByElement{"sinh"},  ElementByElement{"smooth", 1}, ElementByElement{"sqrt"},
    ElementByElement{"tan"},   ElementByElement{"tanh"},
};

std::string sizes_text(const Shape& shape) {
  return shape.empty() ? std::string("a scalar") : fmt::format("[{}]", fmt::join(shape, ", "));
}

/// Of an element.
std::optional<Shape> without_first(const Shape& shape, std::size_t n) {
  return n > shape.size() ? std::nullopt
                          : std::optional(Shape(shape.begin() + static_cast<std::ptrdiff_t>(n), shape.end()));
}

std::optional<Shape> product_shape(const Shape& a, const Shape& b) {
  if (a.empty() || b.empty()) {
    return a.empty() ? b : a;
  }
  Shape result(a.begin(), a.end() - 1);
  result.insert(result.end(), b.begin() + 1, b.end());
  return result;
}

}  // namespace

std::optional<Shape> Instantiator::shape_of_operation(const ClassFile& file, ExpressionId id, Context from,
                                                      const Locals* locals) {
  const Ast& ast = file.ast;
  const auto operands = ast.operands(id);
  std::optional<Shape> result = shape_of_value(file, operands[0], from, locals);
  for (std::size_t k = 1; result && k < operands.size(); ++k) {
    const Operator op = ast[id].kind == ExpressionKind::chain ? ast.operators(id)[k - 1] : ast[id].op;
    const std::optional<Shape> next = shape_of_value(file, operands[k], from, locals);
    if (!next) {
      return std::nullopt;
    }
    result = op == Operator::multiply ? product_shape(*result, *next) : result->empty() ? *next : *result;
  }
  return result;
}

std::optional<Shape> Instantiator::shape_of_call(const ClassFile& file, const Call& call, Context from,
                                                 const Locals* locals) {
  const auto arguments = file.ast[call.arguments];
  if (!call.iterators.empty() || arguments.empty()) {
    return std::nullopt;
  }
  if (record_of(file, call, from) != nullptr) {
    return Shape();
  }
  if (class_of_call(file, call, from) != nullptr) {
    return std::nullopt;
  }
  const std::string_view function = file.ast.text(call.function);
  for (const ElementByElement& one : kElementByElement) {
    if (one.name == function && one.argument < arguments.size()) {
      return shape_of_value(file, arguments[one.argument].value, from, locals);
    }
  }
  Shape result;
  const bool is_filled = function == "fill";
  const std::size_t first = is_filled ? 1 : function == "linspace" ? 2 : 0;
  if (!is_filled && function != "linspace" && function != "zeros" && function != "ones") {
    return std::nullopt;
  }
  for (std::size_t k = first; k < arguments.size(); ++k) {
    const std::optional<KnownValue> size = evaluate(file, arguments[k].value, from, locals);
    if (!size || !size->is_scalar()) {
      return std::nullopt;
    }
    result.push_back(size->whole());
  }
  return result;
}

std::optional<Shape> Instantiator::shape_of_reference(const Reference& reference, const ClassFile& file,
                                                      Context from, const Locals* locals) {
  switch (reference.kind) {
    case Reference::Kind::literal:
    case Reference::Kind::composite: return Shape();
    case Reference::Kind::local:
      return reference.local != nullptr && reference.local->value ? reference.local->value->shape : Shape();
    case Reference::Kind::array: {
      Shape result{static_cast<std::int64_t>(reference.elements.size())};
      const std::optional<Shape> inner = reference.elements.empty()
                                             ? std::nullopt
                                             : shape_of_reference(reference.elements[0], file, from, locals);
      if (inner) {
        result.insert(result.end(), inner->begin(), inner->end());
      }
      return inner || reference.elements.empty() ? std::optional(result) : std::nullopt;
    }
    case Reference::Kind::primitive: break;
    default: return std::nullopt;
  }
  const std::optional<Shape> all = shape_of(*reference.node);
  const NameStep& step = reference.last.front();
  const std::size_t n_written = step.subscripts.count;
  if (!all || reference.last.size() > 1 || n_written > all->size()) {
    return std::nullopt;
  }
  Shape result;
  std::size_t d = 0;
  for (const ExpressionId subscript : file.ast[step.subscripts]) {
    const std::int64_t size = (*all)[d++];
    if (file.ast[subscript].kind == ExpressionKind::all) {
      result.push_back(size);
      continue;
    }
    end_sizes_.push_back(size);
    const std::optional<Shape> chosen = shape_of_value(file, subscript, from, locals);
    end_sizes_.pop_back();
    if (!chosen) {
      return std::nullopt;
    }
    result.insert(result.end(), chosen->begin(), chosen->end());
  }
  result.insert(result.end(), all->begin() + static_cast<std::ptrdiff_t>(n_written), all->end());
  return without_first(result, step.known.size());
}

/// As far as it follows from the text.
std::optional<Shape> Instantiator::shape_of_value(const ClassFile& file, ExpressionId id, Context from,
                                                  const Locals* locals) {
  const Ast& ast = file.ast;
  switch (ast[id].kind) {
    case ExpressionKind::real:
    case ExpressionKind::integer:
    case ExpressionKind::boolean:
    case ExpressionKind::string:
    case ExpressionKind::last: return Shape();
    case ExpressionKind::name:
      return is_known_constant(file, id, from)
                 ? Shape()
                 : shape_of_reference(resolve(file, id, from, locals), file, from, locals);
    case ExpressionKind::call: return shape_of_call(file, ast.call(id), from, locals);
    case ExpressionKind::unary: return shape_of_value(file, ast.operands(id)[0], from, locals);
    case ExpressionKind::binary:
    case ExpressionKind::chain: return shape_of_operation(file, id, from, locals);
    case ExpressionKind::range: {
      const std::optional<KnownValue> range = evaluate_range(file, id, from, locals);
      return range ? std::optional(range->shape) : std::nullopt;
    }
    case ExpressionKind::conditional: {
      const auto operands = ast.operands(id);
      const std::optional<Shape> last = shape_of_value(file, operands.back(), from, locals);
      for (std::size_t k = 1; last && k < operands.size(); k += 2) {
        if (shape_of_value(file, operands[k], from, locals) != last) {
          return std::nullopt;
        }
      }
      return last;
    }
    case ExpressionKind::array: {
      const auto operands = ast.operands(id);
      const std::optional<Shape> inner =
          operands.empty() ? std::nullopt : shape_of_value(file, operands[0], from, locals);
      Shape result{static_cast<std::int64_t>(operands.size())};
      if (inner) {
        result.insert(result.end(), inner->begin(), inner->end());
      }
      return inner ? std::optional(result) : std::nullopt;
    }
    case ExpressionKind::matrix: {
      const auto rows = ast.operands(id);
      const auto row = ast.operands(rows[0]);
      const bool is_of_scalars = std::all_of(row.begin(), row.end(), [&](ExpressionId one) {
        return shape_of_value(file, one, from, locals) == Shape();
      });
      return is_of_scalars ? std::optional(Shape{static_cast<std::int64_t>(rows.size()),
                                                 static_cast<std::int64_t>(row.size())})
                           : std::nullopt;
    }
    case ExpressionKind::comprehension: {
      Shape result;
      std::deque<Locals> inner;
      for (const Iterator& iterator : ast.iterators(id)) {
        const Locals* const around = inner.empty() ? locals : &inner.back();
        const std::optional<Shape> range =
            iterator.range.valid() ? shape_of_value(file, iterator.range, from, around) : std::nullopt;
        if (!range || range->size() != 1) {
          return std::nullopt;
        }
        result.insert(result.begin(), range->front());
        inner.push_back({name(file, iterator.name), std::nullopt, around});
      }
      const std::optional<Shape> body = shape_of_value(file, ast.operands(id)[0], from, &inner.back());
      if (body) {
        result.insert(result.end(), body->begin(), body->end());
      }
      return body ? std::optional(result) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

/// All that a modification of an array of components says of its elements has the sizes of the array.
void Instantiator::check_sizes(Node& node, const Modifier& modifier, const std::string& path) {
  if (modifier.each) {
    return;
  }
  if (modifier.value) {
    check_size(node, *modifier.value, path);
  }
  for (const auto& [part, inner] : modifier.parts) {
    check_sizes(node, *inner, fmt::format("{}.{}", path, text(part)));
  }
}

void Instantiator::check_size(Node& node, const Binding& given, const std::string& path) {
  const Binding value = peeled(given);
  const ClassFile& file = *value.file;
  const FilePlace place{&file, file.ast[value.value].span};
  std::optional<Shape> shape;
  if (file.ast[value.value].kind == ExpressionKind::name) {
    if (!is_known_constant(file, value.value, value.where)) {
      const Reference reference = resolve(file, value.value, value.where, nullptr, value.selectors);
      shape = shape_of_reference(reference, file, value.where, nullptr);
    }
  } else {
    shape = shape_of_value(file, value.value, value.where, nullptr);
    for (const Selector& selector : value.selectors) {
      const bool is_element = shape && !selector.subscripts.empty();
      shape = is_element ? without_first(*shape, selector.subscripts.size()) : std::nullopt;
    }
  }
  if (!shape) {
    sizes_to_ask_.push_back({&node, value, path});
    return;
  }
  if (shape->size() < node.shape.size() ||
      !std::equal(node.shape.begin(), node.shape.end(), shape->begin())) {
    reports_
        .error(kShapeMismatch,
               fmt::format("'{}' is {}, the value of '{}' is {}", node.path, sizes_text(node.shape), path,
                           sizes_text(*shape)),
               place, shape->empty() ? "'each' gives one value to all elements" : "")
        .notes.push_back({"declared here", node.element->place()});
  }
}

/// What the text does not tell: elaboration decides these assertions.
void Instantiator::write_sizes_to_ask() {
  for (const SizeToAsk& asked : std::exchange(sizes_to_ask_, {})) {
    const FilePlace place{asked.value.file, asked.value.file->ast[asked.value.value].span};
    FlatWriter value;
    Binding given = asked.value;
    if (const std::optional<std::vector<Leaf>> members = leaves_of(given); members && !members->empty()) {
      const std::vector<Selector> first = selectors_of(members->front());
      given.selectors.insert(given.selectors.end(), first.begin(), first.end());
    }
    write_binding({value, nullptr}, given);
    const Shape& shape = asked.node->shape;
    const std::string message = to_text(known_text(fmt::format(
        "'{}' is {}, the value of '{}' has another size", asked.node->path, sizes_text(shape), asked.path)));
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const FlatWriter::Scope scope(equations_, place);
      equations_ << "assert(size(";
      equations_.append(value);
      equations_ << fmt::format(", {}) == {}, {});\n", d + 1, shape[d], message);
    }
  }
}

}  // namespace saltus::lang
