// Expressions in the names of the flat model.
#include <fmt/format.h>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {
namespace {

bool stands_alone(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::unary:
    case ExpressionKind::binary:
    case ExpressionKind::chain:
    case ExpressionKind::conditional:
    case ExpressionKind::range: return false;
    default: return true;
  }
}

}  // namespace

void Instantiator::write_text_of(FlatWriter& out, const ClassFile& file, SourceSpan span) {
  out << file.source->text(span);
}

/// A loop variable must not hide a component of the model.
std::string Instantiator::iterator_name(Name name, Context from) const {
  const bool hides = from.instance != root_ && root_->of_name.count(name) != 0;
  return hides ? fmt::format("'for {}'", text(name)) : flat_identifier(text(name));
}

void Instantiator::write_list(Target target, const ClassFile& file, std::span<const ExpressionId> list,
                              Context from, std::string_view separator) {
  bool first = true;
  for (const ExpressionId id : list) {
    target.out << (first ? std::string_view() : separator);
    first = false;
    if (id.valid()) {
      write(target, file, id, from);
    }
  }
}

void Instantiator::write_operand(Target target, const ClassFile& file, ExpressionId id, Context from) {
  const bool alone = stands_alone(file.ast[id].kind);
  target.out << (alone ? "" : "(");
  write(target, file, id, from);
  target.out << (alone ? "" : ")");
}

void Instantiator::write(Target target, const ClassFile& file, ExpressionId id, Context from) {
  const Ast& ast = file.ast;
  const Expression& expression = ast[id];
  FlatWriter& out = target.out;
  const FlatWriter::Scope scope(out, {&file, expression.span});
  switch (expression.kind) {
    case ExpressionKind::real:
    case ExpressionKind::integer:
    case ExpressionKind::boolean:
    case ExpressionKind::string: write_text_of(out, file, expression.span); break;
    case ExpressionKind::name: write_name(target, file, id, from); break;
    case ExpressionKind::call: write_call(target, file, id, from); break;
    case ExpressionKind::unary:
      if (expression.op != Operator::logical_not) {
        check_number(target, file, ast.operands(id)[0], from, fmt::format("'{}'", to_string(expression.op)));
      }
      out << to_string(expression.op) << (expression.op == Operator::logical_not ? " " : "");
      write_operand(target, file, ast.operands(id)[0], from);
      break;
    case ExpressionKind::binary:
      check_operands(target, file, id, from);
      check_sides(target, file, ast.operands(id)[0], ast.operands(id)[1], from);
      write_operand(target, file, ast.operands(id)[0], from);
      out << " " << to_string(expression.op) << " ";
      write_operand(target, file, ast.operands(id)[1], from);
      break;
    case ExpressionKind::chain: {
      check_operands(target, file, id, from);
      const auto operands = ast.operands(id);
      for (std::size_t k = 0; k < operands.size(); ++k) {
        if (k > 0) {
          out << " " << to_string(ast.operators(id)[k - 1]) << " ";
        }
        write_operand(target, file, operands[k], from);
      }
      break;
    }
    case ExpressionKind::conditional: write_conditional(target, file, id, from); break;
    case ExpressionKind::range: {
      const auto operands = ast.operands(id);
      check_alike(target, file, operands, from, "number of this range");
      for (std::size_t k = 0; k < operands.size(); ++k) {
        out << (k > 0 ? ":" : "");
        write_operand(target, file, operands[k], from);
      }
      break;
    }
    case ExpressionKind::array:
      check_alike(target, file, ast.operands(id), from, "element");
      out << "{";
      write_list(target, file, ast.operands(id), from, ", ");
      out << "}";
      break;
    case ExpressionKind::matrix:
      out << "[";
      for (std::size_t r = 0; r < ast.operands(id).size(); ++r) {
        out << (r > 0 ? "; " : "");
        write_list(target, file, ast.operands(ast.operands(id)[r]), from, ", ");
      }
      out << "]";
      break;
    case ExpressionKind::comprehension:
      out << "{";
      write_comprehension(target, file, ast.operands(id)[0], ast.iterators(id), from);
      out << "}";
      break;
    case ExpressionKind::element:
      out << "(";
      write(target, file, ast.operands(id)[0], from);
      out << ")[";
      write_list(target, file, ast[ast.element_subscripts(id)], from, ", ");
      out << "]";
      break;
    case ExpressionKind::member:
      out << "(";
      write_binding(target, {&file, id, from, {}});
      out << ")";
      break;
    case ExpressionKind::tuple:
      out << "(";
      write_list(target, file, ast.operands(id), from, ", ");
      out << ")";
      break;
    case ExpressionKind::all: out << ":"; break;
    case ExpressionKind::last: out << "end"; break;
    case ExpressionKind::matrix_row:
    case ExpressionKind::error: out << "0"; break;
  }
}

