// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Measures links.
#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "patchbay/copy.h"

#include "core/base/error.h"
#include "core/runtime/copy/copy.h"
#include "core/runtime/copy/copy_plan.h"
#include "core/runtime/copy/links.h"
#include "core/runtime/copy/staging.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/device/runtime_state.h"

namespace patchbay {
namespace {

constexpr std::size_t kSmallBytes = 4096;
constexpr std::size_t kLargeBytes = std::size_t{32} << 20, kLeastLargeBytes = std::size_t{1} << 20;

/// Random data: some machines move zeros faster.
std::vector<std::uint32_t> noise(std::size_t size_bytes) {
  std::vector<std::uint32_t> values(size_bytes / sizeof(std::uint32_t));
  std::uint32_t state = 1;
  for (std::uint32_t& value : values) value = state = state * 1664525u + 1013904223u;
  return values;
}

/// Memory at both ends of a link.
class Ends {
 public:
  Ends(const Endpoint& from, const Endpoint& to, std::size_t size_bytes) {
    const auto allocate = [size_bytes](const Endpoint& place) {
      return place.is_host() ? Buffer()
                             : Buffer::allocate(Device(place.device_state()->shared()), size_bytes);
    };
    from_ = allocate(from);
    to_ = allocate(to);
    values_ = noise(size_bytes);
    if (from_) copy_from_host({from_, 0, size_bytes}, values_.data());
  }

  /// The time of the fastest of several copies. The first, which may touch the memory for the first
  /// time, counts too: some devices need no warm-up.
  double seconds(std::size_t size_bytes) {
    using Clock = std::chrono::steady_clock;
    constexpr int kMostCopies = 12;
    constexpr std::chrono::milliseconds kEnough(40);
    const auto start = Clock::now();
    double best = std::numeric_limits<double>::max();
    for (int i = 0; i < kMostCopies && (i < 3 || Clock::now() - start < kEnough); ++i) {
      const auto before = Clock::now();
      copy_once(size_bytes);
      best = std::min(best, std::chrono::duration<double>(Clock::now() - before).count());
    }
    return best;
  }

 private:
  void copy_once(std::size_t size_bytes) {
    if (!from_) {
      copy_from_host({to_, 0, size_bytes}, values_.data());
    } else if (!to_) {
      copy_to_host(values_.data(), {from_, 0, size_bytes});
    } else {
      copy({to_, 0, size_bytes}, {from_, 0, size_bytes});
    }
  }

  std::vector<std::uint32_t> values_;
  Buffer from_, to_;
};

/// `set` gives the link's numbers to the copies that follow.
template <class Set>
runtime::Link measured(Ends& ends, Route route, std::size_t size_bytes, const Set& set) {
  runtime::Link best;
  double best_seconds = std::numeric_limits<double>::max();
  if (route == Route::kStaged) {
    for (std::size_t chunk = runtime::Links::kLeastChunkBytes;
         chunk <= size_bytes / runtime::StagingRing::kMostSlots; chunk *= 2) {
      set({0, 0, chunk});
      const double seconds = ends.seconds(size_bytes);
      if (seconds < best_seconds) best.chunk_bytes = chunk;
      best_seconds = std::min(best_seconds, seconds);
    }
    set({0, 0, best.chunk_bytes});
  }
  best.latency_seconds = ends.seconds(kSmallBytes);
  best_seconds = std::min(best_seconds, ends.seconds(size_bytes));
  const double moving = best_seconds - best.latency_seconds;
  // If the machine is so busy that a small copy took as long, use the whole time.
  best.bytes_per_second = static_cast<double>(size_bytes) / (moving > 0 ? moving : best_seconds);
  return best;
}

/// Leaves the link as it was if a copy fails.
void measure(const Endpoint& from, const Endpoint& to, Route route, std::size_t size_bytes) {
  Ends ends(from, to, size_bytes);
  const Endpoint& device_end = from.is_host() ? to : from;
  runtime::Links& links = device_end.device_state()->runtime.links;
  const auto set = [&](const runtime::Link& link) { links.set(from.name(), to.name(), link); };
  const runtime::Link before = links.find(from.name(), to.name()).value_or(runtime::Link());
  try {
    set(measured(ends, route, size_bytes, set));
  } catch (...) {
    set(before);
    throw;
  }
}

}  // namespace

void calibrate(const Endpoint& from, const Endpoint& to) {
  if (from.is_host() && to.is_host()) {
    base::raise(ErrorCode::kInvalidArgument,
                "[calibrate] both ends are the host: expected a device at one end at least.");
  }
  const Route route = plan_copy(from, to, kSmallBytes).route;
  // The data comes from the host, whichever direction is measured.
  const Endpoint& device_end = from.is_host() ? to : from;
  runtime::check_copy_allowed(*device_end.device_state(), nullptr, kLargeBytes, "calibrate");
  const CopyTag tag("calibrate");
  for (std::size_t size_bytes = kLargeBytes;; size_bytes /= 2) {
    try {
      return measure(from, to, route, size_bytes);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kOutOfMemory || size_bytes <= kLeastLargeBytes) throw;
    }
  }
}

}  // namespace patchbay
