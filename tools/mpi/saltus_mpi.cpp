// The plugin for MPI: nothing but messages, so that the program does not depend on it (docs/decisions/0012-mpi-plugin.md).
#include "saltus_mpi.hpp"

#include <mpi.h>

#include <climits>

namespace {

int begin(int* rank, int* size) {
  int provided = 0;
  const int failed = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (failed != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED) {
    return failed != MPI_SUCCESS ? failed : MPI_ERR_OTHER;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  return 0;
}

int send(int to, const char* bytes, std::size_t n) {
  return n > INT_MAX ? MPI_ERR_COUNT : MPI_Send(bytes, static_cast<int>(n), MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

long probe(int* from) {
  int is_there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &is_there, &status);
  if (is_there == 0) {
    return -1;
  }
  int n = 0;
  MPI_Get_count(&status, MPI_BYTE, &n);
  *from = status.MPI_SOURCE;
  return n;
}

int receive(int from, char* bytes, std::size_t n) {
  return MPI_Recv(bytes, static_cast<int>(n), MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int end() {
  return MPI_Finalize();
}

constexpr SaltusMpi kTable{kSaltusMpiVersion, &begin, &send, &probe, &receive, &end};

}  // namespace

extern "C" __attribute__((visibility("default"))) const SaltusMpi* saltus_mpi() {
  return &kTable;
}
