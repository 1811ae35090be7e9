// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "cpu-openblas/kernels/context.hpp"
#include "cpu-openblas/kernels/index.hpp"
#include "cpu-openblas/operands/loop_nest.hpp"
#include "cpu-openblas/threads/stream.hpp"

namespace patchbay::cpu {
namespace {

/// gather.1: out, a, index. Where an index holds for a row of elements, the row is copied.
class GatherKernel final : public plugin::Kernel {
 public:
  GatherKernel(Workers& workers, Row copy, int dim) : workers_(workers), copy_(copy), dim_(dim) {}
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  struct Walk;
  void compute(plugin::Arguments arguments) const;
  template <class T, class I>
  void compute_rows(const Walk& walk, std::int64_t begin, std::int64_t end) const noexcept;

  Workers& workers_;
  const Row copy_;
  const int dim_;
};

constexpr std::int64_t kSegment = 4096;  // elements: longer rows are cut, to be shared

/// Calls body with a value of an integer type of this size, which copies elements.
template <class Body>
void with_size(std::int64_t bytes, const Body& body) {
  switch (bytes) {
    case 1: return body(std::uint8_t{});
    case 2: return body(std::uint16_t{});
    case 4: return body(std::uint32_t{});
    default: return body(std::uint64_t{});
  }
}

/// The table with the strides along the other dimensions; the index gives the position along `dim`.
patchbay_argument beside(const patchbay_argument& table, const patchbay_argument& out,
                         std::int64_t dim) {
  patchbay_argument walked = table;
  walked.shape[dim] = out.shape[dim];
  walked.strides[dim] = 0;
  return walked;
}

}  // namespace

/// Operands: out, a, index.
struct GatherKernel::Walk {
  LoopNest nest;
  char* out;
  const char* a;
  const char* index;
  std::int64_t step;  // of a along dim
  std::int64_t segments;
};

void GatherKernel::launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
                          std::string_view name) {
  check_index_shapes("gather.1", arguments[0], arguments[1], arguments[2], dim_);
  static_cast<Stream&>(stream).submit(arguments, name, [this](plugin::Arguments kept) {
    const std::int64_t extent = kept[1].shape[dim_];
    if (num_elements(kept[0]) == 0) return;
    compute_in_range(workers_, kept[2], extent, dim_, [&] { compute(kept); });
  });
}

void GatherKernel::compute(plugin::Arguments arguments) const {
  const patchbay_argument &out = arguments[0], &a = arguments[1], &index = arguments[2];
  const patchbay_argument walked = beside(a, out, dim_);
  const patchbay_argument* const operands[] = {&out, &walked, &index};
  const LoopNest nest = make_loop_nest(operands, 3);
  const std::int64_t segments = (nest.inner_size() + kSegment - 1) / kSegment;
  const Walk walk{nest, data_of(out), data_of(a), data_of(index), a.strides[dim_], segments};
  const std::int64_t rows = nest.num_rows(), size = element_bytes(out.dtype);
  const std::int64_t bytes = 2 * rows * nest.inner_size() * size;
  const std::int64_t grain = std::max<std::int64_t>(1, 1024 / nest.inner_size());
  with_size(size, [&](auto element) {
    with_indices(index, [&](const auto* indices) {
      using T = decltype(element);
      using I = std::remove_cvref_t<decltype(*indices)>;
      workers_.split(rows * segments, grain, bytes, [&](std::int64_t begin, std::int64_t end) {
        compute_rows<T, I>(walk, begin, end);
      });
    });
  });
}

/// Computes the segments begin to end.
template <class T, class I>
void GatherKernel::compute_rows(const Walk& walk, std::int64_t begin,
                                std::int64_t end) const noexcept {
  const LoopNest& nest = walk.nest;
  const std::int64_t out_step = nest.inner_stride(0), a_step = nest.inner_stride(1);
  const std::int64_t index_step = nest.inner_stride(2), step = walk.step;
  const bool is_even = out_step == 1 && a_step == 1;
  RowCursor row(nest, begin / walk.segments);
  std::int64_t segment = begin % walk.segments;
  for (std::int64_t unit = begin; unit < end; ++unit) {
    const std::int64_t first = segment * kSegment;
    const std::int64_t n = std::min(kSegment, nest.inner_size() - first);
    T* const out = reinterpret_cast<T*>(walk.out) + row.offsets()[0] + first * out_step;
    const T* const a = reinterpret_cast<const T*>(walk.a) + row.offsets()[1] + first * a_step;
    const I* const index =
        reinterpret_cast<const I*>(walk.index) + row.offsets()[2] + first * index_step;
    if (index_step != 0) {
      for (std::int64_t i = 0; i < n; ++i) {
        out[i * out_step] = a[i * a_step + std::int64_t{index[i * index_step]} * step];
      }
    } else if (const T* const from = a + std::int64_t{*index} * step; is_even) {
      std::memcpy(out, from, static_cast<std::size_t>(n) * sizeof(T));
    } else {
      copy_(n, out, from, nullptr, {out_step, a_step, 0});
    }
    if (++segment == walk.segments) {
      segment = 0;
      row.next();
    }
  }
}

std::unique_ptr<plugin::Kernel> prepare_gather(const Context& context) {
  const Row copy = checked(context, context.simd().copy, context.dtype(0));
  return std::make_unique<GatherKernel>(context.workers, copy, dim_of(context.spec));
}

}  // namespace patchbay::cpu
