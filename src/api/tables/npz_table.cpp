// Arrays of numpy in a zip archive that is not compressed (numpy.lib.format 1.0; APPNOTE of PKWARE, 4.3).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "api/tables/diagnostic_codes.hpp"
#include "api/tables/table_formats.hpp"
#include "base/utf8.hpp"
#include "record/output_file.hpp"

namespace saltus::api {
namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kCentralSignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::size_t kLocalSize = 30;
constexpr std::size_t kCentralSize = 46;
constexpr std::size_t kEndSize = 22;
// Sizes and places are numbers of 32 bits in archives without extensions.
constexpr std::uint64_t kMostArchive = 0xffffffffU;
constexpr std::string_view kNumpyMagic("\x93NUMPY\x01\x00", 8);

template <class T>
T read_at(std::string_view bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// CRC-32 of ISO 3309, reflected, as zip has it.
std::uint32_t crc_of(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) {
        c = (c & 1U) != 0 ? 0xedb88320U ^ (c >> 1U) : c >> 1U;
      }
      table[i] = c;
    }
    return table;
  }();
  std::uint32_t crc = 0xffffffffU;
  for (const char byte : bytes) {
    crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xffU] ^ (crc >> 8U);
  }
  return ~crc;
}

// An array as it stands in the file.
struct Array {
  std::string type;  // "<f8"
  std::vector<std::size_t> shape;
  bool is_by_columns = false;
  std::string_view bytes;

  [[nodiscard]] std::size_t size() const {
    std::size_t n = 1;
    for (const std::size_t extent : shape) {
      n *= extent;
    }
    return n;
  }
};

class ArchiveReader {
 public:
  ArchiveReader(const std::string& name, std::string_view bytes) : name_(name), bytes_(bytes) {}

  // What is wrong; empty: nothing.
  std::string read() {
    const std::optional<std::size_t> end = find_end();
    if (!end) {
      return "it is not a zip archive, or not whole";
    }
    const auto n = read_at<std::uint16_t>(bytes_, *end + 10);
    std::size_t at = read_at<std::uint32_t>(bytes_, *end + 16);
    for (std::size_t i = 0; i < n; ++i) {
      if (at + kCentralSize > bytes_.size() || read_at<std::uint32_t>(bytes_, at) != kCentralSignature) {
        return "its list of contents is damaged";
      }
      const std::size_t name_length = read_at<std::uint16_t>(bytes_, at + 28);
      const std::size_t next = at + kCentralSize + name_length + read_at<std::uint16_t>(bytes_, at + 30) +
                               read_at<std::uint16_t>(bytes_, at + 32);
      if (next > bytes_.size()) {
        return "its list of contents is damaged";
      }
      std::string entry(bytes_.substr(at + kCentralSize, name_length));
      if (const std::string problem = read_entry(at, entry); !problem.empty()) {
        return fmt::format("{}: {}", entry, problem);
      }
      at = next;
    }
    return "";
  }

  [[nodiscard]] const Array* find(const std::string& name) const {
    const auto found = arrays_.find(name + ".npy");
    return found == arrays_.end() ? nullptr : &found->second;
  }

 private:
  [[nodiscard]] std::optional<std::size_t> find_end() const {
    for (std::size_t at = bytes_.size() < kEndSize ? 0 : bytes_.size() - kEndSize + 1; at-- > 0;) {
      if (read_at<std::uint32_t>(bytes_, at) == kEndSignature) {
        return at;
      }
    }
    return std::nullopt;
  }

