// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elementwise operations on views and broadcast operands that are large enough for kernels in which
// a work-item computes several elements: against the same on contiguous tensors of the host.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

class LargeViewsTest : public DeviceTest {
 protected:
  static Floats numbers(std::size_t count) {
    Floats all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<float>(i * 7919 % 1009) - 500;
    return all;
  }
  Tensor tensor(const Shape& shape) const {
    return from_host(numbers(static_cast<std::size_t>(num_elements(shape))), shape, device_);
  }
};
PATCHBAY_ON_EACH_DEVICE(LargeViewsTest);

/// Rows whose ends fill a part of a chunk of 256, 128 or 64 elements, or too little of any.
constexpr std::int64_t kLengths[] = {1000, 256, 257, 2049, 120, 60, 100, 33, 7};
constexpr std::int64_t kElements = std::int64_t{1} << 18;

TEST_P(LargeViewsTest, ARowIsAddedToRows) {
  for (const std::int64_t length : kLengths) {
    const std::int64_t rows = kElements / length + 1;
    const Tensor out = tensor({rows, length}) + tensor({length});
    const Floats a = numbers(static_cast<std::size_t>(rows * length)), got = out.to_vector<float>();
    for (std::size_t i = 0; i < a.size(); ++i) {
      const float expected = a[i] + a[i % static_cast<std::size_t>(length)];
      ASSERT_EQ(got[i], expected) << length << " at " << i;
    }
  }
}

TEST_P(LargeViewsTest, AColumnIsCopiedToPlanes) {
  for (const std::int64_t length : kLengths) {
    const std::int64_t planes = kElements / (3 * length) + 1;
    const Tensor out = zeros({planes, 3, length}, device_);
    out.copy_from(tensor({3, 1}).expand({planes, 3, length}));
    const Floats column = numbers(3), got = out.to_vector<float>();
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i], column[i / static_cast<std::size_t>(length) % 3]) << length << " at " << i;
    }
  }
}

/// Every second element, of rows with a gap, in place; what lies between stays.
TEST_P(LargeViewsTest, AViewIsChangedInPlace) {
  for (const std::int64_t length : kLengths) {
    const std::int64_t rows = kElements / length + 1, whole = 2 * length + 3;
    const Tensor all = tensor({rows, whole}), view = all.slice(1, 1, 1 + 2 * length, 2);
    ASSERT_EQ(view.size(1), length);
    mul_out(view, view, 2);
    const Floats before = numbers(static_cast<std::size_t>(rows * whole));
    const Floats got = all.to_vector<float>();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto column = static_cast<std::int64_t>(i) % whole;
      const bool is_in_view = column % 2 == 1 && column < 1 + 2 * length;
      ASSERT_EQ(got[i], is_in_view ? 2 * before[i] : before[i]) << length << " at " << i;
    }
  }
}

/// Operands of three layouts and two dtypes, of which one repeats in the middle.
TEST_P(LargeViewsTest, OperandsOfSeveralLayouts) {
  const std::int64_t a = 5, b = 70, c = 780;
  const Tensor condition = gt(tensor({a, 1, c}), 0);
  const Tensor x = tensor({b, a, c}).transpose(0, 1), y = tensor({a, c, b}).transpose(1, 2);
  const Floats got = where(condition, x, y).to_vector<float>();
  const Floats values = numbers(static_cast<std::size_t>(a * b * c));
  const auto at = [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; };
  for (std::int64_t i = 0; i < a; ++i) {
    for (std::int64_t j = 0; j < b; ++j) {
      for (std::int64_t k = 0; k < c; ++k) {
        const float expected =
            at(i * c + k) > 0 ? at((j * a + i) * c + k) : at((i * c + k) * b + j);
        ASSERT_EQ(got[static_cast<std::size_t>((i * b + j) * c + k)], expected)
            << i << ", " << j << ", " << k;
      }
    }
  }
}

TEST_P(LargeViewsTest, SmallFloatsOfRows) {
  const std::int64_t rows = 700, length = 500;
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Tensor a = tensor({rows, 2 * length}).slice(1, 0, length).cast(dtype);
    const Tensor b = tensor({rows, 2 * length}).cast(dtype).slice(1, length, 2 * length);
    const Floats got =
        (b * full({1, length}, 2, {dtype, device_})).cast(DType::f32).to_vector<float>();
    const Floats expected = (b.contiguous() * 2).cast(DType::f32).to_vector<float>();
    EXPECT_EQ(got, expected);
    EXPECT_EQ((a + b).cast(DType::f32).to_vector<float>(),
              (a.contiguous() + b.contiguous()).cast(DType::f32).to_vector<float>());
  }
}

}  // namespace
}  // namespace patchbay::test
