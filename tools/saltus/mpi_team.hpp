/// Processes that mpirun started together, for a sweep.
///
/// Method       Under a launcher of MPI (its environment says so) the plugin is loaded: $SALTUS_MPI_PLUGIN, saltus_mpi.so beside the program, or
///              lib/saltus/saltus_mpi.so beside its folder. Otherwise nothing is loaded.
/// Contract     A process that ends without end(), however that comes, ends the others: the launcher sees to it. What the plugin cannot do is
///              thrown, and ends the process.
/// Checked by   tests/cli/mpi_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "saltus/result.hpp"
#include "saltus/sweep_team.hpp"
#include "saltus_mpi.hpp"

namespace saltus::tool {

class MpiTeam final : public SweepTeam {
 public:
  /// Null: this process is alone. The error: there are others, and no plugin to talk to them.
  [[nodiscard]] static Result<std::unique_ptr<MpiTeam>> join();

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  void send(int to, std::string_view bytes) override;
  [[nodiscard]] std::optional<Message> poll() override;
  /// Waits for all; the last call.
  void end();

 private:
  MpiTeam(const SaltusMpi& plugin, int rank, int size) : plugin_(plugin), rank_(rank), size_(size) {}

  const SaltusMpi& plugin_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace saltus::tool
