// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Integers that are kept and not computed in: i8, i16, u16, u32, u64.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

class StorageTest : public DeviceTest {
 protected:
  template <class T>
  Tensor make(const std::vector<T>& values) const {
    return from_host(values, {values.size()}, device_);
  }
};
PATCHBAY_ON_EACH_DEVICE(StorageTest);

constexpr DType kStorage[] = {DType::i8, DType::i16, DType::u16, DType::u32, DType::u64};

template <class T>
void check_values(const Device& device) {
  using Limits = std::numeric_limits<T>;
  const std::vector<T> values{0, 1, Limits::max(), Limits::min(), T(Limits::max() - 1), 7};
  const Tensor t = from_host(values, {2, 3}, device);
  EXPECT_EQ(t.dtype(), dtype_of<T>());
  EXPECT_EQ(t.to_vector<T>(), values);
  EXPECT_EQ(t[0][2].item<T>(), Limits::max());
  EXPECT_EQ(t.t().clone().to_vector<T>(),
            (std::vector<T>{values[0], values[3], values[1], values[4], values[2], values[5]}));
  EXPECT_EQ(full({2}, Limits::max(), {dtype_of<T>(), device}).template to_vector<T>(),
            std::vector<T>(2, Limits::max()));
  EXPECT_EQ(max(t).template item<T>(), Limits::max());
  EXPECT_EQ(min(t).template item<T>(), Limits::min());
  EXPECT_EQ(argmax(t).template item<std::int64_t>(), 2);
  EXPECT_EQ(eq(t, Limits::max()).template to_vector<bool>(),
            (Bools{false, false, true, false, false, false}));
  EXPECT_EQ(gt(t, 1).template to_vector<bool>(), (Bools{false, false, true, false, true, true}));
  EXPECT_EQ(where(gt(t, 6), t, 5)[0].template to_vector<T>(),
            (std::vector<T>{5, 5, Limits::max()}));
  const Tensor index = from_host({std::int64_t{2}, std::int64_t{0}}, {2}, device);
  EXPECT_EQ(index_select(t, 1, index)[0].template to_vector<T>(),
            (std::vector<T>{Limits::max(), 0}));
  EXPECT_EQ(concat({t, t}).size(0), 4);
  EXPECT_EQ(t.to(test_device("cpu:0")).to_vector<T>(), values);
}

TEST_P(StorageTest, ValuesAreKeptMovedComparedAndChosen) {
  check_values<std::int8_t>(device_);
  check_values<std::int16_t>(device_);
  check_values<std::uint16_t>(device_);
  check_values<std::uint32_t>(device_);
  check_values<std::uint64_t>(device_);
}

TEST_P(StorageTest, SumsAreI64ButThoseOfU64) {
  EXPECT_EQ(sum(make<std::int8_t>({-128, -128, 1})).item<std::int64_t>(), -255);
  EXPECT_EQ(sum(make<std::uint32_t>({UINT32_MAX, UINT32_MAX})).item<std::int64_t>(),
            2 * std::int64_t{UINT32_MAX});
  const Tensor large = make<std::uint64_t>({std::uint64_t{1} << 63, 5});
  EXPECT_EQ(sum(large).dtype(), DType::u64);
  EXPECT_EQ(sum(large).item<std::uint64_t>(), (std::uint64_t{1} << 63) + 5);
  EXPECT_EQ(sum(make<std::uint64_t>({UINT64_MAX, 3})).item<std::uint64_t>(), 2U);  // modulo 2^64
  EXPECT_EQ(sum(zeros({0}, {DType::u64, device_})).item<std::uint64_t>(), 0U);
}

TEST_P(StorageTest, CastsWrapBetweenIntegersAndSaturateFromFloats) {
  const Floats floats{-1e20F, -1.5F, 200.7F, 1e20F, NAN};
  const Tensor from = make(floats);
  EXPECT_EQ(from.cast(DType::i8).to_vector<std::int8_t>(),
            (std::vector<std::int8_t>{-128, -1, 127, 127, 0}));
  EXPECT_EQ(from.cast(DType::u16).to_vector<std::uint16_t>(),
            (std::vector<std::uint16_t>{0, 0, 200, 65535, 0}));
  EXPECT_EQ(from.cast(DType::u64).to_vector<std::uint64_t>(),
            (std::vector<std::uint64_t>{0, 0, 200, UINT64_MAX, 0}));
  const Tensor wide = make<std::int64_t>({-1, 300, 1LL << 40});
  EXPECT_EQ(wide.cast(DType::i8).to_vector<std::int8_t>(), (std::vector<std::int8_t>{-1, 44, 0}));
  EXPECT_EQ(wide.cast(DType::u64).to_vector<std::uint64_t>(),
            (std::vector<std::uint64_t>{UINT64_MAX, 300, std::uint64_t{1} << 40}));
  EXPECT_EQ(make<std::int8_t>({-1}).cast(DType::u32).item<std::uint32_t>(), UINT32_MAX);
  EXPECT_EQ(make<std::uint64_t>({UINT64_MAX}).cast(DType::f32).item<float>(), 0x1p64F);
}

