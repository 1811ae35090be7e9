// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions by the vendor's library for them, or by products of the BLAS library:
// kit/portable/lowering.hpp.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kit/card/kernels/dnn_library.hpp"
#include "kit/card/kernels/kernels.hpp"
#include "kit/card/kernels/products.hpp"
#include "kit/dtypes.hpp"
#include "kit/portable/lowering.hpp"
#include "kit/portable/operators.hpp"

namespace patchbay::card {
namespace {

using portable::Lowering;

// The columns of all images may be larger, so they are made for a few images at a time.
constexpr std::uint64_t kMostColumnsBytes = std::uint64_t{128} << 20;
// The library's fastest algorithms keep the images in another form.
constexpr std::uint64_t kMostLibraryBytes = std::uint64_t{384} << 20;
constexpr std::uint64_t kPartOfMemory = 64;  // no more than this part of the device's
/// The library pads smaller products to its tiles.
constexpr std::int64_t kLeastExtent = 8;
// Few weights, each of which is one long sum, leave most of a device idle. If there are at least so
// many images of so many places, each image has its own sums, which are added in the end.
constexpr std::int64_t kLeastParts = 64, kLeastPartPlaces = 256;
constexpr std::uint64_t kPartOfColumns = 4;  // no more than this part of the columns' bytes

using Part = ConvolutionPart;

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
}

plugin::Memory behind(plugin::Memory memory, std::uint64_t bytes) {
  memory.offset_bytes += bytes;
  return memory;
}

/// Arguments: the result and two operands; which is which depends on the part.
class ConvolutionKernel final : public plugin::Kernel {
 public:
  /// `library` may be null, and `products` may not be open: then `otherwise` computes in their
  /// place.
  ConvolutionKernel(DnnLibrary* library, Products& products, bool has_products,
                    const patchbay_kernel_spec& spec, portable::Backend& backend,
                    std::unique_ptr<plugin::Kernel> otherwise, std::unique_ptr<plugin::Kernel> sum,
                    std::uint64_t columns_bytes, std::uint64_t library_bytes)
      : op_(plugin::from_abi(spec.op)),
        plan_(op_, spec),
        part_(plan_.part()),
        dtype_(spec.arguments[0].dtype),
        element_(static_cast<std::uint64_t>(element_bytes(dtype_))),
        library_(library),
        products_(products),
        has_products_(has_products),
        products_bytes_(products.workspace_bytes()),
        columns_bytes_(columns_bytes),
        library_bytes_(library_bytes),
        lowering_(backend, dtype_),
        otherwise_(std::move(otherwise)),
        sum_(std::move(sum)) {}

  std::uint64_t workspace_bytes() const override {
    const std::uint64_t of_products = has_products_ ? aligned(products_bytes_) + columns_bytes_ : 0;
    return std::max({of_products, library_bytes_, otherwise_->workspace_bytes()});
  }

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override {
    const Convolution of = plan_.of(arguments);
    const Call call{{stream, name.empty() ? std::string_view(op_) : name},
                    arguments[0].value.memory,
                    arguments[1].value.memory,
                    arguments[2].value.memory,
                    workspace,
                    sums_bytes(of),
                    has_parts(of)};
    if (compute_by_library(call, of, arguments)) return;
    if (part_ != Part::kWeight && of.is_pointwise() && is_for_products(of)) {
      return multiply_images(call, of);
    }
    const std::int64_t most = images_at_once(of);
    if (most == 0) return otherwise_->launch(stream, arguments, workspace, name);
    const std::int64_t turns = (of.images + most - 1) / most;
    const std::int64_t at_once = (of.images + turns - 1) / turns;
    for (std::int64_t begin = 0; begin < of.images; begin += at_once) {
      Convolution some = of;
      some.images = std::min(at_once, of.images - begin);
      switch (part_) {
        case Part::kForward: forward(call, some, begin); break;
        case Part::kInput: input(call, some, begin); break;
        case Part::kWeight: weight(call, some, begin); break;
      }
    }
    if (call.has_parts) return add_parts(call, of);
    if (call.sums_bytes != 0) {
      lowering_.round_sums(call.launch, of.filters * of.depth(), call.out, sums(call));
    }
  }