void Instantiator::write_name(Target target, const ClassFile& file, ExpressionId id, Context from) {
  if (is_known_constant(file, id, from)) {
    const auto parts = file.ast.name_parts(id);
    target.out << "Modelica.Constants." << file.ast.text(parts.back().name);
    return;
  }
  const Reference reference = resolve(file, id, from, target.locals);
  write_reference(target, reference, file, from, {&file, file.ast[id].span});
}

/// Modelica.Constants.pi and friends are part of the language where no library has them.
bool Instantiator::is_known_constant(const ClassFile& file, ExpressionId id, Context from) {
  auto parts = file.ast.name_parts(id);
  parts = parts.subspan(file.ast.text(parts.front().name).empty() ? 1 : 0);
  return parts.size() == 3 && file.ast.text(parts[0].name) == "Modelica" &&
         file.ast.text(parts[1].name) == "Constants" && !find_simple(name(file, parts[0].name), from);
}

void Instantiator::write_reference(Target target, const Reference& reference, const ClassFile& file,
                                   Context from, FilePlace place) {
  FlatWriter& out = target.out;
  switch (reference.kind) {
    case Reference::Kind::missing: out << "0"; break;
    case Reference::Kind::left_out:
      if (may_be_left_out_ > 0) {
        met_left_out_ = true;
      } else {
        reports_
            .error(kUnknownComponent,
                   fmt::format("'{}' does not exist: its condition is false", reference.node->path), place)
            .notes.push_back({"declared here", reference.node->element->place()});
      }
      out << "0";
      break;
    case Reference::Kind::literal: out << std::to_string(reference.literal); break;
    case Reference::Kind::type:
      out << (reference.enumeration == nullptr ? std::string("{false, true}")
                                               : fmt::format("1:{}", n_values(reference.enumeration)));
      break;
    case Reference::Kind::local:
      if (reference.local == nullptr) {
        mentions_time_ = true;
        out << "time";
      } else {
        out << (reference.local->value ? to_text(*reference.local->value)
                                       : iterator_name(reference.local->name, from));
      }
      break;
    case Reference::Kind::array:
      if (reference.elements.empty()) {
        out << "zeros(0)";
        break;
      }
      out << "{";
      for (std::size_t i = 0; i < reference.elements.size(); ++i) {
        out << (i > 0 ? ", " : "");
        write_reference(target, reference.elements[i], file, from, place);
      }
      out << "}";
      break;
    case Reference::Kind::composite:
      reports_
          .error(kNotSupported,
                 fmt::format("'{}' is a {}: it cannot stand here as a whole", reference.instance->path,
                             to_string(reference.instance->def().kind())),
                 place)
          .notes.push_back({"declared here", reference.node->element->place()});
      out << "0";
      break;
    case Reference::Kind::primitive: {
      Node& node = *reference.node;
      if (mentioned_ != nullptr) {
        mentioned_->push_back(&node);
      }
      const bool is_constant_of_class = !node.holder->is_component && node.holder->function == nullptr;
      if (is_constant_of_class && constants_.emplace(node.path, &node).second) {
        constants_in_order_.push_back(&node);
      }
      const NameStep& step = reference.last.front();
      if (reference.last.size() == 1 && !step.subscripts.empty() && !step.known.empty()) {
        // An element of a part.
        NameStep part = step;
        part.known.clear();
        out << "(";
        out.name(flat_name(node));
        write_subscripts(target, {part}, file, from);
        out << fmt::format(")[{}]", fmt::join(step.known, ", "));
        break;
      }
      out.name(flat_name(node));
      write_subscripts(target, reference.last, file, from);
      break;
    }
  }
}

