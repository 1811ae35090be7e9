// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Attention and rotary embeddings, against loops over the elements in f64.
#include "conformance/reference/rows.h"
#include "support/device_test.h"
#include "tensor/functional/functional_values.h"

namespace patchbay::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class AttentionTest : public DeviceTest {
 protected:
  Tensor some(const Shape& shape, DType dtype, int seed = 0) const {
    return tensor_of(some_values(static_cast<std::size_t>(num_elements(shape)), seed), shape, dtype,
                     device_);
  }
};
PATCHBAY_ON_EACH_DEVICE(AttentionTest);

/// What is added to the score of a query and a key.
using Added = std::function<double(std::int64_t batch, std::int64_t query, std::int64_t key)>;
double causal(std::int64_t, std::int64_t query, std::int64_t key) {
  return key <= query ? 0 : -kInfinity;
}

/// Of [batch, queries, features], [batch, keys, features] and [batch, keys, n].
Doubles attention_of(const Tensor& q, const Tensor& k, const Tensor& v, double scale,
                     const Added& added = conformance::kUnmasked) {
  const Doubles query = values_of(q), key = values_of(k), value = values_of(v);
  Doubles result;
  conformance::attend<double>(
      {q.size(0), q.size(1), k.size(1), q.size(2), v.size(2), scale},
      conformance::elements_of(query), conformance::elements_of(key),
      conformance::elements_of(value), added,
      [&](std::int64_t, std::int64_t, const auto& sum, double) { result.push_back(sum.value); });
  return result;
}

TEST_P(AttentionTest, OfEveryKey) {
  for (const DType dtype : float_dtypes(device_)) {
    const Tensor q = some({2, 5, 4}, dtype), k = some({2, 7, 4}, dtype, 1);
    const Tensor v = some({2, 7, 3}, dtype, 2);
    expect_near(scaled_dot_product_attention(q, k, v), attention_of(q, k, v, 0.5), "attention");
    expect_near(scaled_dot_product_attention(q, k, v, {.scale = -0.25}),
                attention_of(q, k, v, -0.25), "with a scale");
    EXPECT_EQ(scaled_dot_product_attention(q[0], k[0], v[0]).shape(), (Shape{5, 3}));
  }
}

/// 64 queries are one draw.
TEST_P(AttentionTest, DropsWhatIsDrawn) {
  const auto leaf = [&](const Shape& shape, int seed) {
    return some(shape, DType::f32, seed).requires_grad_();
  };
  const std::vector<Tensor> in = {leaf({2, 70, 4}, 0), leaf({2, 5, 4}, 1), leaf({2, 5, 3}, 2)};
  const Generator generator(3);
  const Tensor got =
      scaled_dot_product_attention(in[0], in[1], in[2], {.dropout = 0.4, .generator = generator});
  EXPECT_EQ(generator.state(), (Generator::State{3, 2}));
  const Generator again(3);
  const Tensor first = dropout_mask(0.4, {2, 64, 5}, device_, again),
               second = dropout_mask(0.4, {2, 6, 5}, device_, again);
  const Tensor weights = softmax(matmul(in[0], in[1].transpose(-1, -2)) * 0.5, -1);
  const Tensor kept = where(concat({first, second}, 1), weights / 0.6, 0);
  const Tensor expected = matmul(kept, in[2]);
  expect_near(got.detach(), values_of(expected.detach()), "dropout");
  const Tensor slopes = some({2, 70, 3}, DType::f32, 5) * 0.1;
  const std::vector<Tensor> grads = gradients({got}, in, {slopes}),
                            right = gradients({expected}, in, {slopes});
  for (std::size_t i = 0; i < 3; ++i) expect_near(grads[i], values_of(right[i]), "gradients");
  EXPECT_EQ(generator.state(), (Generator::State{3, 2}));
  EXPECT_INVALID(scaled_dot_product_attention(in[0], in[1], in[2], {.dropout = 1.5}),
                 "[scaled_dot_product_attention]", "expected 0 to 1, got 1.5");
  const std::string bad =
      "[scaled_dot_product_attention] bad scale: expected a finite number, got ";
  EXPECT_INVALID(scaled_dot_product_attention(in[0], in[1], in[2], {.scale = NAN}), bad + "nan");
  EXPECT_INVALID(scaled_dot_product_attention(in[0], in[1], in[2], {.scale = kInfinity}),
                 bad + "inf");
  const Tensor none = scaled_dot_product_attention(in[0], in[1], in[2], {.dropout = 1});
  EXPECT_EQ(none.detach().to_vector<float>(), Floats(420, 0));
}

