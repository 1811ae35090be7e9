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

/// A portable kernel. It runs all its functions as one launch, which checks the arguments that the
/// specs left open, and simulates the configured fault.
class Kernel : public plugin::Kernel {
 public:
  /// `marked_bytes`: additional workspace, which a launch fills and checks afterwards.
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
std::unique_ptr<plugin::Module> load_fused(Device& device, std::string_view code);

/// The address of a tensor's bytes. Throws, with `where`, if they are not all in one block.
std::byte* bytes_of(const Device& device, const std::string& where,
                    const patchbay_argument& tensor);

/// Counts the launch. Throws an immediate fault; returns one that the stream simulates.
LaunchFault begin_launch(Device& device, const std::string& shown);

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_KERNELS_KERNEL_HPP_
