// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fused functions give what the single operations give, in every layout.
#include "tensor/fuse/fuse_fixture.h"

namespace patchbay::test {
namespace {

PATCHBAY_ON_EACH_DEVICE(FuseTest);

TEST_P(FuseTest, AChainGivesWhatTheSingleOperationsGive) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{7}, Shape{64}, Shape{3, 5}, Shape{2, 3, 33},
                             Shape{1, 2047}, Shape{2049}, Shape{300, 700}}) {
    const Tensor a = random_tensor<float>(shape, device_, 1);
    const Tensor b = random_tensor<float>(shape, device_, 2);
    expect_same<float>(kChain(a, b), unfused_chain(a, b), to_string(shape));
  }
}

/// Products whose only use is a sum or a difference, on either side of it, of elements and numbers;
/// one that is used twice, and one that is a result too. X: Tensor or Expression.
template <class X>
std::array<X, 10> products_and_sums(const X& a, const X& b, const X& c) {
  const X twice = a * b, kept = b * c;
  return {a * b + c,   c + a * b,   a * b - b,     b - a * b, a * 0.3 + b,
          0.3 * a - b, b - 0.3 * c, twice + twice, kept,      c * a + (a * 0.7 - kept) * b};
}

TEST_P(FuseTest, ProductsInSumsAreRoundedToo) {
  const auto fused = fuse([](const Expression& a, const Expression& b,
                             const Expression& c) { return products_and_sums(a, b, c); },
                          "products");
  const auto check = [&]<class T>(T) {
    for (const Shape& shape : {Shape{1}, Shape{37}, Shape{3, 700}}) {
      Tensor a = random_tensor<T>(shape, device_, 1);
      const Tensor b = random_tensor<T>(shape, device_, 2);
      for (const Tensor& c : {random_tensor<T>({}, device_, 3), random_tensor<T>(shape, device_, 3),
                              full({}, NAN, {dtype_of<T>(), device_})}) {
        const auto got = fused(a, b, c), expected = products_and_sums(a, b, c);
        for (std::size_t i = 0; i < got.size(); ++i) {
          expect_same<T>(got[i], expected[i], to_string(shape) + " result " + std::to_string(i));
        }
      }
    }
  };
  check(float{});
  if (device_.properties().f64) check(double{});
}

TEST_P(FuseTest, WhereOfTwoLiterals) {
  const auto ints = fuse([](Expression x) { return where(gt(x, 0), 7, -3); }, "ints");
  const auto floats = fuse([](Expression x) { return where(gt(x, 0), 1, -0.0) * 2; }, "floats");
  const Tensor x = from_host(Floats{-1, 0.5F, 3}, {3}, device_);
  EXPECT_EQ(ints(x).to_vector<std::int64_t>(), (Longs{-3, 7, 7}));
  const Floats got = floats(x).to_vector<float>();
  EXPECT_EQ(got, (Floats{0, 2, 2}));
  EXPECT_TRUE(std::signbit(got[0]));
}

TEST_P(FuseTest, ManyElements) {
  const Shape shape{(1 << 20) + 3};
  const Tensor a = random_tensor<float>(shape, device_, 1);
  const Tensor b = random_tensor<float>(shape, device_, 2);
  expect_same<float>(kChain(a, b), unfused_chain(a, b), "2^20 + 3");
}

TEST_P(FuseTest, MoreThanTheCachesHold) {
  if (std::string(GetParam()) != "cpu:0") GTEST_SKIP() << "of the CPU's streamed stores";
  const Shape shape{(24 << 20) + 5};
  const Tensor a = random_tensor<float>(shape, device_, 1);
  const Tensor b = random_tensor<float>(shape, device_, 2);
  expect_same<float>(kChain(a, b), unfused_chain(a, b), "streamed");
  const Tensor from_1 = kChain(a.slice(0, 1), b.slice(0, 1));  // misaligned
  expect_same<float>(from_1, unfused_chain(a.slice(0, 1), b.slice(0, 1)), "misaligned");
}

