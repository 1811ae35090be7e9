// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// conv2d.1 and its adjoints as products with the elements under the windows, a tile of windows at a
// time. The tiles along which sums are made do not depend on the number of threads, so bits do not
// either.
#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>

#include "patchbay/plugin/kit/error.hpp"

#include "cpu-openblas/convolution/blocked_convolution.hpp"
#include "cpu-openblas/convolution/direct_convolution.hpp"
#include "cpu-openblas/convolution/direct_weight_gradient.hpp"
#include "cpu-openblas/convolution/patches.hpp"
#include "cpu-openblas/convolution/source.hpp"
#include "cpu-openblas/convolution/windows.hpp"
#include "cpu-openblas/convolution/winograd_convolution.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/products/scratch.hpp"
#include "cpu-openblas/threads/stream.hpp"

namespace patchbay::cpu {
namespace {

constexpr std::int64_t kTileUnit = 48;           // windows that the product's inner loop takes
constexpr std::int64_t kPatchBytes = 512 << 10;  // of a tile of patches
constexpr std::int64_t kInputTile = 480, kWeightTile = 384;  // windows
constexpr std::int64_t kTilesTogether = 64;  // of a gradient, before their sum is added
constexpr std::int64_t kInputColumns = 256;  // elements of kernels at once

/// What computes a dtype: T is f32 for 16-bit floats, which `load` and `store` convert.
struct Loops {
  FloatGemmLoop product;
  Row load, store;  // null if elements have type T
  std::int64_t element_bytes;
};

template <class T>
struct Matrix {
  const T* data;
  std::int64_t row, column;  // strides
};

/// The kernels compute parts of a launch, each with a room of its own.
template <class T>
class ConvolutionKernel : public plugin::Kernel {
 public:
  ConvolutionKernel(const Context& context, const Loops& loops)
      : workers_(context.workers),
        scratch_(context.libraries.scratch()),
        loops_(loops),
        plan_(plugin::from_abi(context.spec.op), context.spec) {
    const ConvolutionPart part = plan_.part();
    if (!converts() && part != ConvolutionPart::kWeight) {
      direct_ = std::make_unique<DirectConvolution<T>>(context.simd().direct[context.dtype(0)],
                                                       part == ConvolutionPart::kInput, workers_,
                                                       scratch_, context.libraries.packed());
    }
    if (context.dtype(0) != PATCHBAY_F32) return;
    if (context.libraries.convolutions() == ConvolutionChoice::kWinograd &&
        part != ConvolutionPart::kWeight) {
      winograd_ =
          std::make_unique<WinogradConvolution>(context.simd(), part == ConvolutionPart::kInput,
                                                workers_, scratch_, context.libraries.packed());
    }
    const OneDnn* const library = context.libraries.onednn();
    if (library == nullptr) return;
    const bool always = context.libraries.convolutions() == ConvolutionChoice::kOneDnn;
    blocked_ = std::make_unique<BlockedConvolution>(*library, always, part, workers_, scratch_,
                                                    context.libraries.packed());
  }

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    const Convolution sizes = plan_.of(arguments);
    if (num_elements(arguments[0]) == 0) return;
    static_cast<Stream&>(stream).submit(arguments, name, [this, sizes](plugin::Arguments kept) {
      workers_.run([&] {
        if (is_computed_from_source(winograd_, sizes, kept)) return;
        if (is_computed_by_library(sizes, kept)) return;
        if (!is_computed_from_source(direct_, sizes, kept)) compute(sizes, kept);
      });
    });
  }

 protected:
  virtual void compute(const Convolution& sizes, plugin::Arguments arguments) const = 0;

  bool converts() const noexcept { return loops_.load != nullptr; }
  /// Whether the patches are the images themselves.
  bool is_plain(const Convolution& sizes) const noexcept {
    return !converts() && sizes.is_pointwise();
  }
  int num_parts(std::int64_t units) const noexcept {
    return static_cast<int>(std::min<std::int64_t>(units, workers_.num_threads()));
  }
  /// The number of blocks of at least `least` of `count` things that give each thread a unit.
  std::int64_t num_blocks(std::int64_t units, std::int64_t count,
                          std::int64_t least) const noexcept {
    const std::int64_t wanted = pieces(workers_.num_threads(), std::max<std::int64_t>(units, 1));
    return workers_.num_threads() == 1 ? 1
                                       : std::clamp(wanted, std::int64_t{1}, pieces(count, least));
  }
  std::int64_t product_bytes(std::int64_t m, std::int64_t n, std::int64_t k,
                             bool a_has_unit_rows) const noexcept {
    return whole_lines(loops_.product.scratch_elements(m, n, k, a_has_unit_rows) *
                       std::int64_t{sizeof(T)});
  }