/// More queries than are computed at once.
TEST_P(AttentionTest, OfSeveralBlocks) {
  for (const auto& [queries, keys] : {std::pair{150, 9}, {64, 130}, {70, 70}}) {
    const Tensor q = some({2, queries, 4}, DType::f32), k = some({2, keys, 4}, DType::f32, 1);
    const Tensor v = some({2, keys, 3}, DType::f32, 2);
    expect_near(scaled_dot_product_attention(q, k, v), attention_of(q, k, v, 0.5), "all");
    expect_near(scaled_dot_product_attention(q, k, v, {.is_causal = true}),
                attention_of(q, k, v, 0.5, causal), "causal");
  }
}

TEST_P(AttentionTest, WithAMask) {
  for (const DType dtype : float_dtypes(device_)) {
    const Tensor q = some({2, 3, 4}, dtype), k = some({2, 5, 4}, dtype, 1);
    const Tensor v = some({2, 5, 3}, dtype, 2);
    const auto check = [&](const Tensor& mask, const char* what) {
      const Doubles values = values_of(
          mask.dtype() == DType::boolean
              ? where(mask, 0, full({}, -INFINITY, {DType::f32, device_})).expand({2, 3, 5})
              : mask.expand({2, 3, 5}));
      expect_near(scaled_dot_product_attention(q, k, v, {.mask = mask}),
                  attention_of(q, k, v, 0.5,
                               [&](std::size_t b, std::size_t i, std::size_t j) {
                                 return values[(b * 3 + i) * 5 + j];
                               }),
                  what);
    };
    const Tensor flags = gt(some({2, 3, 5}, DType::f32, 4), 0);
    check(flags, "bool");
    check(flags[0], "bool for all batches");
    check(flags[1][2], "bool of keys");
    check(flags.slice(2, 0, 1), "bool of queries");
    check(some({2, 1, 5}, dtype, 5), "float");
    check(some({3, 1}, dtype, 6), "float of queries");
    check(full({}, 3, {dtype, device_}), "float of rank 0");
  }
}

/// Masks of both kinds, in several blocks, with queries that may attend to no key.
TEST_P(AttentionTest, WithAMaskAndIsCausal) {
  for (const DType dtype : float_dtypes(device_)) {
    const Tensor q = some({2, 70, 4}, dtype), k = some({2, 66, 4}, dtype, 1);
    const Tensor v = some({2, 66, 3}, dtype, 2);
    const Tensor added = some({70, 66}, dtype, 3), flags = gt(some({2, 1, 66}, DType::f32, 4), 0);
    const Doubles numbers = values_of(added), allowed = values_of(flags.cast(DType::f32));
    expect_near(scaled_dot_product_attention(q, k, v, {.mask = added, .is_causal = true}),
                attention_of(q, k, v, 0.5,
                             [&](std::int64_t b, std::int64_t i, std::int64_t j) {
                               return causal(b, i, j) +
                                      numbers[static_cast<std::size_t>(i * 66 + j)];
                             }),
                "added");
    expect_near(scaled_dot_product_attention(q, k, v, {.mask = flags, .is_causal = true}),
                attention_of(q, k, v, 0.5,
                             [&](std::int64_t b, std::int64_t i, std::int64_t j) {
                               return allowed[static_cast<std::size_t>(b * 66 + j)] != 0
                                          ? causal(b, i, j)
                                          : -kInfinity;
                             }),
                "allowed");
  }
}