 private:
  using Matrix = Product::Matrix;
  struct Call {
    Lowering::Launch launch;
    plugin::Memory out, first, second, workspace;
    std::uint64_t sums_bytes;
    bool has_parts;
  };

  bool compute_by_library(const Call& call, const Convolution& of,
                          plugin::Arguments arguments) const {
    if (library_ == nullptr || of.is_empty()) return false;
    const ConvolutionProblem problem{part_, dtype_, of};
    const auto memory = [&](std::size_t place) { return arguments[place].value.memory; };
    const auto& places = plan_.places();
    return (library_->is_preferred(problem) || !has_products_) &&
           library_->convolve(static_cast<Stream&>(call.launch.stream), problem,
                              {memory(places.images), memory(places.weight), memory(places.windows),
                               call.workspace, library_bytes_},
                              call.launch.name);
  }

  bool is_small() const { return element_ < sizeof(float); }
  std::uint64_t sum_bytes() const { return is_small() ? sizeof(float) : element_; }

  bool is_for_products(const Convolution& of) const {
    const bool is_wide = of.group_filters() >= kLeastExtent && of.depth() >= kLeastExtent;
    return has_products_ && is_wide && !of.is_empty() && Lowering::fits(one(of));
  }
  static Convolution one(Convolution of) {
    of.images = 1;
    return of;
  }

  /// Whether each image has its own sums for the gradient of the weight.
  bool has_parts(const Convolution& of) const {
    return sum_ != nullptr && of.groups == 1 && of.images >= kLeastParts &&
           of.places() >= kLeastPartPlaces && parts_bytes(of) <= columns_bytes_ / kPartOfColumns &&
           columns_bytes(one(of)) <= columns_bytes_ / kPartOfColumns;
  }
  std::uint64_t parts_bytes(const Convolution& of) const {
    return aligned(static_cast<std::uint64_t>(of.images * of.filters * of.depth()) * element_);
  }

  // The parts of the workspace: the library's, the sums of gradients of a weight (in 16 bits, or
  // of several images), the columns, and what lies there image by image in the arguments.
  std::uint64_t sums_bytes(const Convolution& of) const {
    if (has_parts(of)) return parts_bytes(of);
    if (part_ != Part::kWeight || !is_small()) return 0;
    return aligned(static_cast<std::uint64_t>(of.filters * of.depth()) * sizeof(float));
  }
  std::uint64_t columns_bytes(const Convolution& of) const {
    const auto count =
        static_cast<std::uint64_t>(of.images * of.places() * of.channels * of.kernel());
    return aligned(count * (part_ == Part::kInput ? sum_bytes() : element_));
  }
  std::uint64_t windows_bytes(const Convolution& of) const {
    return aligned(static_cast<std::uint64_t>(of.images * of.places() * of.filters) * element_);
  }
  plugin::Memory sums(const Call& call) const {
    return behind(call.workspace, aligned(products_bytes_));
  }
  plugin::Memory columns(const Call& call) const { return behind(sums(call), call.sums_bytes); }
  plugin::Memory windows(const Call& call, const Convolution& of) const {
    return behind(columns(call), columns_bytes(of));
  }

  /// For how many images the workspace is enough; 0 if the portable kernel computes.
  std::int64_t images_at_once(const Convolution& of) const {
    if (!is_for_products(of)) return 0;
    const std::uint64_t sums = sums_bytes(of);
    const std::uint64_t each = columns_bytes(one(of)) + windows_bytes(one(of));
    if (sums >= columns_bytes_) return 0;
    Convolution some = of;
    some.images = std::min(of.images, static_cast<std::int64_t>((columns_bytes_ - sums) / each));
    return some.images == 0 || !Lowering::fits(some) ? 0 : some.images;
  }

  plugin::Memory image(plugin::Memory all, std::int64_t number, std::int64_t elements) const {
    return behind(all, static_cast<std::uint64_t>(number * elements) * element_);
  }

