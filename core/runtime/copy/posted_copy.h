// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies that no stream can order: the transfer thread makes them, or the caller in its place.
#ifndef PATCHBAY_CORE_RUNTIME_COPY_POSTED_COPY_H_
#define PATCHBAY_CORE_RUNTIME_COPY_POSTED_COPY_H_

#include "core/runtime/copy/request.h"

namespace patchbay::runtime {

/// Whether the call can return at once only if the transfer thread makes the copy.
bool would_wait(const CopyRequest& request);
/// Whether a call with steps would wait. The kernels run on this thread's streams of their devices.
bool would_wait(const CopySteps& steps, const CopyRequest& request);

/// Queues a copy between two buffers for the transfer thread. Makes it in this thread if the caller
/// blocks and no other copy is being made.
void post(CopyRequest request, bool blocks);
/// Queues a copy with steps, which keep alive what they use. The caller does not block.
void post(CopyRequest request, const CopySteps& steps);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_COPY_POSTED_COPY_H_
