// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/copy/host_copier.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/base/cancellation.h"
#include "core/base/error.h"
#include "core/base/quiet_thread.h"
#include "core/runtime/copy/links.h"
#include "core/runtime/plugin/loader.h"

namespace patchbay::runtime {
namespace {

constexpr std::size_t kLeastPartBytes = std::size_t{512} << 10;

/// Where there are few processors, one of them moves all that the memory can.
std::size_t default_threads() {
  constexpr int kMost = 4, kProcessorsForEach = 2;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return kMost;  // over 1024 processors
  return static_cast<std::size_t>(std::clamp(CPU_COUNT(&allowed) / kProcessorsForEach, 1, kMost));
}

std::size_t threads_of(const base::Environment& environment) {
  constexpr std::size_t kMost = 64;
  const std::string value = environment.get("copy_threads").value_or("");
  if (value.empty()) return default_threads();
  std::size_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [rest, failure] = std::from_chars(value.data(), end, number);
  if (failure != std::errc() || rest != end || number == 0 || number > kMost) {
    base::raise(ErrorCode::kInvalidArgument,
                "[Runtime] bad setting 'copy_threads': expected 1 to {}, got {}. Correct "
                "PATCHBAY_COPY_THREADS or RuntimeOptions::settings.",
                kMost, base::quote(value));
  }
  return number;
}

bool are_disjoint(const void* a, const void* b, std::size_t size_bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(a);
  const auto second = reinterpret_cast<std::uintptr_t>(b);
  return std::max(first, second) - std::min(first, second) >= size_bytes;
}

}  // namespace

HostCopier::HostCopier(const ThreadPool& lent, const base::Environment& environment)
    : lent_(lent), num_threads_(threads_of(environment)) {}

std::size_t HostCopier::chunk_bytes(bool has_host_leg) const {
  return has_host_leg && shares() ? kLeastSharedBytes : Links::kDefaultChunkBytes;
}

HostCopier::~HostCopier() {
  const base::CancellationOff not_cancelled;
  if (process_is_ending()) {
    for (std::thread& thread : threads_) thread.detach();
    return;
  }
  {
    const std::scoped_lock lock(mutex_);
    stops_ = true;
    has_parts_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

void HostCopier::Job::copy_part(std::size_t part) const {
  const std::size_t at = part * part_bytes;
  std::memcpy(to + at, from + at, std::min(part_bytes, size_bytes - at));
}

void HostCopier::copy(void* to, const void* from, std::size_t size_bytes) {
  const bool is_large = shares() && size_bytes >= kLeastSharedBytes;
  if (is_large && are_disjoint(to, from, size_bytes)) {
    // Parts of equal size, some for each thread, because threads do not run equally fast.
    const std::size_t num_parts = std::min<std::size_t>(size_bytes / kLeastPartBytes, 16);
    const std::size_t part_bytes = ((size_bytes - 1) / num_parts / 64 + 1) * 64;
    const Job job{static_cast<std::byte*>(to), static_cast<const std::byte*>(from), size_bytes,
                  part_bytes, (size_bytes - 1) / part_bytes + 1};
    if (lends_threads()) {
      return lent_.parallel_for(job.num_parts, [&job](std::size_t part) { job.copy_part(part); });
    }
    if (share(job)) return;
  }
  std::memmove(to, from, size_bytes);
}

/// Among the copier's own threads. False if they are busy, or none could start.
bool HostCopier::share(const Job& job) {
  const base::CancellationOff not_cancelled;
  const std::unique_lock turn(turn_, std::try_to_lock);
  if (!turn) return false;
  std::unique_lock lock(mutex_);
  if (!has_started_) start_threads();
  if (threads_.empty()) return false;
  job_ = job;
  next_part_ = num_done_ = 0;
  has_parts_.notify_all();
  take_parts(lock);
  is_done_.wait(lock, [this] { return num_done_ == job_.num_parts; });
  job_ = {};
  return true;
}

/// The caller holds the mutex. Without threads, copies are made by their callers.
void HostCopier::start_threads() {
  has_started_ = true;
  try {
    const std::size_t wanted = num_threads_ - 1;
    threads_.reserve(wanted);
    while (threads_.size() < wanted) {
      threads_.push_back(base::start_quiet_thread("copy", [this] { help(); }));
    }
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): fewer are enough
  }
}

void HostCopier::help() {
  std::unique_lock lock(mutex_);
  for (;;) {
    has_parts_.wait(lock, [this] { return stops_ || next_part_ < job_.num_parts; });
    if (stops_) return;
    take_parts(lock);
  }
}

void HostCopier::take_parts(std::unique_lock<std::mutex>& lock) {
  while (next_part_ < job_.num_parts) {
    const Job job = job_;
    const std::size_t part = next_part_++;
    lock.unlock();
    job.copy_part(part);
    lock.lock();
    if (++num_done_ == job.num_parts) is_done_.notify_all();
  }
}

}  // namespace patchbay::runtime
