// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/trace/tracing.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/stopped_at_end.h"
#include "core/output/write.h"
#include "core/runtime/trace/profiler.h"

namespace patchbay::runtime {
namespace {

SpanTargets copy_of(const SpanTargets* targets) {
  return targets != nullptr ? *targets : SpanTargets{};
}

}  // namespace

/// Prints a profiler's table to standard error when it is destroyed, or, by StoppedAtEnd, when the
/// process ends, if that is earlier.
class PrintedProfile {
 public:
  explicit PrintedProfile(std::shared_ptr<Profiler> profiler) : profiler_(std::move(profiler)) {}
  ~PrintedProfile() { stop_at_process_end(); }
  PrintedProfile(const PrintedProfile&) = delete;
  PrintedProfile& operator=(const PrintedProfile&) = delete;

  /// Prints the table, at the first call only.
  void stop_at_process_end() noexcept try {
    constexpr int kStandardError = 2;
    if (is_printed_.exchange(true)) return;
    const std::string text = profile_table(profiler_->rows());
    static_cast<void>(output::write_all(kStandardError, text.data(), text.size()));
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): no memory for the text
  }

 private:
  const std::shared_ptr<Profiler> profiler_;
  std::atomic<bool> is_printed_{false};
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
    base::raise(
        ErrorCode::kInUse,
        "[start_trace] a trace is being written already, so not to {}. Call stop_trace first.",
        base::quote(file.string()));
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
    base::raise(ErrorCode::kIo, "[stop_trace] the trace is not complete: {}{}", failure,
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
  printed_ = std::make_shared<PrintedProfile>(profiler);
  base::StoppedAtEnd<PrintedProfile>::add(printed_);
  add(profiler);
}

}  // namespace patchbay::runtime
