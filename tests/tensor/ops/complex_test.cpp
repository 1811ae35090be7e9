// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Complex numbers on every device, beside std::complex<double>.
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <map>
#include <sstream>

#include <patchbay/complex.h>
#include <patchbay/concat.h>
#include <patchbay/convolution.h>
#include <patchbay/fuse.h>
#include <patchbay/gradcheck.h>
#include <patchbay/indexing.h>
#include <patchbay/sorting.h>
#include <patchbay/updates.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

using C = std::complex<float>;
using Z = std::complex<double>;

constexpr float kInf = std::numeric_limits<float>::infinity();

/// Numbers in all quadrants, on the axes, near 1 and of many sizes.
std::vector<C> numbers() {
  std::vector<C> all;
  for (const float re : {-3.0F, -1.0F, -0.6F, -0.01F, 0.0F, 0.3F, 0.8F, 1.0F, 2.5F}) {
    for (const float im : {-2.2F, -0.6F, 0.0F, 0.001F, 0.6F, 1.5F}) all.emplace_back(re, im);
  }
  return all;
}

class ComplexTest : public DeviceTest {
 protected:
  Tensor tensor(const std::vector<C>& values) const {
    return from_host(values, {static_cast<std::int64_t>(values.size())}, device_);
  }
  bool has_f64() const { return device_.properties().f64; }

  static C product_of(const Tensor& a) {
    C product = 1;
    for (const C& each : a.to_vector<C>()) product *= each;
    return product;
  }
  static void expect_near(const Tensor& got, const std::vector<Z>& expected,
                          const std::string& what, double ulps = 16) {
    const std::vector<C> values = got.to_vector<C>();
    ASSERT_EQ(values.size(), expected.size()) << what;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double bound = ulps * 0x1p-23 * std::abs(expected[i]);
      EXPECT_LE(std::abs(Z(values[i]) - expected[i]), bound)
          << what << ", element " << i << ": " << values[i] << " for " << expected[i];
    }
  }
};

PATCHBAY_ON_EACH_DEVICE(ComplexTest);

TEST_P(ComplexTest, FunctionsOfOneNumber) {
  struct Function {
    const char* name;
    Tensor (*ours)(const Tensor&);
    Z (*theirs)(const Z&);
    double ulps = 16;
    bool is_at_0 = true;
  };
  const Function functions[] = {
      {"neg", neg, [](const Z& z) { return -z; }, 0},
      {"square", square, [](const Z& z) { return z * z; }},
      {"sqrt", sqrt, [](const Z& z) { return std::sqrt(z); }},
      {"rsqrt", rsqrt, [](const Z& z) { return 1.0 / std::sqrt(z); }, 16, false},
      {"exp", exp, [](const Z& z) { return std::exp(z); }},
      {"log", log, [](const Z& z) { return std::log(z); }, 16, false},
      {"log2", log2, [](const Z& z) { return std::log(z) / std::log(2.0); }, 16, false},
      {"exp2", exp2, [](const Z& z) { return std::exp(z * std::log(2.0)); }},
      {"expm1", expm1, [](const Z& z) { return std::exp(z) - 1.0; }, 32},
      {"log1p", log1p, [](const Z& z) { return std::log(1.0 + z); }, 32},
      {"sigmoid", sigmoid, [](const Z& z) { return 1.0 / (1.0 + std::exp(-z)); }, 32},
      {"tanh", tanh, [](const Z& z) { return std::tanh(z); }, 32},
      {"sin", sin, [](const Z& z) { return std::sin(z); }, 32},
      {"cos", cos, [](const Z& z) { return std::cos(z); }, 32},
      {"tan", tan, [](const Z& z) { return std::tan(z); }, 32},
      {"sign", sign, [](const Z& z) { return z == 0.0 ? z : z / std::abs(z); }},
      {"conj", conj, [](const Z& z) { return std::conj(z); }, 0},
  };
  for (const Function& one : functions) {
    std::vector<C> values;
    std::vector<Z> expected;
    for (const C& each : numbers()) {
      if (each == C() && !one.is_at_0) continue;
      if (std::string_view(one.name) == "log1p" && each == C(-1)) continue;
      values.push_back(each);
      expected.push_back(one.theirs(Z(each)));
    }
    expect_near(one.ours(tensor(values)), expected, one.name, one.ulps);
  }
}

TEST_P(ComplexTest, MagnitudesAndAngles) {
  const std::vector<C> values = numbers();
  const std::vector<float> lengths = abs(tensor(values)).to_vector<float>();
  const std::vector<float> angles = angle(tensor(values)).to_vector<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double length = std::abs(Z(values[i])), turn = std::arg(Z(values[i]));
    EXPECT_NEAR(lengths[i], length, 4 * 0x1p-23 * length) << values[i];
    EXPECT_NEAR(angles[i], turn, 8 * 0x1p-23 * std::fabs(turn)) << values[i];
  }
  EXPECT_EQ(angle(from_host<float>({-2, 0, 3}, {3}, device_)).to_vector<float>(),
            (std::vector<float>{3.14159274F, 0, 0}));
}

