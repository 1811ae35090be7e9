// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Every operation on tensors runs once where nothing may move, on each device. The table is
// compared with the headers: an operation without a row is a failure.
#include <regex>

#include "support/device_test.h"
#include "support/paths.h"

namespace patchbay::test {
namespace {

/// Operands that rows share, on one device.
struct Operands {
  explicit Operands(const Device& where)
      : device(where),
        other(test_device(where == test_device("cpu:0") ? "fake:0" : "cpu:0")),
        a(from_host({1.0F, 4.0F, 9.0F, 16.0F, 25.0F, 36.0F}, {2, 3}, where)),
        b(from_host({2.0F, 3.0F, 4.0F, 5.0F, 6.0F, 7.0F}, {2, 3}, where)),
        out(zeros({2, 3}, where)),
        square(zeros({2, 2}, where)),
        single(ones({1, 3}, where)),
        flags(from_host({true, false, true}, {3}, where)),
        flags_out(zeros({2, 3}, {DType::boolean, where})),
        rows(from_host({std::int64_t{1}, std::int64_t{0}}, {2}, where)),
        places(from_host({0, 1, 1, 0, 1, 0}, {2, 3}, where)),
        image(ones({1, 1, 2, 2}, where)),
        elsewhere(zeros({2, 3}, other)) {}

  Device device, other;
  Tensor a, b, out, square, single, flags, flags_out, rows, places, image, elsewhere;
};

struct Row {
  const char* name;
  void (*run)(const Operands&);
  /// It is there to move data: the guard refuses it.
  bool moves = false;
};

void use(const Tensor& result) { EXPECT_TRUE(result.defined()); }

#define BINARY(name)                                                                         \
  {#name,                                                                                    \
   [](const Operands& o) {                                                                   \
     use(name(o.a, o.b)), use(name(o.a, 2)), use(name(2, o.b)), use(name(o.a.t(), o.b.t())); \
   }},                                                                                       \
  {                                                                                          \
#name "_out", [](const Operands& o) {                                              \
     name##_out(o.out, o.a, o.b), name##_out(o.out, o.a, 2), name##_out(o.out, 2, o.b); \
   }         \
  }
#define COMPARISON(name)                                                                           \
  {#name, [](const Operands& o) { use(name(o.a, o.b)), use(name(o.a, 2)), use(name(2, o.b)); }}, { \
#name "_out", [](const Operands& o) {                                                           \
     name##_out(o.flags_out, o.a, o.b), name##_out(o.flags_out, o.a, 2),                           \
         name##_out(o.flags_out, 2, o.b);                                                          \
   }  \
  }
#define LOGICAL(name)                                                                          \
  {#name, [](const Operands& o) { use(name(o.flags, o.flags)), use(name(o.flags, true)); }}, { \
#name "_out", [](const Operands& o) {                                                      \
     name##_out(o.flags_out, o.flags_out, o.flags), name##_out(o.flags_out, o.flags_out, true); \
   }   \
  }
#define UNARY(name)                                                         \
  {#name, [](const Operands& o) { use(name(o.a)), use(name(o.a.t())); }}, { \
#name "_out", [](const Operands& o) { name##_out(o.out, o.a); }         \
  }
#define TEST_OF(name)                                                       \
  {#name, [](const Operands& o) { use(name(o.a)), use(name(o.a.t())); }}, { \
#name "_out", [](const Operands& o) { name##_out(o.flags_out, o.a); }   \
  }
#define REDUCTION(name)                                                                 \
  {                                                                                     \
#name, [](const Operands& o) {                                                        \
     use(name(o.a)), use(name(o.a, 0)), use(name(o.a, 1, true)), use(name(o.a.t(), 0)); \
   } \
  }
#define METHOD(name, ...)                                    \
  {                                                          \
    "Tensor::" #name, [](const Operands& o) { __VA_ARGS__; } \
  }
#define MOVES(name, ...)                               \
  {                                                    \
    name, [](const Operands& o) { __VA_ARGS__; }, true \
  }

