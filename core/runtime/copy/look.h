// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Lets validation read the elements of a buffer.
#ifndef PATCHBAY_CORE_RUNTIME_COPY_LOOK_H_
#define PATCHBAY_CORE_RUNTIME_COPY_LOOK_H_

#include <cstddef>

#include "core/runtime/copy/copy.h"
#include "core/runtime/stream/recorder.h"

namespace patchbay::runtime {

/// Waits for the bytes, copies them to the host and calls `look`. The copy is counted under the tag
/// "validation". The guard does not apply: the program did not ask for the copy.
void look_at(const CopyAddress& from, std::size_t size_bytes, const char* operation,
             const Look& look);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_COPY_LOOK_H_