  /// out[j out_next + i] = sum over l of a[i, l] b[l, j], added to out if `adds`.
  void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<T>& a,
                const Matrix<T>& b, T* out, std::int64_t out_next, bool adds,
                char* scratch) const noexcept {
    const T alpha = 1, beta = adds ? T(1) : T(0);
    loops_.product.multiply({m,
                             n,
                             k,
                             a.data,
                             b.data,
                             out,
                             {a.row, a.column},
                             {b.row, b.column},
                             {1, out_next},
                             &alpha,
                             &beta,
                             scratch,
                             false});
  }

  /// to[line count + i]: lines of `count` elements, `next` elements apart.
  void load_lines(const char* from, std::int64_t next, std::int64_t lines, std::int64_t count,
                  T* to) const noexcept {
    for (std::int64_t line = 0; line < lines; ++line) {
      loops_.load(count, to + line * count, from + line * next * loops_.element_bytes, nullptr, {});
    }
  }
  void store_lines(const T* from, std::int64_t lines, std::int64_t count, char* to,
                   std::int64_t next) const noexcept {
    for (std::int64_t line = 0; line < lines; ++line) {
      loops_.store(count, to + line * next * loops_.element_bytes, from + line * count, nullptr,
                   {});
    }
  }
  char* element(const patchbay_argument& of, std::int64_t number) const noexcept {
    return data_of(of) + number * loops_.element_bytes;
  }

  /// The weight in type T; a lease keeps a converted copy.
  class Weight {
   public:
    Weight(const ConvolutionKernel& kernel, const patchbay_argument& weight)
        : lease_(kernel.scratch_.take(
              kernel.converts() ? static_cast<std::size_t>(num_elements(weight)) * sizeof(T) : 0)),
          data_(reinterpret_cast<const T*>(kernel.converts() ? lease_.data() : data_of(weight))) {
      if (!kernel.converts()) return;
      kernel.load_lines(data_of(weight), 0, 1, num_elements(weight),
                        reinterpret_cast<T*>(lease_.data()));
    }
    const T* data() const noexcept { return data_; }

   private:
    const ScratchPool::Lease lease_;
    const T* const data_;
  };

  Workers& workers_;
  ScratchPool& scratch_;
  const Loops loops_;

 private:
  /// `by` is null or computes results from the images, or gradients of the images from those of the
  /// windows.
  template <class Algorithm>
  bool is_computed_from_source(const std::unique_ptr<Algorithm>& by, const Convolution& sizes,
                               plugin::Arguments arguments) const {
    if (by == nullptr) return false;
    const ConvolutionPlan::Places& places = plan_.places();
    const patchbay_argument& weight = arguments[places.weight];
    const patchbay_argument& source =
        arguments[places.windows == 0 ? places.images : places.windows];
    using Element = typename Algorithm::Element;
    return by->compute(sizes, reinterpret_cast<const Element*>(data_of(source)),
                       reinterpret_cast<const Element*>(data_of(weight)), weight.contents,
                       reinterpret_cast<Element*>(data_of(arguments[0])));
  }
  bool is_computed_by_library(const Convolution& sizes, plugin::Arguments arguments) const {
    const auto floats = [&](std::size_t place) {
      return reinterpret_cast<float*>(data_of(arguments[place]));
    };
    const ConvolutionPlan::Places& places = plan_.places();
    return blocked_ != nullptr &&
           blocked_->compute(sizes, {floats(places.images), floats(places.weight),
                                     floats(places.windows), arguments[places.weight].contents});
  }

  const ConvolutionPlan plan_;
  std::unique_ptr<BlockedConvolution> blocked_;    // null without the library
  std::unique_ptr<WinogradConvolution> winograd_;  // null unless it is the user's choice
  std::unique_ptr<DirectConvolution<T>> direct_;   // null for 16-bit floats and weights
};

/// out [windows, filters] = patches [windows, depth] weight^T [depth, filters], image by image.
template <class T>
class Forward final : public ConvolutionKernel<T> {
  using Base = ConvolutionKernel<T>;

 public:
  Forward(const Context& context, const Loops& loops) : Base(context, loops) {}

