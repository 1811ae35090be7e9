// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_FAKE_KERNELS_KERNEL_HPP_
#define PATCHBAY_PLUGINS_FAKE_KERNELS_KERNEL_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/plugin/kit/objects.hpp"

#include "fake/device/faults.hpp"

namespace fake {

class Device;

/// A portable kernel. However many functions it runs, it is one launch, which checks all that the
/// specs left open and plays the fault that is asked for.
class Kernel : public plugin::Kernel {
 public:
  /// `marked_bytes`: more workspace, which is overwritten, and found as it was left.
  Kernel(std::string name, std::unique_ptr<plugin::Kernel> portable,
         std::vector<patchbay_argument_spec> specs, std::uint64_t marked_bytes);

  std::uint64_t workspace_bytes() const override {
    return portable_->workspace_bytes() + marked_bytes_;
  }
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  void check_arguments(const Device& device, plugin::Arguments arguments) const;
  void check_argument(std::size_t i, const patchbay_argument& argument) const;

  const std::string name_;
  const std::unique_ptr<plugin::Kernel> portable_;
  const std::vector<patchbay_argument_spec> specs_;
  const std::uint64_t marked_bytes_;
};

/// The kernel of an operator. Throws unsupported, with operator and dtypes, if there is none.
std::unique_ptr<plugin::Kernel> prepare_operator(Device& device, const patchbay_kernel_spec& spec);
/// A fused expression.
std::unique_ptr<plugin::Module> load_fused(Device& device, std::string_view code);

/// Where the bytes of a tensor really are. Throws, with `where`, if they are not all in one block.
std::byte* bytes_of(const Device& device, const std::string& where,
                    const patchbay_argument& tensor);

/// Counts the launch; a fault that shows at once is thrown, another is for the stream.
LaunchFault begin_launch(Device& device, const std::string& shown);

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_KERNELS_KERNEL_HPP_
