#include "base/build_id.hpp"

#ifdef __linux__
#include <link.h>
#endif

#include <string_view>

#include "base/byte_hash.hpp"

namespace saltus {
namespace {

#ifdef __linux__

struct Search {
  ByteHash hash;
  bool is_found = false;
};

// The object in which this function lies.
int look_at(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  const auto here = reinterpret_cast<std::uintptr_t>(&look_at);
  const auto begin_of = [info](const ElfW(Phdr) & part) { return info->dlpi_addr + part.p_vaddr; };
  bool is_it = false;
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    const ElfW(Phdr)& part = info->dlpi_phdr[k];
    is_it =
        is_it || (part.p_type == PT_LOAD && here >= begin_of(part) && here - begin_of(part) < part.p_memsz);
  }
  for (int k = 0; is_it && k < info->dlpi_phnum; ++k) {
    const ElfW(Phdr)& part = info->dlpi_phdr[k];
    if (part.p_type == PT_LOAD && (part.p_flags & (PF_R | PF_W)) == PF_R) {
      search.hash.add({reinterpret_cast<const char*>(begin_of(part)), part.p_filesz});
      search.is_found = true;
    }
  }
  return is_it ? 1 : 0;
}

#endif

std::uint64_t find_build_id() {
#ifdef __linux__
  Search search;
  dl_iterate_phdr(&look_at, &search);
  if (search.is_found) {
    return search.hash.value();
  }
#endif
  return hash_of(__VERSION__ " " __DATE__ " " __TIME__);
}

}  // namespace

std::uint64_t build_id() {
  static const std::uint64_t id = find_build_id();
  return id;
}

}  // namespace saltus