TEST_P(FuseTest, EveryLayout) {
  for (const Shape& shape : {Shape{7}, Shape{3, 5}, Shape{40, 70}, Shape{4, 3, 33}}) {
    const auto x = small_values<float>(count_of(shape), 1),
               y = small_values<float>(count_of(shape), 2);
    for (const Layout left : kLayouts) {
      for (const Layout right : kLayouts) {
        const Tensor a = laid_out(left, x, shape, device_), b = laid_out(right, y, shape, device_);
        const std::string what = to_string(shape) + " " + std::to_string(static_cast<int>(left)) +
                                 std::to_string(static_cast<int>(right));
        const Tensor expected = unfused_chain(a, b);
        expect_same<float>(kChain(a, b), expected, what);
        for (const Layout third : kLayouts) {
          const Tensor out = empty_in(third, shape, DType::f32, device_);
          kChain.out(out, a, b);
          expect_same<float>(out, expected, what + " out");
        }
        kChain.out(a, a, b);
        expect_same<float>(a, expected, what + " in place");
      }
    }
  }
}

TEST_P(FuseTest, Broadcasting) {
  const std::vector<std::pair<Shape, Shape>> pairs = {
      {{3, 5}, {5}},       {{3, 5}, {3, 1}},    {{3, 1}, {1, 5}},   {{4, 1, 6}, {2, 1}},
      {{}, {4}},           {{1}, {2, 2}},       {{500, 3}, {3}},    {{500, 3}, {500, 1}},
      {{2, 3000}, {3000}}, {{2, 3000}, {2, 1}}, {{1, 1}, {70, 90}}, {{5, 4, 3}, {4, 1}}};
  for (const auto& [left, right] : pairs) {
    const Tensor a = random_tensor<float>(left, device_, 1);
    const Tensor b = random_tensor<float>(right, device_, 2);
    const std::string what = to_string(left) + to_string(right);
    expect_same<float>(kChain(a, b), unfused_chain(a, b), what);
    expect_same<float>(kChain(b, a), unfused_chain(b, a), what + " swapped");
  }
  const Tensor a = random_tensor<float>({40, 30}, device_, 3);
  const Tensor b = random_tensor<float>({40}, device_, 4).expand({30, 40}).t();
  expect_same<float>(kChain(a, b), unfused_chain(a, b), "repeated columns");
}

TEST_P(FuseTest, EmptyTensors) {
  const Tensor a = empty({0, 3}, device_), b = ones({3}, device_);
  EXPECT_EQ(kChain(a, b).shape(), Shape({0, 3}));
  kChain.out(a, a, b);
}

template <class T>
void check_dtype(const FuseTest&, const Device& device) {
  const Shape shape{5, 41};
  const Tensor a = random_tensor<T>(shape, device, 5), b = random_tensor<T>(shape, device, 6);
  const auto f = fuse([](Expression x, Expression y) {
    return minimum(abs(x) * y, square(y)) + maximum(x, y) / (abs(y) + 1) - neg(x);
  });
  const Tensor expected = minimum(abs(a) * b, square(b)) + maximum(a, b) / (abs(b) + 1) - neg(a);
  EXPECT_EQ(f(a, b).dtype(), dtype_of<T>());
  EXPECT_EQ(f(a, b).template to_vector<T>(), expected.to_vector<T>());
}

TEST_P(FuseTest, EveryDtype) {
  check_dtype<float>(*this, device_);
  check_dtype<double>(*this, device_);
  check_dtype<std::int32_t>(*this, device_);
  check_dtype<std::int64_t>(*this, device_);
  check_dtype<std::uint8_t>(*this, device_);
}

TEST_P(FuseTest, OneFunctionServesEveryDtypeAndShape) {
  const Tensor i = random_tensor<std::int32_t>({9}, device_, 7);
  const Tensor d = random_tensor<double>({2, 9}, device_, 8);
  expect_same<std::int32_t>(kChain(i, i), unfused_chain(i, i), "i32");
  expect_same<double>(kChain(d, d), unfused_chain(d, d), "f64");
  expect_same<std::int32_t>(kChain(i, i), unfused_chain(i, i), "i32 again");
}

