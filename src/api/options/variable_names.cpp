#include "api/options/variable_names.hpp"

#include "base/name_list.hpp"
#include "base/similar_name.hpp"

namespace saltus::api {
namespace {

template <class Predicate>
std::vector<std::size_t> places_where(const std::vector<VariableInfo>& variables, Predicate&& is_meant) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (is_meant(std::string_view(variables[i].name))) {
      places.push_back(i);
    }
  }
  return places;
}

bool is_element_of(std::string_view array, std::string_view variable) {
  return variable.size() > array.size() && variable[array.size()] == '[' && variable.starts_with(array);
}

}  // namespace

std::vector<std::size_t> variables_meant(std::string_view item, const std::vector<VariableInfo>& variables) {
  if (item.empty()) {
    return {};
  }
  // A quoted identifier of the language has its quotes in its name.
  for (const std::string_view name : {item, unquoted(item)}) {
    if (auto places = places_where(variables, [&](std::string_view v) { return v == name; });
        !places.empty()) {
      return places;
    }
    if (auto places = places_where(variables, [&](std::string_view v) { return is_element_of(name, v); });
        !places.empty()) {
      return places;
    }
  }
  if (item.find('*') == std::string_view::npos || unquoted(item) != item) {
    return {};
  }
  return places_where(variables, [&](std::string_view v) { return matches(item, v); });
}

std::string as_item(const std::string& name) {
  const bool is_word = name == "all" || name == "guards" || name == "starts";
  return is_word ? "'" + name + "'" : name;
}

std::string similar_variable(std::string_view item, const std::vector<VariableInfo>& variables) {
  std::vector<std::string_view> candidates;
  for (const VariableInfo& variable : variables) {
    candidates.push_back(variable.name);
  }
  return did_you_mean(unquoted(item), candidates);
}

}  // namespace saltus::api