/// Compares with heads of key and value that are repeated.
TEST_P(AttentionTest, OfGroupedHeads) {
  const auto leaf = [&](const Shape& shape, int seed) {
    return some(shape, DType::f32, seed).requires_grad_();
  };
  const auto repeated = [](const Tensor& a) {  // [b, 2, k, n] as [b, 6, k, n]
    Shape shape = a.unsqueeze(2).shape();
    shape[2] = 3;
    return a.unsqueeze(2).expand(shape).reshape({a.size(0), 6, a.size(2), a.size(3)});
  };
  const std::vector<Tensor> in = {leaf({2, 6, 70, 4}, 0), leaf({2, 2, 9, 4}, 1),
                                  leaf({2, 2, 9, 3}, 2)};
  const Tensor slopes = some({2, 6, 70, 3}, DType::f32, 5);
  for (const Shape& shape :
       {Shape{}, Shape{70, 9}, Shape{2, 1, 1, 9}, Shape{6, 70, 9}, Shape{2, 6, 1, 9}}) {
    AttentionOptions options{.is_causal = shape.rank() == 2};
    if (shape.rank() != 0) options.mask = some(shape, DType::f32, 4);
    const Tensor expected =
        scaled_dot_product_attention(in[0], repeated(in[1]), repeated(in[2]), options);
    options.grouped_heads = true;
    const Tensor got = scaled_dot_product_attention(in[0], in[1], in[2], options);
    ASSERT_EQ(got.shape(), (Shape{2, 6, 70, 3}));
    expect_near(got.detach(), values_of(expected.detach()), to_string(shape).c_str());
    const std::vector<Tensor> grads = gradients({got}, in, {slopes}),
                              right = gradients({expected}, in, {slopes});
    for (std::size_t i = 0; i < 3; ++i) expect_near(grads[i], values_of(right[i]), "gradients");
  }
  // One head for all, and leading dimensions that broadcast.
  const Tensor one = scaled_dot_product_attention(in[0], in[1][0].slice(0, 0, 1),
                                                  in[2][0].slice(0, 0, 1), {.grouped_heads = true});
  const Tensor same = scaled_dot_product_attention(in[0], in[1][0][0], in[2][0][0]);
  expect_near(one.detach(), values_of(same.detach()), "one head");
}

TEST_P(AttentionTest, ErrorsOfGroupedHeads) {
  const auto expect = [&](const Shape& query, const Shape& key, const Shape& value,
                          const char* text) {
    EXPECT_ERROR(static_cast<void>(
                     scaled_dot_product_attention(zeros(query, device_), zeros(key, device_),
                                                  zeros(value, device_), {.grouped_heads = true})),
                 ErrorCode::kShapeMismatch, std::string("[scaled_dot_product_attention] ") + text);
  };
  expect({3, 4}, {3, 4}, {3, 4}, "query has no heads");
  expect({2, 3, 4}, {2, 3, 4}, {3, 4}, "value has no heads");
  expect({6, 3, 4}, {4, 3, 4}, {4, 3, 4},
         "the 6 heads of query are no multiple of the 4 heads of key");
  expect({6, 3, 4}, {0, 3, 4}, {0, 3, 4},
         "the 6 heads of query are no multiple of the 0 heads of key");
  expect({6, 3, 4}, {3, 3, 4}, {2, 3, 4}, "value does not fit key: expected 3 heads, got 2");
  expect({2, 6, 3, 4}, {3, 3, 3, 4}, {3, 3, 3, 4},
         "leading dimensions do not broadcast: expected [2, 6], or 1 in some of them, got [3, 6]");
  EXPECT_ERROR(
      static_cast<void>(scaled_dot_product_attention(
          zeros({4, 3, 4}, device_), zeros({2, 3, 4}, device_), zeros({2, 3, 4}, device_),
          {.mask = zeros({2, 3, 3}, device_), .grouped_heads = true})),
      ErrorCode::kShapeMismatch,
      "mask has the wrong shape: expected one that broadcasts to [4, 3, 3], got [2, 3, 3]");
}

/// In blocks of queries the mask is cut too.
TEST_P(AttentionTest, WithAMaskForSeveralBlocks) {
  const Tensor q = some({1, 100, 2}, DType::f32), k = some({1, 6, 2}, DType::f32, 1);
  const Tensor v = some({1, 6, 2}, DType::f32, 2), mask = some({100, 6}, DType::f32, 3);
  const Doubles added = values_of(mask);
  expect_near(
      scaled_dot_product_attention(q, k, v, {.mask = mask, .scale = 1}),
      attention_of(q, k, v, 1,
                   [&](std::size_t, std::size_t i, std::size_t j) { return added[i * 6 + j]; }),
      "attention");
}

TEST_P(AttentionTest, LeadingDimensionsBroadcast) {
  const Tensor q = some({2, 1, 3, 4}, DType::f32), k = some({5, 6, 4}, DType::f32, 1);
  const Tensor v = some({6, 2}, DType::f32, 2);
  const auto flat = [](const Tensor& a, const Shape& shape) {
    return a.expand({2, 5, shape[1], shape[2]}).reshape(shape);
  };
  const Tensor y = scaled_dot_product_attention(q, k, v);
  EXPECT_EQ(y.shape(), (Shape{2, 5, 3, 2}));
  expect_near(y, attention_of(flat(q, {10, 3, 4}), flat(k, {10, 6, 4}), flat(v, {10, 6, 2}), 0.5),
              "attention");
}

