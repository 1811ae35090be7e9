// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/kernels/context.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/simd/table.hpp"
#include "cpu-openblas/threads/stream.hpp"
#include "cpu-openblas/threads/workers.hpp"

namespace patchbay::cpu {
namespace {

constexpr std::int64_t kBlocks = 256;  // per step: words and elements fit in the first-level cache
constexpr int kBlockWords = 4;
constexpr std::size_t kFirstParameter = 4;

/// Arguments: out, seed, offset, base, then the distribution's parameters. An element's value does
/// not depend on how the work is divided.
class RandomKernel final : public plugin::Kernel {
 public:
  struct Distribution {
    Draw draw = nullptr;       // 32 bits per element
    Draw wide_draw = nullptr;  // 64 bits per element
    int cost = 1;              // per element, relative to moving a byte through memory
  };

  RandomKernel(Workers& workers, const SimdTable& simd, const Distribution& distribution,
               std::uint8_t dtype, std::int64_t cache_bytes)
      : workers_(workers),
        simd_(simd),
        distribution_(distribution),
        dtype_(dtype),
        cache_bytes_(cache_bytes) {}
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    static_cast<Stream&>(stream).submit(arguments, name,
                                        [this](plugin::Arguments kept) { compute(kept); });
  }

 private:
  /// A launch. Element i has the number base + i.
  struct Run {
    const patchbay_argument& out;
    Draw draw;
    std::uint64_t seed, offset, first;  // first: the block of the first element
    std::int64_t skipped;               // elements of that block before the first element
    std::int64_t per_block, count;      // elements
    bool is_dense, streams;
    std::uint64_t parameters[3];
  };

  void compute(plugin::Arguments arguments) const {
    const patchbay_argument& out = arguments[0];
    Run run{out, distribution_.draw, arguments[1].value.bits, arguments[2].value.bits, 0,
            0,   kBlockWords,        num_elements(out),       is_contiguous(out),      false,
            {}};
    if (run.count == 0) return;
    for (std::size_t k = kFirstParameter; k < arguments.size(); ++k) {
      run.parameters[k - kFirstParameter] = arguments[k].value.bits;
    }
    const bool has_range = distribution_.draw != nullptr && distribution_.wide_draw != nullptr;
    if (run.draw == nullptr || (has_range && run.parameters[1] > std::uint64_t{1} << 32)) {
      run.draw = distribution_.wide_draw;
      run.per_block = kBlockWords / 2;
    }
    const auto base = static_cast<std::int64_t>(arguments[3].value.bits);
    run.first = static_cast<std::uint64_t>(base / run.per_block);
    run.skipped = base % run.per_block;
    run.streams = run.is_dense && run.count * element_bytes(dtype_) > cache_bytes_;
    const std::int64_t blocks = (run.skipped + run.count + run.per_block - 1) / run.per_block;
    workers_.run([&] {
      workers_.split(
          blocks, kBlocks, blocks * kBlockWords * distribution_.cost,
          [&](std::int64_t begin, std::int64_t end) { compute_blocks(run, begin, end); });
    });
  }

  void compute_blocks(const Run& run, std::int64_t begin, std::int64_t end) const noexcept {
    alignas(64) char words[kBlocks * kBlockWords * 4];
    alignas(64) char values[kBlocks * kBlockWords * 8];
    for (std::int64_t block = begin; block < end; block += kBlocks) {
      const std::int64_t blocks = std::min(kBlocks, end - block);
      simd_.philox(run.seed, run.offset, run.first + static_cast<std::uint64_t>(block), blocks,
                   words);
      const std::int64_t first = block * run.per_block - run.skipped;
      const std::int64_t last = first + blocks * run.per_block;
      const bool is_whole = first >= 0 && last <= run.count;
      if (is_whole && run.is_dense && !run.streams) {
        char* const to = data_of(run.out) + first * element_bytes(dtype_);
        run.draw(last - first, words, run.parameters, to);
        continue;
      }
      run.draw(last - first, words, run.parameters, values);
      const std::int64_t from = std::max<std::int64_t>(first, 0);
      store(run, from, std::min(last, run.count), values + (from - first) * element_bytes(dtype_));
    }
  }

  void store(const Run& run, std::int64_t begin, std::int64_t end,
             const char* values) const noexcept {
    const patchbay_argument& out = run.out;
    const std::int64_t size = element_bytes(dtype_);
    const std::int64_t row = run.is_dense ? run.count : out.shape[out.rank - 1];
    const std::int64_t stride = run.is_dense ? 1 : out.strides[out.rank - 1];
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t count = std::min(end - i, row - i % row);
      const std::int64_t place = run.is_dense ? i : offset_of(out, i);
      simd_.copy[dtype_](count, data_of(out) + place * size, values, nullptr,
                         {stride, 1, 0, run.streams});
      values += count * size;
      i += count;
    }
  }

  Workers& workers_;
  const SimdTable& simd_;
  const Distribution distribution_;
  const std::uint8_t dtype_;
  const std::int64_t cache_bytes_;
};

/// The loops of a distribution.
RandomKernel::Distribution distribution_of(const SimdTable& simd, int op, std::uint8_t dtype) {
  constexpr int kWordCost = 32, kNormalCost = 96;
  switch (op) {
    case kIntegers: {
      const bool is_wide = dtype == PATCHBAY_I64;
      return {simd.integers[dtype], is_wide ? simd.wide_integers : nullptr, kWordCost};
    }
    case kMask: return {dtype == PATCHBAY_BOOL ? simd.mask : nullptr, nullptr, kWordCost};
    default: {
      const Draw draw = op == kUniform ? simd.uniform[dtype] : simd.normal[dtype];
      const int cost = op == kUniform ? kWordCost : kNormalCost;
      return dtype == PATCHBAY_F64 ? RandomKernel::Distribution{nullptr, draw, cost}
                                   : RandomKernel::Distribution{draw, nullptr, cost};
    }
  }
}

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_random(const Context& context, int op) {
  const std::uint8_t dtype = context.dtype(0);
  const auto distribution = distribution_of(context.simd(), op, std::uint8_t(index_of(dtype)));
  if (distribution.draw == nullptr && distribution.wide_draw == nullptr) refuse(context, dtype);
  return std::make_unique<RandomKernel>(context.workers, context.simd(), distribution, dtype,
                                        context.libraries.cache_bytes());
}

}  // namespace patchbay::cpu
