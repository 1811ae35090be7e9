// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "kGemmBlocksText.text.h"
#include "kit/portable/base/gemm_problem.hpp"
#include "kit/portable/base/text.hpp"
#include "opencl/kernels/kernels.hpp"
#include "opencl/kernels/launcher.hpp"
#include "opencl/kernels/program.hpp"

namespace patchbay::opencl {
namespace {

using portable::define;
using portable::pieces;

constexpr std::int64_t kMostLines = 120;         // rows of a that a work-item copies ...
constexpr std::int64_t kMostCopied = 120 << 10;  // ... and their bytes, which fit in the L2 cache
constexpr std::int64_t kDepth = 256;             // columns of a and rows of b that are copied
constexpr std::int64_t kMostStrips = 8;          // enough to make the copies cheap

/// The text, and the rows and the columns of a strip that a work-item computes.
struct Blocks {
  std::string text;
  std::int64_t rows, columns;
};

std::string vector_type(std::uint8_t dtype, std::int64_t lanes) {
  const std::string scalar = dtype == PATCHBAY_F32 || is_small_float(dtype) ? "float"
                             : dtype == PATCHBAY_F64                        ? "double"
                             : dtype == PATCHBAY_I32                        ? "uint"
                                                                            : "ulong";
  return scalar + std::to_string(lanes);
}

/// Two vectors of columns, and as many rows as registers hold sums for: 32 of 64 bytes, or 16.
Blocks blocks_of(std::uint8_t dtype, const DeviceInfo& device, const portable::Traits& traits) {
  const bool keeps_sums = is_small_float(dtype);  // sums are f32
  const std::int64_t bytes = keeps_sums ? 4 : static_cast<std::int64_t>(element_bytes(dtype));
  const std::int64_t lanes = std::clamp<std::int64_t>(device.vector_bytes / bytes, 2, 16);
  const std::int64_t height = lanes * bytes >= 64 ? 12 : 6;
  // Use half of it: some drivers count a kernel's arrays twice (rusticl of Mesa 22.3).
  const auto shared = static_cast<std::int64_t>(device.local_memory_bytes / 2);
  std::int64_t depth = kDepth * 4 / bytes;
  while (depth > 1 && (2 * lanes + height) * depth * bytes > shared) depth /= 2;
  const std::int64_t local = shared - 2 * lanes * depth * bytes;
  const std::int64_t lines =
      std::clamp(std::min(kMostCopied, local) / ((depth + (keeps_sums ? 2 * lanes : 0)) * bytes) /
                     height * height,
                 height, kMostLines);
  const std::string width = std::to_string(lanes);
  const char* const fma = is_float(dtype) ? "fma(a, b, c)" : "((a) * (b) + (c))";
  std::string text = portable::conversions_of(dtype, traits) + portable::gemm_definitions(dtype) +
                     define("KEEPS_SUMS", keeps_sums ? 1 : 0) +
                     portable::alias("V", vector_type(dtype, lanes)) + define("LANES", lanes) +
                     define("VECTORS", 2) + define("VLOAD", "vload" + width) +
                     define("VSTORE", "vstore" + width) + define("HEIGHT", height) +
                     define("LINES", lines) + define("DEPTH", depth) + define("FMA(a, b, c)", fma);
  return {text + kGemmBlocksText, lines, 2 * lanes};
}

class GemmBlocks final : public plugin::Kernel {
 public:
  GemmBlocks(const Context& context, plugin::Host host, std::uint8_t dtype, Blocks blocks)
      : context_(context),
        element_bytes_(element_bytes(dtype)),
        rows_(blocks.rows),
        columns_(blocks.columns),
        most_strips_(is_small_float(dtype) ? 1 : kMostStrips),
        program_(build_program(context, host, blocks.text)),
        gemm_(context, program_.get(), "gemm") {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    for (const portable::GemmProblem& problem : portable::gemm_problems(arguments)) {
      launch_one(stream, arguments, problem, name.empty() ? "gemm.1" : name);
    }
  }

 private:
  void launch_one(plugin::Stream& stream, plugin::Arguments arguments,
                  const portable::GemmProblem& problem, std::string_view name) {
    const portable::GemmSizes& sizes = problem.sizes;
    // First enough work-items for all compute units, then larger ones.
    const std::int64_t wanted = 4 * std::int64_t{context_.info().compute_units};
    const std::int64_t rows = pieces(sizes.m, rows_);
    const std::int64_t strips = std::clamp<std::int64_t>(
        pieces(sizes.n, columns_) * rows * sizes.count / wanted, 1, most_strips_);
    portable::Arguments to;
    to.memory(problem.out).memory(problem.a).memory(problem.b);
    to.bytes(&arguments[3].value.bits, element_bytes_);
    to.bytes(&arguments[4].value.bits, element_bytes_);
    // The kernel's struct with the same members.
    struct {
      portable::GemmSizes sizes;
      std::int64_t strips;
    } const all = {sizes, strips};
    to.value(all);
    const auto across = static_cast<std::uint64_t>(pieces(sizes.n, columns_ * strips));
    gemm_.launch(stream, name,
                 portable::Grid{{across, static_cast<std::uint64_t>(rows),
                                 static_cast<std::uint64_t>(sizes.count)},
                                {1, 1, 1}},
                 to);
  }

  const Context& context_;
  const std::size_t element_bytes_;
  const std::int64_t rows_, columns_, most_strips_;
  const ProgramHandle program_;
  Launcher gemm_;
};

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_gemm_blocks(const Context& context,
                                                    const portable::Traits& traits,
                                                    plugin::Host host,
                                                    const patchbay_kernel_spec& spec) {
  const std::uint8_t dtype = portable::check_gemm({spec.arguments, spec.num_arguments}, traits);
  return std::make_unique<GemmBlocks>(context, host, dtype,
                                      blocks_of(dtype, context.info(), traits));
}

}  // namespace patchbay::opencl
