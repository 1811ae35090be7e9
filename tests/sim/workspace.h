// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TESTS_SIM_WORKSPACE_H_
#define PATCHBAY_TESTS_SIM_WORKSPACE_H_

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace patchbay::sim {

/// Until the work is done nobody else may use the workspace, nor rely on its contents.
inline void scribble(std::byte* workspace, std::size_t bytes) {
  constexpr std::size_t kEnd = 4096;
  if (workspace == nullptr) return;
  std::memset(workspace, 0x5A, std::min(bytes, kEnd));
  if (bytes > kEnd) std::memset(workspace + bytes - kEnd, 0x5A, kEnd);
}

}  // namespace patchbay::sim

#endif  // PATCHBAY_TESTS_SIM_WORKSPACE_H_