 private:
  void compute(const Convolution& sizes, plugin::Arguments arguments) const override {
    const std::int64_t depth = sizes.depth(), places = sizes.places();
    const std::int64_t wanted = kPatchBytes / (std::max<std::int64_t>(depth, 1) * sizeof(T));
    const std::int64_t tile = std::min(
        places, std::clamp<std::int64_t>(wanted, 1, 4096) / kTileUnit * kTileUnit + kTileUnit);
    const std::int64_t tiles = pieces(places, tile), height = sizes.group_filters();
    const std::int64_t image_units = sizes.images * sizes.groups * tiles;
    const std::int64_t filters = pieces(height, this->num_blocks(image_units, height, 16));
    const std::int64_t blocks = pieces(height, filters);
    const bool is_plain = this->is_plain(sizes);
    const std::int64_t patch_bytes =
        is_plain ? 0 : whole_lines(depth * tile * std::int64_t{sizeof(T)});
    const std::int64_t result_bytes =
        this->converts() ? whole_lines(filters * tile * std::int64_t{sizeof(T)}) : 0;
    const typename Base::Weight weight(*this, arguments[2]);
    const int parts = this->num_parts(image_units * blocks);
    const ScratchRooms rooms(
        this->scratch_,
        patch_bytes + result_bytes + this->product_bytes(tile, filters, depth, true), parts);
    this->workers_.for_units(image_units * blocks, parts, [&](int part, std::int64_t unit) {
      char* const room = rooms.of(part);
      const std::int64_t block = unit % blocks, at = unit / blocks % tiles;
      const std::int64_t group = unit / blocks / tiles % sizes.groups;
      const std::int64_t image = unit / blocks / tiles / sizes.groups;
      const Run run{at * tile, std::min(tile, places - at * tile)};
      const char* const plane = this->element(
          arguments[1], (image * sizes.channels + group * sizes.group_channels()) * sizes.pixels());
      Matrix<T> patches{reinterpret_cast<const T*>(plane) + run.begin, 1, sizes.pixels()};
      if (!is_plain) {
        T* const to = reinterpret_cast<T*>(room);
        take_patches(sizes, plane, this->loops_.element_bytes, sizes.group_channels(), run,
                     this->loops_.load, to, run.count);
        patches = {to, 1, run.count};
      }
      const std::int64_t filter = group * height + block * filters;
      const std::int64_t count = std::min(filters, height - block * filters);
      const Matrix<T> factors{weight.data() + filter * depth, 1, depth};
      char* const out =
          this->element(arguments[0], (image * sizes.filters + filter) * places + run.begin);
      char* const scratch = room + patch_bytes + result_bytes;
      if (!this->converts()) {
        return this->multiply(run.count, count, depth, patches, factors, reinterpret_cast<T*>(out),
                              places, false, scratch);
      }
      T* const result = reinterpret_cast<T*>(room + patch_bytes);
      this->multiply(run.count, count, depth, patches, factors, result, run.count, false, scratch);
      this->store_lines(result, count, run.count, out, places);
    });
  }
};

/// patches [windows, depth] = grad [windows, filters] weight [filters, depth], added to where they
/// were taken. A unit has some channels of an image to itself.
template <class T>
class Input final : public ConvolutionKernel<T> {
  using Base = ConvolutionKernel<T>;

 public:
  Input(const Context& context, const Loops& loops) : Base(context, loops) {}

