#include "base/csv_text.hpp"

#include <utility>

namespace saltus {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
      text_.remove_prefix(kByteOrderMark.size());
    }
  }

  std::variant<std::vector<CsvRow>, CsvProblem> run() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      CsvRow row{.line = line_, .cells = {}};
      if (!read_row(row)) {
        return problem_;
      }
      if (row.cells.size() > 1 || !row.cells[0].empty()) {
        rows.push_back(std::move(row));
      }
    }
    return rows;
  }

 private:
  // Up to and with the end of the line.
  bool read_row(CsvRow& row) {
    while (true) {
      skip_blanks();
      std::string cell;
      const bool is_quoted = at_ < text_.size() && text_[at_] == '"';
      if (is_quoted && !read_quoted(cell)) {
        return false;
      }
      if (!is_quoted) {
        read_plain(cell);
      }
      row.cells.push_back(std::move(cell));
      if (at_ == text_.size()) {
        return true;
      }
      const char end = text_[at_++];
      if (end == '\n') {
        ++line_;
        return true;
      }
    }
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) {
      ++at_;
    }
  }

  void read_plain(std::string& cell) {
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n') {
      cell += text_[at_++];
    }
    while (!cell.empty() && is_blank(cell.back())) {
      cell.pop_back();
    }
  }

  bool read_quoted(std::string& cell) {
    const int begin = line_;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"' && text_.substr(at_ + 1, 1) != "\"") {
        ++at_;
        skip_blanks();
        if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n') {
          problem_ = {line_, "something follows the closing quote of a cell"};
          return false;
        }
        return true;
      }
      at_ += text_[at_] == '"' ? 1 : 0;
      line_ += text_[at_] == '\n' ? 1 : 0;
      cell += text_[at_];
    }
    problem_ = {begin, "the quoted cell that begins here does not end"};
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  CsvProblem problem_;
};

}  // namespace

std::variant<std::vector<CsvRow>, CsvProblem> read_csv(std::string_view text) {
  return Reader(text).run();
}

}  // namespace saltus
