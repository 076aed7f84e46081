#include "structure/match/names.hpp"

#include <fmt/format.h>

#include <array>

#include "base/one_line.hpp"

namespace saltus::structure {
namespace {

constexpr std::size_t kMostNames = 8;          // in one list: fits two lines of a terminal
constexpr std::size_t kLongestQuotation = 60;  // bytes of an equation in a message

}  // namespace

std::string name_of(const flat::Model& model, const Unknown& unknown) {
  std::string name = model[unknown.variable].name;
  const bool is_discrete = model[unknown.variable].variability == flat::Variability::discrete;
  for (int k = 0; k < unknown.order; ++k) {
    name = (is_discrete ? "pre(" : "der(") + name + ")";
  }
  return name;
}

std::string list_names(const std::vector<std::string>& names) {
  std::string text;
  const std::size_t n_shown = names.size() <= kMostNames ? names.size() : kMostNames - 1;
  for (std::size_t i = 0; i < n_shown; ++i) {
    const bool is_last = i + 1 == names.size();
    text += i == 0 ? "" : is_last ? " and " : ", ";
    text += names[i];
  }
  if (n_shown < names.size()) {
    text += fmt::format(" and {} more", names.size() - n_shown);
  }
  return text;
}

std::string list_names(const flat::Model& model, std::span<const Unknown> unknowns) {
  std::vector<std::string> names;
  names.reserve(unknowns.size());
  for (const Unknown& unknown : unknowns) {
    names.push_back(name_of(model, unknown));
  }
  return list_names(names);
}

std::string quote(const flat::Model& model, const flat::Equation& equation) {
  if (model.source == nullptr || equation.span.length == 0 ||
      equation.span.end() > model.source->text().size()) {
    return "equation";
  }
  std::string text = on_one_line(model.source->text(equation.span));
  if (text.size() > kLongestQuotation) {
    std::size_t end = kLongestQuotation;
    // Not inside a UTF-8 sequence: continuation bytes are 10xxxxxx.
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
      --end;
    }
    text = text.substr(0, end) + "…";
  }
  return "'" + text + "'";
}

std::string quote(const flat::Model& model, const flat::Equation& equation, int order) {
  constexpr std::array<const char*, 4> kOrdinals = {"", "second ", "third ", "fourth "};
  const std::string quotation = quote(model, equation);
  if (order <= 0) {
    return quotation;
  }
  const auto place = static_cast<std::size_t>(order - 1);
  const std::string ordinal = place < kOrdinals.size() ? kOrdinals[place] : fmt::format("{}th ", order);
  return fmt::format("the {}derivative of {}", ordinal, quotation);
}

}  // namespace saltus::structure