const std::vector<Row>& rows() {
  // clang-format off
  static const auto& table = *new std::vector<Row>{
      // ops.h
      BINARY(add), BINARY(sub), BINARY(mul), BINARY(div), BINARY(maximum), BINARY(minimum),
      COMPARISON(eq), COMPARISON(ne), COMPARISON(lt), COMPARISON(le), COMPARISON(gt),
      COMPARISON(ge), LOGICAL(logical_and), LOGICAL(logical_or),
      {"logical_not", [](const Operands& o) { use(logical_not(o.flags)); }},
      {"logical_not_out", [](const Operands& o) { logical_not_out(o.flags_out, o.flags_out); }},
      UNARY(neg), UNARY(abs), UNARY(square), UNARY(sqrt), UNARY(exp), UNARY(log), UNARY(rsqrt),
      UNARY(sigmoid), UNARY(tanh), UNARY(relu), UNARY(erf), UNARY(gelu), BINARY(pow),
      UNARY(sin), UNARY(cos), UNARY(tan), UNARY(exp2), UNARY(expm1), UNARY(log1p), UNARY(log2),
      UNARY(floor), UNARY(ceil), UNARY(round), UNARY(trunc), UNARY(sign), UNARY(silu),
      UNARY(softplus), BINARY(atan2), BINARY(remainder), BINARY(leaky_relu), BINARY(elu),
      TEST_OF(isnan), TEST_OF(isinf), TEST_OF(isfinite),
      {"where", [](const Operands& o) { use(where(o.flags, o.a, o.b)), use(where(o.flags, o.a, 0)); }},
      {"where_out", [](const Operands& o) { where_out(o.out, o.flags, o.a, o.b); }},
      {"clamp", [](const Operands& o) { use(clamp(o.a, 0, 1)); }},
      {"clamp_out", [](const Operands& o) { clamp_out(o.out, o.a, 0, 1); }},
      {"operator+", [](const Operands& o) { use(o.a + o.b), use(o.a + 1), use(1 + o.a); }},
      {"operator-", [](const Operands& o) { use(o.a - o.b), use(o.a - 1), use(1 - o.a), use(-o.a); }},
      {"operator*", [](const Operands& o) { use(o.a * o.b), use(o.a * 2), use(2 * o.a); }},
      {"operator/", [](const Operands& o) { use(o.a / o.b), use(o.a / 2), use(2 / o.a); }},
      {"operator+=", [](const Operands& o) { o.out += o.a, o.out += 1; }},
      {"operator-=", [](const Operands& o) { o.out -= o.a, o.out -= 1; }},
      {"operator*=", [](const Operands& o) { o.out *= o.a, o.out *= 2; }},
      {"operator/=", [](const Operands& o) { o.out /= o.a, o.out /= 2; }},
      {"matmul", [](const Operands& o) { use(matmul(o.a, o.b.t())), use(matmul(o.a.t(), o.b)); }},
      {"matmul_out", [](const Operands& o) { matmul_out(o.square, o.a, o.b.t(), 2, 1); }},
      REDUCTION(sum), REDUCTION(mean), REDUCTION(min), REDUCTION(max), REDUCTION(argmin),
      REDUCTION(argmax), REDUCTION(sum_squares),
      {"var", [](const Operands& o) { use(var(o.a)), use(var(o.a.t(), 1, 0, true)); }},
      {"stddev", [](const Operands& o) { use(stddev(o.a)), use(stddev(o.a.t(), 1, 0, true)); }},
      {"trace", [](const Operands& o) { use(trace(o.square)); }},
      {"addmm", [](const Operands& o) { use(addmm(o.square, o.a, o.b.t())); }},
      {"linear", [](const Operands& o) {
         use(linear(o.a, o.b)), use(linear(o.a, o.b, o.a[0].slice(0, 0, 2), Activation::kGelu));
       }},
      {"norm",
       [](const Operands& o) { use(norm(o.a)), use(norm(o.a, 1, 0)), use(norm(o.a, INFINITY)); }},
      REDUCTION(any), REDUCTION(all),
      {"tril", [](const Operands& o) { use(tril(o.a)), use(tril(o.a.t(), -1)); }},
      {"triu", [](const Operands& o) { use(triu(o.a)), use(triu(o.a.t(), 1)); }},
      // functional.h
      REDUCTION(logsumexp),
      {"softmax", [](const Operands& o) { use(softmax(o.a, 0)), use(softmax(o.a.t(), 1)); }},
      {"log_softmax", [](const Operands& o) { use(log_softmax(o.a, 0)), use(log_softmax(o.a.t(), 1)); }},
      {"dropout", [](const Operands& o) { use(dropout(o.a, 0.5)); }},
      {"mse_loss", [](const Operands& o) { use(mse_loss(o.a, o.b)); }},
      {"l1_loss", [](const Operands& o) { use(l1_loss(o.a, o.b)); }},
      {"huber_loss", [](const Operands& o) { use(huber_loss(o.a, o.b, 0.5)); }},
      {"binary_cross_entropy_with_logits", [](const Operands& o) {
         use(binary_cross_entropy_with_logits(o.a, o.b, {o.single, o.single}));
       }},
      {"nll_loss", [](const Operands& o) { use(nll_loss(o.a, o.rows)); }},
      {"cross_entropy", [](const Operands& o) {
         use(cross_entropy(o.a, o.rows, {.label_smoothing = 0.5})), use(cross_entropy(o.a, o.b));
       }},
      // convolution.h, pooling.h
      {"conv1d", [](const Operands& o) { use(conv1d(o.a.unsqueeze(0), o.b.unsqueeze(0))); }},
      {"conv2d", [](const Operands& o) { use(conv2d(o.image, o.image)); }},
      {"conv_transpose1d", [](const Operands& o) { use(conv_transpose1d(o.a.t(), o.b.t().unsqueeze(2))); }},
      {"conv_transpose2d", [](const Operands& o) { use(conv_transpose2d(o.image, o.image)); }},
      {"max_pool1d", [](const Operands& o) { use(max_pool1d(o.a, 2)); }},
      {"max_pool2d", [](const Operands& o) { use(max_pool2d(o.image, 2)); }},
      {"max_pool2d_index", [](const Operands& o) { use(max_pool2d_index(o.image, 2)); }},
      {"avg_pool1d", [](const Operands& o) { use(avg_pool1d(o.a, 2)); }},
      {"avg_pool2d", [](const Operands& o) { use(avg_pool2d(o.image, 2)); }},
      {"adaptive_max_pool1d", [](const Operands& o) { use(adaptive_max_pool1d(o.a, 2)); }},
      {"adaptive_max_pool2d", [](const Operands& o) { use(adaptive_max_pool2d(o.image, 2)); }},
      {"adaptive_avg_pool1d", [](const Operands& o) { use(adaptive_avg_pool1d(o.a, 2)); }},
      {"adaptive_avg_pool2d", [](const Operands& o) { use(adaptive_avg_pool2d(o.image, 2)); }},
      // attention.h
      {"scaled_dot_product_attention", [](const Operands& o) {
         use(scaled_dot_product_attention(o.a, o.b, o.b, {.mask = gt(o.square, 0)}));
         use(scaled_dot_product_attention(o.a, o.b, o.b, {.is_causal = true}));
       }},
      {"rotary_embedding", [](const Operands& o) {
         use(rotary_embedding(o.a.t())), use(rotary_embedding(o.square, {.positions = o.rows}));
       }},
      // recurrent.h
      {"lstm_cell", [](const Operands& o) {
         use(lstm_cell(o.a, {}, {zeros({4, 3}, o.device), zeros({4, 1}, o.device)}).cell);
       }},
      {"lstm", [](const Operands& o) {
         use(lstm(o.a.unsqueeze(0), {{zeros({4, 3}, o.device), zeros({4, 1}, o.device)}}).output);
       }},
      {"gru_cell", [](const Operands& o) {
         use(gru_cell(o.a, {}, {zeros({3, 3}, o.device), zeros({3, 1}, o.device)}));
       }},
      {"gru", [](const Operands& o) {
         use(gru(o.a.unsqueeze(0), {{zeros({3, 3}, o.device), zeros({3, 1}, o.device)}}).output);
       }},
      // normalization.h
      {"batch_norm", [](const Operands& o) {
         const Tensor mean = zeros({3}, o.device), variance = ones({3}, o.device);
         for (const bool training : {true, false}) {
           use(batch_norm(o.a, {.running_mean = mean, .running_var = variance, .training = training}));
         }
       }},
      {"layer_norm", [](const Operands& o) { use(layer_norm(o.a, {2, 3}, o.b, o.b)); }},
      {"group_norm", [](const Operands& o) { use(group_norm(o.a, 3, o.a[0], o.b[0])); }},
      {"rms_norm", [](const Operands& o) { use(rms_norm(o.a, {3}, o.b[0])); }},
      // concat.h
      {"concat", [](const Operands& o) { use(concat({o.a, o.b})), use(concat({o.a, o.b}, 1)); }},
      {"concat_out", [](const Operands& o) { concat_out(o.out, {o.a[0].unsqueeze(0), o.b[1].unsqueeze(0)}); }},
      {"stack", [](const Operands& o) { use(stack({o.a, o.b}, 2)); }},
      {"split", [](const Operands& o) { use(split(o.a, 2, 1)[1]), use(split(o.a, {1, 2}, 1)[1]); }},
      {"chunk", [](const Operands& o) { use(chunk(o.a, 2)[1]); }},
      {"pad", [](const Operands& o) { use(pad(o.a, {{1, 0}, {2, 3}}, 5)); }},
      // indexing.h
      {"prod", [](const Operands& o) { use(prod(o.a)); }},
      {"cumsum", [](const Operands& o) { use(cumsum(o.a, 0)); }},
      {"sort", [](const Operands& o) { use(sort(o.a).values); }},
      {"argsort", [](const Operands& o) { use(argsort(o.a)); }},
      {"topk", [](const Operands& o) { use(topk(o.a, 2).indices); }},
      {"gather", [](const Operands& o) { use(gather(o.a, 0, o.places)); }},
      {"gather_out", [](const Operands& o) { gather_out(o.out, o.a, 1, o.places); }},
      {"index_select", [](const Operands& o) { use(index_select(o.a, 1, o.rows)); }},
      {"index_select_out", [](const Operands& o) { index_select_out(o.out, o.a, 0, o.rows); }},
      {"scatter_add", [](const Operands& o) { use(scatter_add(o.a, 0, o.places, o.b)); }},
      {"scatter_add_out", [](const Operands& o) { scatter_add_out(o.out, o.a, 0, o.places, o.b); }},
      {"index_add", [](const Operands& o) { use(index_add(o.a, 0, o.rows, o.b)); }},
      {"index_add_out", [](const Operands& o) { index_add_out(o.out, o.out, 0, o.rows, o.b); }},
      {"one_hot", [](const Operands& o) { use(one_hot(o.rows, 3)); }},
      {"embedding", [](const Operands& o) { use(embedding(o.a, o.rows.unsqueeze(0))); }},
      {"masked_fill", [](const Operands& o) { use(masked_fill(o.a, o.flags, 7)); }},
      // random.h
      {"rand", [](const Operands& o) { use(rand({5}, o.device)); }},
      {"randn", [](const Operands& o) { use(randn({5}, o.device)); }},
      {"randint", [](const Operands& o) { use(randint(0, 9, {5}, o.device)); }},
      {"randperm", [](const Operands& o) { use(randperm(5, o.device)); }},
      {"bernoulli", [](const Operands& o) { use(bernoulli(0.5, {5}, o.device)); }},
      {"dropout_mask", [](const Operands& o) { use(dropout_mask(0.5, {5}, o.device)); }},
      {"fill_uniform", [](const Operands& o) { fill_uniform(o.out.t()); }},
      {"fill_normal", [](const Operands& o) { fill_normal(o.out); }},
      {"fill_integers", [](const Operands& o) { fill_integers(empty({2}, {DType::u8, o.device}), 0, 9); }},
      {"fill_bernoulli", [](const Operands& o) { fill_bernoulli(o.flags_out, 0.5); }},
      // tensor.h: what tensors are asked
      METHOD(defined, EXPECT_TRUE(o.a.defined())), METHOD(shape, EXPECT_EQ(o.a.shape()[1], 3)),
      METHOD(strides, EXPECT_EQ(o.a.strides()[0], 3)), METHOD(rank, EXPECT_EQ(o.a.rank(), 2)),
      METHOD(size, EXPECT_EQ(o.a.size(-1), 3)),
      METHOD(num_elements, EXPECT_EQ(o.a.num_elements(), 6)),
      METHOD(size_bytes, EXPECT_EQ(o.a.size_bytes(), 24u)),
      METHOD(dtype, EXPECT_EQ(o.a.dtype(), DType::f32)),
      METHOD(device, EXPECT_EQ(o.a.device(), o.device)),
      METHOD(is_contiguous, EXPECT_FALSE(o.a.t().is_contiguous())),
      METHOD(buffer, EXPECT_TRUE(static_cast<bool>(o.a.buffer()))),
      METHOD(offset_bytes, EXPECT_EQ(o.a[1].offset_bytes(), 12u)),
      METHOD(is_same, EXPECT_TRUE(o.a.is_same(o.a))),
      METHOD(data, if (o.device.properties().host_addressable) { EXPECT_EQ(*o.a.data<float>(), 1); }),
      METHOD(impl, EXPECT_NE(o.a.impl(), nullptr)),
      // gradients
      METHOD(requires_grad, EXPECT_FALSE(o.a.requires_grad())),
      METHOD(requires_grad_, use(o.a.clone().requires_grad_())),
      METHOD(is_leaf, EXPECT_TRUE(o.a.is_leaf())), METHOD(detach, use(o.a.detach())),
      METHOD(grad, EXPECT_FALSE(o.a.grad().defined())),
      METHOD(set_grad, o.b.clone().set_grad(o.a)),
      METHOD(backward, const Tensor x = o.a.clone().requires_grad_(); sum(x * x).backward();
             (x * o.b).backward(o.a); use(x.grad())),
      METHOD(add_gradient_hook, const Tensor x = o.a.clone().requires_grad_();
             x.add_gradient_hook([](const Tensor& g) { return g * 2; }); sum(x).backward()),
      METHOD(remove_gradient_hook, const Tensor x = o.a.clone().requires_grad_();
             x.remove_gradient_hook(x.add_gradient_hook([](const Tensor& g) { return g; }))),
      // views and copies on the device
      METHOD(slice, use(o.a.slice(1, 0, 3, 2))), METHOD(select, use(o.a.select(1, 2))),
      METHOD(operator[], use(o.a[1])), METHOD(permute, use(o.a.permute({1, 0}))),
      METHOD(transpose, use(o.a.transpose(0, 1))), METHOD(t, use(o.a.t())),
      METHOD(expand, use(o.single.expand({4, 3}))), METHOD(squeeze, use(o.single.squeeze(0))),
      METHOD(diagonal, use(o.square.diagonal())),
      METHOD(unsqueeze, use(o.a.unsqueeze(0))), METHOD(view, use(o.a.view({3, 2}))),
      METHOD(reshape, use(o.a.t().reshape({2, 3}))), METHOD(contiguous, use(o.a.t().contiguous())),
      METHOD(clone, use(o.a.t().clone())), METHOD(cast, use(o.a.cast(DType::i32))),
      METHOD(operator=, o.out[0] = o.b[1]; o.out.t() = o.a.t(); o.out[1] = 2),
      METHOD(fill_, o.out.fill_(3)), METHOD(zero_, o.out.zero_()),
      METHOD(to, use(o.a.to(o.device)), use(o.a.to(o.device, {.copy = true}))),
      METHOD(copy_from, o.out.copy_from(o.a), o.out.copy_from(o.a.cast(DType::i32))),
      METHOD(new_empty, use(o.a.new_empty({2}))), METHOD(new_zeros, use(o.a.new_zeros({2}))),
      METHOD(new_ones, use(o.a.new_ones({2}))), METHOD(new_full, use(o.a.new_full({2}, 7))),
      // movement
      MOVES("Tensor::to", use(o.a.to(o.other))),
      MOVES("Tensor::copy_from", o.elsewhere.copy_from(o.a)),
      MOVES("Tensor::item", static_cast<void>(o.a[0][0].item<float>())),
      MOVES("Tensor::to_vector", static_cast<void>(o.a.to_vector<float>())),
      MOVES("from_host", use(from_host({1.0F}, {1}, o.device))),
      MOVES("from_host_bytes", use(from_host_bytes("abcd", DType::u8, {4}, o.device))),
      MOVES("show", static_cast<void>(show(o.a))),
      // creation
      {"empty", [](const Operands& o) { use(empty({2}, o.device)); }},
      {"zeros", [](const Operands& o) { use(zeros({2}, o.device)); }},
      {"ones", [](const Operands& o) { use(ones({2}, o.device)); }},
      {"full", [](const Operands& o) { use(full({2}, 3, o.device)); }},
      {"linspace", [](const Operands& o) { use(linspace(0, 1, 5, o.device)); }},
      {"eye", [](const Operands& o) { use(eye(3, o.device)), use(eye(2, 3, o.device)); }},
      {"arange", [](const Operands& o) { use(arange(0, 5, 1, o.device)); }},
      {"empty_like", [](const Operands& o) { use(empty_like(o.a)); }},
      {"zeros_like", [](const Operands& o) { use(zeros_like(o.a)); }},
      {"ones_like", [](const Operands& o) { use(ones_like(o.a)); }},
      {"full_like", [](const Operands& o) { use(full_like(o.a, 2)); }},
      {"wrap_host",
       [](const Operands& o) {
         float lent[2] = {1, 2};
         if (o.device.properties().host_addressable) {
           use(wrap_host(lent, DType::f32, {2}, o.device));
         }
       }},
      {"operator<<",
       [](const Operands& o) {
         std::ostringstream text;
         text << o.a;
         EXPECT_NE(text.str().find("[2, 3]"), std::string::npos);
       }},
  };
  // clang-format on
  return table;
}