 private:
  void compute(const Convolution& sizes, plugin::Arguments arguments) const override {
    const std::int64_t places = sizes.places(), kernel = sizes.kernel(), pixels = sizes.pixels();
    const std::int64_t width = sizes.group_channels(), height = sizes.group_filters();
    const std::int64_t tile = std::min(places, kInputTile);
    const std::int64_t image_units = sizes.images * sizes.groups;
    const std::int64_t most = std::max<std::int64_t>(kInputColumns / kernel, 1);
    const std::int64_t channels =
        std::min(most, pieces(width, this->num_blocks(image_units, width, 1)));
    const std::int64_t blocks = pieces(width, channels);
    const bool is_plain = this->is_plain(sizes), converts = this->converts();
    const auto bytes = [](std::int64_t n) { return whole_lines(n * std::int64_t{sizeof(T)}); };
    const std::int64_t patch_bytes = is_plain ? 0 : bytes(channels * kernel * tile);
    const std::int64_t grad_bytes = converts ? bytes(height * tile) : 0;
    const std::int64_t plane_bytes = converts ? bytes(channels * pixels) : 0;
    const typename Base::Weight weight(*this, arguments[2]);
    const int parts = this->num_parts(image_units * blocks);
    const ScratchRooms rooms(this->scratch_,
                             patch_bytes + grad_bytes + plane_bytes +
                                 this->product_bytes(tile, channels * kernel, height, true),
                             parts);
    this->workers_.for_units(image_units * blocks, parts, [&](int part, std::int64_t unit) {
      char* const room = rooms.of(part);
      T* const patches = reinterpret_cast<T*>(room);
      T* const loaded = reinterpret_cast<T*>(room + patch_bytes);
      char* const scratch = room + patch_bytes + grad_bytes + plane_bytes;
      const std::int64_t block = unit % blocks, group = unit / blocks % sizes.groups;
      const std::int64_t image = unit / blocks / sizes.groups;
      const std::int64_t first = block * channels, count = std::min(channels, width - first);
      char* const out =
          this->element(arguments[0], (image * sizes.channels + group * width + first) * pixels);
      T* const planes = reinterpret_cast<T*>(converts ? room + patch_bytes + grad_bytes : out);
      const Matrix<T> factors{weight.data() + (group * height * width + first) * kernel,
                              width * kernel, 1};
      if (!is_plain) std::fill_n(planes, count * pixels, T(0));
      for (std::int64_t begin = 0; begin < places; begin += tile) {
        const Run run{begin, std::min(tile, places - begin)};
        const char* const from =
            this->element(arguments[1], (image * sizes.filters + group * height) * places + begin);
        Matrix<T> grad{reinterpret_cast<const T*>(from), 1, places};
        if (converts) {
          this->load_lines(from, places, height, run.count, loaded);
          grad = {loaded, 1, run.count};
        }
        if (is_plain) {
          this->multiply(run.count, count, height, grad, factors, planes + begin, pixels, false,
                         scratch);
          continue;
        }
        this->multiply(run.count, count * kernel, height, grad, factors, patches, run.count, false,
                       scratch);
        add_patches(sizes, planes, count, run, patches, run.count);
      }
      if (converts) this->store_lines(planes, 1, count * pixels, out, 0);
    });
  }
};

/// out^T [depth, filters] = patches^T [depth, windows] grad [windows, filters], summed over the
/// images. A unit has some channels and filters to itself.
template <class T>
class WeightGradient final : public ConvolutionKernel<T> {
  using Base = ConvolutionKernel<T>;

 public:
  WeightGradient(const Context& context, const Loops& loops) : Base(context, loops) {
    if (this->converts()) return;
    direct_ = std::make_unique<DirectWeightGradient<T>>(context.simd().direct[context.dtype(0)],
                                                        this->workers_, this->scratch_);
  }

 private:
  void compute(const Convolution& sizes, plugin::Arguments arguments) const override {
    const auto elements = [&](std::size_t i) {
      return reinterpret_cast<T*>(data_of(arguments[i]));
    };
    if (direct_ != nullptr && direct_->compute(sizes, elements(1), elements(2), elements(0)))
      return;
    multiply_patches(sizes, arguments);
  }

