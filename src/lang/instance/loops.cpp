// Loops: which values their variables take (Modelica 11.2.2).
//
// `for i loop` without a range takes the positions of what `i` subscripts: 1 to the size of that dimension (11.2.2.1). All uses of
// `i` as a subscript must say the same.
#include <fmt/format.h>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"
#include "lang/syntax/operand_kinds.hpp"

namespace saltus::lang {
namespace {

/// Of a loop that is written out: as of ranges that are written (evaluation.cpp).
constexpr std::int64_t kMostTurns = 1'000'000;

}  // namespace

void Instantiator::find_subscripted(const ClassFile& file, ExpressionId id, Name iterator,
                                    std::vector<Subscripted>& found) const {
  if (!id.valid()) {
    return;
  }
  const Ast& ast = file.ast;
  const auto in_all = [&](std::span<const ExpressionId> list) {
    for (const ExpressionId one : list) {
      find_subscripted(file, one, iterator, found);
    }
  };
  switch (ast[id].kind) {
    case ExpressionKind::name: {
      const auto parts = ast.name_parts(id);
      for (std::size_t p = 0; p < parts.size(); ++p) {
        const auto subscripts = ast[parts[p].subscripts];
        for (std::size_t d = 0; d < subscripts.size(); ++d) {
          const bool is_name = subscripts[d].valid() && ast[subscripts[d]].kind == ExpressionKind::name &&
                               ast.name_parts(subscripts[d]).size() == 1;
          if (is_name && name(file, ast.name_parts(subscripts[d])[0].name) == iterator) {
            found.push_back({id, p, d});
          }
        }
        in_all(subscripts);
      }
      break;
    }
    case ExpressionKind::call:
      for (const Argument& argument : ast[ast.call(id).arguments]) {
        find_subscripted(file, argument.value, iterator, found);
      }
      break;
    default:
      if (has_operands(ast[id].kind)) {
        in_all(ast.operands(id));
      }
      break;
  }
}

void Instantiator::find_subscripted(const ClassFile& file, std::span<const Statement> list, Name iterator,
                                    std::vector<Subscripted>& found) const {
  for (const Statement& statement : list) {
    find_subscripted(file, statement.left, iterator, found);
    find_subscripted(file, statement.right, iterator, found);
    find_subscripted(file, file.ast[statement.body], iterator, found);
    for (const Branch& branch : file.ast[statement.branches]) {
      find_subscripted(file, branch.condition, iterator, found);
      find_subscripted(file, file.ast[branch.body], iterator, found);
    }
  }
}

/// The size of the dimension that a loop variable subscripts; of an array whose size is not known then, as an expression.
std::string Instantiator::subscripted_size(const ClassFile& file, const Subscripted& use, Context from,
                                           const Locals* locals) {
  std::vector<NameStep> steps;
  const auto parts = file.ast.name_parts(use.id);
  for (std::size_t p = 0; p <= use.part; ++p) {
    NameStep step{name(file, parts[p].name), {}, {}, parts[p].span};
    if (p < use.part) {
      step.known.assign(parts[p].subscripts.count, 1);  // all elements have the same members
    }
    steps.push_back(std::move(step));
  }
  const Reference reference =
      resolve_steps(std::move(steps), file, {&file, file.ast[use.id].span}, from, locals);
  if (reference.node == nullptr ||
      (reference.kind != Reference::Kind::primitive && reference.kind != Reference::Kind::array &&
       (reference.kind != Reference::Kind::composite || reference.node->holder->function == nullptr))) {
    return {};
  }
  Node& node = *reference.node;
  if (reference.kind == Reference::Kind::composite) {
    return size_of_record(reference, use.dimension);
  }
  if (reference.kind == Reference::Kind::array) {
    return use.dimension < node.shape.size() ? std::to_string(node.shape[use.dimension]) : std::string();
  }
  if (use.dimension >= node.sizes.size()) {
    return {};
  }
  const Size& size = node.sizes[use.dimension];
  if (node.holder->function != nullptr || size.file->ast[size.value].kind == ExpressionKind::all) {
    return fmt::format("size({}, {})", flat_identifier(flat_name(node)),
                       node.holder->record_sizes.size() + use.dimension + 1);
  }
  const std::optional<KnownValue> value = size_value(size);
  return value && value->is_scalar() ? to_text(*value) : std::string();
}

bool Instantiator::is_boolean_size(const Size& size) {
  const std::optional<const ClassDef*> type = type_of_size(size);
  return type && *type == nullptr;
}

/// false and true subscript a dimension of size Boolean, nothing else does; in the flat model they are 1 and 2 (Modelica 10.5).
void Instantiator::write_subscript(Target target, const NameStep& step, std::size_t dimension,
                                   const ClassFile& file, ExpressionId subscript, Context from) {
  const Size* const size = step.node == nullptr || dimension >= step.node->sizes.size() ||
                                   file.ast[subscript].kind == ExpressionKind::all
                               ? nullptr
                               : &step.node->sizes[dimension];
  if (size == nullptr || !is_boolean_size(*size)) {
    if (size != nullptr) {
      check_subscript(*step.node, dimension, file, subscript, from, target.locals);
    }
    write(target, file, subscript, from);
    return;
  }
  const FilePlace place{&file, file.ast[subscript].span};
  const std::optional<KnownValue> value = evaluate(file, subscript, from, target.locals);
  if (!value || value->type != KnownValue::Type::boolean) {
    reports_
        .error(kNotDecided,
               fmt::format("dimension {} of '{}' is subscripted by a Boolean that is known", dimension + 1,
                           step.node->path),
               place)
        .notes.push_back({"declared here", step.node->element->place()});
  }
  if (!value || value->type != KnownValue::Type::boolean || !value->is_scalar()) {
    target.out << "1";
    return;
  }
  target.out << (value->is_true() ? "2" : "1");
}

/// Whether a loop runs over false and true.
bool Instantiator::is_boolean_loop(const ClassFile& file, const Iterator& iterator, const LoopBody& body,
                                   Context from, const Locals* locals) {
  if (iterator.range.valid()) {
    const ExpressionKind kind = file.ast[iterator.range].kind;
    if (kind == ExpressionKind::range) {
      return file.ast[file.ast.operands(iterator.range)[0]].kind == ExpressionKind::boolean;
    }
    if (kind != ExpressionKind::name) {
      return false;
    }
    const Reference reference = resolve(file, iterator.range, from, locals);
    return reference.kind == Reference::Kind::type && reference.enumeration == nullptr;
  }
  std::vector<Subscripted> uses;
  find_subscripted(file, body.expression, name(file, iterator.name), uses);
  find_subscripted(file, body.statements, name(file, iterator.name), uses);
  for (const Subscripted& use : uses) {
    const auto parts = file.ast.name_parts(use.id);
    if (parts.size() != 1) {
      continue;
    }
    const Reference array = resolve_steps({{name(file, parts[0].name), {}, {}, parts[0].span}}, file,
                                          {&file, parts[0].span}, from, locals);
    if (array.kind == Reference::Kind::primitive && use.dimension < array.node->sizes.size() &&
        is_boolean_size(array.node->sizes[use.dimension])) {
      return true;
    }
  }
  return false;
}

std::optional<std::string> Instantiator::inferred_end(const ClassFile& file, const Iterator& iterator,
                                                      const LoopBody& body, Context from,
                                                      const Locals* locals) {
  const Name variable = name(file, iterator.name);
  std::vector<Subscripted> uses;
  find_subscripted(file, body.expression, variable, uses);
  find_subscripted(file, body.statements, variable, uses);
  std::string end;
  for (const Subscripted& use : uses) {
    const std::string one = subscripted_size(file, use, from, locals);
    const bool is_first = end.empty();
    end = is_first ? one : end;
    // Sizes that are expressions are compared where they are known: a subscript beyond one is an error.
    if (!is_first && one != end && one.find('(') == std::string::npos && end.find('(') == std::string::npos) {
      reports_.error(kNotDecided,
                     fmt::format("'{}' subscripts dimensions of different sizes, {} and {}: the range of the "
                                 "loop must be written",
                                 text(variable), end, one),
                     {&file, iterator.span});
      return std::nullopt;
    }
  }
  if (end.empty()) {
    reports_.error(
        kNotDecided,
        fmt::format("the range of '{}' does not follow from its use as a subscript", text(variable)),
        {&file, iterator.span}, "write for i in 1:N");
    return std::nullopt;
  }
  return end;
}

std::optional<std::vector<KnownValue>> Instantiator::range_values(const ClassFile& file,
                                                                  const Iterator& iterator,
                                                                  const LoopBody& body, Context from,
                                                                  const Locals* locals) {
  std::vector<KnownValue> values;
  if (!iterator.range.valid() && is_boolean_loop(file, iterator, body, from, locals)) {
    return std::vector<KnownValue>{known_number(KnownValue::Type::boolean, 0.0),
                                   known_number(KnownValue::Type::boolean, 1.0)};
  }
  if (!iterator.range.valid()) {
    const std::optional<std::string> end = inferred_end(file, iterator, body, from, locals);
    if (!end) {
      return std::nullopt;
    }
    if (end->find('(') != std::string::npos) {
      reports_.error(kNotDecided, "the range of this loop must be written here", {&file, iterator.span});
      return std::nullopt;
    }
    const std::int64_t last = std::stoll(*end);
    if (last > kMostTurns) {
      reports_.error(kTooManyComponents,
                     fmt::format("this loop would be written out {} times, more than {}", last, kMostTurns),
                     {&file, iterator.span});
      return std::nullopt;
    }
    for (std::int64_t i = 1; i <= last; ++i) {
      values.push_back(known_number(KnownValue::Type::integer, static_cast<double>(i)));
    }
    return values;
  }
  if (file.ast[iterator.range].kind == ExpressionKind::name) {
    const Reference reference = resolve(file, iterator.range, from, locals);
    if (reference.kind == Reference::Kind::type) {
      const bool boolean = reference.enumeration == nullptr;
      for (std::int64_t i = 0; i < n_values(reference.enumeration); ++i) {
        values.push_back(boolean ? known_number(KnownValue::Type::boolean, static_cast<double>(i))
                                 : known_number(KnownValue::Type::integer, static_cast<double>(i + 1)));
      }
      return values;
    }
  }
  const std::optional<KnownValue> all = decide(file, iterator.range, from, locals, "the range of this loop");
  if (!all) {
    return std::nullopt;
  }
  if (all->is_scalar()) {
    reports_.error(kNotDecided, "the range of a loop must be a vector", {&file, iterator.span});
    return std::nullopt;
  }
  for (std::int64_t i = 1; i <= all->shape[0]; ++i) {
    values.push_back(*part_at(*all, {i}));
  }
  return values;
}

}  // namespace saltus::lang
