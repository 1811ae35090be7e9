// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/copy/look.h"

#include <vector>

#include "patchbay/copy.h"

namespace patchbay::runtime {

void look_at(const CopyAddress& from, std::size_t size_bytes, const char* operation,
             const Look& look) {
  std::vector<std::byte> bytes(size_bytes);
  const CopyGuard allowed(CopyGuard::Mode::kAllow);
  const CopyTag tag("validation");
  copy_bytes({nullptr, 0, bytes.data()}, from, size_bytes, /*non_blocking=*/false, operation);
  look(bytes);
}

}  // namespace patchbay::runtime