void Instantiator::write_subscripts(Target target, const std::vector<NameStep>& steps, const ClassFile& file,
                                    Context from) {
  FlatWriter& out = target.out;
  const auto n_written = [](const NameStep& step) { return step.subscripts.count + step.known.size(); };
  std::size_t n_steps = steps.size();
  while (n_steps > 0 && n_written(steps[n_steps - 1]) == 0) {
    --n_steps;
  }
  if (n_steps == 0) {
    return;
  }
  bool first = true;
  const auto begin = [&] {
    out << (first ? "[" : ", ");
    first = false;
  };
  for (std::size_t k = 0; k < n_steps; ++k) {
    std::size_t d = 0;
    for (const ExpressionId subscript : file.ast[steps[k].subscripts]) {
      begin();
      write_subscript(target, steps[k], d++, file, subscript, from);
    }
    for (const std::int64_t known : steps[k].known) {
      begin();
      out << std::to_string(known);
    }
    for (d = n_written(steps[k]); k + 1 < n_steps && d < steps[k].n_dimensions; ++d) {
      begin();
      out << ":";
    }
  }
  out << "]";
}

/// A branch that names a component which does not exist is dropped if its condition, known now, is false.
void Instantiator::write_conditional(Target target, const ClassFile& file, ExpressionId id, Context from) {
  const auto operands = file.ast.operands(id);
  std::vector<ExpressionId> values{operands.back()};
  for (std::size_t k = 1; k < operands.size(); k += 2) {
    values.insert(values.end() - 1, operands[k]);
  }
  check_alike(target, file, values, from, "branch");
  FlatWriter& out = target.out;
  const FlatWriter::Mark before = out.mark();
  const bool met_before = met_left_out_;
  met_left_out_ = false;
  ++may_be_left_out_;
  for (std::size_t k = 0; k + 1 < operands.size(); k += 2) {
    out << (k == 0 ? "if " : " elseif ");
    write(target, file, operands[k], from);
    out << " then ";
    write_operand(target, file, operands[k + 1], from);
  }
  out << " else ";
  write_operand(target, file, operands.back(), from);
  --may_be_left_out_;
  const bool met = met_left_out_;
  met_left_out_ = met_before;
  if (!met) {
    return;
  }
  out.rewind(before);
  for (std::size_t k = 0; k + 1 < operands.size(); k += 2) {
    const std::optional<KnownValue> condition =
        decide(file, operands[k], from, target.locals, "whether this condition holds");
    if (!condition || condition->type != KnownValue::Type::boolean) {
      out << "0";
      return;
    }
    if (condition->is_true()) {
      write_operand(target, file, operands[k + 1], from);
      return;
    }
  }
  write_operand(target, file, operands.back(), from);
}

void Instantiator::write_iterators(Target target, const ClassFile& file, std::span<const Iterator> iterators,
                                   const LoopBody& body, Context from, std::deque<Locals>& locals) {
  for (std::size_t k = 0; k < iterators.size(); ++k) {
    const Name variable = name(file, iterators[k].name);
    target.out << (k > 0 ? ", " : "") << iterator_name(variable, from) << " in ";
    if (iterators[k].range.valid()) {
      // The range sees the loops around it and those before it.
      write({target.out, locals.empty() ? target.locals : &locals.back()}, file, iterators[k].range, from);
    } else {
      const std::optional<std::string> end =
          inferred_end(file, iterators[k], body, from, locals.empty() ? target.locals : &locals.back());
      target.out << "1:" << end.value_or("1");
    }
    const Locals* const around = locals.empty() ? target.locals : &locals.back();
    locals.push_back({variable, std::nullopt, around, type_of_iterator(file, iterators[k], from, around)});
  }
}

