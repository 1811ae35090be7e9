// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kGemmText.text.h"
#include "kit/portable/families.hpp"
#include "kit/portable/gemm_problem.hpp"
#include "kit/portable/text.hpp"

namespace patchbay::portable {
namespace {

constexpr std::int64_t kLargestTile = 16;

std::string whole_text(std::uint8_t dtype, std::int64_t tile, const Traits& traits) {
  return conversions_of(dtype, traits) + gemm_definitions(dtype) + define("TILE", tile) + kGemmText;
}

/// Multiplies by square tiles in shared memory. Works on every device, but is not fast.
class GemmKernel final : public plugin::Kernel {
 public:
  GemmKernel(Backend& backend, std::uint8_t dtype)
      : element_bytes_(element_bytes(dtype)), tile_(2 * kLargestTile) {
    // The largest group is known only after the kernel is compiled.
    do {
      tile_ /= 2;
      gemm_.reset();
      program_ = backend.build(whole_text(dtype, tile_, backend.traits()));
      gemm_ = program_("gemm");
    } while (tile_ > 1 && static_cast<std::uint64_t>(tile_ * tile_) > gemm_->max_group_size());
  }

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    const auto tile = static_cast<std::uint64_t>(tile_);
    for (const GemmProblem& problem : gemm_problems(arguments)) {
      const GemmSizes& sizes = problem.sizes;
      Arguments to;
      to.memory(problem.out).memory(problem.a).memory(problem.b);
      to.bytes(&arguments[3].value.bits, element_bytes_);
      to.bytes(&arguments[4].value.bits, element_bytes_);
      to.value(sizes);
      const auto squares =
          static_cast<std::uint64_t>(pieces(sizes.m, tile_) * pieces(sizes.n, tile_) * sizes.count);
      gemm_->launch(stream, name.empty() ? "gemm.1" : name,
                    Grid{{squares * tile, tile, 1}, {tile, tile, 1}}, to);
    }
  }

 private:
  const std::size_t element_bytes_;
  std::int64_t tile_;  // elements along a tile's side
  Program program_;
  std::unique_ptr<Function> gemm_;
};

}  // namespace

Prepared prepare_gemm(Backend& backend, const patchbay_kernel_spec& spec) {
  const std::uint8_t dtype = check_gemm({spec.arguments, spec.num_arguments}, backend.traits());
  return std::make_unique<GemmKernel>(backend, dtype);
}

}  // namespace patchbay::portable