  void multiply_patches(const Convolution& sizes, plugin::Arguments arguments) const {
    const std::int64_t places = sizes.places(), kernel = sizes.kernel(), pixels = sizes.pixels();
    const std::int64_t width = sizes.group_channels(), height = sizes.group_filters();
    const std::int64_t depth = sizes.depth();
    const std::int64_t tile = std::max<std::int64_t>(std::min(places, kWeightTile), 1);
    const std::int64_t channels = pieces(width, this->num_blocks(sizes.groups, width, 1));
    const std::int64_t across = pieces(width, channels);
    const std::int64_t filters =
        pieces(height, this->num_blocks(sizes.groups * across, height, 16));
    const std::int64_t down = pieces(height, filters);
    const bool is_plain = this->is_plain(sizes), converts = this->converts();
    const auto bytes = [](std::int64_t n) { return whole_lines(n * std::int64_t{sizeof(T)}); };
    const std::int64_t patch_bytes = is_plain ? 0 : bytes(channels * kernel * tile);
    const std::int64_t grad_bytes = converts ? bytes(filters * tile) : 0;
    const std::int64_t sum_bytes = converts ? bytes(filters * channels * kernel) : 0;
    // The sums of so many tiles are added to those before.
    const bool in_parts = sizes.images * pieces(places, tile) > kTilesTogether;
    const std::int64_t part_bytes = in_parts ? bytes(filters * channels * kernel) : 0;
    const std::int64_t units = sizes.groups * across * down;
    const int parts = this->num_parts(units);
    const ScratchRooms rooms(this->scratch_,
                             patch_bytes + grad_bytes + sum_bytes + part_bytes +
                                 this->product_bytes(channels * kernel, filters, tile, false),
                             parts);
    this->workers_.for_units(units, parts, [&](int part, std::int64_t unit) {
      char* const room = rooms.of(part);
      T* const taken = reinterpret_cast<T*>(room);
      T* const loaded = reinterpret_cast<T*>(room + patch_bytes);
      T* const partial = reinterpret_cast<T*>(room + patch_bytes + grad_bytes + sum_bytes);
      char* const scratch = room + patch_bytes + grad_bytes + sum_bytes + part_bytes;
      const std::int64_t group = unit / down / across;
      const std::int64_t channel = unit / down % across * channels, filter = unit % down * filters;
      const std::int64_t count = std::min(channels, width - channel);
      const std::int64_t rows = std::min(filters, height - filter), columns = count * kernel;
      char* const out =
          this->element(arguments[0], (group * height + filter) * depth + channel * kernel);
      T* const sums = reinterpret_cast<T*>(converts ? room + patch_bytes + grad_bytes : out);
      const std::int64_t next = converts ? columns : depth;
      for (std::int64_t row = 0; row < rows; ++row) std::fill_n(sums + row * next, columns, T(0));
      std::int64_t tiles = 0;  // that were multiplied
      const auto end_part = [&] {
        for (std::int64_t row = 0; row < rows; ++row) {
          for (std::int64_t k = 0; k < columns; ++k)
            sums[row * next + k] += partial[row * columns + k];
        }
      };
      for (std::int64_t image = 0; image < sizes.images; ++image) {
        const char* const plane = this->element(
            arguments[1], (image * sizes.channels + group * width + channel) * pixels);
        for (std::int64_t begin = 0; begin < places; begin += tile) {
          const Run run{begin, std::min(tile, places - begin)};
          const char* const from = this->element(
              arguments[2], (image * sizes.filters + group * height + filter) * places + begin);
          Matrix<T> grad{reinterpret_cast<const T*>(from), 1, places};
          if (converts) {
            this->load_lines(from, places, rows, run.count, loaded);
            grad = {loaded, 1, run.count};
          }
          Matrix<T> patches{reinterpret_cast<const T*>(plane) + begin, pixels, 1};
          if (!is_plain) {
            take_patches(sizes, plane, this->loops_.element_bytes, count, run, this->loops_.load,
                         taken, run.count);
            patches = {taken, run.count, 1};
          }
          const bool is_apart = tiles >= kTilesTogether;
          const bool adds = !is_apart || tiles % kTilesTogether != 0;
          this->multiply(columns, rows, run.count, patches, grad, is_apart ? partial : sums,
                         is_apart ? columns : next, adds, scratch);
          ++tiles;
          if (is_apart && tiles % kTilesTogether == 0) end_part();
        }
      }
      if (tiles > kTilesTogether && tiles % kTilesTogether != 0) end_part();
      if (converts) this->store_lines(sums, rows, columns, out, depth);
    });
  }

  std::unique_ptr<DirectWeightGradient<T>> direct_;  // null for 16-bit floats
};

template <template <class> class Kernel>
std::unique_ptr<plugin::Kernel> make(const Context& context) {
  const SimdTable& simd = context.simd();
  const std::uint8_t dtype = context.dtype(0);
  const std::int64_t bytes = element_bytes(dtype);
  if (dtype == PATCHBAY_F64) {
    return std::make_unique<Kernel<double>>(
        context, Loops{simd.float_gemm[PATCHBAY_F64], nullptr, nullptr, bytes});
  }
  const FloatGemmLoop& floats = simd.float_gemm[PATCHBAY_F32];
  if (dtype == PATCHBAY_F32) {
    return std::make_unique<Kernel<float>>(context, Loops{floats, nullptr, nullptr, bytes});
  }
  const Row load = checked(context, simd.cast[PATCHBAY_F32], dtype);
  return std::make_unique<Kernel<float>>(
      context, Loops{floats, load, simd.cast[dtype][PATCHBAY_F32], bytes});
}

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_conv2d(const Context& context) {
  return make<Forward>(context);
}

std::unique_ptr<plugin::Kernel> prepare_conv2d_input(const Context& context) {
  return make<Input>(context);
}

std::unique_ptr<plugin::Kernel> prepare_conv2d_weight(const Context& context) {
  return make<WeightGradient>(context);
}

}  // namespace patchbay::cpu
