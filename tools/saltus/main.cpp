// saltus: the command line. Every outcome becomes an exit code (console.hpp).

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "command_line.hpp"
#include "console.hpp"
#include "memory_limit.hpp"
#include "saltus/visible_text.hpp"

int main(int argc, char** argv) {
  using namespace saltus::tool;
  limit_memory();
  // Beyond the limit of a file's size (ulimit -f) a write is an error like that of a full disk, and is reported as one.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run_command_line(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("error: the memory does not suffice [out-of-memory]\n", stderr);
    return kExitEndedEarly;
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "internal error: %s [internal-error]\n"
                 "  hint: this is a bug of saltus; please report it with the model and the command\n",
                 saltus::visible_text(error.what()).c_str());
    return kExitInternalError;
  }
}
