#include "record/events_writer.hpp"

#include <charconv>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "record/csv_writer.hpp"

namespace saltus::record {

Result<EventsWriter> EventsWriter::create(const std::string& path, std::span<const std::string> parameters) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) {
    return Unexpected(std::move(file).error());
  }
  EventsWriter writer(*std::move(file));
  writer.file_.write("time,segment,kind,from,to,guard,detail");
  for (const std::string& parameter : parameters) {
    writer.write_text("d(time)/d(" + parameter + ")");
  }
  writer.file_.write("\n");
  return writer;
}

Result<EventsWriter> EventsWriter::go_on(const std::string& path, const OutputFile::Place& place) {
  Result<OutputFile> file = OutputFile::go_on(path, place);
  if (!file) {
    return Unexpected(std::move(file).error());
  }
  return EventsWriter(*std::move(file));
}

void EventsWriter::write_text(std::string_view text) {
  file_.write(",");
  if (is_plain_field(text)) {
    file_.write(text);
  } else {
    file_.write(csv_field(text));
  }
}

void EventsWriter::write(const EventRow& event) {
  char* out = file_.reserve(3 * kMaxNumberLength);
  out = write_number(out, event.time);
  *out++ = ',';
  out = std::to_chars(out, out + kMaxNumberLength, event.segment).ptr;
  file_.advance(out);
  write_text(event.kind);
  write_text(event.from);
  write_text(event.to);
  write_text(event.guard);
  write_text(event.detail);
  for (const double value : event.sensitivities) {
    out = file_.reserve(kMaxNumberLength + 1);
    *out++ = ',';
    file_.advance(std::isnan(value) ? out : write_number(out, value));
  }
  file_.write("\n");
}

}  // namespace saltus::record
