/// How loops over slabs are compiled: for vectors of every width of the machine.
#pragma once

// No iteration of a loop over a slab reads what another one writes (contract of slab_program.hpp).
#if defined(__clang__)
#define SALTUS_INDEPENDENT_LOOP _Pragma("clang loop vectorize(assume_safety)")
// A permission, not a demand: loops that call the mathematics library stay scalar, and that is no news.
#pragma clang diagnostic ignored "-Wpass-failed"
#elif defined(__GNUC__)
#define SALTUS_INDEPENDENT_LOOP _Pragma("GCC ivdep")
#else
#define SALTUS_INDEPENDENT_LOOP
#endif

// On x86-64 the same loops are also compiled for wider vectors and chosen when the program starts. Results are the
// same in every bit: the loops are element by element, and fused multiply-add is not among the instructions allowed.
// Clang 14 emits clones under their own names only, so a function with clones is called within this file.
// Sanitizers are not ready when the choice is made.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SALTUS_SANITIZED 1
#elif defined(__has_feature)
#define SALTUS_SANITIZED \
  (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer))
#else
#define SALTUS_SANITIZED 0
#endif
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !SALTUS_SANITIZED
#define SALTUS_WIDEST_VECTORS __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define SALTUS_WIDEST_VECTORS
#endif

// A kernel becomes part of the function that is cloned, and so is compiled for each vector length.
#if defined(__GNUC__)
#define SALTUS_KERNEL __attribute__((always_inline)) inline
#else
#define SALTUS_KERNEL inline
#endif