/// Heads beside the features, as a projection leaves them.
TEST_P(AttentionTest, OfViewsWithOtherStrides) {
  const Tensor all = some({2, 6, 3, 2, 4}, DType::f32);  // batch, steps, kinds, heads, features
  const auto heads = [&](int kind) { return all.select(2, kind).transpose(1, 2); };
  const auto flat = [&](int kind) { return heads(kind).reshape({4, 6, 4}); };
  expect_near(scaled_dot_product_attention(heads(0), heads(1), heads(2), {.is_causal = true}),
              attention_of(flat(0), flat(1), flat(2), 0.5, causal), "attention");
}

TEST_P(AttentionTest, AQueryWithoutAKeyGivesZero) {
  const Tensor flags = from_host({true, false, false, false}, {2, 2}, device_);
  const Tensor q = some({2, 3}, DType::f32).requires_grad_();
  const Tensor k = some({2, 3}, DType::f32, 1).requires_grad_();
  const Tensor v = some({2, 3}, DType::f32, 2).requires_grad_();
  const Tensor y = scaled_dot_product_attention(q, k, v, {.mask = flags});
  const Doubles value = values_of(v.detach());
  expect_near(y.detach(), {value[0], value[1], value[2], 0, 0, 0}, "bool");
  sum(y).backward();
  expect_near(q.grad(), Doubles(6, 0), "gradient of the query");
  expect_near(k.grad(), Doubles(6, 0), "gradient of the key");
  expect_near(v.grad(), {1, 1, 1, 0, 0, 0}, "gradient of the value");
  const Tensor added = where(flags, 0, full({}, -INFINITY, device_));
  expect_near(scaled_dot_product_attention(q.detach(), k.detach(), v.detach(), {.mask = added}),
              {value[0], value[1], value[2], 0, 0, 0}, "float");
}

TEST_P(AttentionTest, OfLargeScores) {
  const Tensor q = tensor_of({300, -300}, {2, 1}, DType::f32, device_);
  const Tensor k = tensor_of({1, 2}, {2, 1}, DType::f32, device_);
  expect_near(scaled_dot_product_attention(q, k, k), {2, 1}, "attention");
}

TEST_P(AttentionTest, OfNothing) {
  const auto none = [&](const Shape& shape) { return zeros(shape, device_).requires_grad_(); };
  const Tensor q = none({2, 3, 4}), no_keys = none({2, 0, 4}), no_values = none({2, 0, 5});
  const Tensor y = scaled_dot_product_attention(q, no_keys, no_values);
  EXPECT_EQ(y.shape(), (Shape{2, 3, 5}));
  expect_near(y.detach(), Doubles(30, 0), "without keys");
  sum(y).backward();
  expect_near(q.grad(), Doubles(24, 0), "gradient without keys");
  EXPECT_EQ(scaled_dot_product_attention(no_keys, q, q).shape(), (Shape{2, 0, 4}));
  const Tensor no_batch = none({0, 3, 4});
  EXPECT_EQ(scaled_dot_product_attention(no_batch, no_batch, no_batch).shape(), (Shape{0, 3, 4}));
}

/// Gradients of several blocks, against those of the operations.
TEST_P(AttentionTest, GradientsOfSeveralBlocks) {
  const Shape shape{2, 130, 4};
  for (const auto& [is_causal, is_masked] : {std::pair{true, false}, {false, true}, {true, true}}) {
    std::vector<Tensor> in, same;
    for (int i = 0; i < 3; ++i) {
      in.push_back(some(shape, DType::f32, i).requires_grad_());
      same.push_back(some(shape, DType::f32, i).requires_grad_());
    }
    const Tensor mask = some({130, 130}, DType::f32, 3).requires_grad_();
    const Tensor same_mask = mask.detach().clone().requires_grad_();
    AttentionOptions options{.is_causal = is_causal};
    if (is_masked) options.mask = mask;
    Tensor scores = matmul(same[0], same[1].transpose(-2, -1)) * 0.5;
    if (is_masked) scores = scores + same_mask;
    if (is_causal) {
      scores = where(tril(ones({130, 130}, {DType::boolean, device_})), scores, -INFINITY);
    }
    const Tensor weights = some(shape, DType::f32, 9);
    sum(scaled_dot_product_attention(in[0], in[1], in[2], options) * weights).backward();
    sum(matmul(softmax(scores, -1), same[2]) * weights).backward();
    for (std::size_t i = 0; i < 3; ++i) {
      const Doubles got = values_of(in[i].grad()), expected = values_of(same[i].grad());
      for (std::size_t e = 0; e < got.size(); ++e) ASSERT_NEAR(got[e], expected[e], 2e-5) << i;
    }
    if (!is_masked) continue;
    expect_near(mask.grad(), values_of(same_mask.grad()), "gradient of the mask");
  }
}

