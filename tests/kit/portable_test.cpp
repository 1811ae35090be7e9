// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The portable operators as C++, run by the executor on a fake device, against the loops of
// another.
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <ostream>
#include <vector>

#include "support/device_test.h"
#include "support/kernels.h"

namespace patchbay::test {
namespace {

/// The operands: two matrices of one dtype.
using Operation = std::function<Tensor(const Tensor& a, const Tensor& b)>;

struct Subject {
  const char* name;
  Operation compute;
  std::vector<DType> dtypes;
  bool is_exact = true;
};
void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }

const std::vector<DType> kNumbers = {DType::f32, DType::f64, DType::i32, DType::i64, DType::u8};
const std::vector<DType> kFloats = {DType::f32, DType::f64};
const std::vector<DType> kAll = {DType::f32, DType::i64, DType::u8, DType::boolean};
const std::vector<DType> kBool = {DType::boolean};

Generator draws() { return Generator({5, 6}); }

TensorOptions like(const Tensor& tensor) { return {tensor.device(), tensor.dtype()}; }

// Dense operands, transposed ones, and one that is repeated.
Operation unary(Tensor (*op)(const Tensor&)) {
  return [op](const Tensor& a, const Tensor&) {
    return op(op(a).dtype() == a.dtype() ? op(a).t().contiguous().t() : a.t());
  };
}
using Binary = Tensor (*)(const Tensor&, const Tensor&);
Operation plain(Binary op) {
  return [op](const Tensor& a, const Tensor& b) { return op(a, b); };
}
Operation strided(Binary op) {
  return [op](const Tensor& a, const Tensor& b) { return op(a.t(), b.t().contiguous()); };
}
Operation row(Binary op) {
  return [op](const Tensor& a, const Tensor& b) { return op(a, b.slice(0, 1, 2)); };
}

#define PATCHBAY_BINARY_SUBJECT(op, dtypes)                            \
  {#op, plain(&op), dtypes}, {#op "_strided", strided(&op), dtypes}, { \
#op "_row", row(&op), dtypes                                       \
  }
#define PATCHBAY_UNARY_SUBJECT(op, dtypes, is_exact) \
  { #op, unary(&op), dtypes, is_exact }
#define PATCHBAY_FOLD_SUBJECT(op, dtypes, is_exact)                                            \
  {#op, [](const Tensor& a, const Tensor&) { return op(a); }, kNumbers, is_exact},             \
      {#op "_0", [](const Tensor& a, const Tensor&) { return op(a, 0); }, dtypes, is_exact}, { \
#op "_1", [](const Tensor& a, const Tensor&) { return op(a.t(), 1); }, dtypes, is_exact    \
  }

const Subject kSubjects[] = {
    {"fill",
     [](const Tensor& a, const Tensor&) {
       return full({3, 5}, 1, like(a));
     },
     kAll},
    {"arange",
     [](const Tensor& a, const Tensor&) { return arange(3, 40, 4, like(a)); },
     {DType::f32, DType::i32, DType::u8}},
    {"copy", [](const Tensor& a, const Tensor&) { return a.t().contiguous(); }, kAll},
    {"cast_f32", [](const Tensor& a, const Tensor&) { return a.cast(DType::f32); }, kAll},
    {"cast_i32", [](const Tensor& a, const Tensor&) { return a.cast(DType::i32); }, kAll},
    {"cast_i64", [](const Tensor& a, const Tensor&) { return a.cast(DType::i64); }, kFloats},
    {"cast_u8", [](const Tensor& a, const Tensor&) { return a.cast(DType::u8); }, kFloats},
    {"cast_bool", [](const Tensor& a, const Tensor&) { return a.cast(DType::boolean); }, kAll},
    PATCHBAY_UNARY_SUBJECT(neg, kNumbers, true),
    PATCHBAY_UNARY_SUBJECT(abs, kNumbers, true),
    PATCHBAY_UNARY_SUBJECT(square, kNumbers, true),
    PATCHBAY_UNARY_SUBJECT(sqrt, kFloats, true),
    PATCHBAY_UNARY_SUBJECT(exp, kFloats, false),
    PATCHBAY_UNARY_SUBJECT(log, kFloats, false),
    PATCHBAY_UNARY_SUBJECT(relu, kNumbers, true),
    PATCHBAY_UNARY_SUBJECT(rsqrt, kFloats, true),
    PATCHBAY_UNARY_SUBJECT(sigmoid, kFloats, false),
    PATCHBAY_UNARY_SUBJECT(tanh, kFloats, false),
    PATCHBAY_UNARY_SUBJECT(erf, kFloats, false),
    PATCHBAY_UNARY_SUBJECT(gelu, kFloats, false),
    PATCHBAY_UNARY_SUBJECT(logical_not, kBool, true),
    PATCHBAY_BINARY_SUBJECT(add, kNumbers),
    PATCHBAY_BINARY_SUBJECT(sub, kNumbers),
    PATCHBAY_BINARY_SUBJECT(mul, kNumbers),
    PATCHBAY_BINARY_SUBJECT(div, kNumbers),
    PATCHBAY_BINARY_SUBJECT(maximum, kNumbers),
    PATCHBAY_BINARY_SUBJECT(minimum, kNumbers),
    {"pow", [](const Tensor& a, const Tensor& b) { return pow(a, b.t().contiguous().t()); },
     kFloats, false},
    {"where", [](const Tensor& a, const Tensor& b) { return where(lt(a, b), a, b); }, kAll},
    {"where_strided",
     [](const Tensor& a, const Tensor& b) {
       return where(ne(a.t(), b.t()).contiguous(), a.t(), b.t().contiguous());
     },
     kAll},
    {"where_row",
     [](const Tensor& a, const Tensor& b) {
       return where(eq(a, b).slice(0, 1, 2), a, b.slice(1, 2, 3));
     },
     kAll},
    {"where_number",
     [](const Tensor& a, const Tensor& b) { return where(lt(a, b), 1, where(gt(a, b), b, 0)); },
     kAll},
    {"clamp", [](const Tensor& a, const Tensor&) { return clamp(a.t(), 2, 7); }, kNumbers},
    {"clamp_low", [](const Tensor& a, const Tensor&) { return clamp(a, 3); }, kNumbers},
    PATCHBAY_BINARY_SUBJECT(eq, kAll),
    PATCHBAY_BINARY_SUBJECT(ne, kAll),
    PATCHBAY_BINARY_SUBJECT(lt, kAll),
    PATCHBAY_BINARY_SUBJECT(le, kAll),
    PATCHBAY_BINARY_SUBJECT(gt, kAll),
    PATCHBAY_BINARY_SUBJECT(ge, kAll),
    PATCHBAY_BINARY_SUBJECT(logical_and, kBool),
    PATCHBAY_BINARY_SUBJECT(logical_or, kBool),
    {"sub_number",
     [](const Tensor& a, const Tensor&) { return 3 - (a - 5); },
     {DType::f32, DType::i64}},
    {"add_in_place",
     [](const Tensor& a, const Tensor& b) {
       const Tensor sum = a.clone();
       sum += b;
       return sum;
     },
     kNumbers},
    PATCHBAY_FOLD_SUBJECT(sum, kAll, false),
    PATCHBAY_FOLD_SUBJECT(sum_squares, kNumbers, false),
    PATCHBAY_FOLD_SUBJECT(min, kAll, true),
    PATCHBAY_FOLD_SUBJECT(max, kAll, true),
    PATCHBAY_FOLD_SUBJECT(argmin, kAll, true),
    PATCHBAY_FOLD_SUBJECT(argmax, kAll, true),
    {"sum_abs", [](const Tensor& a, const Tensor&) { return norm(a, 1, 0); }, kFloats, false},
    {"max_abs",
     [](const Tensor& a, const Tensor&) {
       return norm(a, std::numeric_limits<double>::infinity());
     },
     kFloats},
    {"rand",
     [](const Tensor& a, const Tensor&) { return rand({37}, like(a), draws()); },
     {DType::f32, DType::f64}},
    {"randn",
     [](const Tensor& a, const Tensor&) { return randn({37}, like(a), draws()); },
     {DType::f32, DType::f64},
     false},
    {"randint",
     [](const Tensor& a, const Tensor&) { return randint(0, 99, {37}, like(a), draws()); },
     {DType::i32, DType::i64, DType::u8}},
    {"randint_wide",
     [](const Tensor& a, const Tensor&) { return randint(0, INT64_MAX, {37}, like(a), draws()); },
     {DType::i64}},
    {"bernoulli",
     [](const Tensor& a, const Tensor&) { return bernoulli(0.3, {37}, a.device(), draws()); },
     kBool},
    {"randperm",
     [](const Tensor& a, const Tensor&) { return randperm(1003, a.device(), draws()); },
     {DType::i64}},
    // Long enough for several pieces.
    {"sum_long",
     [](const Tensor& a, const Tensor&) { return sum(arange(0, 20000, 1, like(a))); },
     {DType::f32, DType::i32}},
};

/// Zeros and ordinary values, and extremes if asked for, in an order that differs with `step`.
std::vector<double> values_for(DType dtype, std::size_t step, bool extremes) {
  std::vector<double> all = {0, 1, 2, 3, 7, 100, 255, 12.5};
  const bool is_signed = dtype != DType::u8 && dtype != DType::boolean;
  if (is_signed) all.insert(all.end(), {-1, -2.5, -7});
  if (extremes && is_floating(dtype)) {
    const double infinity = std::numeric_limits<double>::infinity();
    all.insert(all.end(), {-0.0, 1e-3, infinity, -infinity, std::nan("")});
  } else if (extremes && is_signed) {
    const bool narrow = dtype == DType::i32;
    all.insert(all.end(), {narrow ? -0x1p31 : -0x1p63, narrow ? 0x7ffffffe : 0x1p62});
  }
  std::vector<double> picked(35);
  for (std::size_t i = 0; i < picked.size(); ++i) picked[i] = all[(i * step) % all.size()];
  return picked;
}

template <class T>
Tensor typed(const std::vector<double>& from, DType dtype, const Device& device) {
  std::vector<T> values;
  for (const double value : from) values.push_back(static_cast<T>(value));
  return from_host_bytes(values.data(), dtype, {5, 7}, device);
}

Tensor operand(DType dtype, std::size_t step, bool extremes, const Device& device) {
  std::vector<double> from = values_for(dtype, step, extremes);
  switch (dtype) {
    case DType::f32: return typed<float>(from, dtype, device);
    case DType::f64: return typed<double>(from, dtype, device);
    case DType::i32: return typed<std::int32_t>(from, dtype, device);
    case DType::i64: return typed<std::int64_t>(from, dtype, device);
    case DType::u8: return typed<std::uint8_t>(from, dtype, device);
    default:
      for (double& value : from) value = value > 2 ? 1 : 0;
      return typed<std::uint8_t>(from, dtype, device);
  }
}

/// Equal, or within a few units in the last place where libraries and orders differ.
template <class T>
void expect_equal(const Tensor& got, const Tensor& expected, double tolerance) {
  const auto x = got.to_vector<T>(), y = expected.to_vector<T>();
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto p = static_cast<double>(x[i]), q = static_cast<double>(y[i]);
    if (x[i] == y[i] || (std::isnan(p) && std::isnan(q))) continue;
    ASSERT_TRUE(std::isfinite(p) && std::isfinite(q)) << i << ": " << p << ", not " << q;
    ASSERT_LE(std::abs(p - q), tolerance * std::abs(q)) << i << ": " << p << ", not " << q;
  }
}

void expect_same(const Tensor& got, const Tensor& expected, bool is_exact) {
  ASSERT_EQ(got.dtype(), expected.dtype());
  ASSERT_EQ(got.shape(), expected.shape());
  switch (got.dtype()) {
    case DType::f32: return expect_equal<float>(got, expected, is_exact ? 0 : 1e-6);
    case DType::f64: return expect_equal<double>(got, expected, is_exact ? 0 : 1e-14);
    case DType::i32: return expect_equal<std::int32_t>(got, expected, 0);
    case DType::i64: return expect_equal<std::int64_t>(got, expected, 0);
    case DType::u8: return expect_equal<std::uint8_t>(got, expected, 0);
    default: return expect_equal<bool>(got, expected, 0);
  }
}

/// A fake device that runs the portable operators.
Device portable_device(std::map<std::string, std::string> settings = {}) {
  settings.emplace("fake_portable", "1");
  return Runtime(options(std::move(settings))).device("fake:0");
}

class PortableTest : public testing::TestWithParam<Subject> {
 protected:
  static Device device() {
    static const Device& device = *new Device(portable_device());
    return device;
  }
};

TEST_P(PortableTest, EqualsTheReference) {
  const Subject& subject = GetParam();
  for (const DType dtype : subject.dtypes) {
    for (const bool extremes : {false, true}) {
      SCOPED_TRACE(std::string(to_string(dtype)) + (extremes ? " with extremes" : ""));
      const auto compute = [&](const Device& on) {
        return subject.compute(operand(dtype, 1, extremes, on), operand(dtype, 4, extremes, on));
      };
      expect_same(compute(device()), compute(test_device("fake:0")), subject.is_exact);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(, PortableTest, testing::ValuesIn(kSubjects),
                         [](const auto& test) { return std::string(test.param.name); });

/// Small integers, whose sums are exact in any order.
TEST(PortableGemmTest, EqualsTheReference) {
  const auto compute = [](const Device& device, DType dtype) {
    const auto matrix = [&](std::int64_t rows, std::int64_t columns) {
      return from_host(values(rows * columns), {rows, columns}, device).cast(dtype);
    };
    const Tensor product = matmul(matrix(37, 50), matrix(50, 21));
    const Tensor out = full({21, 37}, 2, {device, dtype});
    matmul_out(out.t(), matrix(50, 37).t(), matrix(21, 50).t(), 3, 2);
    return std::pair(product, out);
  };
  const Device device = portable_device();
  for (const DType dtype : {DType::f32, DType::f64, DType::i32, DType::i64}) {
    const auto got = compute(device, dtype);
    const auto expected = compute(test_device("fake:0"), dtype);
    expect_same(got.first, expected.first, true);
    expect_same(got.second, expected.second, true);
  }
}

TEST(PortableOperatorsTest, AreNotTheReference) {
  const Device device = portable_device({{"kernel_compiler", "/no/such/c++"}});
  EXPECT_ERROR(static_cast<void>(ones({2}, {device})), ErrorCode::kUnsupported,
               "expected '/no/such/c++', got no such program");
}

}  // namespace
}  // namespace patchbay::test