TEST_P(ComplexTest, FunctionsOfTwoNumbers) {
  const std::vector<C> all = numbers();
  std::vector<C> a, b;
  for (std::size_t i = 0; i < all.size(); ++i) {
    a.push_back(all[i]);
    b.push_back(all[(i * 7 + 5) % all.size()] + C(0.25F, 0.125F));
  }
  const Tensor x = tensor(a), y = tensor(b);
  const auto each = [&](const std::function<Z(const Z&, const Z&)>& of) {
    std::vector<Z> results;
    for (std::size_t i = 0; i < a.size(); ++i) results.push_back(of(Z(a[i]), Z(b[i])));
    return results;
  };
  const auto sums = each([](const Z& p, const Z& q) { return p + q; });
  expect_near(x + y, sums, "add", 1);
  expect_near(x - y, each([](const Z& p, const Z& q) { return p - q; }), "sub", 1);
  expect_near(x * y, each([](const Z& p, const Z& q) { return p * q; }), "mul", 4);
  expect_near(x / y, each([](const Z& p, const Z& q) { return p / q; }), "div", 8);
  expect_near(pow(y, x), each([](const Z& p, const Z& q) { return std::pow(q, p); }), "pow", 64);
  expect_near(x * 2, each([](const Z& p, const Z&) { return p * 2.0; }), "2 a", 1);
  expect_near(C(0, 1) * x, each([](const Z& p, const Z&) { return Z(0, 1) * p; }), "i a", 1);
  expect_near(1 - x, each([](const Z& p, const Z&) { return 1.0 - p; }), "1 - a", 1);
  const Tensor out = x.clone();
  mul_out(out, out, y);
  expect_near(out, each([](const Z& p, const Z& q) { return p * q; }), "mul in place", 4);
  const auto count = static_cast<std::int64_t>(a.size());
  const Tensor table = x.reshape({2, count / 2}) + y.slice(0, 0, count / 2);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const C expected = a[at] + b[static_cast<std::size_t>(i % (count / 2))];
    EXPECT_EQ(table.select(0, i / (count / 2)).select(0, i % (count / 2)).item<C>(), expected);
    if (i > 3) break;
  }
}

