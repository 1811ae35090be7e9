// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_FAKE_KERNELS_KERNEL_HPP_
#define PATCHBAY_PLUGINS_FAKE_KERNELS_KERNEL_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/plugin/kit/objects.hpp"

#include "fake/device/faults.hpp"
#include "fake/kernels/operators.hpp"
#include "fake/device/options.hpp"

namespace fake {

class Device;

/// An operator for fixed dtypes. Launches check all that the spec left open.
class Kernel : public plugin::Kernel {
 public:
  /// Throws unsupported, with operator and dtypes, if there is no such kernel.
  Kernel(const patchbay_kernel_spec& spec, const Options& options);

  std::uint64_t workspace_bytes() const override { return workspace_bytes_; }
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  struct Call;

  void check_argument(std::size_t i, const patchbay_argument& argument) const;
  View resolve(const Device& device, std::size_t i, const patchbay_argument& argument) const;

  const Operator* operator_;
  Function function_;
  std::vector<patchbay_argument_spec> specs_;
  std::uint64_t workspace_bytes_;
};

/// Where the bytes of a tensor really are. Throws, with `where`, if they are not all in one block.
std::byte* bytes_of(const Device& device, const std::string& where,
                    const patchbay_argument& tensor);

/// Counts the launch; a fault that shows at once is thrown, another is for the stream.
LaunchFault begin_launch(Device& device, const std::string& shown);

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_KERNELS_KERNEL_HPP_
