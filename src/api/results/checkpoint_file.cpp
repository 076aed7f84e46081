#include "api/results/checkpoint_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/read_file.hpp"
#include "base/archive.hpp"
#include "base/build_id.hpp"
#include "base/byte_hash.hpp"
#include "record/whole_file.hpp"

namespace saltus::api {
namespace {

constexpr std::string_view kFirstLine = "saltus checkpoint 1\n";
// Differences that are told: options that somebody has changed, not all parameters of a model.
constexpr std::size_t kMostDifferences = 5;

Unexpected<Diagnostics> refused(DiagnosticCode code, const std::string& path, std::string_view why,
                                std::string hint = {}) {
  Diagnostics problems;
  problems.error(code, fmt::format("'{}' {}", path, why), std::nullopt, std::move(hint));
  return Unexpected(std::move(problems));
}

void body_fields(Archive& a, Checkpoint& checkpoint) {
  a(checkpoint.identity, checkpoint.ending, checkpoint.time, checkpoint.state, checkpoint.sink);
}

}  // namespace

Diagnostics write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  Archive a;
  std::uint64_t build = build_id();
  a(build);
  Checkpoint copy = checkpoint;
  body_fields(a, copy);
  std::string bytes(kFirstLine);
  bytes += a.saved();
  const std::uint64_t hash = hash_of(bytes);
  bytes.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  return record::replace_file(path, bytes);
}

Result<Checkpoint> read_checkpoint(const std::string& path) {
  const Result<std::string> read = read_file(path, "a checkpoint", std::numeric_limits<std::size_t>::max());
  if (!read) {
    return Unexpected(read.error());
  }
  const std::string_view bytes = *read;
  if (bytes.substr(0, kFirstLine.size()) != kFirstLine) {
    return refused(kCheckpointDamaged, path, "is not a checkpoint");
  }
  std::uint64_t hash = 0;
  std::uint64_t build = 0;
  if (bytes.size() < kFirstLine.size() + sizeof build + sizeof hash) {
    return refused(kCheckpointDamaged, path, "is not whole");
  }
  const std::string_view body = bytes.substr(0, bytes.size() - sizeof hash);
  std::memcpy(&hash, bytes.data() + body.size(), sizeof hash);
  if (hash != hash_of(body)) {
    return refused(kCheckpointDamaged, path, "is damaged or not whole");
  }
  Archive a(body.substr(kFirstLine.size()));
  a(build);
  if (build != build_id()) {
    return refused(kCheckpointMismatch, path, "was written by another build of saltus",
                   "a run goes on with the program that began it");
  }
  Checkpoint checkpoint;
  body_fields(a, checkpoint);
  if (!a.ok() || !a.is_at_end()) {
    return refused(kCheckpointDamaged, path, "is damaged: " + a.problem());
  }
  return checkpoint;
}

Diagnostics close_checkpoint(const std::string& path, const SimulationResult& result) {
  const Result<Checkpoint> last = read_checkpoint(path);
  Diagnostics problems =
      last ? write_checkpoint(path, {last->identity,
                                     fmt::format("{} at time {}{}{}", to_string(result.status), result.end,
                                                 result.message.empty() ? "" : ", ", result.message),
                                     result.end, "", ""})
           : last.error();
  Diagnostics warnings;
  for (const Diagnostic& item : problems.items()) {
    warnings.warning(DiagnosticCode{item.code}, item.message, std::nullopt, item.hint);
  }
  return warnings;
}

Diagnostics check_fits(const std::string& path, const Checkpoint& checkpoint, const RunIdentity& now) {
  Diagnostics problems;
  if (!checkpoint.ending.empty()) {
    problems.error(kCheckpointFinished, fmt::format("the run of '{}' is over: {}", path, checkpoint.ending));
    return problems;
  }
  const std::vector<std::string> found = differences(now, checkpoint.identity);
  for (std::size_t k = 0; k < std::min(found.size(), kMostDifferences); ++k) {
    problems.error(kCheckpointMismatch, fmt::format("'{}' is of another run: {}", path, found[k]),
                   std::nullopt,
                   k == 0 ? "a run goes on with the model and the options with which it began; limits "
                            "(--max-…) may be others"
                          : "");
  }
  return problems;
}

}  // namespace saltus::api
