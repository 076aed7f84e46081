/// What the program asks of the plugin for MPI: messages between processes. All calls come from the thread that called begin().
#pragma once

#include <cstddef>

/// Of the table; the program takes no other.
inline constexpr int kSaltusMpiVersion = 1;

extern "C" {

struct SaltusMpi {
  int version;
  /// 0: all is well, as of all others but probe.
  int (*begin)(int* rank, int* size);
  int (*send)(int to, const char* bytes, std::size_t n);
  /// The length of a message that has come, and whose it is; -1: none. Does not wait.
  long (*probe)(int* from);
  int (*receive)(int from, char* bytes, std::size_t n);
  /// Waits for all processes. Without it the launcher ends the others when this one ends.
  int (*end)();
};

using SaltusMpiTable = const SaltusMpi* (*)();

}  // extern "C"

/// The one symbol of the plugin, a SaltusMpiTable.
inline constexpr const char* kSaltusMpiSymbol = "saltus_mpi";
