#include "memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace saltus::tool {
namespace {

// The rest is for everything else on the machine, and for pages that no limit counts.
constexpr double kPartOfMemory = 0.8;

// A number in a file of the kernel; 0: there is none ("max").
double number_in(const char* path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "r"), &std::fclose);
  double number = 0.0;
  return file != nullptr && std::fscanf(file.get(), "%lf", &number) == 1 ? number : 0.0;
}

double available_memory() {
  double bytes =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    const double limit = number_in(path);
    bytes = limit > 0.0 ? std::min(bytes, limit) : bytes;
  }
  return bytes;
}

// Sanitizers reserve terabytes of addresses.
constexpr bool is_sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
  return true;
#else
  return false;
#endif
#else
  return false;
#endif
}

}  // namespace

void limit_memory() {
  const double bytes = kPartOfMemory * available_memory();
  struct rlimit limit = {};
  if (is_sanitized() || !(bytes > 0.0) || ::getrlimit(RLIMIT_DATA, &limit) != 0) {
    return;
  }
  const auto wanted = static_cast<rlim_t>(bytes);
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > wanted) {
    limit.rlim_cur = wanted;
    (void)::setrlimit(RLIMIT_DATA, &limit);
  }
}

}  // namespace saltus::tool