void Instantiator::write_comprehension(Target target, const ClassFile& file, ExpressionId body,
                                       std::span<const Iterator> iterators, Context from,
                                       const std::vector<Selector>& selectors) {
  if (needs_unrolling(file, body, from)) {
    write_unrolled(target, file, body, iterators, from, selectors);
    return;
  }
  // The text has the body first, but its names depend on the loop variables.
  FlatWriter ranges;
  std::deque<Locals> locals;
  write_iterators({ranges, target.locals}, file, iterators, {body, {}}, from, locals);
  write_binding({target.out, &locals.back()}, {&file, body, from, selectors});
  target.out << " for ";
  target.out.append(ranges);
}

/// The elements of `{e for i in r}` one by one, where a loop variable chooses components.
void Instantiator::write_unrolled(Target target, const ClassFile& file, ExpressionId body,
                                  std::span<const Iterator> iterators, Context from,
                                  const std::vector<Selector>& selectors) {
  const auto values = range_values(file, iterators.back(), {body, {}}, from, target.locals);
  if (!values) {
    target.out << "0";
    return;
  }
  const ValueType type = type_of_iterator(file, iterators.back(), from, target.locals);
  for (std::size_t i = 0; i < values->size(); ++i) {
    const Locals inner{name(file, iterators.back().name), (*values)[i], target.locals, type};
    target.out << (i > 0 ? ", " : "");
    if (iterators.size() > 1) {
      target.out << "{";
      write_unrolled({target.out, &inner}, file, body, iterators.first(iterators.size() - 1), from,
                     selectors);
      target.out << "}";
    } else {
      if (selectors.empty()) {
        write_operand({target.out, &inner}, file, body, from);
        continue;
      }
      target.out << "(";
      write_binding({target.out, &inner}, {&file, body, from, selectors});
      target.out << ")";
    }
  }
}

/// A value, or a part of one; loop variables around it are those of the target.
void Instantiator::write_binding(Target target, const Binding& given) {
  const Binding binding = peeled(given);
  const ClassFile& file = *binding.file;
  const ExpressionKind kind = file.ast[binding.value].kind;
  const FilePlace place{&file, file.ast[binding.value].span};
  if (binding.selectors.empty()) {
    write(target, file, binding.value, binding.where);
    return;
  }
  const FlatWriter::Scope scope(target.out, place);
  if (kind == ExpressionKind::name) {
    const Reference reference = resolve(file, binding.value, binding.where, target.locals, binding.selectors);
    write_reference(target, reference, file, binding.where, place);
    return;
  }
  if (kind == ExpressionKind::conditional) {
    const auto operands = file.ast.operands(binding.value);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const bool is_condition = k % 2 == 0 && k + 1 < operands.size();
      target.out << (k + 1 == operands.size() ? " else "
                     : is_condition           ? (k == 0 ? "if " : " elseif ")
                                              : " then ");
      if (is_condition) {
        write(target, file, operands[k], binding.where);
      } else {
        target.out << "(";
        write_binding(target, {&file, operands[k], binding.where, binding.selectors});
        target.out << ")";
      }
    }
    return;
  }
  // Members first: of an array of records they are arrays.
  Binding members{&file, binding.value, binding.where, {}};
  std::vector<std::int64_t> subscripts;
  for (const Selector& selector : binding.selectors) {
    if (selector.subscripts.empty()) {
      members.selectors.push_back(selector);
    }
    subscripts.insert(subscripts.end(), selector.subscripts.begin(), selector.subscripts.end());
  }
  target.out << (subscripts.empty() ? "" : "(");
  if (members.selectors.empty()) {
    write(target, file, binding.value, binding.where);
  } else {
    write_leaf(target, members);
  }
  if (!subscripts.empty()) {
    target.out << fmt::format(")[{}]", fmt::join(subscripts, ", "));
  }
}

}  // namespace saltus::lang
