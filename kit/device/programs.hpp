// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runs kernel texts with the kernel executor on streams of kit/device: portable operators, fused
// expressions and users' modules.
#ifndef PATCHBAY_KIT_DEVICE_PROGRAMS_HPP_
#define PATCHBAY_KIT_DEVICE_PROGRAMS_HPP_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kit/device/allocator.hpp"
#include "kit/executor/executor.hpp"
#include "kit/portable/backend.hpp"

namespace patchbay::device {

/// Where the bytes of a tensor really are. Throws, with `where`, if they are not all in one block
/// or are misaligned.
std::byte* resolve_tensor(const Allocator& memory, const std::string& where,
                          const patchbay_argument& tensor);

/// Lives as long as the kernels that were made by it; so do `memory` and `executor`.
class Programs : public portable::Backend {
 public:
  Programs(const Allocator& memory, executor::Executor& executor, portable::Traits traits)
      : memory_(memory), executor_(executor), traits_(std::move(traits)) {}

  const portable::Traits& traits() const override { return traits_; }
  std::unique_ptr<portable::Program> build(std::string_view text) override;

  /// Loads a user's module: a text in the portable dialect or a fused expression. Throws
  /// `unsupported` for another format.
  std::unique_ptr<plugin::Module> load(std::string_view format, std::string_view code);

 private:
  const Allocator& memory_;
  executor::Executor& executor_;
  const portable::Traits traits_;
};

}  // namespace patchbay::device

#endif  // PATCHBAY_KIT_DEVICE_PROGRAMS_HPP_
