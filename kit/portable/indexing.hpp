// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_PORTABLE_INDEXING_HPP_
#define PATCHBAY_KIT_PORTABLE_INDEXING_HPP_

#include <cstdint>
#include <memory>

#include "kit/portable/backend.hpp"

namespace patchbay::portable {

/// Arguments: out, a, index.
class GatherKernel : public plugin::Kernel {
 public:
  GatherKernel(Backend& backend, std::uint8_t dtype, std::uint8_t index, int dim);

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  const Traits& traits_;
  const int dim_;
  const std::uint64_t missing_;  // result of an index out of range
  const std::size_t element_bytes_;
  const std::unique_ptr<Program> program_;
  const std::unique_ptr<Function> gather_;
};

/// Arguments: out, index, source. A work-item visits the indices at its position in order and adds
/// those in its part of out, so each index is read once per part.
class ScatterAddKernel : public plugin::Kernel {
 public:
  ScatterAddKernel(Backend& backend, std::uint8_t dtype, std::uint8_t index, int dim);

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  const Traits& traits_;
  const int dim_;
  const std::unique_ptr<Program> program_;
  const std::unique_ptr<Function> add_;
};

bool is_indexing(std::string_view op);
/// For an operator of this family. Throws `unsupported` with the reason.
std::unique_ptr<plugin::Kernel> prepare_indexing(Backend& backend,
                                                 const patchbay_kernel_spec& spec);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_INDEXING_HPP_