  std::string read_entry(std::size_t at, const std::string& entry) {
    const auto method = read_at<std::uint16_t>(bytes_, at + 10);
    const auto crc = read_at<std::uint32_t>(bytes_, at + 16);
    const std::size_t size = read_at<std::uint32_t>(bytes_, at + 24);
    const std::size_t local = read_at<std::uint32_t>(bytes_, at + 42);
    if (method != 0) {
      return "it is compressed; write it with numpy.savez, not savez_compressed";
    }
    if (local + kLocalSize > bytes_.size() || read_at<std::uint32_t>(bytes_, local) != kLocalSignature) {
      return "it is not where the list of contents says";
    }
    const std::size_t begin = local + kLocalSize + read_at<std::uint16_t>(bytes_, local + 26) +
                              read_at<std::uint16_t>(bytes_, local + 28);
    if (begin > bytes_.size() || size > bytes_.size() - begin) {
      return "it is not whole";
    }
    const std::string_view content = bytes_.substr(begin, size);
    if (crc_of(content) != crc) {
      return "it is damaged";
    }
    return entry.ends_with(".npy") ? read_array(content, arrays_[entry]) : "";
  }

  static std::string read_array(std::string_view content, Array& array) {
    if (content.size() < kNumpyMagic.size() + 2 || content.substr(0, kNumpyMagic.size()) != kNumpyMagic) {
      return "it is not an array of numpy's format 1.0";
    }
    const std::size_t length = read_at<std::uint16_t>(content, kNumpyMagic.size());
    const std::size_t begin = kNumpyMagic.size() + 2;
    if (begin + length > content.size()) {
      return "its head is not whole";
    }
    const std::string_view head = content.substr(begin, length);
    array.bytes = content.substr(begin + length);
    const auto value_of = [&](std::string_view key) {
      const std::size_t at = head.find(key);
      return at == std::string_view::npos ? std::string_view() : head.substr(at + key.size());
    };
    const std::string_view type = value_of("'descr': '");
    const std::string_view order = value_of("'fortran_order': ");
    std::string_view shape = value_of("'shape': (");
    if (type.empty() || order.empty() || shape.empty()) {
      return "its head is none of numpy's";
    }
    array.type = type.substr(0, type.find('\''));
    array.is_by_columns = order.starts_with("True");
    while (!shape.empty() && shape.front() != ')') {
      std::size_t extent = 0;
      const auto [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), extent);
      if (error == std::errc{}) {
        array.shape.push_back(extent);
        shape.remove_prefix(static_cast<std::size_t>(end - shape.data()));
      } else {
        shape.remove_prefix(1);  // commas and blanks
      }
    }
    return "";
  }

  const std::string& name_;
  std::string_view bytes_;
  std::map<std::string, Array> arrays_;
};

template <class T>
std::optional<std::vector<double>> numbers_of(const Array& array) {
  if (array.bytes.size() / sizeof(T) < array.size()) {
    return std::nullopt;
  }
  std::vector<double> found(array.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i] = static_cast<double>(read_at<T>(array.bytes, i * sizeof(T)));
  }
  return found;
}

std::optional<std::vector<double>> numbers_of(const Array* array) {
  return array == nullptr       ? std::nullopt
         : array->type == "<f8" ? numbers_of<double>(*array)
         : array->type == "<f4" ? numbers_of<float>(*array)
         : array->type == "<i8" ? numbers_of<std::int64_t>(*array)
         : array->type == "<i4" ? numbers_of<std::int32_t>(*array)
                                : std::nullopt;
}

void append_utf8(std::string& text, std::uint32_t c) {
  if (c < 0x80U) {
    text += static_cast<char>(c);
  } else if (c < 0x800U) {
    text += static_cast<char>(0xc0U | (c >> 6U));
    text += static_cast<char>(0x80U | (c & 0x3fU));
  } else if (c < 0x10000U) {
    text += static_cast<char>(0xe0U | (c >> 12U));
    text += static_cast<char>(0x80U | ((c >> 6U) & 0x3fU));
    text += static_cast<char>(0x80U | (c & 0x3fU));
  } else {
    text += static_cast<char>(0xf0U | (c >> 18U));
    text += static_cast<char>(0x80U | ((c >> 12U) & 0x3fU));
    text += static_cast<char>(0x80U | ((c >> 6U) & 0x3fU));
    text += static_cast<char>(0x80U | (c & 0x3fU));
  }
}