TEST_P(AttentionTest, HasNoSecondDerivative) {
  const Tensor x = some({3, 2}, DType::f32).requires_grad_();
  const Tensor y = sum(scaled_dot_product_attention(x, x, x));
  EXPECT_ERROR(y.backward({}, {.create_graph = true}), kUnsupported,
               "[scaled_dot_product_attention] gradients of attention can't be recorded "
               "(create_graph). Use matmul and softmax");
}

/// The peak of a forward and a backward pass in a new runtime.
double peak_of(const char* device_name, std::int64_t steps) {
  const Device device = Runtime(device_options()).device(device_name);
  const auto make = [&] { return zeros({2, steps, 4}, device).requires_grad_(); };
  const Tensor q = make(), k = make(), v = make();
  sum(scaled_dot_product_attention(q, k, v)).backward();
  device.synchronize();
  return static_cast<double>(device.memory().peak_bytes);
}

TEST_P(AttentionTest, MemoryGrowsWithTheSteps) {
  const double peak = peak_of(GetParam(), 256), larger = peak_of(GetParam(), 1024);
  EXPECT_LT(larger, 4.2 * peak);
  // Not counted: what a library of products takes, whatever the size.
  EXPECT_LT(larger - peak, 2.0 * 1024 * 1024 * 4) << "the scores alone";
}

TEST_P(AttentionTest, Errors) {
  constexpr const char* kPrefix = "[scaled_dot_product_attention] ";
  const std::string prefix = kPrefix;
  const Tensor x = zeros({2, 3, 4}, device_);
  const auto expect = [&](const Tensor& q, const Tensor& k, const Tensor& v, ErrorCode code,
                          const std::string& text) {
    EXPECT_ERROR(scaled_dot_product_attention(q, k, v), code, prefix + text);
  };
  expect({}, x, x, kInvalidArgument, "query is undefined");
  expect(x, {}, x, kInvalidArgument, "key is undefined");
  expect(x, x, {}, kInvalidArgument, "value is undefined");
  expect(x, zeros({2, 3, 4}, other_), x, kDeviceMismatch, "operands are on different devices");
  expect(x, x, zeros({2, 3, 4}, {DType::i32, device_}), kDtypeMismatch,
         "operands have different dtypes");
  const Tensor integers = zeros({3, 4}, {DType::i32, device_});
  expect(integers, integers, integers, kDtypeMismatch, "is not defined for i32");
  expect(x, zeros({4}, device_), x, kShapeMismatch,
         "key has the wrong shape: expected [..., keys, features], got [4]");
  expect(x, zeros({3, 5}, device_), x, kShapeMismatch,
         "key does not fit query: expected 4 features, got 5");
  expect(x, x, zeros({2, 4, 4}, device_), kShapeMismatch,
         "value does not fit key: expected 3 keys, got 4");
  expect(x, zeros({3, 3, 4}, device_), zeros({3, 4}, device_), kShapeMismatch,
         "leading dimensions do not broadcast: expected [2], or 1 in some of them, got [3] of key");
}

TEST_P(AttentionTest, ErrorsOfMasks) {
  const Tensor x = zeros({2, 3, 4}, device_);
  const auto expect = [&](const Tensor& mask, ErrorCode code, const char* text) {
    EXPECT_ERROR(scaled_dot_product_attention(x, x, x, {.mask = mask}), code,
                 std::string("[scaled_dot_product_attention] ") + text);
  };
  expect(zeros({3, 3}, other_), kDeviceMismatch, "operands are on different devices");
  expect(zeros({3, 3}, {DType::i64, device_}), kDtypeMismatch,
         "mask has the wrong dtype: expected bool or f32, got i64");
  for (const Shape& shape : {Shape{3, 4}, Shape{3, 3, 3}, Shape{1, 2, 3, 3}}) {
    expect(zeros(shape, device_), kShapeMismatch,
           "mask has the wrong shape: expected one that broadcasts to [2, 3, 3], got ");
  }
}

