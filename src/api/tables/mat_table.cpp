// MATLAB's format 4, in the layout of Modelica tools.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "api/tables/table_formats.hpp"
#include "record/output_file.hpp"

namespace saltus::api {
namespace {

// MOPT of the head of a matrix, its last two digits: what the numbers are, and whether they are characters.
enum NumberType : std::int32_t { kDouble = 0, kSingle = 10, kInteger = 20, kText = 51 };

struct MatHead {
  std::int32_t type = 0;
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::int32_t is_complex = 0;
  std::int32_t name_length = 0;
};

struct MatMatrix {
  MatHead head;
  std::string_view bytes;

  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(head.rows); }
  [[nodiscard]] std::size_t columns() const { return static_cast<std::size_t>(head.columns); }
  template <class T>
  [[nodiscard]] T at(std::size_t place) const {
    T value{};
    std::memcpy(&value, bytes.data() + place * sizeof(T), sizeof(T));
    return value;
  }
  [[nodiscard]] double number(std::size_t row, std::size_t column) const {
    const std::size_t place = column * rows() + row;
    return head.type == kDouble    ? at<double>(place)
           : head.type == kSingle  ? static_cast<double>(at<float>(place))
           : head.type == kInteger ? static_cast<double>(at<std::int32_t>(place))
                                   : static_cast<double>(static_cast<unsigned char>(bytes[place]));
  }
};

std::optional<std::size_t> size_of_number(std::int32_t type) {
  switch (type) {
    case kDouble: return sizeof(double);
    case kSingle: return sizeof(float);
    case kInteger: return sizeof(std::int32_t);
    case kText: return 1;
    default: return std::nullopt;
  }
}

class MatReader {
 public:
  MatReader(const std::string& name, std::string_view bytes) : name_(name), rest_(bytes) {}

  Result<ResultTable> read() {
    if (const std::string problem = read_matrices(); !problem.empty()) {
      return wrong_file(name_, problem);
    }
    for (const char* needed : {"Aclass", "name", "dataInfo", "data_2"}) {
      if (!matrices_.contains(needed)) {
        return wrong_file(
            name_, fmt::format("there is no matrix '{}': this is not a result of a Modelica tool", needed));
      }
    }
    is_transposed_ =
        texts(matrices_["Aclass"], false).size() > 3 && texts(matrices_["Aclass"], false)[3] == "binTrans";
    if (const std::string problem = read_columns(); !problem.empty()) {
      return wrong_file(name_, problem);
    }
    return std::move(table_);
  }

 private:
  std::string read_matrices() {
    while (!rest_.empty()) {
      MatMatrix matrix;
      if (rest_.size() < sizeof(MatHead)) {
        return "it ends within a matrix";
      }
      std::memcpy(&matrix.head, rest_.data(), sizeof(MatHead));
      rest_.remove_prefix(sizeof(MatHead));
      const MatHead& head = matrix.head;
      const std::optional<std::size_t> size = size_of_number(head.type);
      if (!size || head.rows < 0 || head.columns < 0 || head.is_complex != 0 || head.name_length < 1 ||
          static_cast<std::size_t>(head.name_length) > rest_.size()) {
        return "it is not a MATLAB file of format 4 with real numbers, little endian";
      }
      const std::string matrix_name(rest_.substr(0, static_cast<std::size_t>(head.name_length) - 1));
      rest_.remove_prefix(static_cast<std::size_t>(head.name_length));
      if (matrix.rows() != 0 && matrix.columns() > rest_.size() / matrix.rows() / *size) {
        return fmt::format("it ends within the matrix '{}'", matrix_name);
      }
      const std::size_t n_bytes = matrix.rows() * matrix.columns() * *size;
      matrix.bytes = rest_.substr(0, n_bytes);
      rest_.remove_prefix(n_bytes);
      matrices_[matrix_name] = matrix;
    }
    return "";
  }

  // Each row is a text, or, transposed, each column.
  static std::vector<std::string> texts(const MatMatrix& matrix, bool is_transposed) {
    const std::size_t n = is_transposed ? matrix.columns() : matrix.rows();
    const std::size_t length = is_transposed ? matrix.rows() : matrix.columns();
    std::vector<std::string> found(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < length; ++k) {
        const double c = is_transposed ? matrix.number(k, i) : matrix.number(i, k);
        found[i] += static_cast<char>(static_cast<unsigned char>(c));
      }
      found[i].resize(found[i].find_last_not_of(std::string_view("\0 ", 2)) + 1);
    }
    return found;
  }

  [[nodiscard]] std::size_t n_signals(const MatMatrix& data) const {
    return is_transposed_ ? data.rows() : data.columns();
  }
  [[nodiscard]] std::size_t n_rows(const MatMatrix& data) const {
    return is_transposed_ ? data.columns() : data.rows();
  }
  [[nodiscard]] double value(const MatMatrix& data, std::size_t row, std::size_t signal) const {
    return is_transposed_ ? data.number(signal, row) : data.number(row, signal);
  }