TEST_P(FuseTest, FunctionsOfFloats) {
  const auto f = fuse([](Expression x) { return log(exp(x) + 1) / sqrt(square(x) + 0.5); });
  const auto reference = [](const Tensor& x) { return log(exp(x) + 1) / sqrt(square(x) + 0.5); };
  const Tensor x = random_tensor<float>({3000}, device_, 9) * 0.37;
  expect_same<float>(f(x), reference(x), "f32", 2e-6);
  const Tensor y = random_tensor<double>({300}, device_, 9) * 0.37;
  expect_same<double>(f(y), reference(y), "f64", 4e-15);
}

/// A function of expressions and of tensors.
#define PATCHBAY_BOTH(name)                                                                    \
  {                                                                                            \
#name, fuse([](Expression x) { return name(x); }), [](const Tensor& x) { return name(x); } \
  }

TEST_P(FuseTest, EachFunctionOfOneNumber) {
  struct {
    const char* name;
    Fused<Expression, 1> fused;
    Tensor (*single)(const Tensor&);
  } const functions[] = {PATCHBAY_BOTH(neg),     PATCHBAY_BOTH(abs),  PATCHBAY_BOTH(square),
                         PATCHBAY_BOTH(relu),    PATCHBAY_BOTH(sqrt), PATCHBAY_BOTH(rsqrt),
                         PATCHBAY_BOTH(exp),     PATCHBAY_BOTH(log),  PATCHBAY_BOTH(tanh),
                         PATCHBAY_BOTH(sigmoid), PATCHBAY_BOTH(erf),  PATCHBAY_BOTH(gelu)};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Doubles values{0,    -0.0, 0.01, 0.5, 1,   2.3,       7,          30,  -0.01,
                       -0.5, -1,   -3,   -9,  -30, kInfinity, -kInfinity, kNan};
  const Tensor wide = from_host(values, {17}, device_).expand({90, 17});
  const Tensor narrow = wide.cast(DType::f32);
  for (const auto& function : functions) {
    expect_same<float>(function.fused(narrow), function.single(narrow), function.name, 4e-6);
    expect_same<double>(function.fused(wide), function.single(wide), function.name, 1e-14);
  }
}
#undef PATCHBAY_BOTH

TEST_P(FuseTest, TestsAndSteps) {
  const auto both = [](const auto& x, const auto& y) {
    return where(isfinite(x), atan2(sin(x), elu(y)) + remainder(round(x), y), sign(y));
  };
  const auto f = fuse([both](Expression x, Expression y) { return both(x, y); });
  Floats values{NAN, INFINITY, -INFINITY, 0, -2.5F, 3};
  const Tensor x = from_host(values, {6, 1}, device_);
  const Tensor y = random_tensor<float>({30}, device_, 41) * 0.61 + 0.3;
  expect_same<float>(f(x, y), both(x.expand({6, 30}), y), "f32", 4e-6);
}

TEST_P(FuseTest, Powers) {
  const auto power = fuse([](Expression x, Expression y) { return pow(x, y); });
  const auto squares = fuse([](Expression x) { return pow(x, 2) + pow(2, x); });
  const Tensor x = abs(random_tensor<float>({40, 30}, device_, 30)) * 0.37;
  const Tensor y = random_tensor<float>({30}, device_, 31) * 0.61;
  expect_same<float>(power(x, y), pow(x, y), "f32", 4e-6);
  expect_same<float>(squares(y), pow(y, 2) + pow(2, y), "literals", 4e-6);
  const Tensor z = random_tensor<double>({300}, device_, 32);
  expect_same<double>(power(z, z), pow(z, z), "f64", 1e-14);
}

template <class T>
void check_choice(const Device& device) {
  const Shape shape{3, 700};
  const Tensor a = random_tensor<T>(shape, device, 33), b = random_tensor<T>({700}, device, 34);
  const auto f = fuse([](Expression x, Expression y) {
    return where(lt(x, y), clamp(x, 1, 3), where(eq(x, y), 7, relu(y)));
  });
  const Tensor expected = where(lt(a, b), clamp(a, 1, 3), where(eq(a, b), 7, relu(b)));
  EXPECT_EQ(f(a, b).template to_vector<T>(), expected.to_vector<T>());
  const auto half = fuse([](Expression x) { return std::array{clamp(x, 2), clamp(x, {}, 2)}; });
  const auto [above, below] = half(a);
  EXPECT_EQ(above.template to_vector<T>(), clamp(a, 2).template to_vector<T>());
  EXPECT_EQ(below.template to_vector<T>(), clamp(a, {}, 2).template to_vector<T>());
}

