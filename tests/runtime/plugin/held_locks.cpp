// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "runtime/plugin/held_locks.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace patchbay::faults {
namespace {

/// Where the library's code is. Found before main: the program is linked with it.
struct Range {
  std::uintptr_t begin = 0, end = 0;
};
constinit Range library;
constinit thread_local std::array<const void*, 64> held{};
constinit thread_local std::size_t num_held = 0;
constinit std::atomic<long> num_taken{0};

int find_library(dl_phdr_info* info, std::size_t, void*) {
  if (std::strstr(info->dlpi_name, "/libpatchbay.so") == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    library.begin = info->dlpi_addr + part.p_vaddr;
    library.end = library.begin + part.p_memsz;
  }
  return 1;
}

[[gnu::constructor]] void find_library_first() { dl_iterate_phdr(find_library, nullptr); }

/// Whether the library calls; `caller` is a return address.
bool is_librarys(void* caller) {
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  return at >= library.begin && at < library.end;
}

void note_taken(const void* lock) {
  if (num_held == held.size()) std::abort();
  held[num_held++] = lock;
  ++num_taken;
}

/// Of any caller: the library may jump here, and the return address is then its own caller's.
void note_released(const void* lock) {
  for (std::size_t i = num_held; i-- > 0;) {
    if (held[i] != lock) continue;
    held[i] = held[--num_held];
    return;
  }
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

std::size_t num_held_locks() { return num_held; }
long num_taken_locks() { return num_taken; }

}  // namespace patchbay::faults

template <class Lock>
using LockFunction = int(Lock*);

#define PATCHBAY_TAKES(function, type)                                                        \
  extern "C" __attribute__((visibility("default"))) int function(type* lock) noexcept {       \
    static constinit std::atomic<LockFunction<type>*> real{nullptr};                          \
    if (real.load() == nullptr) real = patchbay::faults::next<LockFunction<type>>(#function); \
    const int result = real.load()(lock);                                                     \
    if (result == 0 && patchbay::faults::is_librarys(__builtin_return_address(0))) {          \
      patchbay::faults::note_taken(lock);                                                     \
    }                                                                                         \
    return result;                                                                            \
  }
#define PATCHBAY_RELEASES(function, type)                                                     \
  extern "C" __attribute__((visibility("default"))) int function(type* lock) noexcept {       \
    static constinit std::atomic<LockFunction<type>*> real{nullptr};                          \
    if (real.load() == nullptr) real = patchbay::faults::next<LockFunction<type>>(#function); \
    patchbay::faults::note_released(lock);                                                    \
    return real.load()(lock);                                                                 \
  }

PATCHBAY_TAKES(pthread_mutex_lock, pthread_mutex_t)
PATCHBAY_TAKES(pthread_mutex_trylock, pthread_mutex_t)
PATCHBAY_TAKES(pthread_rwlock_rdlock, pthread_rwlock_t)
PATCHBAY_TAKES(pthread_rwlock_wrlock, pthread_rwlock_t)
PATCHBAY_RELEASES(pthread_mutex_unlock, pthread_mutex_t)
PATCHBAY_RELEASES(pthread_rwlock_unlock, pthread_rwlock_t)
