#include "record/csv_writer.hpp"

#include <charconv>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "saltus/visible_text.hpp"

namespace saltus::record {

bool is_plain_field(std::string_view text) {
  return text.find_first_of(",\"\n") == std::string_view::npos && is_visible_text(text);
}

std::string csv_field(std::string_view text) {
  std::string quoted = visible_text(text);
  if (is_plain_field(quoted)) {
    return quoted;
  }
  quoted = "\"";
  for (const char c : visible_text(text)) {
    if (c == '"') {
      quoted += '"';
    }
    quoted += c;
  }
  quoted += '"';
  return quoted;
}

Result<CsvWriter> CsvWriter::create(const std::string& path) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) {
    return Unexpected(std::move(file).error());
  }
  return CsvWriter(*std::move(file));
}

Result<CsvWriter> CsvWriter::go_on(const std::string& path, const OutputFile::Place& place,
                                   std::size_t n_columns) {
  Result<OutputFile> file = OutputFile::go_on(path, place);
  if (!file) {
    return Unexpected(std::move(file).error());
  }
  CsvWriter writer(*std::move(file));
  writer.n_columns_ = n_columns;
  return writer;
}

void CsvWriter::write_header(std::span<const Column> columns) {
  n_columns_ = columns.size();
  file_.write("time,segment,mode");
  for (const Column& column : columns) {
    file_.write(",");
    file_.write(csv_field(column.name));
  }
  file_.write("\n");
}

void CsvWriter::write(const Rows& rows) {
  if (rows.mode != mode_ || mode_field_.empty()) {
    mode_ = rows.mode;
    mode_field_ = ',' + csv_field(rows.mode);
  }
  // Fields are written in groups that fit what reserve() can give.
  constexpr std::size_t kGroup = OutputFile::kMaxReserve / (kMaxNumberLength + 1) - 4;
  for (std::size_t k = 0; k < rows.times.size(); ++k) {
    char* out = file_.reserve(3 * kMaxNumberLength);
    out = write_number(out, rows.times[k]);
    *out++ = ',';
    out = std::to_chars(out, out + kMaxNumberLength, rows.segment).ptr;
    file_.advance(out);
    file_.write(mode_field_);
    for (std::size_t v = 0; v < n_columns_; v += kGroup) {
      const std::size_t end = std::min(n_columns_, v + kGroup);
      out = file_.reserve((end - v) * (kMaxNumberLength + 1));
      for (std::size_t i = v; i < end; ++i) {
        *out++ = ',';
        const double value = rows.values[i * rows.stride + k];
        out = std::isnan(value) ? out : write_number(out, value);
      }
      file_.advance(out);
    }
    file_.write("\n");
  }
}

}  // namespace saltus::record
