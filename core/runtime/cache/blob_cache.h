// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Blobs that outlive the process (compiled kernels), in a private directory of the user's.
#ifndef PATCHBAY_CORE_RUNTIME_CACHE_BLOB_CACHE_H_
#define PATCHBAY_CORE_RUNTIME_CACHE_BLOB_CACHE_H_

#include <optional>
#include <string>
#include <string_view>

#include "core/base/environment.h"

namespace patchbay::runtime {

/// The directory is the setting "cache_dir" (PATCHBAY_CACHE_DIR), else patchbay in XDG_CACHE_HOME
/// or ~/.cache. It is created with mode 0700, and not used if it belongs to another user. Nothing
/// is cached with raised privileges.
std::optional<std::string> cache_get(const base::Environment& environment, std::string_view key);
/// Errors are ignored. Atomic: a reader sees a whole blob or none. Without `survives_power_cut` it
/// does not wait for the disk.
void cache_put(const base::Environment& environment, std::string_view key, std::string_view blob,
               bool survives_power_cut = true) noexcept;

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_CACHE_BLOB_CACHE_H_