TEST_P(FuseTest, WhereAndClampOfEveryDtype) {
  check_choice<float>(device_);
  check_choice<double>(device_);
  check_choice<std::int32_t>(device_);
  check_choice<std::int64_t>(device_);
  check_choice<std::uint8_t>(device_);
  const Tensor a = lt(random_tensor<float>({900}, device_, 35), 0), b = logical_not(a);
  const auto flags = fuse([](Expression c, Expression x, Expression y) { return where(c, x, y); });
  EXPECT_EQ(flags(a, a, b).to_vector<bool>(), Bools(900, true));
}

/// A zero keeps its sign, a NaN stays.
TEST_P(FuseTest, ClampIsTheOperator) {
  const Tensor a = floats({-0.0F, 0, NAN, -INFINITY, INFINITY});
  const auto f = fuse([](Expression x) { return 1 / clamp(x, 0, 2); });
  const Floats got = f(a).to_vector<float>();
  EXPECT_EQ(got[0], -INFINITY);
  EXPECT_EQ(got[1], INFINITY);
  EXPECT_TRUE(std::isnan(got[2]));
  EXPECT_EQ(got[3], INFINITY);
  EXPECT_EQ(got[4], 0.5F);
}

TEST_P(FuseTest, SpecialValues) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Tensor a = floats({0, -0.0f, 1e-40f, kInfinity, -kInfinity, kNan, 3e38f, -1});
  const Tensor b = floats({-1, 0, 1, 2, kNan, 1, 3e38f, kInfinity});
  expect_same<float>(kChain(a, b), unfused_chain(a, b), "special");
  const auto f = fuse([](Expression x) { return (x * kInfinity) + (x - kNan) + x; });
  expect_same<float>(f(a), (a * kInfinity) + (a - kNan) + a, "special literals");
}

TEST_P(FuseTest, ComparisonLogicSelectionAndCasts) {
  const Tensor a = random_tensor<float>({3, 50}, device_, 10);
  const Tensor b = random_tensor<float>({50}, device_, 11);
  const auto mask = fuse([](Expression x, Expression y) {
    return logical_or(logical_and(lt(x, y), ne(x, 0)), logical_not(ge(y, -1)));
  });
  const Tensor expected = logical_or(logical_and(lt(a, b), ne(a, 0)), logical_not(ge(b, -1)));
  expect_same<bool>(mask(a, b), expected, "mask");

  const auto choose = fuse([](Expression x, Expression y) {
    return where(gt(x, y), x * 2, where(eq(x, y), 7, y - 1)).cast(DType::i64);
  });
  const Floats x = a.to_vector<float>(), y = b.to_vector<float>();
  const Longs chosen = choose(a, b).to_vector<std::int64_t>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float other = y[i % 50];
    const float value = x[i] > other ? x[i] * 2 : (x[i] == other ? 7 : other - 1);
    ASSERT_EQ(chosen[i], static_cast<std::int64_t>(value)) << i;
  }

  const auto masked = fuse([](Expression v, Expression m) { return v * m.cast(DType::f32); });
  expect_same<float>(masked(a, expected), a * expected.cast(DType::f32), "a bool input");
  const auto clamped = fuse([](Expression v) { return clamp(v, -2, 3); });
  expect_same<float>(clamped(a), minimum(maximum(a, -2), 3), "clamp");
}

TEST_P(FuseTest, AConditionForAllElements) {
  const auto choose = fuse([](Expression c, Expression x, Expression y) { return where(c, x, y); });
  const Tensor x = random_tensor<float>({3, 50}, device_, 12), y = full({3, 50}, 9, device_);
  for (const bool yes : {false, true}) {
    const Tensor c = full({}, yes, {DType::boolean, device_});
    expect_same<float>(choose(c, x, y), yes ? x : y, "0-d condition");
  }
}