// "<U12": 12 characters of 4 bytes each, zeros behind them.
std::optional<std::vector<std::string>> texts_of(const Array* array) {
  if (array == nullptr || !array->type.starts_with("<U")) {
    return std::nullopt;
  }
  std::size_t length = 0;
  std::from_chars(array->type.data() + 2, array->type.data() + array->type.size(), length);
  if (length > 0 && array->bytes.size() / 4 / length < array->size()) {
    return std::nullopt;
  }
  std::vector<std::string> found(array->size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t k = 0; k < length; ++k) {
      const auto c = read_at<std::uint32_t>(array->bytes, 4 * (i * length + k));
      if (c == 0 || c > 0x10ffffU) {
        break;
      }
      append_utf8(found[i], c);
    }
  }
  return found;
}

std::vector<std::uint32_t> characters_of(const std::string& text) {
  std::vector<std::uint32_t> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    found.push_back(length == 0 ? 0xfffdU : utf8_code_point(text, at, length));
    at += std::max<std::size_t>(length, 1);
  }
  return found;
}

// "(3, 4)", "(3,)"
std::string array_head(const std::string& type, const std::vector<std::size_t>& shape) {
  std::string extents;
  for (const std::size_t extent : shape) {
    extents += fmt::format("{}, ", extent);
  }
  if (shape.size() > 1) {
    extents.resize(extents.size() - 2);
  } else if (shape.size() == 1) {
    extents.resize(extents.size() - 1);
  }
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, extents);
  // The numbers begin at a multiple of 64.
  constexpr std::size_t kAlignment = 64;
  const std::size_t length = kNumpyMagic.size() + 2 + dictionary.size() + 1;
  dictionary += std::string((kAlignment - length % kAlignment) % kAlignment, ' ') + "\n";
  std::string head(kNumpyMagic);
  append(head, static_cast<std::uint16_t>(dictionary.size()));
  return head + dictionary;
}

std::string text_array(const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  std::vector<std::vector<std::uint32_t>> all;
  for (const std::string& text : texts) {
    longest = std::max(longest, all.emplace_back(characters_of(text)).size());
  }
  std::string bytes = array_head(fmt::format("<U{}", longest), {texts.size()});
  for (std::vector<std::uint32_t>& text : all) {
    text.resize(longest);
    bytes.append(reinterpret_cast<const char*>(text.data()), 4 * longest);
  }
  return bytes;
}

template <class T, class Values>
std::string number_array(const std::string& type, const Values& values) {
  std::string bytes = array_head(type, {values.size()});
  for (const auto value : values) {
    append(bytes, static_cast<T>(value));
  }
  return bytes;
}

class ArchiveWriter {
 public:
  explicit ArchiveWriter(record::OutputFile& file) : file_(file) {}

  void add(const std::string& array, const std::string& content) {
    const std::string entry = array + ".npy";
    std::string common;
    append(common, std::uint16_t{20});  // version 2.0 of the format reads it
    append(common, std::uint16_t{0});   // flags
    append(common, std::uint16_t{0});   // not compressed
    append(common, std::uint16_t{0});   // no time …
    append(common,
           std::uint16_t{33});  // … on the first of January 1980, so that bytes do not depend on the clock
    append(common, crc_of(content));
    append(common, static_cast<std::uint32_t>(content.size()));
    append(common, static_cast<std::uint32_t>(content.size()));
    append(common, static_cast<std::uint16_t>(entry.size()));
    append(common, std::uint16_t{0});  // nothing besides
    std::string local;
    append(local, kLocalSignature);
    local += common + entry;
    append(central_, kCentralSignature);
    append(central_, std::uint16_t{20});
    central_ += common;
    append(central_, std::uint16_t{0});  // no comment
    append(central_, std::uint16_t{0});  // the first disk
    append(central_, std::uint16_t{0});
    append(central_, std::uint32_t{0});
    append(central_, static_cast<std::uint32_t>(place_));
    central_ += entry;
    ++n_entries_;
    file_.write(local);
    file_.write(content);
    place_ += local.size() + content.size();
  }