  void multiply(const Call& call, Product product, bool adds = false) const {
    static constexpr float kF32[] = {0, 1};
    static constexpr double kF64[] = {0, 1};
    const bool is_f64 = dtype_ == PATCHBAY_F64;
    product.dtype = dtype_;
    product.alpha = is_f64 ? static_cast<const void*>(kF64 + 1) : kF32 + 1;
    product.beta = is_f64 ? static_cast<const void*>(kF64 + adds) : kF32 + adds;
    products_.multiply(static_cast<Stream&>(call.launch.stream), product, call.workspace,
                       products_bytes_, call.launch.name);
  }

  /// Pointwise windows: the images are columns as they lie.
  void multiply_images(const Call& call, const Convolution& of) const {
    const std::int64_t places = of.places(), filters = of.group_filters();
    const std::int64_t channels = of.group_channels();
    const bool is_forward = part_ == Part::kForward;
    const std::int64_t from = is_forward ? channels : filters, to = is_forward ? filters : channels;
    for (std::int64_t group = 0; group < of.groups; ++group) {
      Product product;
      product.m = static_cast<int>(places);
      product.n = static_cast<int>(to);
      product.k = static_cast<int>(from);
      product.a =
          matrix(image(call.first, group, from * places), places, places * from * of.groups);
      product.b = matrix(image(call.second, group, filters * channels), channels, 0);
      product.b.transposed = !is_forward;
      product.c = matrix(image(call.out, group, to * places), places, places * to * of.groups);
      product.count = static_cast<int>(of.images);
      multiply(call, product);
    }
  }

  static Matrix matrix(plugin::Memory memory, std::int64_t leading, std::int64_t next) {
    return {memory, static_cast<int>(leading), false, next};
  }

  /// The images' places as one dimension, [filters, images, places], if there are several images.
  plugin::Memory together(const Call& call, const Convolution& of, plugin::Memory grad) const {
    if (of.images == 1) return grad;
    const plugin::Memory to = windows(call, of);
    lowering_.swap(call.launch, of.images, of.filters, of.places(), to, grad);
    return to;
  }

  // A product for each group, whose matrices follow each other.
  void forward(const Call& call, const Convolution& of, std::int64_t begin) const {
    const std::int64_t places = of.images * of.places(), depth = of.depth();
    const std::int64_t filters = of.group_filters();
    const plugin::Memory from = columns(call);
    const plugin::Memory out = image(call.out, begin, of.filters * of.places());
    const plugin::Memory to = of.images == 1 ? out : windows(call, of);
    lowering_.columns(call.launch, of, from, image(call.first, begin, of.channels * of.pixels()));
    Product product = sized(places, filters, depth, of.groups);
    product.a = matrix(from, places, depth * places);
    product.b = matrix(call.second, depth, filters * depth);
    product.c = matrix(to, places, filters * places);
    multiply(call, product);
    if (of.images > 1) {
      lowering_.swap(call.launch, of.filters, of.images, of.places(), out, to);
    }
  }

  void input(const Call& call, const Convolution& of, std::int64_t begin) const {
    const std::int64_t places = of.images * of.places(), depth = of.depth();
    const std::int64_t filters = of.group_filters();
    const plugin::Memory to = columns(call);
    const plugin::Memory grad =
        together(call, of, image(call.first, begin, of.filters * of.places()));
    Product product = sized(places, depth, filters, of.groups);
    product.a = matrix(grad, places, filters * places);
    product.b = matrix(call.second, depth, filters * depth);
    product.b.transposed = true;
    product.c = matrix(to, places, depth * places);
    product.has_f32_result = is_small();
    multiply(call, product);
    lowering_.images(call.launch, of, image(call.out, begin, of.channels * of.pixels()), to);
  }

  void weight(const Call& call, const Convolution& of, std::int64_t begin) const {
    const std::int64_t places = of.images * of.places(), depth = of.depth();
    const std::int64_t filters = of.group_filters();
    const plugin::Memory from = columns(call);
    lowering_.columns(call.launch, of, from, image(call.first, begin, of.channels * of.pixels()));
    const plugin::Memory windows = image(call.second, begin, of.filters * of.places());
    if (call.has_parts) return multiply_parts(call, of, begin, windows);
    const plugin::Memory grad = together(call, of, windows);
    Product product = sized(depth, filters, places, of.groups);
    product.a = matrix(from, places, depth * places);
    product.a.transposed = true;
    product.b = matrix(grad, places, filters * places);
    product.c = matrix(is_small() ? sums(call) : call.out, depth, filters * depth);
    product.has_f32_result = is_small();
    multiply(call, product, /*adds=*/begin != 0);
  }

