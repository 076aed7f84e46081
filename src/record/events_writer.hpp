/// events.csv: `time,segment,kind,from,to,guard,detail`, one line for each thing that happened, written as it happens.
///
/// Contract   numbers and quoting as in trajectory.csv (csv_writer.hpp)
/// Checked by tests/unit/record/events_writer_test.cpp
#pragma once

#include <span>
#include <string>

#include "record/output_file.hpp"
#include "record/rows.hpp"

namespace saltus::record {

class EventsWriter {
 public:
  /// Opens the file and writes the header, with a column more for each parameter that the times of events are differentiated by.
  [[nodiscard]] static Result<EventsWriter> create(const std::string& path,
                                                   std::span<const std::string> parameters = {});

  /// OutputFile::go_on().
  [[nodiscard]] static Result<EventsWriter> go_on(const std::string& path, const OutputFile::Place& place);
  [[nodiscard]] std::optional<OutputFile::Place> keep() { return file_.keep(); }

  void write(const EventRow& event);
  [[nodiscard]] bool ok() const { return file_.ok(); }
  [[nodiscard]] Diagnostics commit() { return file_.commit(); }

 private:
  explicit EventsWriter(OutputFile file) : file_(std::move(file)) {}
  void write_text(std::string_view text);

  OutputFile file_;
};

}  // namespace saltus::record
