// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Attention of 16-bit floats by the vendor's library for network operators.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/attributes.hpp"

#include "kit/card/kernels/dnn_library.hpp"
#include "kit/card/kernels/kernels.hpp"
#include "kit/dtypes.hpp"
#include "kit/layers.hpp"

namespace patchbay::card {
namespace {

constexpr std::uint64_t kMostWorkspaceBytes = std::uint64_t{16} << 20;

AttentionProblem::Heads heads_of(const patchbay_argument& argument) {
  AttentionProblem::Heads heads;
  std::copy_n(argument.shape, 4, heads.shape.begin());
  // The strides of one element are arbitrary: plans of equal problems are found by their strides.
  for (std::size_t d = 4; d-- > 0;) {
    const std::int64_t packed = d == 3 ? 1 : heads.shape[d + 1] * heads.strides[d + 1];
    heads.strides[d] = heads.shape[d] == 1 ? packed : argument.strides[d];
  }
  const bool is_packed = heads.strides[3] == 1;
  const bool repeats = std::any_of(heads.strides.begin(), heads.strides.end(),
                                   [](std::int64_t stride) { return stride < 1; });
  if (!is_packed || repeats) {
    plugin::invalid_argument("attention.1: the last stride is not 1, or a stride is below 1");
  }
  return heads;
}

bool has_elements(const AttentionProblem::Heads& heads) {
  return std::find(heads.shape.begin(), heads.shape.end(), 0) == heads.shape.end();
}

/// Arguments: out, query, key, value.
class AttentionKernel final : public plugin::Kernel {
 public:
  AttentionKernel(DnnLibrary& library, const patchbay_kernel_spec& spec)
      : library_(library),
        dtype_(spec.arguments[0].dtype),
        scale_(static_cast<float>(plugin::Attributes(spec).number("scale"))),
        workspace_bytes_(std::min(kMostWorkspaceBytes, spec.workspace_limit_bytes)) {}

  std::uint64_t workspace_bytes() const override { return workspace_bytes_; }

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override {
    check_attention(arguments);
    const AttentionProblem problem{dtype_, heads_of(arguments[1]), heads_of(arguments[2]),
                                   heads_of(arguments[3]), heads_of(arguments[0])};
    if (!has_elements(problem.out)) return;
    const bool is_empty = !has_elements(problem.query) || !has_elements(problem.key);
    const auto memory = [&](std::size_t i) { return arguments[i].value.memory; };
    const AttentionOperands operands{memory(1), memory(2),        memory(3), memory(0),
                                     workspace, workspace_bytes_, scale_};
    if (is_empty || !library_.attend(static_cast<Stream&>(stream), problem, operands,
                                     name.empty() ? "attention.1" : name)) {
      plugin::unsupported("attention.1: the library has no algorithm for these sizes");
    }
  }

 private:
  DnnLibrary& library_;
  const std::uint8_t dtype_;
  const float scale_;
  const std::uint64_t workspace_bytes_;
};

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_attention(const KernelParts& parts,
                                                  const patchbay_kernel_spec& spec) {
  if (plugin::from_abi(spec.op) != "attention.1") return nullptr;
  // cuDNN multiplies the -infinity that hides padding by the scale: 0 and negative ones give NaN.
  const auto scale = static_cast<float>(plugin::Attributes(spec).number("scale"));
  if (!is_small_float(spec.arguments[0].dtype) || !std::isfinite(scale) || scale <= 0) {
    return nullptr;
  }
  DnnLibrary* const library = parts.dnn;
  if (library == nullptr || !library->takes_attention() || !library->open(parts.host)) {
    return nullptr;
  }
  return std::make_unique<AttentionKernel>(*library, spec);
}

}  // namespace patchbay::card