TEST_P(FuseTest, SeveralOutputs) {
  const auto f = fuse([](Expression a, Expression b) {
    const Expression product = a * b;
    return std::array{product, product + a, a, lt(a, b)};
  });
  const Tensor a = random_tensor<float>({77, 3}, device_, 13);
  const Tensor b = random_tensor<float>({77, 3}, device_, 14);
  const auto [product, sum, same, less] = f(a, b);
  expect_same<float>(product, a * b, "product");
  expect_same<float>(sum, a * b + a, "sum");
  expect_same<float>(same, a, "same");
  expect_same<bool>(less, lt(a, b), "less");
}

TEST_P(FuseTest, SeveralOutputsIntoTheInputs) {
  const auto f = fuse([](Expression a, Expression b) {
    return std::array{a + b, a - b};  // the second reads what the first may have overwritten
  });
  for (const std::int64_t n : {5, 5000}) {
    const Tensor a = random_tensor<float>({n}, device_, 15);
    const Tensor b = random_tensor<float>({n}, device_, 16), sum = a + b, difference = a - b;
    f.out({a, b}, a, b);
    expect_same<float>(a, sum, "sum");
    expect_same<float>(b, difference, "difference");
  }
}

TEST_P(FuseTest, InputsChangePlaces) {
  const auto swap = fuse([](Expression a, Expression b) { return std::array{b, a}; });
  const auto keep = fuse([](Expression a, Expression b) { return std::array{a, a + b}; });
  for (const std::int64_t n : {3, 5000}) {
    const Tensor a = random_tensor<float>({n}, device_, 25);
    const Tensor b = random_tensor<float>({n}, device_, 26), first = a.clone(), second = b.clone();
    swap.out({a, b}, a, b);
    expect_same<float>(a, second, "swapped");
    expect_same<float>(b, first, "swapped");
    const Tensor out = empty({n}, device_), sum = a + b;
    keep.out({out, a}, a, b);
    expect_same<float>(out, second, "kept");
    expect_same<float>(a, sum, "sum");
  }
}

TEST_P(FuseTest, AnOutputTwice) {
  const auto f = fuse([](Expression a) {
    const Expression square = a * a;
    return std::array{square, square};
  });
  const Tensor a = random_tensor<float>({3000}, device_, 17);
  const auto [one, other] = f(a);
  expect_same<float>(one, a * a, "one");
  expect_same<float>(other, a * a, "other");
}

TEST_P(FuseTest, NumbersAndHostScalarsAreArguments) {
  const auto step = fuse([](Expression p, Expression g, Expression rate) { return p - rate * g; });
  const Tensor p = random_tensor<float>({33}, device_, 18);
  const Tensor g = random_tensor<float>({33}, device_, 19);
  for (const double rate : {0.5, 0.25}) {
    const Tensor expected = p - rate * g, on_host = full({}, rate, test_device("cpu:0"));
    const Tensor out = empty({33}, device_);
    const std::uint64_t copies = num_copies("", "");
    const Tensor results[] = {step(p, g, rate), step(p, g, on_host)};
    step.out(out, p, g, Scalar(rate));
    // The number that is a tensor, where it goes to another device.
    EXPECT_EQ(num_copies("", "") - copies, device_ == on_host.device() ? 0u : 1u);
    for (const Tensor& result : results) expect_same<float>(result, expected, "rate");
    expect_same<float>(out, expected, "rate, out");
  }
  const auto both = fuse([](Expression x, Expression n) {
    return std::array{x + n, (x.cast(DType::i32) + n).cast(DType::f32)};
  });
  const auto [sum, other] = both(p, 3);  // one number, two dtypes
  expect_same<float>(sum, p + 3, "f32");
  expect_same<float>(other, (p.cast(DType::i32) + 3).cast(DType::f32), "i32");
}

