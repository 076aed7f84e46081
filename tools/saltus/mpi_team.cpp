#include "mpi_team.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "diagnostic_codes.hpp"

namespace saltus::tool {
namespace {

// What launchers tell their processes: OpenMPI; MPICH, Intel MPI and others with its process manager.
constexpr const char* kVariablesWithSize[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};

int launched_together() {
  for (const char* name : kVariablesWithSize) {
    if (const char* const text = std::getenv(name)) {
      const std::string_view digits(text);
      int n = 1;
      std::from_chars(digits.data(), digits.data() + digits.size(), n);
      return n;
    }
  }
  return 1;
}

std::vector<std::string> places_of_plugin() {
  if (const char* const given = std::getenv("SALTUS_MPI_PLUGIN")) {
    return {given};
  }
  std::error_code unknown;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  return {(folder / "saltus_mpi.so").string(), (folder / "../lib/saltus/saltus_mpi.so").string()};
}

void expect_success(int code, const char* what) {
  if (code != 0) {
    throw std::runtime_error(fmt::format("MPI cannot {} (error {})", what, code));
  }
}

}  // namespace

Result<std::unique_ptr<MpiTeam>> MpiTeam::join() {
  const int n = launched_together();
  if (n < 2) {
    return std::unique_ptr<MpiTeam>();
  }
  std::string why;
  for (const std::string& path : places_of_plugin()) {
    // Global: parts of MPI are plugins themselves, and look for its symbols. Never closed: MPI ends with the process.
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      const char* const text = ::dlerror();
      why += (why.empty() ? "" : "; ") + std::string(text == nullptr ? path : text);
      continue;
    }
    const auto table = reinterpret_cast<SaltusMpiTable>(::dlsym(library, kSaltusMpiSymbol));
    const SaltusMpi* const plugin = table == nullptr ? nullptr : table();
    if (plugin == nullptr || plugin->version != kSaltusMpiVersion) {
      why += (why.empty() ? "" : "; ") + path + " is not the plugin of this version";
      continue;
    }
    int rank = 0;
    int size = 1;
    expect_success(plugin->begin(&rank, &size), "begin");
    return std::unique_ptr<MpiTeam>(new MpiTeam(*plugin, rank, size));
  }
  Diagnostics problems;
  problems.error(
      kNoMpiPlugin,
      fmt::format("{} processes were started together, and the plugin for MPI is not there: {}", n, why),
      std::nullopt, "build saltus where MPI is installed (libopenmpi-dev), or start one process");
  return Unexpected(std::move(problems));
}

void MpiTeam::send(int to, std::string_view bytes) {
  expect_success(plugin_.send(to, bytes.data(), bytes.size()), "send");
}

std::optional<SweepTeam::Message> MpiTeam::poll() {
  Message message;
  const long n = plugin_.probe(&message.from);
  if (n < 0) {
    return std::nullopt;
  }
  message.bytes.resize(static_cast<std::size_t>(n));
  expect_success(plugin_.receive(message.from, message.bytes.data(), message.bytes.size()), "receive");
  return message;
}

void MpiTeam::end() {
  expect_success(plugin_.end(), "end");
}

}  // namespace saltus::tool
