#include "api/model/set_values.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/set_names.hpp"

namespace saltus::api {
namespace {

struct Leaves {
  std::vector<Index> shape;
  std::vector<const GivenValue*> values;
};

// False: rows differ in length, or numbers stand beside lists.
bool collect(const GivenValue& value, std::size_t depth, Leaves& leaves) {
  const GivenValue::List* const list = value.elements();
  if (list == nullptr) {
    leaves.values.push_back(&value);
    return depth == leaves.shape.size();
  }
  const auto size = static_cast<Index>(list->size());
  const bool is_first = leaves.values.empty() && depth == leaves.shape.size();
  if (is_first && depth < kMostDimensions) {
    leaves.shape.push_back(size);
  }
  if (depth >= leaves.shape.size() || leaves.shape[depth] != size) {
    return false;
  }
  for (const GivenValue& element : *list) {
    if (!collect(element, depth + 1, leaves)) {
      return false;
    }
  }
  return true;
}

std::string in_words(const GivenValue& value) {
  return value.number() != nullptr  ? fmt::format("{}", *value.number())
         : value.truth() != nullptr ? fmt::format("{}", *value.truth())
         : value.text() != nullptr  ? fmt::format("\"{}\"", *value.text())
                                    : "an array";
}

std::string in_words(const std::vector<Index>& shape) {
  return shape.empty() ? "one value" : fmt::format("an array of size {}", fmt::join(shape, " x "));
}

constexpr std::string_view kTypeNames[] = {"a Real", "an Integer", "a Boolean", "a String"};  // by flat::Type

bool fits(const GivenValue& value, flat::Type type) {
  const double* const number = value.number();
  switch (type) {
    case flat::Type::real: return number != nullptr && std::isfinite(*number);
    case flat::Type::integer:
      return number != nullptr && std::isfinite(*number) && *number == std::trunc(*number);
    case flat::Type::boolean:
      return value.truth() != nullptr || (number != nullptr && (*number == 0.0 || *number == 1.0));
    case flat::Type::string: return value.text() != nullptr;
  }
  return false;
}

double number_of(const GivenValue& value) {
  return value.truth() != nullptr ? (*value.truth() ? 1.0 : 0.0) : *value.number();
}

void check_kind(Diagnostics& problems, const std::string& name, const GivenValue& value, flat::Type type) {
  if (!fits(value, type)) {
    problems.error(kWrongSetValue,
                   fmt::format("'{}' is {} and cannot be set to {}", name,
                               kTypeNames[static_cast<std::size_t>(type)], in_words(value)),
                   std::nullopt,
                   type == flat::Type::boolean  ? "write true or false"
                   : type == flat::Type::string ? "write the text in double quotes"
                                                : "");
  }
}

struct SetItem {
  NamedTarget target;
  Leaves leaves;
};

// What a name means in this model and whether the value may be given to it; nullopt: it may not, or there is none of that name.
std::optional<SetItem> understand(const SetNames& names, const SetValue& given, Diagnostics& problems) {
  std::optional<NamedTarget> target = names.find(given.name);
  if (!target) {
    return std::nullopt;
  }
  SetItem item{*std::move(target), {}};
  if (item.target.is_parameter) {
    const flat::Parameter& parameter = names.parameter(item.target.first);
    if (parameter.is_constant || parameter.is_final) {
      problems.error(kCannotBeSet, fmt::format("'{}' is declared {} and cannot be set", given.name,
                                               parameter.is_constant ? "constant" : "final"));
      return std::nullopt;
    }
  }
  if (!collect(given.value, 0, item.leaves)) {
    problems.error(kWrongSetValue, fmt::format("the rows of the value for '{}' differ in size", given.name));
    return std::nullopt;
  }
  const std::size_t before = problems.items().size();
  const bool has_names = item.leaves.shape == item.target.shape;
  for (std::size_t k = 0; k < item.leaves.values.size(); ++k) {
    check_kind(problems, has_names ? names.name_of(item.target, k) : given.name, *item.leaves.values[k],
               names.type_of(item.target));
  }
  const bool may_resize =
      item.target.is_parameter && !item.target.shape.empty() && !item.leaves.shape.empty();
  if (!has_names && !may_resize) {
    problems.error(kWrongSetValue,
                   fmt::format("'{}' is {} and cannot be set to {}", given.name, in_words(item.target.shape),
                               in_words(item.leaves.shape)),
                   std::nullopt,
                   item.target.shape.empty() ? "" : "write {1, 2}, and {{1, 2}, {3, 4}} for a matrix");
  }
  return problems.items().size() == before ? std::optional(std::move(item)) : std::nullopt;
}

lang::ParameterSetting setting(const SetItem& item, flat::Type type) {
  lang::ParameterSetting setting{.shape = item.leaves.shape};
  for (const GivenValue* const value : item.leaves.values) {
    if (type == flat::Type::string) {
      setting.text = *value->text();
    } else {
      setting.numbers.push_back(number_of(*value));
    }
  }
  return setting;
}

void report_unknown(Diagnostics& problems, const SetNames& names, const std::string& name) {
  problems.error(kUnknownSetName, fmt::format("--set: the model has no parameter or variable '{}'", name),
                 std::nullopt, names.similar(name));
}

// A whole array replaces what was said of its elements before.
template <class Values>
void replace_elements(Values& values, const std::string& array) {
  const std::string prefix = array + "[";
  std::erase_if(values, [&](const auto& value) { return value.first.starts_with(prefix); });
}

}  // namespace

Diagnostics check_set(const ModelData& model, const std::vector<SetValue>& set) {
  Diagnostics problems;
  if (set.empty()) {
    return problems;
  }
  const SetNames names(*model.compiled());
  std::vector<const std::string*> unknown;
  bool is_final = true;  // nothing that is set changes what names mean
  for (const SetValue& given : set) {
    const std::optional<SetItem> item = understand(names, given, problems);
    if (item) {
      is_final = is_final && !names.is_structural(item->target) && item->leaves.shape == item->target.shape;
    } else if (!names.find(given.name)) {
      unknown.push_back(&given.name);
    }
  }
  for (const std::string* const name : is_final ? unknown : std::vector<const std::string*>()) {
    report_unknown(problems, names, *name);
  }
  return problems;
}

Result<SortedSet> sort_set(const ModelData& model, const std::vector<SetValue>& set) {
  std::vector<std::optional<ModelData::StructuralValues::value_type>> structural(set.size());
  SortedSet sorted{model.elaborated({}), {}, {}};
  for (bool is_open = !set.empty(); is_open;) {
    is_open = false;
    sorted.values.clear();
    Diagnostics problems;
    const SetNames names(*(*sorted.elaborated)->compiled);
    ModelData::StructuralValues all;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const std::optional<SetItem> item = understand(names, set[i], problems);
      if (!item && !structural[i]) {
        if (!names.find(set[i].name)) {
          report_unknown(problems, names, set[i].name);
        }
        continue;
      }
      if (!structural[i] && (names.is_structural(item->target) || item->leaves.shape != item->target.shape)) {
        structural[i].emplace(item->target.name, setting(*item, names.type_of(item->target)));
        is_open = true;
      }
      if (structural[i]) {  // an array without elements has no name any more
        replace_elements(all, structural[i]->first);
        replace_elements(sorted.values, structural[i]->first);
        all.push_back(*structural[i]);
        continue;
      }
      for (std::size_t k = 0; k < item->target.n; ++k) {
        sorted.values.emplace_back(names.name_of(item->target, k), number_of(*item->leaves.values[k]));
      }
    }
    if (!is_open && problems.has_errors()) {
      return Unexpected(std::move(problems));
    }
    if (is_open) {
      sorted.elaborated = model.elaborated(all);
      sorted.structural = std::move(all);
      if (!*sorted.elaborated) {
        return Unexpected(sorted.elaborated->error());
      }
    }
  }
  return sorted;
}

}  // namespace saltus::api
