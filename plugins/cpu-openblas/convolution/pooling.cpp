// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// max_pool2d_index.1, avg_pool2d.1 and its adjoint, a plane at a time.
#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "cpu-openblas/convolution/patches.hpp"
#include "cpu-openblas/convolution/windows.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/products/scratch.hpp"
#include "cpu-openblas/threads/stream.hpp"
#include "kit/windows.hpp"

namespace patchbay::cpu {
namespace {

/// The elements begin, begin + step ... below end of a window along one axis, and the number of
/// elements by which a sum is divided.
struct Span {
  std::int64_t begin, end, step, count;
};

Span span_of(const Pooling& sizes, const WindowAxis& axis, std::int64_t at) noexcept {
  if (sizes.adaptive != 0) {
    const std::int64_t begin = at * axis.extent / axis.windows;
    const std::int64_t end = ((at + 1) * axis.extent + axis.windows - 1) / axis.windows;
    return {begin, end, 1, end - begin};
  }
  const std::int64_t first = at * axis.stride - axis.padding, step = axis.dilation;
  const std::int64_t beyond = first + (axis.kernel - 1) * step + 1;
  const std::int64_t begin = first < 0 ? first + (-first + step - 1) / step * step : first;
  const std::int64_t end = std::min(beyond, axis.extent);
  const std::int64_t padded = std::min(beyond, axis.extent + axis.padding) - first;
  return {begin, end, step,
          sizes.counts_padding != 0 ? padded : std::max<std::int64_t>(end - begin, 0)};
}

std::vector<Span> spans_of(const Pooling& sizes, const WindowAxis& axis) {
  std::vector<Span> spans;
  spans.reserve(static_cast<std::size_t>(axis.windows));
  for (std::int64_t at = 0; at < axis.windows; ++at) spans.push_back(span_of(sizes, axis, at));
  return spans;
}

struct Spans {
  std::vector<Span> rows, columns;
};

/// Rows with fewer windows are computed window by window.
constexpr std::int64_t kFewWindows = 8;

/// A row of windows at a time: `keep` compares the elements with one number in all of them.
template <class T>
void find_most_of_rows(const Pooling& sizes, const Spans& spans, KeepMost keep, const T* plane,
                       std::int64_t* out) {
  constexpr std::int64_t kTogether = 256;
  const WindowAxis& axis = sizes.w;
  T most[kTogether];
  std::int32_t places[kTogether];
  for (const Span& rows : spans.rows) {
    for (std::int64_t first = 0; first < axis.windows; first += kTogether) {
      const std::int64_t count = std::min(kTogether, axis.windows - first);
      for (std::int64_t k = 0; k < count; ++k) {
        const Span& columns = spans.columns[static_cast<std::size_t>(first + k)];
        const bool is_empty = rows.begin >= rows.end || columns.begin >= columns.end;
        most[k] = -std::numeric_limits<T>::infinity();
        places[k] =
            is_empty ? 0 : static_cast<std::int32_t>(rows.begin * axis.extent + columns.begin);
      }
      for (std::int64_t y = rows.begin; y < rows.end; y += rows.step) {
        for (std::int64_t i = 0; i < axis.kernel; ++i) {
          const Inside inside = inside_of(axis, i);
          const std::int64_t begin = std::max(inside.begin, first),
                             end = std::min(inside.end, first + count);
          if (begin >= end) continue;
          const std::int64_t place =
              y * axis.extent + begin * axis.stride - axis.padding + i * axis.dilation;
          keep(end - begin, most + (begin - first), places + (begin - first), plane + place,
               axis.stride, static_cast<std::int32_t>(place));
        }
      }
      out = std::copy_n(places, count, out);
    }
  }
}

template <class T>
void find_most(const Pooling& sizes, const Spans& spans, const T* plane, std::int64_t* out) {
  for (const Span& rows : spans.rows) {
    for (const Span& columns : spans.columns) {
      std::int64_t best = -1;
      T most = 0;
      for (std::int64_t y = rows.begin; y < rows.end; y += rows.step) {
        for (std::int64_t x = columns.begin; x < columns.end; x += columns.step) {
          const T value = plane[y * sizes.w.extent + x];
          if (best < 0 || value > most || (value != value && most == most)) {
            best = y * sizes.w.extent + x;
            most = value;
          }
        }
      }
      *out++ = std::max<std::int64_t>(best, 0);
    }
  }
}

template <class T>
void average(const Pooling& sizes, const Spans& spans, const T* plane, T* out) {
  for (const Span& rows : spans.rows) {
    for (const Span& columns : spans.columns) {
      T sum = 0;
      for (std::int64_t y = rows.begin; y < rows.end; ++y) {
        T of_row = 0;
        for (std::int64_t x = columns.begin; x < columns.end; ++x) {
          of_row += plane[y * sizes.w.extent + x];
        }
        sum += of_row;
      }
      *out++ = sum / static_cast<T>(rows.count * columns.count);
    }
  }
}

/// The adjoint, window by window.
template <class T>
void spread(const Pooling& sizes, const Spans& spans, const T* grad, T* plane) {
  std::fill_n(plane, sizes.pixels(), T(0));
  for (const Span& rows : spans.rows) {
    for (const Span& columns : spans.columns) {
      const T share = *grad++ / static_cast<T>(rows.count * columns.count);
      for (std::int64_t y = rows.begin; y < rows.end; ++y) {
        for (std::int64_t x = columns.begin; x < columns.end; ++x) {
          plane[y * sizes.w.extent + x] += share;
        }
      }
    }
  }
}

enum class Pool { kMost, kAverage, kSpread };

/// Arguments: out, and the images or, for kSpread, the windows.
template <class T, Pool kPool>
class PoolingKernel final : public plugin::Kernel {
 public:
  /// `load` and `store` convert 16-bit floats; null if elements have type T.
  PoolingKernel(const Context& context, Row load, Row store)
      : workers_(context.workers),
        scratch_(context.libraries.scratch()),
        load_(load),
        store_(store),
        in_bytes_(element_bytes(context.dtype(1))),
        out_bytes_(element_bytes(context.dtype(0))),
        keep_most_(context.simd().keep_most[sizeof(T) == 8 ? PATCHBAY_F64 : PATCHBAY_F32]),
        plan_(plugin::from_abi(context.spec.op), context.spec, kPool != Pool::kMost) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    constexpr std::size_t kImages = kPool == Pool::kSpread ? 0 : 1;
    const Pooling sizes = plan_.of(arguments[kImages], arguments[1 - kImages]);
    if (num_elements(arguments[0]) == 0) return;
    static_cast<Stream&>(stream).submit(arguments, name, [this, sizes](plugin::Arguments kept) {
      workers_.run([&] { compute(sizes, kept[0], kept[1]); });
    });
  }

