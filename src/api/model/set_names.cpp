#include "api/model/set_names.hpp"

#include <charconv>
#include <string_view>

#include "base/name_list.hpp"
#include "base/similar_name.hpp"

namespace saltus::api {
namespace {

// The last element of an array has its sizes: "[3,2]".
std::vector<Index> sizes_in(std::string_view indices) {
  std::vector<Index> sizes;
  const char* at = indices.data();
  const char* const end = at + indices.size();
  while (at < end) {
    Index size = 0;
    const std::from_chars_result read = std::from_chars(at + 1, end, size);
    if (read.ec != std::errc()) {
      break;
    }
    sizes.push_back(size);
    at = read.ptr;
  }
  return sizes;
}

}  // namespace

std::optional<NamedTarget> SetNames::find(const std::string& written) const {
  // A quoted identifier of the language has its quotes in its name.
  for (const std::string& name : {written, std::string(unquoted(written))}) {
    if (const auto scalar = find_scalar(name)) {
      return scalar;
    }
    std::string indices = "[1";
    for (std::size_t d = 0; d < kMostDimensions; ++d, indices += ",1") {
      if (auto array = find_scalar(name + indices + "]")) {
        array->name = name;
        measure(*array);
        return array;
      }
    }
  }
  return std::nullopt;
}

bool SetNames::is_structural(const NamedTarget& target) const {
  bool any = false;
  for (std::size_t k = 0; target.is_parameter && k < target.n; ++k) {
    any = any || parameter(target.first + k).is_structural;
  }
  return any || type_of(target) == flat::Type::string;
}

std::string SetNames::similar(const std::string& name) const {
  std::vector<std::string_view> candidates;
  for (const flat::Parameter& parameter : flat().parameters) {
    candidates.push_back(parameter.name);
  }
  for (const flat::Variable& variable : flat().variables) {
    candidates.push_back(variable.name);
  }
  return did_you_mean(name, candidates);
}

std::optional<NamedTarget> SetNames::find_scalar(const std::string& name) const {
  if (const ParameterId id = model_.parameter(name); id.valid()) {
    return NamedTarget{.name = name, .is_parameter = true, .first = id.index()};
  }
  if (const VariableId id = model_.variable(name); id.valid()) {
    return NamedTarget{.name = name, .is_parameter = false, .first = id.index()};
  }
  return std::nullopt;
}

void SetNames::measure(NamedTarget& array) const {
  const std::size_t size = array.is_parameter ? flat().parameters.size() : flat().variables.size();
  const std::string prefix = array.name + "[";
  array.n = 1;
  while (array.first + array.n < size && name_of(array, array.n).starts_with(prefix)) {
    ++array.n;
  }
  array.shape = sizes_in(std::string_view(name_of(array, array.n - 1)).substr(array.name.size()));
}

}  // namespace saltus::api