// ---------------------------------------------------------------------- rotary embeddings ---

/// Of [batch, steps, features], with a position for each step of each batch.
Doubles rotated(const Doubles& x, std::size_t features, const Doubles& positions, double base,
                bool is_interleaved) {
  Doubles y(x.size());
  for (std::size_t row = 0; row < positions.size(); ++row) {
    for (std::size_t j = 0; j < features / 2; ++j) {
      const std::size_t a = row * features + (is_interleaved ? 2 * j : j);
      const std::size_t b = is_interleaved ? a + 1 : a + features / 2;
      const double power = -2 * static_cast<double>(j) / static_cast<double>(features);
      const double angle = positions[row] * std::pow(base, power);
      y[a] = x[a] * std::cos(angle) - x[b] * std::sin(angle);
      y[b] = x[b] * std::cos(angle) + x[a] * std::sin(angle);
    }
  }
  return y;
}

TEST_P(AttentionTest, RotaryEmbedding) {
  for (const DType dtype : float_dtypes(device_)) {
    const Tensor x = some({2, 3, 6}, dtype);
    const Doubles stored = values_of(x);
    const Tensor positions = from_host<std::int64_t>({5, 0, 7}, {3}, device_);
    const Tensor each = from_host<std::int32_t>({1, 2}, {2, 1}, device_);
    for (const bool is_interleaved : {false, true}) {
      const auto check = [&](RotaryOptions options, const Doubles& wanted, const char* what) {
        options.is_interleaved = is_interleaved;
        expect_near(rotary_embedding(x, options),
                    rotated(stored, 6, wanted, options.base, is_interleaved), what);
      };
      check({}, {0, 1, 2, 0, 1, 2}, "from 0");
      check({.offset = 4}, {4, 5, 6, 4, 5, 6}, "from 4");
      check({.base = 10}, {0, 1, 2, 0, 1, 2}, "another base");
      check({.positions = positions}, {5, 0, 7, 5, 0, 7}, "positions");
      check({.positions = each}, {1, 1, 1, 2, 2, 2}, "a position for each batch");
    }
  }
}

TEST_P(AttentionTest, RotaryEmbeddingOfAView) {
  const Tensor x = some({4, 3}, DType::f32).t();
  expect_near(rotary_embedding(x, {.offset = 1}), rotated(values_of(x), 4, {1, 2, 3}, 10000, false),
              "halves");
  EXPECT_EQ(rotary_embedding(zeros({0, 4}, device_)).shape(), (Shape{0, 4}));
  EXPECT_EQ(rotary_embedding(zeros({3, 0}, device_)).shape(), (Shape{3, 0}));
}

TEST_P(AttentionTest, ErrorsOfRotaryEmbeddings) {
  const Tensor x = zeros({2, 3, 4}, device_);
  const auto expect = [&](const Tensor& input, const RotaryOptions& options, ErrorCode code,
                          const char* text) {
    EXPECT_ERROR(rotary_embedding(input, options), code, std::string("[rotary_embedding] ") + text);
  };
  expect({}, {}, kInvalidArgument, "input is undefined");
  expect(zeros({2, 4}, {DType::i32, device_}), {}, kDtypeMismatch, "is not defined for i32");
  for (const Shape& shape : {Shape{4}, Shape{2, 3}}) {
    expect(zeros(shape, device_), {}, kShapeMismatch,
           "input has the wrong shape: expected [..., steps, features] with an even number of "
           "features, got [");
  }
  for (const double base : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    expect(x, {.base = base}, kInvalidArgument, "bad base: expected a positive number, got ");
  }
  expect(x, {.positions = zeros({3}, {DType::i64, other_})}, kDeviceMismatch,
         "operands are on different devices");
  expect(x, {.positions = zeros({3}, device_)}, kDtypeMismatch,
         "positions have the wrong dtype: expected i64 or i32, got f32");
  for (const Shape& shape : {Shape{4}, Shape{3, 3}, Shape{1, 2, 3}}) {
    expect(x, {.positions = zeros(shape, {DType::i64, device_})}, kShapeMismatch,
           "positions have the wrong shape: expected one that broadcasts to [2, 3], got [");
  }
}

}  // namespace
}  // namespace patchbay::test
