// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Sizes that devices divide among many work-items or threads: each device gives the values of
// cpu:0.
#include "support/device_test.h"
#include "support/patterns.h"

namespace patchbay::test {
namespace {

class DivisionTest : public DeviceTest {
 protected:
  std::vector<DType> dtypes(std::initializer_list<DType> all) const {
    std::vector<DType> found;
    for (const DType dtype : all) {
      if (dtype != DType::f64 || device_.properties().f64) found.push_back(dtype);
    }
    return found;
  }
};
PATCHBAY_ON_EACH_DEVICE(DivisionTest);

TEST_P(DivisionTest, Reductions) {
  const Device cpu = test_device("cpu:0");
  for (const DType dtype : dtypes({DType::f32, DType::f64, DType::f16, DType::i32, DType::u8})) {
    for (const Rows& rows : kRows) {
      const Tensor a = rows_of(rows, dtype, device_), b = rows_of(rows, dtype, cpu);
      for (const NamedReduction& one : kReductions) {
        for (const Axes& axes : {Axes(0), Axes(1)}) {
          const std::string what = std::string(one.name) + ' ' + std::string(to_string(dtype)) +
                                   " [" + std::to_string(rows.count) + ", " +
                                   std::to_string(rows.length) + "]";
          // Of the same sums in f64 only the last rounding may differ.
          const Tensor got = one.reduce(a, axes, false), expected = one.reduce(b, axes, false);
          const double least = dtype == DType::f16 ? 0x1p-8 : dtype == DType::f32 ? 0x1p-21 : 1e-12;
          double largest = 1;
          for (const double value : doubles_of(expected)) {
            largest = std::max(largest, std::fabs(value));
          }
          expect_near(got, expected, is_floating(got.dtype()) ? least * largest : 0, what);
        }
      }
    }
  }
}

TEST_P(DivisionTest, ElementsFromAnywhere) {
  const Device cpu = test_device("cpu:0");
  for (const DType dtype : dtypes({DType::f64, DType::f32, DType::bf16, DType::u8})) {
    for (const std::int64_t first : {0, 1, 3, 4}) {
      for (const std::int64_t count : {1, 7, 16, 1000}) {
        const auto compute = [&](const Device& device) {
          const Tensor a = (pattern({count + first}, 3, device) * 100).cast(dtype);
          const Tensor out = (pattern({count + first}, 4, device) * 100).cast(dtype);
          const Tensor to = out.slice(0, first);
          to += a.slice(0, 0, count);
          // Another pack for each dtype of the operands.
          return std::vector{out, gt(a, 0).cast(DType::f32),
                             where(gt(to, 3), to, a.slice(0, first))};
        };
        const auto ours = compute(device_), theirs = compute(cpu);
        for (std::size_t i = 0; i < ours.size(); ++i) {
          expect_near(ours[i], theirs[i], 0,
                      std::string(to_string(dtype)) + " from " + std::to_string(first));
        }
      }
    }
  }
}

TEST_P(DivisionTest, Transposes) {
  const Device cpu = test_device("cpu:0");
  for (const DType dtype : dtypes({DType::f64, DType::f32, DType::f16, DType::u8})) {
    for (const Shape& shape : {Shape{16, 16}, Shape{32, 32}, Shape{33, 70}, Shape{100, 17},
                               Shape{3, 40, 50}, Shape{2, 20, 3, 40}}) {
      const auto compute = [&](const Device& device) {
        const Tensor a = (pattern(shape, 5, device) * 100).cast(dtype);
        const Dim last = a.rank() - 1;
        return std::vector{
            a.transpose(0, last).contiguous(), a.transpose(last - 1, last).contiguous(),
            a.transpose(0, last).cast(DType::i64), abs(a.transpose(0, last).cast(DType::f32))};
      };
      const auto ours = compute(device_), theirs = compute(cpu);
      for (std::size_t i = 0; i < ours.size(); ++i) {
        expect_near(ours[i], theirs[i], 0, to_string(shape));
      }
    }
  }
}

struct Sizes {
  std::int64_t images, channels, height, width, filters, kernel_h, kernel_w;
  Conv2dOptions options;
};

TEST_P(DivisionTest, Convolutions) {
  const Sizes all[] = {
      {1, 1, 1, 1, 1, 1, 1, {}},
      {2, 70, 9, 11, 67, 3, 3, {.padding = 1}},
      {3, 4, 20, 17, 6, 5, 2, {.stride = {3, 2}, .padding = {2, 1}}},
      // The stride and the dilation have a divisor in common, or the stride is the longer one.
      {2,
       6,
       23,
       30,
       4,
       3,
       4,
       {.stride = {4, 6}, .padding = {3, 5}, .dilation = {2, 4}, .groups = 2}},
      {2, 3, 21, 20, 5, 2, 1, {.stride = {7, 5}, .dilation = {3, 9}}},
      {1, 2, 9, 9, 3, 4, 4, {.stride = 100}},
      {4, 32, 6, 6, 32, 3, 3, {.padding = 1, .groups = 32}},
      // Places enough for several pieces of the gradient of the weight.
      {9, 2, 30, 31, 3, 3, 3, {.padding = 1}},
  };
  const Device cpu = test_device("cpu:0");
  for (const DType dtype : dtypes({DType::f32, DType::f64, DType::f16})) {
    for (const Sizes& sizes : all) {
      const auto compute = [&](const Device& device) {
        const Shape weight{sizes.filters, sizes.channels / sizes.options.groups, sizes.kernel_h,
                           sizes.kernel_w};
        const Tensor x =
            pattern({sizes.images, sizes.channels, sizes.height, sizes.width}, 1, device)
                .cast(dtype)
                .requires_grad_();
        const Tensor w = pattern(weight, 2, device).cast(dtype).requires_grad_();
        const Tensor y = conv2d(x, w, {}, sizes.options);
        const Tensor slope = pattern(y.shape(), 3, device).cast(dtype);
        const std::vector<Tensor> slopes = gradients({y}, {x, w}, {slope});
        return std::vector{y, slopes[0], slopes[1]};
      };
      const auto ours = compute(device_), theirs = compute(cpu);
      const double terms[] = {static_cast<double>(sizes.channels / sizes.options.groups *
                                                  sizes.kernel_h * sizes.kernel_w),
                              static_cast<double>(sizes.filters / sizes.options.groups *
                                                  sizes.kernel_h * sizes.kernel_w),
                              static_cast<double>(theirs[0].num_elements() / sizes.filters)};
      for (std::size_t i = 0; i < ours.size(); ++i) {
        const double unit = dtype == DType::f64 ? 0x1p-52 : dtype == DType::f32 ? 0x1p-23 : 0x1p-9;
        expect_near(ours[i], theirs[i], 4 * unit * terms[i],
                    std::string(to_string(dtype)) + " result " + std::to_string(i) + " of " +
                        std::to_string(sizes.channels) + " channels");
      }
    }
  }
}

/// Additions to one element follow the order of the index on every device, so the bits are the
/// same.
TEST_P(DivisionTest, AdditionsByIndex) {
  struct Case {
    Shape table, index;
    int dim;
    bool shares;  // one index for all lanes
  };
  const Case all[] = {{{100}, {5000}, 0, false},       {{1}, {3000}, 0, false},
                      {{70'000}, {4000}, 0, false},    {{90, 5}, {2000, 5}, 0, false},
                      {{90, 33}, {2000, 33}, 0, true}, {{3, 700, 4}, {3, 1500, 4}, 1, false},
                      {{6, 300}, {6, 1024}, 1, true}};
  const Device cpu = test_device("cpu:0");
  for (const DType dtype : dtypes({DType::f32, DType::f64, DType::i32})) {
    for (const DType index_dtype : {DType::i32, DType::i64}) {
      for (const Case& one : all) {
        const auto compute = [&](const Device& device) {
          Shape drawn = one.index;
          if (one.shares) drawn = one.dim == 0 ? Shape{drawn[0], 1} : Shape{1, drawn[1]};
          const double extent = static_cast<double>(one.table[one.dim]);
          const Tensor index = floor((pattern(drawn, 9, device) * 0.5 + 0.5) * extent);
          const Tensor at = clamp(index, 0, extent - 1).cast(index_dtype).expand(one.index);
          const Tensor table = (pattern(one.table, 3, device) * 100).cast(dtype);
          return scatter_add(table, one.dim, at, (pattern(one.index, 4, device) * 100).cast(dtype));
        };
        expect_near(compute(device_), compute(cpu), 0,
                    std::string(to_string(dtype)) + ' ' + to_string(one.index));
      }
    }
  }
}

/// More additions than are sorted at once.
TEST_P(DivisionTest, AMillionAdditionsByIndex) {
  const Device cpu = test_device("cpu:0");
  const auto compute = [](const Device& device) {
    const Tensor numbers = arange(0, 1'300'000, 1, {DType::i64, device});
    const Tensor index = remainder(numbers * 7919, 1009).cast(DType::i32);
    return scatter_add(zeros({1009}, {DType::i64, device}), 0, index, numbers);
  };
  EXPECT_EQ(compute(device_).to_vector<std::int64_t>(), compute(cpu).to_vector<std::int64_t>());
}

}  // namespace
}  // namespace patchbay::test