PATCHBAY_DEVICE_TESTS(ForbidTest);

TEST_P(ForbidTest, EveryOperationStaysWhereItsOperandsAre) {
  const Operands operands(device_);
  device_.synchronize();
  test_runtime().ledger().reset();
  for (const Row& row : rows()) {
    const CopyGuard guard(CopyGuard::Mode::kForbid);
    if (row.moves) {
      EXPECT_ERROR(row.run(operands), kCopyForbidden, "inside a CopyGuard");
    } else {
      EXPECT_NO_THROW(row.run(operands)) << row.name;
    }
  }
  device_.synchronize();
  for (const LedgerEntry& entry : test_runtime().ledger().entries()) {
    if (entry.tag == "validation") continue;  // which fetches indices
    EXPECT_EQ(to_string(entry.route), to_string(Route::kSameDevice));
  }
}

// ------------------------------------------------------------------------------- the headers

std::string header(const char* name) {
  std::ifstream file(test::source_path("include/patchbay/" + std::string(name)));
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_GT(text.str().size(), 1000u) << name;
  const std::regex comments(R"(//[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)");
  return std::regex_replace(text.str(), comments, "");
}

void add_matches(std::set<std::string>& names, const std::string& text, const char* pattern,
                 const std::string& prefix = {}, const std::string& suffix = {}) {
  const std::regex expression(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) {
    names.insert(prefix + at->str(1) + suffix);
  }
}

