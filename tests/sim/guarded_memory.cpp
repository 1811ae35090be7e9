// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "guarded_memory.h"

#include <sys/mman.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <new>

namespace patchbay::sim {

/// The mapping of a block. Ranges are kept for ever and used again, so that the handler can walk
/// along them at any time.
struct Range {
  std::atomic<std::uintptr_t> begin{0}, end{0};  // 0: free
  std::atomic<bool> is_open{false};              // whether a guard is
  Range* next = nullptr;
};

namespace {

constexpr std::uint64_t kPageBytes = 4096, kGuardBytes = 16 * kPageBytes, kAlignment = 16;

std::atomic<Range*> ranges{nullptr};
std::mutex ranges_mutex;  // over changes
struct sigaction others;  // what handles faults that are none of ours

/// Whether this thread runs a kernel, and whether that touched a guard.
thread_local bool is_watching = false, has_touched = false;

void protect_guards(const Range& range, int access) {
  mprotect(reinterpret_cast<void*>(range.begin.load()), kGuardBytes, access);
  mprotect(reinterpret_cast<void*>(range.end - kGuardBytes), kGuardBytes, access);
}

/// Opens the guards around the address, so that the kernel goes on; false if there are none.
bool open_guards(std::uintptr_t address) {
  for (Range* range = ranges; range != nullptr; range = range->next) {
    if (address < range->begin || address >= range->end) continue;
    range->is_open = true;
    protect_guards(*range, PROT_READ | PROT_WRITE);
    return true;
  }
  return false;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (is_watching && open_guards(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
    has_touched = true;
    return;
  }
  if ((others.sa_flags & SA_SIGINFO) != 0) return others.sa_sigaction(signal, info, context);
  if (others.sa_handler != SIG_DFL && others.sa_handler != SIG_IGN) {
    return others.sa_handler(signal);
  }
  sigaction(SIGSEGV, &others, nullptr);  // the access is tried again, and ends the process
}

void install_handler() {
  static const bool once = [] {
    struct sigaction ours {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_NODEFER;
    return sigaction(SIGSEGV, &ours, &others) == 0;
  }();
  static_cast<void>(once);
}

Range* add_range(std::uintptr_t begin, std::uintptr_t end) {
  const std::lock_guard lock(ranges_mutex);
  Range* range = ranges;
  while (range != nullptr && range->end != 0) range = range->next;
  if (range == nullptr) {
    range = new Range;
    range->next = ranges;
    ranges = range;
  }
  range->is_open = false;
  range->begin = begin;
  range->end = end;
  return range;
}

}  // namespace

GuardedMemory::GuardedMemory(std::uint64_t size_bytes) {
  const std::uint64_t inside = (size_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  mapped_bytes_ = inside + 2 * kGuardBytes;
  void* const mapping =
      mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<std::byte*>(mapping);
  if (mprotect(mapping_ + kGuardBytes, inside, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapping_, mapped_bytes_);
    throw std::bad_alloc();
  }
  const std::uint64_t whole = (size_bytes + kAlignment - 1) / kAlignment * kAlignment;
  data_ = mapping_ + kGuardBytes + inside - whole;
  const auto begin = reinterpret_cast<std::uintptr_t>(mapping_);
  range_ = add_range(begin, begin + mapped_bytes_);
}

GuardedMemory::~GuardedMemory() {
  {
    const std::lock_guard lock(ranges_mutex);
    range_->begin = range_->end = 0;
  }
  munmap(mapping_, mapped_bytes_);
}

void watch_guards() {
  install_handler();
  has_touched = false;
  is_watching = true;
}

bool end_watching_guards() {
  is_watching = false;
  if (!has_touched) return false;
  const std::lock_guard lock(ranges_mutex);  // no range goes
  for (Range* range = ranges; range != nullptr; range = range->next) {
    if (range->end != 0 && range->is_open.exchange(false)) protect_guards(*range, PROT_NONE);
  }
  return true;
}

}  // namespace patchbay::sim
