// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/trace/printed_profile.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/output/write.h"

namespace patchbay::runtime {
namespace {

constexpr int kStandardError = 2;

/// The tables that nobody has printed yet.
struct AllUnprinted {
  std::mutex mutex;
  std::vector<std::shared_ptr<const Profiler>> profilers;

  /// True for one caller.
  bool take(const Profiler* profiler) {
    const std::scoped_lock lock(mutex);
    return std::erase_if(profilers, [&](const auto& each) { return each.get() == profiler; }) != 0;
  }
};
constinit OfProcess<AllUnprinted> all_unprinted;

void print(const Profiler& profiler) noexcept try {
  const std::string text = profile_table(profiler.rows());
  static_cast<void>(write_all(kStandardError, text.data(), text.size()));
} catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): no memory for the text
}

/// Runtimes that live until the process ends, as the default runtime does.
void print_all() {
  AllUnprinted* const all = all_unprinted.find();
  if (all == nullptr) return;
  std::vector<std::shared_ptr<const Profiler>> left;
  {
    const std::scoped_lock lock(all->mutex);
    left.swap(all->profilers);
  }
  for (const auto& profiler : left) print(*profiler);
}

}  // namespace

PrintedProfile::PrintedProfile(std::shared_ptr<Profiler> profiler)
    : profiler_(std::move(profiler)) {
  static const int registered = std::atexit(print_all);
  static_cast<void>(registered);
  AllUnprinted& all = all_unprinted.get();
  const std::scoped_lock lock(all.mutex);
  all.profilers.push_back(profiler_);
}

PrintedProfile::~PrintedProfile() {
  if (!home_.is_here()) return;
  AllUnprinted* const all = all_unprinted.find();
  if (all != nullptr && all->take(profiler_.get())) print(*profiler_);
}

}  // namespace patchbay::runtime