TEST_P(FuseTest, HostScalarsGoWhereOutIs) {
  const Tensor two = full({}, 2, test_device("cpu:0")), out = zeros({}, device_);
  kChain.out(out, two, two);
  EXPECT_EQ(out.to_vector<float>(), Floats{8});
  const Tensor flag = full({}, true, {DType::boolean, test_device("cpu:0")});
  const auto f = fuse([](Expression x, Expression c) { return where(c, x, x + 1); });
  EXPECT_EQ(f(zeros({2}, device_), flag).to_vector<float>(), Floats(2, 0));
}

TEST_P(FuseTest, ManyInputs) {
  const FusedFunction sum(
      15,
      [](std::span<const Expression> x) {
        Expression total = x[0];
        for (std::size_t i = 1; i < x.size(); ++i) total = total * 0.5 + x[i];
        return std::vector{total};
      },
      "sum");
  for (const bool strided : {false, true}) {
    std::vector<Tensor> inputs;
    std::vector<TensorOrScalar> arguments;
    for (unsigned i = 0; i < 15; ++i) {
      const Layout layout = strided ? kLayouts[i % 4] : Layout::kContiguous;
      inputs.push_back(laid_out(layout, small_values<float>(900, i), {30, 30}, device_));
    }
    arguments.assign(inputs.begin(), inputs.end());
    Tensor total = inputs[0];
    for (std::size_t i = 1; i < 15; ++i) total = total * 0.5 + inputs[i];
    expect_same<float>(sum.call(arguments)[0], total, "15 inputs");
  }
}

TEST_P(FuseTest, DeepChains) {
  const auto deep = fuse([](Expression x) {
    for (int i = 0; i < 200; ++i) x = i % 2 == 0 ? x + (i % 7) : x * 0.75;
    return x;
  });
  const Tensor a = random_tensor<float>({2, 1111}, device_, 20);
  Tensor expected = a;
  for (int i = 0; i < 200; ++i) expected = i % 2 == 0 ? expected + (i % 7) : expected * 0.75;
  expect_same<float>(deep(a), expected, "200 operations");
}

TEST_P(FuseTest, ManyValuesAtOnce) {
  const auto wide = fuse([](Expression x) {
    std::vector<Expression> all;
    for (int i = 0; i < 80; ++i) all.push_back(x * i + 1);
    Expression total = all.back();
    for (std::size_t i = all.size() - 1; i-- > 0;) total = total * 0.5 + all[i] * all[i];
    return total;
  });
  const Tensor a = random_tensor<double>({3001}, device_, 21);
  Tensor total = a * 79 + 1;
  for (int i = 78; i >= 0; --i) total = total * 0.5 + (a * i + 1) * (a * i + 1);
  expect_same<double>(wide(a), total, "80 values");
}

TEST_P(FuseTest, MixedSizesOfElements) {
  const auto f = fuse([](Expression x, Expression i) {
    const Expression wide = x.cast(DType::f64) * i.cast(DType::f64);
    return std::array{where(gt(wide, 0), wide, wide - 1), lt(i, 3).cast(DType::f64)};
  });
  const Tensor x = random_tensor<float>({2500}, device_, 22);
  const Tensor i = random_tensor<std::uint8_t>({2500}, device_, 23);
  const auto [value, less] = f(x, i);
  const auto a = x.to_vector<float>();
  const auto b = i.to_vector<std::uint8_t>();
  const auto got = value.to_vector<double>(), small = less.to_vector<double>();
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double wide = static_cast<double>(a[k]) * b[k];
    ASSERT_EQ(got[k], wide > 0 ? wide : wide - 1) << k;
    ASSERT_EQ(small[k], b[k] < 3 ? 1 : 0) << k;
  }
}

TEST_P(FuseTest, StreamsOrderFusedFunctionsToo) {
  const Tensor a = zeros({1 << 16}, device_);
  const Stream first(device_), second(device_);
  const auto increment = fuse([](Expression x) { return x + 1; });
  for (int i = 0; i < 10; ++i) {
    const StreamScope scope(i % 2 == 0 ? first : second);
    increment.out(a, a);
  }
  EXPECT_EQ(a.to_vector<float>(), Floats(1 << 16, 10));
}

}  // namespace
}  // namespace patchbay::test
