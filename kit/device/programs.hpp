// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runs kernel texts with the kernel executor on streams of kit/device.
#ifndef PATCHBAY_KIT_DEVICE_PROGRAMS_HPP_
#define PATCHBAY_KIT_DEVICE_PROGRAMS_HPP_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "kit/device/allocator.hpp"
#include "kit/executor/executor.hpp"
#include "kit/portable/base/backend.hpp"

namespace patchbay::device {

/// Where the bytes of a tensor really are. Throws, with `where`, if they are not all in one block
/// or are misaligned.
std::byte* resolve_tensor(const Allocator& memory, const std::string& where,
                          const patchbay_argument& tensor);

/// Runs the portable operators on streams of kit/device. `memory` and `executor` must outlive the
/// backend.
portable::Backend make_backend(const Allocator& memory, executor::Executor& executor,
                               portable::Traits traits);

/// Loads a user's module: a text in the portable dialect. Throws `unsupported` for another format.
std::unique_ptr<plugin::Module> load_module(const Allocator& memory, executor::Executor& executor,
                                            std::string_view format, std::string_view code);

}  // namespace patchbay::device

#endif  // PATCHBAY_KIT_DEVICE_PROGRAMS_HPP_
