// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_PORTABLE_RANDOM_HPP_
#define PATCHBAY_KIT_PORTABLE_RANDOM_HPP_

#include <cstdint>
#include <memory>
#include <string>

#include "kit/portable/backend.hpp"

namespace patchbay::portable {

enum class Distribution : std::uint8_t { kUniform, kNormal, kIntegers, kMask };

/// Arguments: out, seed, offset, base, then the distribution's parameters.
class RandomKernel : public plugin::Kernel {
 public:
  RandomKernel(Backend& backend, std::string name, Distribution distribution, std::uint8_t out);

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  std::int64_t elements_of_a_block(plugin::Arguments arguments) const;

  const std::string name_;
  const Distribution distribution_;
  const std::uint8_t out_;
  const std::unique_ptr<Program> program_;
  const std::unique_ptr<Function> function_;
};

/// For an operator of this family. Throws `unsupported` with the reason.
std::unique_ptr<plugin::Kernel> prepare_random(Backend& backend, const patchbay_kernel_spec& spec);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_RANDOM_HPP_
