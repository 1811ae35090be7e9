// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/trace/trace_span.h"

#include <mutex>

#include "core/base/clock.h"
#include "core/output/delivery.h"

namespace patchbay::runtime {

/// A range is only shown: what a plugin throws there is dropped.
template <class Call>
void RangeReceiver::tell(const Call& call) noexcept {
  const output::NoDelivery no_delivery;
  const std::shared_lock lock(mutex_);
  if (is_closed_) return;
  try {
    call();
  } catch (...) {  // NOLINT(bugprone-empty-catch): see above
  }
}

void RangeReceiver::begin(std::string_view name) noexcept {
  tell([&] { table_.begin(driver_, {name.data(), name.size()}); });
}

void RangeReceiver::end() noexcept {
  tell([this] { table_.end(driver_); });
}

void RangeReceiver::close() noexcept {
  const std::unique_lock lock(mutex_);
  is_closed_ = true;
}

void TraceSpan::begin() noexcept {
  if (targets_->home.is_here()) {
    for (const auto& receiver : targets_->receivers) receiver->begin(name_);
  }
  begin_ns_ = base::now_ns();
}

void TraceSpan::end() noexcept {
  if (Tracer* const tracer = targets_->tracer) {
    tracer->span(tracer->host_track(), name_, begin_ns_, base::now_ns(), arguments_);
  }
  if (!targets_->home.is_here()) return;
  for (const auto& receiver : targets_->receivers) receiver->end();
}

}  // namespace patchbay::runtime