  void multiply_parts(const Call& call, const Convolution& of, std::int64_t begin,
                      plugin::Memory windows) const {
    const std::int64_t places = of.places(), depth = of.depth(), size = of.filters * depth;
    Product product = sized(depth, of.filters, places, of.images);
    product.a = matrix(columns(call), of.images * places, places);
    product.a.transposed = true;
    product.b = matrix(windows, places, of.filters * places);
    product.c = matrix(image(sums(call), begin, size), depth, size);
    multiply(call, product);
  }
  void add_parts(const Call& call, const Convolution& of) const {
    patchbay_argument arguments[2]{};  // [1, n] = sum of [images, n]
    for (patchbay_argument& argument : arguments) {
      argument.kind = PATCHBAY_TENSOR;
      argument.dtype = dtype_;
      argument.rank = 2;
      argument.shape[0] = 1;
      argument.shape[1] = argument.strides[0] = of.filters * of.depth();
      argument.strides[1] = 1;
    }
    arguments[0].value.memory = call.out;
    arguments[1].value.memory = sums(call);
    arguments[1].shape[0] = of.images;
    sum_->launch(call.launch.stream, arguments, columns(call), call.launch.name);
  }

  static Product sized(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t count) {
    Product product;
    product.m = static_cast<int>(m);
    product.n = static_cast<int>(n);
    product.k = static_cast<int>(k);
    product.count = static_cast<int>(count);
    return product;
  }

  const std::string op_;
  const ConvolutionPlan plan_;
  const Part part_;
  const std::uint8_t dtype_;
  const std::uint64_t element_;
  DnnLibrary* const library_;
  Products& products_;
  const bool has_products_;
  const std::uint64_t products_bytes_, columns_bytes_, library_bytes_;
  const Lowering lowering_;
  const std::unique_ptr<plugin::Kernel> otherwise_;  // for other shapes
  const std::unique_ptr<plugin::Kernel> sum_;        // of parts; null if there are none
};

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_convolution(const KernelParts& parts,
                                                    const patchbay_kernel_spec& spec) {
  const std::optional<Part> part = convolution_part(plugin::from_abi(spec.op));
  if (!part || !is_float(spec.arguments[0].dtype)) return nullptr;
  DnnLibrary* dnn = parts.dnn;
  if (dnn != nullptr && !(dnn->takes_convolutions() && dnn->open(parts.host))) dnn = nullptr;
  Products& products = parts.products;
  const std::uint64_t most = aligned(parts.info.memory_bytes / kPartOfMemory);
  const std::uint64_t columns = std::min(kMostColumnsBytes, most);
  const bool has_room = aligned(products.workspace_bytes()) + columns <= spec.workspace_limit_bytes;
  const bool has_products =
      has_room && products.takes(spec.arguments[0].dtype) && products.open(parts.host);
  if (dnn == nullptr && !has_products) return nullptr;
  std::unique_ptr<plugin::Kernel> otherwise =
      portable::prepare(parts.portable, spec);  // checks the spec
  const std::uint64_t library =
      dnn == nullptr ? 0 : std::min({kMostLibraryBytes, most, spec.workspace_limit_bytes});
  const bool adds_parts =
      has_products && part == Part::kWeight && !is_small_float(spec.arguments[0].dtype);
  std::unique_ptr<plugin::Kernel> sum;
  if (adds_parts)
    sum = prepare_step(parts.portable, spec, "sum.1", 1, columns - columns / kPartOfColumns);
  return std::make_unique<ConvolutionKernel>(dnn, products, has_products, spec, parts.portable,
                                             std::move(otherwise), std::move(sum), columns,
                                             library);
}

}  // namespace patchbay::card
