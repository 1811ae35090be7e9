// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/kernels/context.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/simd/table.hpp"
#include "cpu-openblas/threads/stream.hpp"
#include "cpu-openblas/threads/workers.hpp"

namespace patchbay::cpu {
namespace {

/// arange.1: out (row-major numbering of its elements), start, step.
class ArangeKernel final : public plugin::Kernel {
 public:
  ArangeKernel(Workers& workers, Arange entry, std::uint8_t dtype)
      : workers_(workers), entry_(entry), dtype_(dtype) {}
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    static_cast<Stream&>(stream).submit(arguments, name,
                                        [this](plugin::Arguments kept) { compute(kept); });
  }

 private:
  void compute(plugin::Arguments arguments) const {
    const patchbay_argument& out = arguments[0];
    const std::int64_t n = num_elements(out);
    if (n == 0) return;
    const ScalarCell start = convert_scalar(arguments[1], dtype_);
    const ScalarCell step = convert_scalar(arguments[2], dtype_);
    const bool contiguous = is_contiguous(out);
    const std::int64_t row = contiguous ? n : out.shape[out.rank - 1];
    const std::int64_t stride = contiguous ? 1 : out.strides[out.rank - 1];
    const auto fill = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end;) {
        const std::int64_t count = std::min(end - i, row - i % row);
        char* to = data_of(out) + (contiguous ? i : offset_of(out, i)) * element_bytes(dtype_);
        entry_(i, count, to, stride, &start.bits, &step.bits);
        i += count;
      }
    };
    workers_.run([&] { workers_.split(n, 4096, n * element_bytes(dtype_), fill); });
  }

  Workers& workers_;
  const Arange entry_;
  const std::uint8_t dtype_;
};

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_arange(const Context& context) {
  const std::uint8_t dtype = context.dtype(0);
  const Arange entry = context.simd().arange[index_of(dtype)];
  if (entry == nullptr) refuse(context, dtype);
  return std::make_unique<ArangeKernel>(context.workers, entry, dtype);
}

}  // namespace patchbay::cpu
