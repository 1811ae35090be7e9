// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/trace/trace_span.h"

#include "core/base/clock.h"

namespace patchbay::runtime {
namespace {

/// A range is only shown: what a plugin throws there is dropped.
template <class Call>
void for_each_receiver(const SpanTargets& targets, const Call& call) noexcept {
  if (targets.receivers.empty() || !targets.home.is_here()) return;
  for (const RangeReceiver& receiver : targets.receivers) {
    try {
      call(receiver);
    } catch (...) {  // NOLINT(bugprone-empty-catch): see above
    }
  }
}

}  // namespace

void TraceSpan::begin() noexcept {
  for_each_receiver(*targets_, [this](const RangeReceiver& receiver) {
    receiver.table->begin(receiver.driver, {name_.data(), name_.size()});
  });
  begin_ns_ = now_ns();
}

void TraceSpan::end() noexcept {
  if (Tracer* const tracer = targets_->tracer) {
    tracer->span(tracer->host_track(), name_, begin_ns_, now_ns(), arguments_);
  }
  for_each_receiver(*targets_,
                    [](const RangeReceiver& receiver) { receiver.table->end(receiver.driver); });
}

}  // namespace patchbay::runtime
