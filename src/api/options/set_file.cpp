// Files of names and values that are set.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/read_file.hpp"
#include "api/options/given_text.hpp"
#include "base/csv_text.hpp"
#include "base/name_list.hpp"

namespace saltus::api {
namespace {

using Json = nlohmann::json;

class SetFile {
 public:
  explicit SetFile(const std::string& path) : path_(path) {}

  Result<std::vector<SetValue>> read(const std::string& text) {
    const std::size_t first = text.find_first_not_of("\xEF\xBB\xBF \t\r\n");
    if (first != std::string::npos && text[first] == '{') {
      read_json(text);
    } else {
      read_rows(text);
    }
    if (problems_.has_errors()) {
      return Unexpected(std::move(problems_));
    }
    return std::move(values_);
  }

 private:
  void complain(const std::string& message, std::string hint = {}) {
    problems_.error(kWrongSetFile, fmt::format("{}: {}", path_, message), std::nullopt, std::move(hint));
  }

  void add(std::string name, std::optional<GivenValue> value) {
    if (name.empty()) {
      complain("a value has no name");
    } else if (!names_.insert(name).second) {
      complain(fmt::format("'{}' comes twice", name));
    } else if (!value) {
      complain(fmt::format("the value of '{}' is no number, text or list of these", name));
    } else {
      values_.push_back({std::move(name), *std::move(value)});
    }
  }

  // Objects of nlohmann keep one of two equal names, so they are looked for while the text is read.
  void read_json(const std::string& text) {
    std::set<std::string> seen;
    const auto watch = [&](int depth, Json::parse_event_t event, const Json& parsed) {
      if (event == Json::parse_event_t::key && depth == 1 && !seen.insert(parsed.get<std::string>()).second) {
        complain(fmt::format("'{}' comes twice", parsed.get<std::string>()));
      }
      return true;
    };
    try {
      const Json object = Json::parse(text, watch);
      for (const auto& [name, value] : object.items()) {
        add(name, from_json(value, 0));
      }
    } catch (const Json::exception& error) {
      // "[json.exception.parse_error.101] parse error at line 1, …"
      const std::string_view what = error.what();
      complain(std::string(what.substr(std::min(what.find("] ") + 2, what.size()))));
    }
  }

  static std::optional<GivenValue> from_json(const Json& value, int nesting) {
    if (value.is_boolean()) {
      return GivenValue(value.get<bool>());
    }
    if (value.is_number()) {
      return GivenValue(value.get<double>());
    }
    if (value.is_string()) {
      return GivenValue(value.get<std::string>());
    }
    if (!value.is_array() || nesting == kMostNesting) {
      return std::nullopt;
    }
    GivenValue::List list;
    for (const Json& element : value) {
      std::optional<GivenValue> item = from_json(element, nesting + 1);
      if (!item) {
        return std::nullopt;
      }
      list.push_back(*std::move(item));
    }
    return GivenValue(std::move(list));
  }

  void read_rows(const std::string& text) {
    const std::variant<std::vector<CsvRow>, CsvProblem> read = read_csv(text);
    if (const CsvProblem* const problem = std::get_if<CsvProblem>(&read)) {
      complain(fmt::format("line {}: {}", problem->line, problem->message));
      return;
    }
    bool is_first = true;
    for (const CsvRow& row : std::get<std::vector<CsvRow>>(read)) {
      // Commas within brackets and braces belong to what stands there.
      const std::vector<std::string> cells =
          row.cells.size() <= 2 ? row.cells : split_names(fmt::format("{}", fmt::join(row.cells, ",")));
      if (cells.size() != 2) {
        complain(fmt::format("line {}: a row has a name and a value, this one has {} cells", row.line,
                             cells.size()));
      } else if (!is_first || cells[0] != "name" || cells[1] != "value") {
        add(cells[0], parse_given(cells[1]));
      }
      is_first = false;
    }
    if (is_first) {
      complain("the file is empty", "it is a JSON object, or CSV with the columns name and value");
    }
  }

  const std::string& path_;
  std::set<std::string> names_;
  std::vector<SetValue> values_;
  Diagnostics problems_;
};

}  // namespace

Result<std::vector<SetValue>> read_set_file(const std::string& path) {
  const Result<std::string> text = read_file(path, "a file of values");
  if (!text) {
    return Unexpected(text.error());
  }
  return SetFile(path).read(*text);
}

}  // namespace saltus::api