TEST_P(StorageTest, LiteralsAreExactOrRefused) {
  const Tensor large = make<std::uint64_t>({UINT64_MAX, UINT64_MAX - 1});
  EXPECT_EQ(lt(large, UINT64_MAX).to_vector<bool>(), (Bools{false, true}));
  EXPECT_INVALID(eq(large, -1), "[eq] a literal takes the tensor's dtype",
                 "a value that u64 can hold, got -1. Use such a value, or cast the tensor.");
  EXPECT_INVALID(full({1}, 128, {DType::i8, device_}),
                 "expected a value that i8 can hold, got 128");
}

TEST_P(StorageTest, ArithmeticIsAnErrorThatNamesTheWayOut) {
  for (const DType dtype : kStorage) {
    SCOPED_TRACE(to_string(dtype));
    const Tensor a = ones({2, 2}, {dtype, device_});
    const auto refuses = [&](const auto& run, const std::string& op, const char* way_out) {
      const Error error = error_of([&] { return run(); });
      const std::string text = error.what(), name(to_string(dtype));
      EXPECT_EQ(error.code(), kDtypeMismatch) << text;
      EXPECT_TRUE(
          text.starts_with("[" + op + "] is not defined for " + name + ": expected one of "))
          << text;
      EXPECT_NE(text.find(way_out), std::string::npos) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    };
    const auto converts = [&](const auto& run, const std::string& op) {
      refuses(run, op, "Convert it first with cast.");
    };
    const TensorOptions options{dtype, device_};
    converts([&] { return a + a; }, "add");
    converts([&] { return a * 2; }, "mul");
    converts([&] { return -a; }, "neg");
    converts([&] { return abs(a); }, "abs");
    converts([&] { return maximum(a, a); }, "maximum");
    converts([&] { return clamp(a, 0, 1); }, "clamp");
    converts([&] { return sqrt(a); }, "sqrt");
    converts([&] { return sum_squares(a); }, "sum_squares");
    converts([&] { return mean(a); }, "mean");
    converts([&] { return matmul(a, a); }, "matmul");
    converts([&] { return a.clone().requires_grad_(); }, "requires_grad_");
    refuses([&] { return arange(0, 3, 1, options); }, "arange", "Choose one of these.");
    refuses([&] { return rand({2}, options); }, "rand", "Choose one of these.");
    refuses([&] { return randint(0, 2, {2}, options); }, "randint", "Choose one of these.");
  }
}

TEST_P(StorageTest, AreNoIndices) {
  const Tensor table = ones({3}, device_), index = zeros({2}, {DType::u32, device_});
  EXPECT_ERROR(gather(table, 0, index), kDtypeMismatch, "[gather] index", "i64 or i32, got u32");
}

TEST_P(StorageTest, FusedExpressionsTakeThem) {
  const auto limited = fuse([](Expression x) {
    return where(gt(x, 100), x.cast(DType::f32) * 0.5, x.cast(DType::i16).cast(DType::f32));
  });
  const Tensor t = make<std::int8_t>({-128, 100, 120});
  EXPECT_EQ(limited(t).to_vector<float>(), (Floats{-128, 100, 60}));
  const auto sum_of = fuse([](Expression x) { return x + x; });
  EXPECT_ERROR(sum_of(t), kDtypeMismatch, "add is not defined for i8: expected one of f32");
}

TEST_P(StorageTest, PrintAsNumbers) {
  EXPECT_EQ(show(make<std::int8_t>({-128, 65})), "[-128,   65]  i8 [2]" + on_);
  EXPECT_EQ(show(make<std::uint64_t>({UINT64_MAX})), "[18446744073709551615]  u64 [1]" + on_);
}

}  // namespace
}  // namespace patchbay::test
