#include "tolerance/perturbed_model.hpp"

#include <fmt/format.h>

#include <regex>
#include <set>

namespace saltus::bench {

std::vector<std::string> differentiated_variables(const Model& model, const std::string& text) {
  std::set<std::string> names;
  const std::regex derivative(R"(der\(\s*([A-Za-z_]\w*))");
  for (auto at = std::sregex_iterator(text.begin(), text.end(), derivative); at != std::sregex_iterator();
       ++at) {
    names.insert((*at)[1]);
  }
  std::vector<std::string> list;
  for (const VariableInfo& variable : model.variables()) {
    if (!variable.is_discrete && names.contains(variable.name.substr(0, variable.name.find('[')))) {
      list.push_back(variable.name);
    }
  }
  return list;
}

std::string perturbed_text(const std::string& text, const std::string& variable) {
  const std::string declarations = fmt::format("  parameter Real {} = 1e300;\n  parameter Real {} = 0;\n",
                                               kPerturbationTime, kPerturbation);
  const std::string clause =
      fmt::format("  when time >= {0} then\n    reinit({1}, {1} + {2});\n  end when;\n", kPerturbationTime,
                  variable, kPerturbation);
  const auto flags = std::regex::ECMAScript | std::regex::multiline;
  std::smatch head;
  std::smatch equations;
  std::smatch mode;
  if (!std::regex_search(text, head, std::regex(R"(^model .*$)", flags))) {
    return "";
  }
  const bool has_modes =
      std::regex_search(text, mode, std::regex(R"(^\s*(initial |sliding )?mode\b.*$)", flags));
  const bool has_equations = std::regex_search(text, equations, std::regex(R"(^equation\b)", flags)) &&
                             (!has_modes || equations.position() < mode.position());
  std::string result = text;
  if (has_equations) {
    result.insert(static_cast<std::size_t>(equations.position() + equations.length()), "\n" + clause);
  } else if (has_modes) {
    result.insert(static_cast<std::size_t>(mode.position()), "equation\n" + clause);
  } else {
    return "";
  }
  result.insert(static_cast<std::size_t>(head.position() + head.length()), "\n" + declarations);
  return result;
}

}  // namespace saltus::bench