  void finish() {
    std::string end;
    append(end, kEndSignature);
    append(end, std::uint16_t{0});
    append(end, std::uint16_t{0});
    append(end, n_entries_);
    append(end, n_entries_);
    append(end, static_cast<std::uint32_t>(central_.size()));
    append(end, static_cast<std::uint32_t>(place_));
    append(end, std::uint16_t{0});
    file_.write(central_);
    file_.write(end);
  }

 private:
  record::OutputFile& file_;
  std::string central_;
  std::uint64_t place_ = 0;
  std::uint16_t n_entries_ = 0;
};

}  // namespace

Result<ResultTable> read_npz_table(const std::string& name, std::string_view bytes) {
  ArchiveReader archive(name, bytes);
  if (const std::string problem = archive.read(); !problem.empty()) {
    return wrong_file(name, problem);
  }
  const Array* const array = archive.find("values");
  const bool has_time = archive.find("time") != nullptr;
  const auto times = numbers_of(archive.find(has_time ? "time" : "run"));
  const auto names = texts_of(archive.find("names"));
  const auto values = numbers_of(array);
  if (!times || !names || !values || array->shape.size() != 2 || array->shape[0] != times->size() ||
      array->shape[1] != names->size()) {
    return wrong_file(name, "there are no arrays time, names and values that fit together");
  }
  ResultTable table;
  table.source = name;
  table.abscissa = has_time ? "time" : "run";
  table.times = *times;
  const std::size_t n_rows = times->size();
  const std::size_t n_columns = names->size();
  for (std::size_t k = 0; k < n_columns; ++k) {
    ResultTable::Column& column = table.columns.emplace_back();
    column.name = (*names)[k];
    column.values.resize(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
      column.values[row] = (*values)[array->is_by_columns ? k * n_rows + row : row * n_columns + k];
    }
  }
  if (const auto segments = numbers_of(archive.find("segment")); segments && segments->size() == n_rows) {
    table.segments.assign(segments->begin(), segments->end());
  }
  const auto mode_names = texts_of(archive.find("mode_names"));
  const auto modes = numbers_of(archive.find("mode"));
  if (mode_names && modes && modes->size() == n_rows) {
    table.mode_names = *mode_names;
    for (const double mode : *modes) {
      if (!(mode >= 0.0 && mode < static_cast<double>(mode_names->size()))) {
        return wrong_file(name, "a row has a mode that is not among mode_names");
      }
      table.modes.push_back(static_cast<std::size_t>(mode));
    }
  }
  return table;
}

Diagnostics write_npz_table(const ResultTable& table, const std::string& path) {
  const std::size_t n_rows = table.times.size();
  if (8 * (table.columns.size() + 4) * n_rows >= kMostArchive) {
    Diagnostics problems;
    problems.error(kUnknownResultFormat,
                   fmt::format("{}: {} rows of {} columns are too many for an .npz file of saltus", path,
                               n_rows, table.columns.size()),
                   std::nullopt, "a .mat file takes them");
    return problems;
  }
  Result<record::OutputFile> file = record::OutputFile::create(path);
  if (!file) {
    return std::move(file).error();
  }
  std::vector<std::string> names;
  for (const ResultTable::Column& column : table.columns) {
    names.push_back(column.name);
  }
  ArchiveWriter writer(*file);
  writer.add(table.abscissa, number_array<double>("<f8", table.times));
  if (!table.segments.empty()) {
    writer.add("segment", number_array<std::int64_t>("<i8", table.segments));
  }
  if (!table.modes.empty()) {
    writer.add("mode", number_array<std::int64_t>("<i8", table.modes));
    writer.add("mode_names", text_array(table.mode_names));
  }
  std::string values = array_head("<f8", {n_rows, table.columns.size()});
  for (std::size_t row = 0; row < n_rows; ++row) {
    for (const ResultTable::Column& column : table.columns) {
      append(values, column.values[row]);
    }
  }
  writer.add("values", values);
  writer.add("names", text_array(names));
  writer.finish();
  return file->commit();
}

}  // namespace saltus::api