TEST_P(ComplexTest, LargeSmallAndInfiniteNumbers) {
  const auto one = [&](const C& value) { return tensor({value}); };
  EXPECT_FLOAT_EQ(abs(one({3e38F, 1e38F})).item<float>(), 3.1622777e38F);
  EXPECT_FLOAT_EQ(abs(one({3e-30F, 4e-30F})).item<float>(), 5e-30F);
  EXPECT_EQ(abs(one({kInf, NAN})).item<float>(), kInf);
  EXPECT_EQ(abs(one({0, 0})).item<float>(), 0);
  expect_near(one({1e38F, 1e38F}) / one({1e38F, 1e38F}), {Z(1)}, "div of large numbers", 4);
  expect_near(one({1e-38F, 0}) / one({0, 1e-38F}), {Z(0, -1)}, "div of small numbers", 4);
  expect_near(one({2e38F, 2e38F}) / one({2e38F, 2e38F}), {Z(1)}, "div of the largest numbers", 4);
  expect_near(one({1e38F, -1e38F}) / one({2e38F, 2e38F}), {Z(0, -0.5)}, "div of large ones", 4);
  expect_near(one({2e38F, 2e38F}) / one({1, 1}), {Z(2e38)}, "div by a small number", 4);
  expect_near(one({2e38F, 2e38F}) / C(2, 2), {Z(1e38)}, "div by a number", 4);
  expect_near(one({1, 0}) / one({1e37F, 1e37F}), {Z(5e-38, -5e-38)}, "div to a small number", 4);
  expect_near(sqrt(one({0, 2e38F})), {Z(1e19, 1e19)}, "sqrt of a large number", 4);
  expect_near(sqrt(one({-4, -0.0F})), {Z(0, -2)}, "sqrt below the cut", 1);
  expect_near(sqrt(one({-4, 0})), {Z(0, 2)}, "sqrt on the cut", 1);
  expect_near(tanh(one({50, 1})), {Z(1)}, "tanh of a large number", 2);
  EXPECT_EQ(sigmoid(one({-500, 0})).item<C>(), C(0));
  EXPECT_EQ(sigmoid(one({500, 1})).item<C>(), C(1));
  EXPECT_EQ(exp(one({3, 0})).item<C>().imag(), 0);
  EXPECT_EQ(pow(one({0, 0}), 0).item<C>(), C(1));
  EXPECT_EQ(pow(one({0, 0}), 2).item<C>(), C(0));
  EXPECT_TRUE(std::isnan(pow(one({0, 0}), -1).item<C>().real()));
  const C divided = (one({1, 0}) / one({0, 0})).item<C>();
  EXPECT_EQ(divided.real(), kInf);
  EXPECT_TRUE(std::isnan(divided.imag()));
  const Tensor odd = tensor({{1, 2}, {NAN, 0}, {0, kInf}, {kInf, NAN}});
  EXPECT_EQ(isnan(odd).to_vector<bool>(), (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(isinf(odd).to_vector<bool>(), (std::vector<bool>{false, false, true, true}));
  EXPECT_EQ(isfinite(odd).to_vector<bool>(), (std::vector<bool>{true, false, false, false}));
  // ln |z| = 5e-9 where |z|^2 is 1 in f32.
  const C near{1, 1e-4F};
  EXPECT_NEAR(log(one(near)).item<C>().real(), 5e-9, 1e-14);
}

/// By products, so that whole numbers stay whole.
TEST_P(ComplexTest, WholePowers) {
  const std::vector<C> values = {{-1, 0}, {0, 2}, {1, -2}, {3, 4}, {0, 0}};
  const Tensor a = tensor(values);
  EXPECT_EQ(pow(a, 1).to_vector<C>(), values);
  EXPECT_EQ(pow(a, 2).to_vector<C>(), (std::vector<C>{1, -4, {-3, -4}, {-7, 24}, 0}));
  EXPECT_EQ(pow(a, 3.0).to_vector<C>(), (std::vector<C>{-1, {0, -8}, {-11, 2}, {-117, 44}, 0}));
  EXPECT_EQ(pow(a, C(2)).to_vector<C>(), pow(a, 2).to_vector<C>());
  EXPECT_EQ(pow(a, 0).to_vector<C>(), std::vector<C>(5, 1));
  const Tensor others = a.slice(0, 0, 4);
  expect_near(pow(others, -1), {Z(-1), Z(0, -0.5), Z(0.2, 0.4), Z(0.12, -0.16)}, "inverse", 4);
  expect_near(pow(others, -2), {Z(1), Z(-0.25), Z(-0.12, 0.16), Z(-0.0112, -0.0384)}, "square", 4);
  EXPECT_EQ(pow(tensor({{1e25F, 1e25F}}), -2).item<C>(), C(0));
  expect_near(pow(tensor({{1e15F, 0}}), -2), {Z(1e-30)}, "small", 4);
  expect_near(pow(tensor({{0, 1e12F}}), 3), {Z(0, -1e36)}, "large", 4);
  std::vector<Z> expected;
  for (const C& each : values) expected.push_back(std::pow(Z(each) * 0.25, 64));
  expected.back() = 0;
  expect_near(pow(a * 0.25, 64), expected, "of 64", 128);
  const Tensor out = zeros({5}, {DType::c64, device_});
  pow_out(out, a, 2);
  EXPECT_EQ(out.to_vector<C>(), pow(a, 2).to_vector<C>());
  const Tensor x = tensor(values).requires_grad_();
  sum(real(pow(x, 3))).backward();
  std::vector<Z> slopes;
  for (const C& each : values) slopes.push_back(3.0 * std::conj(Z(each) * Z(each)));
  expect_near(x.grad(), slopes, "slope", 4);
}

TEST_P(ComplexTest, EqualityAndNoOrder) {
  const Tensor a = tensor({{1, 2}, {1, 3}, {NAN, 0}}), b = tensor({{1, 2}, {1, 2}, {NAN, 0}});
  EXPECT_EQ(eq(a, b).to_vector<bool>(), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(ne(a, b).to_vector<bool>(), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(eq(a, C(1, 3)).to_vector<bool>(), (std::vector<bool>{false, true, false}));
  EXPECT_ERROR(lt(a, b), kDtypeMismatch,
               "[lt] is not defined for complex numbers (a: c64 [3] on " + device_.name() +
                   "). Take real, imag or abs first.");
  EXPECT_ERROR(maximum(a, b), kDtypeMismatch, "[maximum] is not defined for complex numbers");
  EXPECT_ERROR(max(a), kDtypeMismatch, "[max] is not defined for complex numbers");
  EXPECT_ERROR(sort(a), kDtypeMismatch, "[sort] is not defined for complex numbers");
  EXPECT_ERROR(relu(a), kDtypeMismatch, "[relu] is not defined for complex numbers");
  EXPECT_ERROR(clamp(a, 0, 1), kDtypeMismatch, "[clamp] is not defined for complex numbers");
  EXPECT_ERROR(a + real(a), kDtypeMismatch, "[add]");
  EXPECT_ERROR(real(a) + C(0, 1), kInvalidArgument, "0+1j");
}

TEST_P(ComplexTest, PartsAreViews) {
  const Tensor a = tensor({{1, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(real(a).to_vector<float>(), (std::vector<float>{1, 3, 5}));
  EXPECT_EQ(imag(a).to_vector<float>(), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(view_as_real(a).shape(), (Shape{3, 2}));
  imag(a).fill_(0);
  real(a).slice(0, 1).copy_from(full({2}, 7, device_));
  EXPECT_EQ(a.to_vector<C>(), (std::vector<C>{1, 7, 7}));
  const Tensor pairs = from_host<float>({1, 2, 3, 4}, {2, 2}, device_);
  EXPECT_EQ(view_as_complex(pairs).to_vector<C>(), (std::vector<C>{{1, 2}, {3, 4}}));
  EXPECT_EQ(real(pairs).impl(), pairs.impl());
  EXPECT_EQ(conj(pairs).impl(), pairs.impl());
  EXPECT_EQ(complex(pairs, full({}, 9, device_)).to_vector<C>(),
            (std::vector<C>{{1, 9}, {2, 9}, {3, 9}, {4, 9}}));
  EXPECT_ERROR(imag(pairs), kDtypeMismatch, "[imag]");
  EXPECT_ERROR(view_as_real(pairs), kDtypeMismatch, "[view_as_real]");
  EXPECT_ERROR(view_as_complex(a), kDtypeMismatch, "[view_as_complex]");
  EXPECT_ERROR(view_as_complex(zeros({2, 3}, device_)), kShapeMismatch,
               "[view_as_complex] not pairs: the last extent must be 2, the shape is [2, 3]");
  EXPECT_ERROR(view_as_complex(pairs.t()), kInvalidArgument,
               "[view_as_complex] the pairs do not lie side by side at even places");
  EXPECT_ERROR(view_as_complex(zeros({5}, device_).slice(0, 1, 3)), kInvalidArgument,
               "at even places");
  EXPECT_ERROR(view_as_real(zeros({1, 1, 1, 1, 1, 1, 1, 1}, {DType::c64, device_})),
               kInvalidArgument, "[view_as_real] too many dimensions");
  EXPECT_ERROR(a.cast(DType::f32), kDtypeMismatch,
               "[cast] complex numbers have no value in f32 (tensor: c64 [3] on " + device_.name() +
                   "). Take real, imag or abs first.");
}

TEST_P(ComplexTest, PartsAreWrittenBesideEachOther) {
  const Tensor a = tensor({{1, 2}, {3, 4}});
  imag(a).copy_from(real(a));
  EXPECT_EQ(a.to_vector<C>(), (std::vector<C>{{1, 1}, {3, 3}}));
  neg_out(real(a), imag(a));
  EXPECT_EQ(a.to_vector<C>(), (std::vector<C>{{-1, 1}, {-3, 3}}));
  EXPECT_ERROR(mul_out(a.slice(0, 0, 1), a.slice(0, 0, 2), a.slice(0, 0, 1)), kShapeMismatch,
               "[mul]");
  const Tensor b = tensor({{1, 0}, {2, 0}, {3, 0}});
  EXPECT_ERROR(mul_out(b.slice(0, 0, 2), b.slice(0, 1), b.slice(0, 1)), kInvalidArgument,
               "[mul] out and a overlap in part");
  EXPECT_ERROR(ones({2}, device_).copy_from(a), kDtypeMismatch,
               "[copy_from] complex numbers have no value in f32 (source: c64 [2] on " +
                   device_.name() + "). Take real, imag or abs first.");
  a.copy_from(ones({2}, device_));
  EXPECT_EQ(a.to_vector<C>(), (std::vector<C>{1, 1}));
  Tensor c = a.clone();
  c += a;
  c *= C(0, 1);
  EXPECT_EQ(c.to_vector<C>(), (std::vector<C>{{0, 2}, {0, 2}}));
  EXPECT_EQ(call("mul", {c, c})[0].to_vector<C>(), (std::vector<C>{-4, -4}));
  EXPECT_EQ(call("complex", {real(c), imag(c)})[0].to_vector<C>(), c.to_vector<C>());
}

TEST_P(ComplexTest, NumbersOfAGraph) {
  const Tensor a = tensor({{1, 2}, {3, 4}}), out = zeros_like(a);
  static_cast<void>(mul(a, 2));  // prepares the kernel
  Scalar factor = 0;
  const Graph graph = record_graph([&](GraphRecording& recording) {
    factor = recording.slot(2);
    EXPECT_ERROR(out.fill_(factor), kUnsupported,
                 "a slot has no complex value. Fill the parts: view_as_real, real or imag.");
    mul_out(out, a, factor);
  });
  graph.replay();
  EXPECT_EQ(out.to_vector<C>(), (std::vector<C>{{2, 4}, {6, 8}}));
  graph.set(factor, 3);
  graph.replay();
  EXPECT_EQ(out.to_vector<C>(), (std::vector<C>{{3, 6}, {9, 12}}));
}

TEST_P(ComplexTest, MovesAndCasts) {
  const Tensor a = tensor({{1, 2}, {3, 4}, {5, 6}, {7, 8}}).reshape({2, 2});
  EXPECT_EQ(a.t().contiguous().to_vector<C>(), (std::vector<C>{{1, 2}, {5, 6}, {3, 4}, {7, 8}}));
  EXPECT_EQ(a.slice(1, 1).clone().to_vector<C>(), (std::vector<C>{{3, 4}, {7, 8}}));
  EXPECT_EQ(full({2}, C(1, -2), {DType::c64, device_}).to_vector<C>(),
            (std::vector<C>{{1, -2}, {1, -2}}));
  EXPECT_EQ(zeros({2}, {DType::c64, device_}).to_vector<C>(), (std::vector<C>(2)));
  EXPECT_EQ(eye(2, {DType::c64, device_}).to_vector<C>(), (std::vector<C>{1, 0, 0, 1}));
  EXPECT_EQ(from_host<std::int32_t>({1, -2}, {2}, device_).cast(DType::c64).to_vector<C>(),
            (std::vector<C>{1, -2}));
  EXPECT_EQ(concat({a, a}, 1).select(0, 1).to_vector<C>(),
            (std::vector<C>{{5, 6}, {7, 8}, {5, 6}, {7, 8}}));
  EXPECT_EQ(a.to(test_device("cpu:0")).to_vector<C>(), a.to_vector<C>());
  EXPECT_EQ(a.select(0, 1).select(0, 0).item<Z>(), Z(5, 6)) << "c128 holds c64";
  EXPECT_ERROR(a.select(0, 0).select(0, 0).item<float>(), kDtypeMismatch, "[item]");
  EXPECT_ERROR(real(a).select(0, 0).select(0, 0).item<C>(), kDtypeMismatch, "[item]");
  const Tensor deep = full({1, 1, 1, 1, 1, 1, 1, 2}, C(3, 4), {DType::c64, device_});
  EXPECT_EQ(deep.transpose(0, 7).contiguous().to_vector<C>(), (std::vector<C>{{3, 4}, {3, 4}}));
  EXPECT_EQ((deep * deep).to_vector<C>(), (std::vector<C>{{-7, 24}, {-7, 24}}));
  if (!has_f64()) return;
  EXPECT_EQ(a.cast(DType::c128).to_vector<Z>(), (std::vector<Z>{{1, 2}, {3, 4}, {5, 6}, {7, 8}}));
  EXPECT_EQ(full({2}, Z(0.1, -0.2), {DType::c128, device_}).to_vector<Z>(),
            (std::vector<Z>(2, Z(0.1, -0.2))));
  EXPECT_ERROR(a.cast(DType::c128).select(0, 0).select(0, 0).item<C>(), kDtypeMismatch, "[item]");
}

TEST_P(ComplexTest, LookupsAndChoices) {
  const Tensor a = tensor({{1, 2}, {3, 4}, {5, 6}});
  const Tensor index = from_host<std::int64_t>({2, 0, 2}, {3}, device_);
  EXPECT_EQ(gather(a, 0, index).to_vector<C>(), (std::vector<C>{{5, 6}, {1, 2}, {5, 6}}));
  EXPECT_EQ(index_add(a, 0, index, a).to_vector<C>(), (std::vector<C>{{4, 6}, {3, 4}, {11, 14}}));
  const Tensor chosen = from_host<bool>({true, false, true}, {3}, device_);
  EXPECT_EQ(where(chosen, a, C(0, 1)).to_vector<C>(), (std::vector<C>{{1, 2}, {0, 1}, {5, 6}}));
  EXPECT_EQ(where(chosen, a, -a).to_vector<C>(), (std::vector<C>{{1, 2}, {-3, -4}, {5, 6}}));
}

TEST_P(ComplexTest, Reductions) {
  const Tensor a = tensor({{1, 2}, {3, -4}, {5, 6}, {0, 1}, {2, 0}, {-1, 1}}).reshape({2, 3});
  EXPECT_EQ(sum(a).item<C>(), C(10, 6));
  EXPECT_EQ(sum(a, 1).to_vector<C>(), (std::vector<C>{{9, 4}, {1, 2}}));
  EXPECT_EQ(sum(a, -2, true).shape(), (Shape{1, 3}));
  EXPECT_EQ(mean(a, 1).to_vector<C>(), (std::vector<C>{C(3, 4.0F / 3), C(1.0F / 3, 2.0F / 3)}));
  EXPECT_FLOAT_EQ(norm(a).item<float>(), std::sqrt(98.0F));
  EXPECT_FLOAT_EQ(norm(a, INFINITY).item<float>(), std::sqrt(61.0F));
  EXPECT_FLOAT_EQ(var(tensor({{1, 2}, {3, 6}}), {}, 0).item<float>(), 5);
  EXPECT_EQ(sum(tensor({{4, 5}}).reshape({})).item<C>(), C(4, 5));
  EXPECT_EQ(sum(zeros({0, 2}, {DType::c64, device_}), 0).to_vector<C>(), (std::vector<C>(2)));
  EXPECT_EQ(prod(a).item<C>(), product_of(a));
  EXPECT_EQ(prod(a, 1).shape(), (Shape{2}));
  EXPECT_EQ(prod(a, {0, 1}, true).shape(), (Shape{1, 1}));
  EXPECT_EQ(prod(zeros({0}, {DType::c64, device_})).item<C>(), C(1));
  EXPECT_EQ(cumsum(a, -1).select(0, 0).to_vector<C>(), (std::vector<C>{{1, 2}, {4, -2}, {9, 4}}));
  EXPECT_TRUE(any(a).item<bool>());
  EXPECT_FALSE(all(tensor({{0, 1}, {0, 0}})).item<bool>());
}

TEST_P(ComplexTest, Products) {
  const std::vector<C> all = numbers();
  const auto take = [&](std::size_t first, const Shape& shape) {
    std::vector<C> values;
    for (std::int64_t i = 0; i < num_elements(shape); ++i) {
      values.push_back(all[(first + static_cast<std::size_t>(i) * 5) % all.size()]);
    }
    return from_host(values, shape, device_);
  };
  const Tensor a = take(3, {2, 3, 4}), b = take(8, {2, 4, 5}).transpose(0, 0);
  const std::vector<C> x = a.to_vector<C>(), y = b.to_vector<C>();
  std::vector<Z> expected;
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        Z sum = 0;
        for (std::size_t k = 0; k < 4; ++k) {
          sum += Z(x[(n * 3 + i) * 4 + k]) * Z(y[(n * 4 + k) * 5 + j]);
        }
        expected.push_back(sum);
      }
    }
  }
  const Tensor product = matmul(a, b);
  EXPECT_EQ(product.shape(), (Shape{2, 3, 5}));
  const std::vector<C> got = product.to_vector<C>();
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_LE(std::abs(Z(got[i]) - expected[i]), 1e-5) << "element " << i;
  }
  const Tensor turned = matmul(b.transpose(1, 2), a.transpose(1, 2)).transpose(1, 2);
  const std::vector<C> same = turned.to_vector<C>();
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_LE(std::abs(same[i] - got[i]), 1e-5F);
  const Tensor v = tensor({{1, 2}, {0, 1}}), w = tensor({{3, 0}, {0, 1}});
  EXPECT_EQ(matmul(v, w).item<C>(), C(2, 6));
  EXPECT_EQ(matmul(v.reshape({1, 2}), w).to_vector<C>(), (std::vector<C>{{2, 6}}));
  const Tensor out = ones({1}, {DType::c64, device_});
  matmul_out(out, v.reshape({1, 2}), w, 2, 1);
  EXPECT_EQ(out.item<C>(), C(5, 12));
  EXPECT_EQ(matmul(zeros({2, 0}, {DType::c64, device_}), zeros({0, 3}, {DType::c64, device_}))
                .to_vector<C>(),
            (std::vector<C>(6)));
  EXPECT_ERROR(matmul(v, real(w)), kDtypeMismatch, "[matmul]");
}

/// By differences of the parts, which are real. They are made of operations that the other tests
/// run on every device.
TEST(ComplexGradients, AreThoseOfTheParts) {
  const Device cpu = test_device("cpu:0");
  using Function = std::function<Tensor(const Tensor& a, const Tensor& b)>;
  const std::map<std::string, Function> functions = {
      {"add", [](const Tensor& a, const Tensor& b) { return a + b; }},
      {"mul", [](const Tensor& a, const Tensor& b) { return a * b; }},
      {"div", [](const Tensor& a, const Tensor& b) { return a / b; }},
      {"pow", [](const Tensor& a, const Tensor& b) { return pow(a, b); }},
      {"scalar", [](const Tensor& a, const Tensor& b) { return Z(1, 2) * a - b * 3; }},
      {"square", [](const Tensor& a, const Tensor&) { return square(a); }},
      {"sqrt", [](const Tensor& a, const Tensor&) { return sqrt(a); }},
      {"rsqrt", [](const Tensor& a, const Tensor&) { return rsqrt(a); }},
      {"exp", [](const Tensor& a, const Tensor&) { return exp(a); }},
      {"log", [](const Tensor& a, const Tensor&) { return log(a); }},
      {"log2", [](const Tensor& a, const Tensor&) { return log2(a); }},
      {"exp2", [](const Tensor& a, const Tensor&) { return exp2(a); }},
      {"expm1", [](const Tensor& a, const Tensor&) { return expm1(a); }},
      {"log1p", [](const Tensor& a, const Tensor&) { return log1p(a); }},
      {"sigmoid", [](const Tensor& a, const Tensor&) { return sigmoid(a); }},
      {"tanh", [](const Tensor& a, const Tensor&) { return tanh(a); }},
      {"sin", [](const Tensor& a, const Tensor&) { return sin(a); }},
      {"cos", [](const Tensor& a, const Tensor&) { return cos(a); }},
      {"tan", [](const Tensor& a, const Tensor&) { return tan(a); }},
      {"sign", [](const Tensor& a, const Tensor&) { return sign(a); }},
      {"conj", [](const Tensor& a, const Tensor&) { return conj(a); }},
      {"abs", [](const Tensor& a, const Tensor&) { return abs(a); }},
      {"angle", [](const Tensor& a, const Tensor&) { return angle(a); }},
      {"matmul", [](const Tensor& a, const Tensor& b) { return matmul(a, b.t()); }},
      {"sum", [](const Tensor& a, const Tensor& b) { return sum(a * b, 0); }},
      {"mean", [](const Tensor& a, const Tensor&) { return mean(a); }},
      {"norm", [](const Tensor& a, const Tensor&) { return norm(a); }},
      {"prod", [](const Tensor& a, const Tensor&) { return prod(a, 1); }},
      {"cumsum", [](const Tensor& a, const Tensor&) { return cumsum(a, 1); }},
      {"where", [](const Tensor& a, const Tensor& b) { return where(gt(real(a), 0), a, b * 2); }},
      {"views",
       [](const Tensor& a, const Tensor& b) { return a.t().slice(0, 1) * b.t().slice(0, 1); }},
      {"broadcast", [](const Tensor& a, const Tensor& b) { return a * b.select(0, 0); }},
  };
  const auto parts = [&](unsigned seed) {
    std::vector<double> values;
    for (unsigned i = 0; i < 6; ++i) {
      values.push_back(0.3 + 0.2 * ((i * 7 + seed * 3) % 5) * ((i + seed) % 2 == 0 ? 1 : -1));
    }
    return from_host(values, {2, 3}, cpu).requires_grad_();
  };
  for (const auto& [name, function] : functions) {
    const GradcheckResult result = gradcheck(
        [&function = function](const std::vector<Tensor>& in) {
          const Tensor y = function(complex(in[0], in[1]), complex(in[2], in[3]));
          if (!is_complex(y.dtype())) return std::vector<Tensor>{y};
          return std::vector<Tensor>{real(y), imag(y)};
        },
        {parts(1), parts(2), parts(3), parts(4)});
    EXPECT_TRUE(result.passed) << name << ": " << result.message;
  }
}

/// The gradient of a real loss is that of the real part plus i times that of the imaginary part.
TEST_P(ComplexTest, LayersAndSumsOfProducts) {
  const Tensor x = tensor({{1, 2}, {0, 1}, {-1, 1}, {2, 0}}).reshape({2, 2});
  const Tensor weight = tensor({{1, 0}, {0, 1}, {2, 1}, {1, -1}}).reshape({2, 2}).requires_grad_();
  const Tensor bias = tensor({{1, 1}, {0, 2}});
  const Tensor product = matmul(x, weight.t());
  EXPECT_EQ(linear(x, weight).to_vector<C>(), product.to_vector<C>());
  EXPECT_EQ(linear(x, weight, bias).to_vector<C>(), (product + bias).to_vector<C>());
  EXPECT_EQ(addmm(bias, x, weight.t(), C(0, 2), 3).to_vector<C>(),
            (product * C(0, 2) + bias * 3).to_vector<C>());
  const Tensor least = full({2}, -kInf, {DType::c64, device_});
  EXPECT_EQ(addmm(least, x, weight.t()).to_vector<C>(), (product + least).to_vector<C>());
  const Tensor bad = full({2, 2}, NAN, {DType::c64, device_});
  EXPECT_EQ(addmm(bias, bad, bad, 0).to_vector<C>(), bias.expand({2, 2}).to_vector<C>());
  {
    const Tensor start = tensor({{1, 0}, {0, 1}}).requires_grad_();
    real(sum(addmm(start, x, weight.t(), C(0, 1), C(0, 2)))).backward();
    EXPECT_EQ(start.grad().to_vector<C>(), (std::vector<C>{{0, -4}, {0, -4}}));
    EXPECT_EQ(weight.grad().to_vector<C>(), (std::vector<C>{{-3, 0}, {-1, -2}, {-3, 0}, {-1, -2}}));
    weight.set_grad(Tensor());
  }
  EXPECT_EQ(addmm(full({2}, NAN, {DType::c64, device_}), x, weight.t(), 1, 0).to_vector<C>(),
            product.to_vector<C>());
  sum(real(linear(x, weight, bias))).backward();
  const std::vector<C> grad = weight.grad().to_vector<C>();
  EXPECT_EQ(grad, (std::vector<C>{{0, -3}, {2, -1}, {0, -3}, {2, -1}}));
}

TEST_P(ComplexTest, TheConventionOfGradients) {
  const Tensor z = tensor({{3, 4}}).requires_grad_();
  sum(square(abs(z))).backward();
  EXPECT_EQ(z.grad().dtype(), DType::c64);
  EXPECT_LE(std::abs(z.grad().item<C>() - C(6, 8)), 1e-5F);
  EXPECT_ERROR((z * z).backward(), kDtypeMismatch,
               "[backward] no gradient for complex numbers: they have no order");
  (z * z).backward(tensor({{1, 0}}));
  EXPECT_LE(std::abs(z.grad().item<C>() - C(6 + 6, 8 - 8)), 1e-5F);
}

TEST_P(ComplexTest, RandomNumbers) {
  const TensorOptions options{DType::c64, device_};
  const Tensor even = rand({40, 50}, options, Generator(1)),
               normal = randn({40, 50}, options, Generator(2));
  EXPECT_EQ(normal.shape(), (Shape{40, 50}));
  EXPECT_GE(min(view_as_real(even)).item<float>(), 0);
  EXPECT_LT(max(view_as_real(even)).item<float>(), 1);
  EXPECT_NEAR(var(normal).item<float>(), 1, 0.1);
  EXPECT_NEAR(stddev(real(normal)).item<float>(), std::sqrt(0.5), 0.05);
  EXPECT_FLOAT_EQ(stddev(normal).item<float>(), std::sqrt(var(normal).item<float>()));
  EXPECT_EQ(tril(ones({2, 2}, options)).to_vector<C>(), (std::vector<C>{1, 0, 1, 1}));
}

TEST_P(ComplexTest, WhatHasNoMeaningSaysSo) {
  const Tensor a = tensor({{1, 2}, {3, 4}}).reshape({1, 2});
  const Tensor image = ones({1, 1, 4, 4}, {DType::c64, device_});
  const std::string why = "is not defined for complex numbers";
  EXPECT_ERROR(softmax(a, 1), kDtypeMismatch, "[softmax] " + why);
  EXPECT_ERROR(angle(arange(0, 2, 1, {DType::i64, device_})), kDtypeMismatch, "[angle]", "i64");
  EXPECT_ERROR(a.cast(DType::boolean), kDtypeMismatch, "Compare with ne(z, 0).");
  EXPECT_ERROR(norm(a, 3), kInvalidArgument, "[norm]", "Use linalg::vector_norm.");
  const auto twice = fuse([](const Expression& x) { return x * 2; }, "twice");
  EXPECT_ERROR(twice(a), kDtypeMismatch, "[twice]", "Pass real and imag as two operands.");
  EXPECT_ERROR(max_pool2d(image, 2), kDtypeMismatch, "[max_pool2d] " + why);
  EXPECT_ERROR(layer_norm(a, {2}), kDtypeMismatch, "[layer_norm] " + why);
  EXPECT_ERROR(topk(a, 1), kDtypeMismatch, "[topk] " + why);
  EXPECT_ERROR(argmax(a), kDtypeMismatch, "[argmax] " + why);
  EXPECT_ERROR(floor(a), kDtypeMismatch, "[floor] " + why);
  EXPECT_ERROR(remainder(a, a), kDtypeMismatch, "[remainder] " + why);
  EXPECT_ERROR(logical_not(a), kDtypeMismatch, "[logical_not] " + why);
  EXPECT_ERROR(arange(0, 3, 1, {DType::c64, device_}), kDtypeMismatch, "[arange]");
}

TEST_P(ComplexTest, PaddingOfBoth) {
  for (const DType dtype : {DType::c64, DType::c128}) {
    if (dtype == DType::c128 && !device_.properties().f64) continue;
    const Tensor padded = pad(ones({2}, {dtype, device_}), {{1, 1}}, C(0, 2));
    EXPECT_EQ(padded.cast(DType::c64).to_vector<C>(),
              (std::vector<C>{{0, 2}, {1, 0}, {1, 0}, {0, 2}}));
  }
}

TEST_P(ComplexTest, WhereWritesToAnOut) {
  const Tensor a = tensor({{1, 2}, {3, 4}, {5, 6}}), b = tensor({{-1, 0}, {0, -1}, {-2, 2}});
  const Tensor chosen = ne(real(a), 3);
  const std::vector<C> expected = {{1, 2}, {0, -1}, {5, 6}};
  const Tensor out = zeros_like(a);
  EXPECT_EQ(where_out(out, chosen, a, b).to_vector<C>(), expected);
  EXPECT_EQ(where_out(out, chosen, a, C(0, 7)).to_vector<C>()[1], C(0, 7));
  EXPECT_EQ(where_out(b, chosen, a, b).to_vector<C>(), expected);  // in place
  EXPECT_ERROR(where_out(zeros({2}, {DType::c64, device_}), chosen, a, a), kShapeMismatch,
               "[where]");
  EXPECT_ERROR(where_out(real(a), chosen, a, a), kDtypeMismatch, "[where]");
  EXPECT_ERROR(where_out(zeros({3}, {DType::c64, other_}), chosen, a, a), kDeviceMismatch,
               "[where]");
  EXPECT_ERROR(where_out(a.slice(0, 0, 2), chosen.slice(0, 0, 2), a.slice(0, 1, 3), 0),
               kInvalidArgument, "[where]", "overlap");
}

TEST_P(ComplexTest, ErrorsOfOutDescribeComplexNumbers) {
  const Tensor a = tensor({{1, 2}, {3, 4}, {5, 6}});
  EXPECT_ERROR(add_out(zeros({2}, {DType::c64, device_}), a, a), kShapeMismatch, "[add]",
               "c64 [2]");
  EXPECT_ERROR(add_out(zeros({3}, {DType::c64, other_}), a, a), kDeviceMismatch, "[add]",
               "out: c64 [3] on " + other_.name(), "a: c64 [3]");
  EXPECT_ERROR(add_out(real(a), a, a), kDtypeMismatch, "[add]", "expected c64, got f32");
  EXPECT_ERROR(abs_out(a, a), kDtypeMismatch, "[abs]", "expected f32, got c64");
  EXPECT_ERROR(add_out(a.slice(0, 0, 2), a.slice(0, 1, 3), 1), kInvalidArgument, "[add]",
               "overlap");
  EXPECT_ERROR(add_out(zeros_like(a), a.clone().requires_grad_(), a), kInvalidArgument, "[add]");
  const Tensor out = zeros_like(a);
  EXPECT_EQ(add_out(out, a, tensor({{1, 0}}).reshape({})).to_vector<C>()[2], C(6, 6));
}

/// By the products of the parts.
TEST_P(ComplexTest, Convolutions) {
  const TensorOptions options{DType::f32, device_};
  const auto number = [&](const Shape& shape) {
    return complex(randn(shape, options), randn(shape, options));
  };
  const Tensor x = number({2, 4, 5, 6}), w = number({6, 2, 3, 2}), bias = number({6});
  const Conv2dOptions steps{.stride = {2, 1}, .padding = {1, 0}, .groups = 2};
  const auto near = [](const Tensor& got, const Tensor& expected) {
    ASSERT_EQ(got.shape(), expected.shape());
    EXPECT_EQ(got.dtype(), DType::c64);
    EXPECT_LE(max(abs(got - expected)).item<float>(), 1e-4);
  };
  const auto part = [&](const Tensor& a, const Tensor& b) {
    return conv2d(a.contiguous(), b.contiguous(), {}, steps);
  };
  const Tensor re = part(real(x), real(w)) - part(imag(x), imag(w));
  const Tensor im = part(real(x), imag(w)) + part(imag(x), real(w));
  near(conv2d(x, w, bias, steps), complex(re, im) + bias.reshape({6, 1, 1}));
  const Tensor row = number({2, 3, 8}), filter = number({4, 3, 3});
  near(conv1d(row, filter), conv2d(row.unsqueeze(2), filter.unsqueeze(2)).squeeze(2));
  // The transposed one is the gradient of the plain one along the conjugate.
  const Tensor image = number({1, 2, 4, 4}).detach().requires_grad_(),
               kernel = number({3, 2, 2, 2});
  const Tensor y = conv2d(image, kernel), slope = number(y.shape());
  y.backward(slope);
  near(image.grad(), conv_transpose2d(slope, conj(kernel)));
  EXPECT_ERROR(conv2d(x, real(w).contiguous()), kDtypeMismatch, "[conv2d]");
}

/// As those of their parts.
TEST_P(ComplexTest, Updates) {
  const Tensor start = tensor({{1, 2}, {3, -4}}), slope = tensor({{0.5F, -1}, {2, 0.25F}});
  const auto copies = [&] { return start.clone(); };
  const Tensor by_sgd = copies(), velocity = zeros_like(start);
  const Tensor plain = view_as_real(start).clone(), plain_slope = view_as_real(slope).clone();
  const Tensor plain_velocity = zeros_like(plain);
  const SgdOptions sgd{.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 0.01};
  for (const std::int64_t step : {1, 2}) {
    sgd_update({by_sgd}, {slope}, {velocity}, step, sgd);
    sgd_update({plain}, {plain_slope}, {plain_velocity}, step, sgd);
  }
  EXPECT_EQ(view_as_real(by_sgd).to_vector<float>(), plain.to_vector<float>());
  const Tensor by_adam = copies(), mean = zeros_like(start), square = zeros_like(start);
  const Tensor plain_adam = view_as_real(start).clone(), plain_mean = zeros_like(plain),
               plain_square = zeros_like(plain);
  for (const std::int64_t step : {1, 2}) {
    adam_update({by_adam}, {slope}, {mean}, {square}, step, {});
    adam_update({plain_adam}, {plain_slope}, {plain_mean}, {plain_square}, step, {});
  }
  EXPECT_EQ(view_as_real(by_adam).to_vector<float>(), plain_adam.to_vector<float>());
  const Tensor gradient = tensor({{3, 0}, {0, 4}});
  EXPECT_NEAR(clip_by_norm({gradient}, 1).item<float>(), 5, 1e-5);
  EXPECT_LE(std::abs(gradient.to_vector<C>()[1] - C(0, 0.8F)), 1e-5F);
  EXPECT_ERROR(clip_by_value({gradient}, 1), kDtypeMismatch,
               "[clip_by_value] is not defined for complex numbers");
}

TEST_P(ComplexTest, Printing) {
  std::ostringstream text;
  text << show(tensor({{1, 2}, {-0.5F, -3}, {NAN, kInf}}));
  EXPECT_HAS(text.str(), "[ 1.0+2.0j, -0.5-3.0j,  nan+infj]  c64 [3] on ");
  EXPECT_HAS(text.str(), "c64");
}

}  // namespace
}  // namespace patchbay::test
