// Subscripts: single positions, ranges, lists of positions, ':' and 'end'.
#include <fmt/format.h>

#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"

namespace saltus::lang {

Elaborator::Selection Elaborator::selection(ExpressionId id, Index size, std::size_t dimension,
                                            std::string_view name) {
  Selection result;
  const ExpressionKind kind = ast_[id].kind;
  if (kind == ExpressionKind::all) {
    result.keeps_dimension = true;
    result.positions.resize(static_cast<std::size_t>(size));
    for (Index i = 0; i < size; ++i) {
      result.positions[static_cast<std::size_t>(i)] = i;
    }
    return result;
  }
  end_sizes_.push_back(size);
  const Value value = lower(id);
  end_sizes_.pop_back();
  result.failed = value.failed;
  if (value.failed) {
    return result;
  }
  if (value.type != flat::Type::integer || value.shape.size() > 1) {
    error(kWrongSubscript,
          fmt::format("a subscript must be an Integer or a vector of Integers, not {}",
                      value.shape.size() > 1 ? "an array" : to_string(value.type)),
          span_of(id));
    result.failed = true;
    return result;
  }
  result.keeps_dimension = !value.is_scalar();
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::optional<double> number = evaluate_now(value[i], span_of(id), "a subscript");
    if (!number || !(*number >= 1.0 && *number <= static_cast<double>(size))) {
      if (number) {
        error(kSubscriptOutOfRange,
              fmt::format("subscript {} of dimension {} of '{}' is outside 1 to {}", *number, dimension + 1,
                          name, size),
              span_of(id));
      }
      result.failed = true;
      return result;
    }
    result.positions.push_back(static_cast<Index>(*number) - 1);
  }
  return result;
}

std::optional<std::size_t> Elaborator::single_element(const Shape& shape, List<ExpressionId> subscripts,
                                                      bool& failed) {
  const auto list = ast_[subscripts];
  if (list.size() != shape.size()) {
    return std::nullopt;
  }
  std::size_t position = 0;
  for (std::size_t d = 0; d < list.size(); ++d) {
    const ExpressionKind kind = ast_[list[d]].kind;
    const bool may_be_single = kind == ExpressionKind::integer || kind == ExpressionKind::name ||
                               kind == ExpressionKind::chain || kind == ExpressionKind::last;
    if (!may_be_single) {
      return std::nullopt;
    }
    end_sizes_.push_back(shape[d]);
    const Value value = lower(list[d]);
    end_sizes_.pop_back();
    failed = value.failed;
    const bool usable = !value.failed && value.is_scalar() && value.type == flat::Type::integer &&
                        value.scalar.known && value.scalar.number >= 1.0 &&
                        value.scalar.number <= static_cast<double>(shape[d]);
    if (!usable) {
      return std::nullopt;
    }
    position =
        position * static_cast<std::size_t>(shape[d]) + static_cast<std::size_t>(value.scalar.number) - 1;
  }
  return position;
}

Elaborator::ElementSelection Elaborator::select_elements(const Shape& shape, List<ExpressionId> subscripts,
                                                         SourceSpan span, std::string_view name) {
  ElementSelection result;
  const auto list = ast_[subscripts];
  if (list.size() > shape.size()) {
    error(kWrongSubscript,
          fmt::format("'{}' has {} dimension{}, {} subscripts are given", name, shape.size(),
                      shape.size() == 1 ? "" : "s", list.size()),
          span);
    result.failed = true;
    return result;
  }
  result.positions = {0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    Selection chosen;
    if (d < list.size()) {
      chosen = selection(list[d], shape[d], d, name);
    } else {
      chosen.keeps_dimension = true;
      for (Index i = 0; i < shape[d]; ++i) {
        chosen.positions.push_back(i);
      }
    }
    if (chosen.failed) {
      result.failed = true;
      return result;
    }
    if (chosen.keeps_dimension) {
      result.shape.push_back(static_cast<Index>(chosen.positions.size()));
    }
    if (!spend(static_cast<double>(result.positions.size()) * static_cast<double>(chosen.positions.size()),
               span)) {
      result.failed = true;
      return result;
    }
    std::vector<std::size_t> next;
    next.reserve(result.positions.size() * chosen.positions.size());
    for (const std::size_t base : result.positions) {
      for (const Index position : chosen.positions) {
        next.push_back(base * static_cast<std::size_t>(shape[d]) + static_cast<std::size_t>(position));
      }
    }
    result.positions = std::move(next);
  }
  return result;
}

Value Elaborator::subscripted(const Value& value, List<ExpressionId> subscripts, SourceSpan span,
                              std::string_view name) {
  const ElementSelection chosen = select_elements(value.shape, subscripts, span, name);
  if (chosen.failed || value.failed) {
    return failed_value();
  }
  Value result = array_value(value.type, chosen.shape);
  for (std::size_t i = 0; i < chosen.positions.size(); ++i) {
    result[i] = value[chosen.positions[i]];
  }
  return result;
}

}  // namespace saltus::lang
