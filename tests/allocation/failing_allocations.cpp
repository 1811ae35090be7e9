// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "failing_allocations.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <cerrno>
#include <iterator>
#include <new>

#include "support/runtime_fixture.h"

namespace {

/// How many allocations go well before the one that fails; negative: none fails.
constinit std::atomic<std::int64_t> left{-1};
constinit std::atomic<bool> failed{false};
constinit std::atomic<bool> has_no_threads{false};

/// Where drivers and vendors' libraries lie, simulated or not, whose own memory is not the subject.
struct Range {
  std::uintptr_t begin = 0, end = 0;
};
std::array<Range, 32> spared;
constexpr const char* kDrivers[] = {"libpatchbay_sim_", "libcuda.so", "libcublas", "libcudnn",
                                    "libnv"};

int note_driver(dl_phdr_info* library, std::size_t, void* count) {
  std::size_t& next = *static_cast<std::size_t*>(count);
  if (std::none_of(std::begin(kDrivers), std::end(kDrivers), [&](const char* name) {
        return std::strstr(library->dlpi_name, name) != nullptr;
      })) {
    return 0;
  }
  for (int i = 0; i < library->dlpi_phnum && next < spared.size(); ++i) {
    const auto& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = library->dlpi_addr + segment.p_vaddr;
    spared[next++] = {begin, begin + segment.p_memsz};
  }
  return 0;
}

bool is_spared(const void* caller) {
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  return std::any_of(spared.begin(), spared.end(),
                     [at](const Range& range) { return range.begin <= at && at < range.end; });
}

// Unused below sanitizers, which have allocators of their own.
[[maybe_unused]] bool fails(const void* caller) {
  if (left.load(std::memory_order_relaxed) < 0 || is_spared(caller)) return false;
  if (left.fetch_sub(1, std::memory_order_relaxed) != 0) return false;
  failed.store(true);
  errno = ENOMEM;
  return true;
}

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// The program's own come before the C library's everywhere.
extern "C" {
#define PATCHBAY_CALLER __builtin_extract_return_addr(__builtin_return_address(0))
#define PATCHBAY_REPLACED __attribute__((visibility("default")))
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

PATCHBAY_REPLACED int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                     void* (*body)(void*), void* user) noexcept {
  static const auto real =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return has_no_threads.load() ? EAGAIN : real(thread, attributes, body, user);
}
PATCHBAY_REPLACED void* malloc(std::size_t size) noexcept {
  return fails(PATCHBAY_CALLER) ? nullptr : __libc_malloc(size);
}
PATCHBAY_REPLACED void* calloc(std::size_t count, std::size_t size) noexcept {
  return fails(PATCHBAY_CALLER) ? nullptr : __libc_calloc(count, size);
}
PATCHBAY_REPLACED void* realloc(void* block, std::size_t size) noexcept {
  return size != 0 && fails(PATCHBAY_CALLER) ? nullptr : __libc_realloc(block, size);
}
PATCHBAY_REPLACED void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return fails(PATCHBAY_CALLER) ? nullptr : __libc_memalign(alignment, size);
}
PATCHBAY_REPLACED void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return fails(PATCHBAY_CALLER) ? nullptr : __libc_memalign(alignment, size);
}
PATCHBAY_REPLACED int posix_memalign(void** block, std::size_t alignment,
                                     std::size_t size) noexcept {
  *block = fails(PATCHBAY_CALLER) ? nullptr : __libc_memalign(alignment, size);
  return *block != nullptr ? 0 : ENOMEM;
}
}
// So that their callers are known.
PATCHBAY_REPLACED void* operator new(std::size_t size) {
  void* const block = fails(PATCHBAY_CALLER) ? nullptr : __libc_malloc(size);
  return block != nullptr ? block : throw std::bad_alloc();
}
PATCHBAY_REPLACED void* operator new[](std::size_t size) {
  void* const block = fails(PATCHBAY_CALLER) ? nullptr : __libc_malloc(size);
  return block != nullptr ? block : throw std::bad_alloc();
}
PATCHBAY_REPLACED void operator delete(void* block) noexcept { std::free(block); }
PATCHBAY_REPLACED void operator delete[](void* block) noexcept { std::free(block); }
PATCHBAY_REPLACED void operator delete(void* block, std::size_t) noexcept { std::free(block); }
PATCHBAY_REPLACED void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
#endif

namespace patchbay::test {

FailingAllocation::FailingAllocation(std::int64_t number) {
  failed.store(false);
  std::size_t count = 0;
  dl_iterate_phdr(note_driver, &count);
  left.store(number - 1);
}
FailingAllocation::~FailingAllocation() { left.store(-1); }

FailingThreads::FailingThreads() { has_no_threads.store(true); }
FailingThreads::~FailingThreads() { has_no_threads.store(false); }

bool FailingAllocation::has_failed() const { return failed.load(); }

bool can_fail_allocations() { return !kSanitized; }

}  // namespace patchbay::test