/// What a header declares: functions that give a tensor or take one.
std::set<std::string> declared() {
  std::set<std::string> names;
  const std::string ops = header("ops.h"), all = header("tensor.h");
  add_matches(names, header("elementwise.h"), R"(\nPATCHBAY_\w+_FORMS\((\w+)\))", {}, "_out");
  const char* const function =
      R"(\n(?:\[\[nodiscard\]\] )?(?:PATCHBAY_API |inline )?)"
      R"((?:const )?(?:Tensor|std::vector<Tensor>|\w+State|\w+Result|Sorted|std::string|std::ostream)&?)"
      R"(\s+)"
      R"((operator[^\w\s(]+|\w+)\()";
  add_matches(names, ops, function);
  for (const char* other :
       {"elementwise.h", "random.h", "concat.h", "indexing.h", "functional.h", "convolution.h",
        "pooling.h", "normalization.h", "attention.h", "recurrent.h", "sorting.h"}) {
    add_matches(names, header(other), function);
  }
  add_matches(names, all, function);
  const std::size_t begin = all.find("class PATCHBAY_API Tensor {");
  const std::string methods = all.substr(begin, all.find(" private:", begin) - begin);
  add_matches(
      names, methods,
      R"(\n  (?:\[\[nodiscard\]\] )?(?:const )?[\w:]+(?:<T>)?[&*]? \*?&?(operator\[\]|operator=|\w+)\()",
      "Tensor::");
  names.erase("Tensor::Tensor");
  names.erase("Tensor::requires");  // the condition of a template
  names.erase("wrap_read_only");    // what wrap_host of const calls
  return names;
}

TEST(ForbidTable, HasARowForEachOperationOfTheHeaders) {
  std::set<std::string> known;
  for (const Row& row : rows()) known.insert(row.name);
  const std::set<std::string> names = declared();
  EXPECT_GT(names.size(), 100u) << "the headers were not understood";
  for (const std::string& name : names) EXPECT_TRUE(known.count(name)) << name << " has no row";
  for (const std::string& name : known)
    EXPECT_TRUE(names.count(name)) << name << " is not declared";
}

}  // namespace
}  // namespace patchbay::test
