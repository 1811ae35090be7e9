// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/trace/tracing.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/base/fork.h"
#include "core/output/write.h"
#include "core/runtime/trace/profiler.h"

namespace patchbay::runtime {
namespace {

// The profile that PATCHBAY_PROFILE asks for.

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

SpanTargets copy_of(const SpanTargets* targets) {
  return targets != nullptr ? *targets : SpanTargets{};
}

}  // namespace

/// Prints a profiler's table to standard error: when it is destroyed, or when the process ends, if
/// that is earlier. Prints nothing in a forked process.
class PrintedProfile {
 public:
  /// Errors: std::bad_alloc.
  explicit PrintedProfile(std::shared_ptr<Profiler> profiler) : profiler_(std::move(profiler)) {
    static const int registered = std::atexit(print_all);
    static_cast<void>(registered);
    AllUnprinted& all = all_unprinted.get();
    const std::scoped_lock lock(all.mutex);
    all.profilers.push_back(profiler_);
  }
  ~PrintedProfile() {
    if (!home_.is_here()) return;
    AllUnprinted* const all = all_unprinted.find();
    if (all != nullptr && all->take(profiler_.get())) print(*profiler_);
  }
  PrintedProfile(const PrintedProfile&) = delete;
  PrintedProfile& operator=(const PrintedProfile&) = delete;

 private:
  const HomeProcess home_;
  const std::shared_ptr<Profiler> profiler_;
};

Tracing::Tracing() = default;
Tracing::~Tracing() = default;

/// The caller holds the mutex.
void Tracing::note_change() noexcept {
  const bool is_on = tracer() != nullptr || profilers_ != nullptr;
  is_on_.store(is_on, std::memory_order_release);
  is_watched_.store(is_on || spans() != nullptr, std::memory_order_release);
}

void Tracing::send_spans(SpanTargets targets) {
  const SpanTargets* next = nullptr;
  if (targets.tracer != nullptr || !targets.receivers.empty()) {
    earlier_spans_.push_back(std::make_unique<const SpanTargets>(std::move(targets)));
    next = earlier_spans_.back().get();
  }
  spans_.store(next, std::memory_order_release);
  note_change();
}

void Tracing::start(const std::filesystem::path& file) {
  const std::scoped_lock lock(mutex_);
  if (tracer() != nullptr) {
    raise(ErrorCode::kInUse,
          "[start_trace] a trace is being written already, so not to {}. Call stop_trace first.",
          quote(file.string()));
  }
  tracers_.push_back(Tracer::open(file));
  SpanTargets targets = copy_of(spans());
  targets.tracer = tracers_.back().get();
  send_spans(std::move(targets));
}

void Tracing::stop() {
  const std::scoped_lock lock(mutex_);
  Tracer* const tracer = this->tracer();
  if (tracer == nullptr) return;
  SpanTargets targets = copy_of(spans());
  targets.tracer = nullptr;
  send_spans(std::move(targets));
  tracer->flush();
  if (const std::string failure = tracer->failure(); !failure.empty()) {
    raise(ErrorCode::kIo, "[stop_trace] the trace is not complete: {}{}", failure,
          failure.ends_with('.') ? "" : ". Free space, or trace less.");
  }
}

Profilers Tracing::profilers() const noexcept {
  if (!is_on() || !home_.is_here()) return nullptr;
  const std::scoped_lock lock(mutex_);
  return profilers_;
}

void Tracing::add(const std::shared_ptr<Profiler>& profiler) {
  const std::scoped_lock lock(mutex_);
  auto all = profilers_ != nullptr
                 ? std::make_shared<std::vector<std::shared_ptr<Profiler>>>(*profilers_)
                 : std::make_shared<std::vector<std::shared_ptr<Profiler>>>();
  all->push_back(profiler);
  profilers_ = std::move(all);
  note_change();
}

/// Without memory for the shorter list, the profiler stays in it.
void Tracing::remove(const std::shared_ptr<Profiler>& profiler) noexcept try {
  if (!home_.is_here()) return;
  const std::scoped_lock lock(mutex_);
  if (profilers_ == nullptr) return;
  auto all = std::make_shared<std::vector<std::shared_ptr<Profiler>>>(*profilers_);
  std::erase(*all, profiler);
  if (all->empty()) {
    profilers_.reset();
  } else {
    profilers_ = std::move(all);
  }
  note_change();
} catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): see above
}

void Tracing::add(const std::shared_ptr<RangeReceiver>& receiver) {
  const std::scoped_lock lock(mutex_);
  SpanTargets targets = copy_of(spans());
  targets.receivers.push_back(receiver);
  send_spans(std::move(targets));
}

/// Without memory for the shorter list, nothing gets spans any more.
void Tracing::remove(const std::shared_ptr<RangeReceiver>& receiver) noexcept {
  const std::scoped_lock lock(mutex_);
  receiver->close();
  if (spans() == nullptr) return;
  try {
    SpanTargets targets = copy_of(spans());
    std::erase(targets.receivers, receiver);
    send_spans(std::move(targets));
  } catch (const std::bad_alloc&) {
    spans_.store(nullptr, std::memory_order_release);
    note_change();
  }
}

void Tracing::print_profile_at_end() {
  auto profiler = std::make_shared<Profiler>();
  printed_ = std::make_unique<PrintedProfile>(profiler);
  add(profiler);
}

}  // namespace patchbay::runtime
