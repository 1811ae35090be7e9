// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions by products of the BLAS library. Values are whole numbers, so that sums are exact.
#include <vector>

#include "sim/simulation.h"

namespace patchbay::sim_test {
namespace {

class SimConvolution : public SimTest {
 protected:
  static Tensor whole(const Shape& shape, const Device& device, DType dtype) {
    std::vector<double> values(static_cast<std::size_t>(num_elements(shape)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<double>(i * 7 % 11) - 5;
    }
    return from_host(values, shape, device).cast(dtype);
  }

  struct Results {
    std::vector<double> out, input, weight;
    std::uint64_t launches = 0;
  };
  static Results compute(const Device& device, DType dtype, const Shape& images,
                         const Shape& filters, const Conv2dOptions& options) {
    const Tensor x = whole(images, device, dtype), w = whole(filters, device, dtype);
    const std::uint64_t before = counters().launches;
    const Tensor y = conv2d(x, w, {}, options);
    device.synchronize();
    const std::uint64_t launches = counters().launches - before;
    x.requires_grad_();
    w.requires_grad_();
    conv2d(x, w, {}, options).backward(whole(y.shape(), device, dtype));
    return {values_of(y), values_of(x.grad()), values_of(w.grad()), launches};
  }
  /// The results on a card, which are those of the CPU.
  static Results check(DType dtype, const Shape& images, const Shape& filters,
                       const Conv2dOptions& options = {}) {
    // Without a vendor's library of convolutions.
    Settings settings;
    if (kNames.backend == std::string_view("cuda")) settings["cuda_convolutions"] = "own";
    const Runtime runtime(sim_test::options(settings));
    const Results expected = compute(runtime.device("cpu:0"), DType::f64, images, filters, options);
    Results got = compute(runtime.device(kNames.device(0)), dtype, images, filters, options);
    const auto rounded = [&](const std::vector<double>& exact) {
      const Tensor all =
          from_host(exact, {static_cast<std::int64_t>(exact.size())}, runtime.device("cpu:0"));
      return values_of(all.cast(dtype));
    };
    EXPECT_EQ(got.out, rounded(expected.out));
    EXPECT_EQ(got.input, rounded(expected.input));
    EXPECT_EQ(got.weight, rounded(expected.weight));
    return got;
  }
};

constexpr DType kFloats[] = {DType::f32, DType::f64, DType::f16, DType::bf16};

TEST_F(SimConvolution, PointwiseImagesAreMultipliedAsTheyLie) {
  for (const DType dtype : kFloats) {
    SCOPED_TRACE(to_string(dtype));
    EXPECT_EQ(check(dtype, {3, 8, 5, 4}, {9, 8, 1, 1}).launches, 0u);
    EXPECT_EQ(check(dtype, {2, 16, 3, 5}, {20, 8, 1, 1}, {.groups = 2}).launches, 0u);
  }
}

TEST_F(SimConvolution, WindowsBecomeColumns) {
  for (const DType dtype : kFloats) {
    SCOPED_TRACE(to_string(dtype));
    // The columns, and the images that the product has side by side.
    EXPECT_EQ(check(dtype, {3, 4, 7, 6}, {8, 4, 3, 3}, {.padding = 1}).launches, 2u);
    EXPECT_EQ(check(dtype, {1, 4, 7, 6}, {8, 4, 3, 3}, {.padding = 1}).launches, 1u);
  }
  check(DType::f32, {2, 3, 11, 9}, {8, 3, 5, 3}, {.stride = {2, 3}, .padding = {2, 1}});
  check(DType::f32, {2, 3, 11, 9}, {10, 3, 3, 3}, {.padding = {3, 2}, .dilation = {3, 2}});
  check(DType::f32, {2, 3, 12, 10}, {8, 3, 2, 2}, {.stride = 3});  // elements in no window
  check(DType::f32, {2, 8, 6, 6}, {8, 8, 1, 1}, {.stride = 2});
  check(DType::bf16, {2, 8, 6, 6}, {16, 4, 3, 3}, {.stride = 2, .padding = 1, .groups = 2});
}

TEST_F(SimConvolution, FewImagesAtATime) {
  set("MEMORY_BYTES", "67108864");  // of which columns get 1 MiB
  for (const DType dtype : kFloats) {
    SCOPED_TRACE(to_string(dtype));
    // An image needs 176 KiB or, of 16 bits, half of that: 5 images fit or 11.
    EXPECT_GE(check(dtype, {13, 4, 32, 32}, {8, 4, 3, 3}, {.padding = 1}).launches, 4u);
  }
}

TEST_F(SimConvolution, OtherShapesAreForThePortableKernel) {
  set("MEMORY_BYTES", "67108864");
  EXPECT_EQ(check(DType::f32, {2, 8, 6, 6}, {8, 1, 3, 3}, {.groups = 8}).launches, 1u);
  // The columns of one image take 1.7 MiB.
  EXPECT_EQ(check(DType::f32, {1, 8, 80, 80}, {8, 8, 3, 3}, {.padding = 1}).launches, 1u);
  EXPECT_EQ(check(DType::f32, {0, 8, 6, 6}, {8, 8, 3, 3}).launches, 0u);
}

}  // namespace
}  // namespace patchbay::sim_test
