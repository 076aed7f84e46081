// saltus: the command line. Every outcome becomes an exit code (console.hpp).

#include <cstdio>
#include <exception>
#include <new>

#include "command_line.hpp"
#include "console.hpp"

int main(int argc, char** argv) {
  using namespace saltus::tool;
  try {
    return run_command_line(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory [out-of-memory]\n", stderr);
    return kExitEndedEarly;
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "internal error: %s [internal-error]\n"
                 "  hint: this is a bug of saltus; please report it with the model and the command\n",
                 error.what());
    return kExitInternalError;
  }
}