 private:
  using Result = std::conditional_t<kPool == Pool::kMost, std::int64_t, T>;

  void compute(const Pooling& sizes, const patchbay_argument& out,
               const patchbay_argument& in) const {
    const Spans spans{spans_of(sizes, sizes.h), spans_of(sizes, sizes.w)};
    const std::int64_t in_size = kPool == Pool::kSpread ? sizes.places() : sizes.pixels();
    const std::int64_t out_size = kPool == Pool::kSpread ? sizes.pixels() : sizes.places();
    constexpr std::int64_t kParts = 32;  // at most, of converted planes
    const std::int64_t pieces = load_ == nullptr ? 1 : std::min(sizes.planes, kParts);
    const ScratchRooms rooms(scratch_,
                             load_ == nullptr ? 0 : (in_size + out_size) * std::int64_t{sizeof(T)},
                             static_cast<int>(pieces));
    const auto compute_planes = [&](std::int64_t begin, std::int64_t end, T* room) {
      for (std::int64_t plane = begin; plane < end; ++plane) {
        compute_plane(sizes, spans, data_of(in) + plane * in_size * in_bytes_,
                      data_of(out) + plane * out_size * out_bytes_, in_size, out_size, room);
      }
    };
    const std::int64_t window = sizes.h.kernel * sizes.w.kernel;
    const std::int64_t bytes = sizes.planes *
                               (in_size + out_size * std::min<std::int64_t>(window, 64)) *
                               std::int64_t{sizeof(T)};
    if (load_ == nullptr) {
      return workers_.split(sizes.planes, 1, bytes, [&](std::int64_t begin, std::int64_t end) {
        compute_planes(begin, end, nullptr);
      });
    }
    const std::int64_t each = (sizes.planes + pieces - 1) / pieces;
    workers_.split(pieces, 1, bytes, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t piece = begin; piece < end; ++piece) {
        compute_planes(std::min(piece * each, sizes.planes),
                       std::min((piece + 1) * each, sizes.planes),
                       reinterpret_cast<T*>(rooms.of(static_cast<int>(piece))));
      }
    });
  }

  void compute_plane(const Pooling& sizes, const Spans& spans, const char* in, char* out,
                     std::int64_t in_size, std::int64_t out_size, T* room) const noexcept {
    const T* from = reinterpret_cast<const T*>(in);
    auto* to = reinterpret_cast<Result*>(out);
    if (load_ != nullptr) {
      load_(in_size, room, in, nullptr, {});
      from = room;
      if (store_ != nullptr) to = reinterpret_cast<Result*>(room + in_size);
    }
    if constexpr (kPool == Pool::kMost) {
      if (sizes.adaptive == 0 && sizes.w.windows >= kFewWindows &&
          in_size <= std::numeric_limits<std::int32_t>::max()) {
        find_most_of_rows(sizes, spans, keep_most_, from, to);
      } else {
        find_most(sizes, spans, from, to);
      }
    }
    if constexpr (kPool == Pool::kAverage) average(sizes, spans, from, to);
    if constexpr (kPool == Pool::kSpread) spread(sizes, spans, from, to);
    if (store_ != nullptr) store_(out_size, out, room + in_size, nullptr, {});
  }

  Workers& workers_;
  ScratchPool& scratch_;
  const Row load_, store_;
  const std::int64_t in_bytes_, out_bytes_;
  const KeepMost keep_most_;
  const PoolingPlan plan_;
};

template <Pool kPool>
std::unique_ptr<plugin::Kernel> make(const Context& context) {
  const std::uint8_t dtype = context.dtype(1);
  if (dtype == PATCHBAY_F64) {
    return std::make_unique<PoolingKernel<double, kPool>>(context, nullptr, nullptr);
  }
  if (dtype == PATCHBAY_F32) {
    return std::make_unique<PoolingKernel<float, kPool>>(context, nullptr, nullptr);
  }
  const SimdTable& simd = context.simd();
  const Row load = checked(context, simd.cast[PATCHBAY_F32], dtype);
  const Row store = kPool == Pool::kMost ? nullptr : simd.cast[dtype][PATCHBAY_F32];
  return std::make_unique<PoolingKernel<float, kPool>>(context, load, store);
}

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_max_pool2d_index(const Context& context) {
  return make<Pool::kMost>(context);
}

std::unique_ptr<plugin::Kernel> prepare_avg_pool2d(const Context& context) {
  return make<Pool::kAverage>(context);
}

std::unique_ptr<plugin::Kernel> prepare_avg_pool2d_input(const Context& context) {
  return make<Pool::kSpread>(context);
}

}  // namespace patchbay::cpu
