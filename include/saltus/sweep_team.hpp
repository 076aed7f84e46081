// Processes that share the runs of a sweep: one leads, the others take runs from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace saltus {

/// How they talk. Messages of one process to another arrive whole and in their order. Used by one thread of each process.
class SweepTeam {
 public:
  struct Message {
    int from = 0;
    std::string bytes;
  };
  SweepTeam() = default;
  SweepTeam(const SweepTeam&) = delete;
  SweepTeam& operator=(const SweepTeam&) = delete;
  virtual ~SweepTeam() = default;

  [[nodiscard]] virtual int rank() const = 0;  ///< from 0, which leads
  [[nodiscard]] virtual int size() const = 0;
  virtual void send(int to, std::string_view bytes) = 0;
  /// What has come; none: nothing yet. Does not wait.
  [[nodiscard]] virtual std::optional<Message> poll() = 0;
};

/// For a process that does not come to sweep(): tells the lead why, or, as the lead, sends the others home. sweep() does so by itself where it
/// returns an error.
void leave_team(SweepTeam& team, std::string_view why);

}  // namespace saltus
