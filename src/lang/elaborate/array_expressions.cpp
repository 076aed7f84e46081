// Array literals, matrices, comprehensions and reductions.
#include <fmt/format.h>

#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {

namespace {

/// Iterators of one comprehension, reduction or loop.
constexpr std::size_t kMaxIterators = 32;

}  // namespace

Value Elaborator::stacked(std::vector<Value> parts, SourceSpan span) {
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].failed || (k > 0 && !merge_types(parts[0], parts[k], span))) {
      return failed_value();
    }
    if (parts[k].type == flat::Type::string) {
      return fail(kNotSupported, "arrays of Strings are not supported yet", span);
    }
    if (parts[k].shape != parts[0].shape) {
      return fail(kShapeMismatch,
                  fmt::format("elements of different sizes: {} and {}", to_string(parts[0].shape),
                              to_string(parts[k].shape)),
                  span);
    }
  }
  Shape shape{static_cast<Index>(parts.size())};
  shape.insert(shape.end(), parts[0].shape.begin(), parts[0].shape.end());
  if (n_elements(shape) >= kTooManyElements) {
    return fail(kTooLarge, fmt::format("the array has too many elements: {}", to_string(shape)), span);
  }
  flat::Type type = parts[0].type;
  Value result = array_value(type, std::move(shape));
  std::size_t out = 0;
  for (const Value& part : parts) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      result.elements[out++] = part[i];
    }
  }
  return result;
}

Value Elaborator::lower_array(ExpressionId id) {
  const auto operands = ast_.operands(id);
  if (operands.empty()) {
    return fail(kWrongSize, "an array needs at least one element", span_of(id),
                "zeros(0) is an array without elements");
  }
  std::vector<Value> parts;
  parts.reserve(operands.size());
  for (const ExpressionId operand : operands) {
    parts.push_back(lower(operand));
  }
  return stacked(std::move(parts), span_of(id));
}

Value Elaborator::lower_matrix(ExpressionId id) {
  std::vector<Value> rows;
  for (const ExpressionId row : ast_.operands(id)) {
    std::vector<Value> parts;
    for (const ExpressionId operand : ast_.operands(row)) {
      Value part = lower(operand);
      if (part.failed) {
        return part;
      }
      parts.push_back(checked(as_matrix(part), span_of(operand)));
      if (parts.back().failed || !merge_types(parts.front(), parts.back(), span_of(operand))) {
        return failed_value();
      }
    }
    rows.push_back(checked(concatenate(1, parts), span_of(row)));
    if (rows.back().failed) {
      return failed_value();
    }
  }
  return checked(concatenate(0, rows), span_of(id));
}

bool Elaborator::iterate(std::span<const Iterator> iterators, const std::function<bool()>& visit) {
  if (iterators.empty()) {
    return visit();
  }
  if (iterators.size() > kMaxIterators) {
    error(kTooLarge, fmt::format("more than {} iterators in one loop", kMaxIterators),
          iterators.front().span);
    return false;
  }
  const Iterator& iterator = iterators.front();
  if (!iterator.range.valid()) {
    error(kNotSupported,
          fmt::format("the range of {} must be written: 'for {} in 1:n'", quoted(iterator.name),
                      ast_.text(iterator.name)),
          iterator.span);
    return false;
  }
  const Value range = lower(iterator.range);
  if (range.failed) {
    return false;
  }
  if (range.shape.size() != 1) {
    error(kWrongRange, fmt::format("'for' needs a range or a vector, not {}", to_string(range.shape)),
          span_of(iterator.range));
    return false;
  }
  if (!spend(static_cast<double>(range.elements.size()), iterator.span)) {
    return false;
  }
  locals_.push_back({iterator.name, Local::Role::iterator, scalar_value(range.type, Scalar())});
  const std::size_t place = locals_.size() - 1;
  bool ok = true;
  for (std::size_t i = 0; ok && i < range.elements.size(); ++i) {
    locals_[place].value.scalar = range.elements[i];
    ok = iterate(iterators.subspan(1), visit);
  }
  locals_.resize(place);
  return ok;
}

Value Elaborator::lower_comprehension(ExpressionId body, std::span<const Iterator> iterators,
                                      SourceSpan span) {
  // {e for i in r, j in s}: the last iterator gives the outermost dimension, as nested constructors do.
  if (iterators.size() > kMaxIterators) {
    return fail(kTooLarge, fmt::format("more than {} iterators in one comprehension", kMaxIterators), span);
  }
  SavedContext saved(*this);
  context_.repeated = true;
  std::vector<Value> parts;
  bool failed = false;
  const auto outer = iterators.subspan(iterators.size() - 1);
  const auto inner = iterators.first(iterators.size() - 1);
  const bool ok = iterate(outer, [&] {
    parts.push_back(inner.empty() ? lower(body) : lower_comprehension(body, inner, span));
    failed = failed || parts.back().failed;
    return !failed && spend(static_cast<double>(parts.back().size()), span);
  });
  if (!ok || failed) {
    return failed_value();
  }
  if (parts.empty()) {
    Shape shape(iterators.size(), 0);
    return array_value(flat::Type::real, std::move(shape));
  }
  return stacked(std::move(parts), span);
}

Value Elaborator::lower_reduction(Intrinsic intrinsic, ExpressionId body, std::span<const Iterator> iterators,
                                  SourceSpan span) {
  SavedContext saved(*this);
  context_.repeated = true;
  std::optional<Value> total;
  const bool ok = iterate(iterators, [&] {
    const Value next = lower(body);
    if (next.failed) {
      return false;
    }
    if (!total) {
      total = next;
      return true;
    }
    if (intrinsic == Intrinsic::sum || intrinsic == Intrinsic::product) {
      *total = combine_checked(intrinsic == Intrinsic::sum ? Operator::add : Operator::multiply, *total, next,
                               span);
      return !total->failed;
    }
    if (!next.is_scalar() || !total->is_scalar()) {
      error(kShapeMismatch, "'min' and 'max' over iterators need scalars", span);
      return false;
    }
    total->scalar = intrinsic == Intrinsic::min
                        ? conditions_.minimum(total->scalar, next.scalar, relation_context(span))
                        : conditions_.maximum(total->scalar, next.scalar, relation_context(span));
    total->type = common_type(total->type, next.type);
    return true;
  });
  if (!ok) {
    return failed_value();
  }
  if (total) {
    return *total;
  }
  if (intrinsic == Intrinsic::min || intrinsic == Intrinsic::max) {
    return fail(kWrongRange, "'min' and 'max' of nothing have no value", span);
  }
  return integer_value(intrinsic == Intrinsic::sum ? 0.0 : 1.0);
}

}  // namespace saltus::lang
