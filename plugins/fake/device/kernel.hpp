// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_FAKE_DEVICE_KERNEL_HPP_
#define PATCHBAY_PLUGINS_FAKE_DEVICE_KERNEL_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/plugin/kit/objects.hpp"

#include "fake/device/faults.hpp"

namespace fake {

/// A portable kernel. It counts as one launch, whatever number of functions it runs; the launch
/// checks what the specs left open and simulates the requested fault.
class Kernel : public plugin::Kernel {
 public:
  /// `marked_bytes`: additional workspace, which a launch fills and checks afterwards.
  /// `takes_groups`: launches may repeat the tensors, which come first.
  Kernel(std::string name, std::unique_ptr<plugin::Kernel> portable,
         std::vector<patchbay_argument_spec> specs, std::uint64_t marked_bytes,
         bool takes_groups = false);

  std::uint64_t workspace_bytes() const override {
    return portable_->workspace_bytes() + marked_bytes_;
  }
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  bool takes(std::size_t num_arguments) const;
  const patchbay_argument_spec& spec_of(std::size_t argument, std::size_t num_arguments) const;
  void check_argument(const patchbay_argument_spec& spec, std::size_t i,
                      const patchbay_argument& argument) const;

  const std::string name_;
  const std::unique_ptr<plugin::Kernel> portable_;
  const std::vector<patchbay_argument_spec> specs_;
  const std::size_t num_repeated_;  // of the arguments of a group; 0 if launches have no groups
  const std::uint64_t marked_bytes_;
};

/// The spec for the portable kernel. Throws unsupported if the limit leaves no room for the mark.
patchbay_kernel_spec without_marked(patchbay_kernel_spec spec, std::uint64_t marked_bytes);

/// A module of the kit. The kernels of a fused one are portable kernels.
class Module : public plugin::Module {
 public:
  Module(Faults& faults, std::unique_ptr<plugin::Module> code, bool is_fused)
      : faults_(faults), code_(std::move(code)), is_fused_(is_fused) {}
  std::unique_ptr<plugin::Kernel> kernel(std::string_view name,
                                         plugin::ArgumentSpecs arguments) override;

 private:
  Faults& faults_;
  const std::unique_ptr<plugin::Module> code_;
  const bool is_fused_;
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_KERNEL_HPP_