  std::string read_columns() {
    const std::vector<std::string> names = texts(matrices_["name"], is_transposed_);
    const std::vector<std::string> descriptions = matrices_.contains("description")
                                                      ? texts(matrices_["description"], is_transposed_)
                                                      : std::vector<std::string>();
    const MatMatrix& info = matrices_["dataInfo"];
    const MatMatrix& data = matrices_["data_2"];
    if (n_rows(info) != names.size() || n_signals(info) < 2 || names.empty()) {
      return "names and dataInfo do not fit";
    }
    table_.source = name_;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto matrix = static_cast<int>(value(info, i, 0));
      const double signed_place = value(info, i, 1);
      const auto place = static_cast<std::size_t>(std::abs(signed_place));
      const double sign = signed_place < 0.0 ? -1.0 : 1.0;
      const MatMatrix* const from = matrix == 1 ? find("data_1") : &data;
      if (from == nullptr || place < 1 || place > n_signals(*from)) {
        return fmt::format("'{}' is in no column of the data", names[i]);
      }
      if (matrix == 1) {
        if (n_rows(*from) > 0) {
          table_.parameters.push_back({names[i], sign * value(*from, 0, place - 1)});
        }
        continue;
      }
      std::vector<double> numbers(n_rows(data));
      for (std::size_t row = 0; row < numbers.size(); ++row) {
        numbers[row] = sign * value(data, row, place - 1);
      }
      if (i == 0) {
        table_.abscissa = names[i] == "Time" ? "time" : names[i];
        table_.times = std::move(numbers);
      } else {
        table_.columns.push_back(column(names[i], i < descriptions.size() ? descriptions[i] : ""));
        table_.columns.back().values = std::move(numbers);
      }
    }
    return "";
  }

  // "angle [rad]"
  static ResultTable::Column column(const std::string& name, const std::string& description) {
    const std::size_t open = description.rfind('[');
    if (description.ends_with(']') && open != std::string::npos) {
      std::string text = description.substr(0, open);
      text.resize(text.find_last_not_of(' ') + 1);
      return {name, description.substr(open + 1, description.size() - open - 2), text, {}};
    }
    return {name, "", description, {}};
  }

  const MatMatrix* find(const std::string& name) const {
    const auto found = matrices_.find(name);
    return found == matrices_.end() ? nullptr : &found->second;
  }

  const std::string& name_;
  std::string_view rest_;
  std::map<std::string, MatMatrix> matrices_;
  bool is_transposed_ = false;
  ResultTable table_;
};

class MatWriter {
 public:
  explicit MatWriter(record::OutputFile& file) : file_(file) {}

  void head(const char* name, std::int32_t type, std::size_t rows, std::size_t columns) {
    const MatHead head{type, static_cast<std::int32_t>(rows), static_cast<std::int32_t>(columns), 0,
                       static_cast<std::int32_t>(std::strlen(name)) + 1};
    file_.write({reinterpret_cast<const char*>(&head), sizeof head});
    file_.write({name, std::strlen(name) + 1});
  }

  // Each text is a column.
  void texts(const char* name, const std::vector<std::string>& all) {
    std::size_t longest = 1;
    for (const std::string& text : all) {
      longest = std::max(longest, text.size());
    }
    head(name, kText, longest, all.size());
    for (const std::string& text : all) {
      file_.write(text);
      file_.write(std::string(longest - text.size(), '\0'));
    }
  }

  template <class T>
  void number(T value) {
    file_.write({reinterpret_cast<const char*>(&value), sizeof value});
  }

 private:
  record::OutputFile& file_;
};

// Each text is a row of a matrix that is stored by columns.
void write_class(MatWriter& writer) {
  constexpr std::array<std::string_view, 4> kLines{"Atrajectory", "1.1", "", "binTrans"};
  constexpr std::size_t kLength = 11;
  writer.head("Aclass", kText, kLines.size(), kLength);
  for (std::size_t k = 0; k < kLength; ++k) {
    for (const std::string_view line : kLines) {
      writer.number(k < line.size() ? line[k] : ' ');
    }
  }
}

std::string description_of(const ResultTable::Column& column) {
  return column.unit.empty()          ? column.description
         : column.description.empty() ? fmt::format("[{}]", column.unit)
                                      : fmt::format("{} [{}]", column.description, column.unit);
}

}  // namespace

Result<ResultTable> read_mat_table(const std::string& name, std::string_view bytes) {
  return MatReader(name, bytes).read();
}

Diagnostics write_mat_table(const ResultTable& table, const std::string& path) {
  Result<record::OutputFile> file = record::OutputFile::create(path);
  if (!file) {
    return std::move(file).error();
  }
  MatWriter writer(*file);
  write_class(writer);
  std::vector<std::string> names{table.abscissa};
  std::vector<std::string> descriptions{table.abscissa == "time" ? "Time in [s]" : ""};
  for (const ResultTable::Column& column : table.columns) {
    names.push_back(column.name);
    descriptions.push_back(description_of(column));
  }
  for (const NamedValue& parameter : table.parameters) {
    names.push_back(parameter.name);
    descriptions.emplace_back();
  }
  writer.texts("name", names);
  writer.texts("description", descriptions);
  // Of which matrix, which of its signals, interpolated by lines, and what is outside: nothing, or the same for ever.
  writer.head("dataInfo", kInteger, 4, names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_parameter = i > table.columns.size();
    writer.number(static_cast<std::int32_t>(i == 0 ? 0 : is_parameter ? 1 : 2));
    writer.number(static_cast<std::int32_t>(is_parameter ? i - table.columns.size() + 1 : i + 1));
    writer.number(std::int32_t{0});
    writer.number(static_cast<std::int32_t>(is_parameter ? 0 : -1));
  }
  // Parameters from the start to the end, with these times before them.
  writer.head("data_1", kDouble, table.parameters.size() + 1, 2);
  for (const double time :
       {table.times.empty() ? 0.0 : table.times.front(), table.times.empty() ? 0.0 : table.times.back()}) {
    writer.number(time);
    for (const NamedValue& parameter : table.parameters) {
      writer.number(parameter.value);
    }
  }
  writer.head("data_2", kDouble, table.columns.size() + 1, table.times.size());
  for (std::size_t row = 0; row < table.times.size() && file->ok(); ++row) {
    writer.number(table.times[row]);
    for (const ResultTable::Column& column : table.columns) {
      writer.number(column.values[row]);
    }
  }
  return file->commit();
}

}  // namespace saltus::api
