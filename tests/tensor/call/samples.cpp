// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Samples of elementwise functions, of Tensor's methods, and of functions that make tensors.
#include "tensor/call/samples.h"

#include <patchbay/plugin/kernels/elementwise.h>

namespace patchbay::test {

Tensor Samples::floats(const Shape& shape) const {
  const auto count = static_cast<std::size_t>(num_elements(shape));
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = 0.05F + 0.01F * static_cast<float>((i * 37 + 11) % 89);
  }
  return from_host(values, shape, device_);
}

Tensor Samples::integers(const std::vector<std::int64_t>& values, const Shape& shape) const {
  return from_host(values, shape, device_);
}

Tensor Samples::bools(const Shape& shape) const {
  std::vector<bool> values(static_cast<std::size_t>(num_elements(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 3 != 0;
  return from_host(values, shape, device_);
}

namespace {

template <class Function, class Into>
void add_unary(Samples& samples, const std::string& name, const Tensor& a, Function function,
               Into into) {
  samples.add(name, {a}, [=] { return function(a); });
  const Tensor like = function(a), out = empty_like(like), other = empty_like(like);
  samples.add(name + "_out", {out, a}, [=] { return into(other, a); });
}

template <class Function, class Into>
void add_binary(Samples& samples, const std::string& name, const Tensor& a, const Tensor& b,
                const Scalar& number, Function function, Into into) {
  samples.add(name, {a, b}, [=] { return function(a, b); });
  samples.add(name, {a, number}, [=] { return function(a, number); });
  samples.add(name, {number, b}, [=] { return function(number, b); });
  samples.add(name, {a}, {{"b", number}}, [=] { return function(a, number); });
  const Tensor like = function(a, b), out = empty_like(like), other = empty_like(like);
  samples.add(name + "_out", {out, a, b}, [=] { return into(other, a, b); });
  samples.add(name + "_out", {out, a}, {{"b", number}}, [=] { return into(other, a, number); });
}

#define PATCHBAY_CALL_OF(name) [](const auto&... in) -> Tensor { return name(in...); }
#define PATCHBAY_INTO_OF(name) [](const auto&... in) -> Tensor { return name##_out(in...); }
#define PATCHBAY_ADD_UNARY(name, ...) \
  add_unary(samples, #name, a, PATCHBAY_CALL_OF(name), PATCHBAY_INTO_OF(name));
#define PATCHBAY_ADD_BINARY(name, ...) \
  add_binary(samples, #name, a, b, 0.5, PATCHBAY_CALL_OF(name), PATCHBAY_INTO_OF(name));

}  // namespace

void add_elementwise(Samples& samples) {
  const Tensor a = samples.floats({2, 3}), b = samples.floats({3});
  PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_ADD_UNARY)
  PATCHBAY_ELEMENTWISE_TEST(PATCHBAY_ADD_UNARY)
  PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_ADD_BINARY)
  PATCHBAY_ELEMENTWISE_COMPARE(PATCHBAY_ADD_BINARY)
  samples.add("leaky_relu", {a}, [=] { return leaky_relu(a); });
  const Tensor yes = samples.bools({2, 3}), no = logical_not(yes);
  add_unary(samples, "logical_not", yes, PATCHBAY_CALL_OF(logical_not),
            PATCHBAY_INTO_OF(logical_not));
  add_binary(samples, "logical_and", yes, no, true, PATCHBAY_CALL_OF(logical_and),
             PATCHBAY_INTO_OF(logical_and));
  add_binary(samples, "logical_or", yes, no, true, PATCHBAY_CALL_OF(logical_or),
             PATCHBAY_INTO_OF(logical_or));

  samples.add("where", {yes, a, b}, [=] { return where(yes, a, b); });
  samples.add("where", {yes, 1, b}, [=] { return where(yes, 1, b); });
  samples.add("where", {yes, a, 2.5}, [=] { return where(yes, a, 2.5); });
  samples.add("where", {yes, 1, 2}, [=] { return where(yes, 1, 2); });
  const Tensor out = empty_like(a), other = empty_like(a);
  samples.add("where_out", {out, yes, a, 0}, [=] { return where_out(other, yes, a, 0); });
  samples.add("clamp", {a}, {{"low", 0.2}, {"high", 0.6}}, [=] { return clamp(a, 0.2, 0.6); });
  samples.add("clamp", {a}, {{"high", 0.6}}, [=] { return clamp(a, {}, 0.6); });
  samples.add("clamp_out", {out, a}, {{"low", 0.2}}, [=] { return clamp_out(other, a, 0.2); });
  samples.add("masked_fill", {a, yes}, {{"value", 7}}, [=] { return masked_fill(a, yes, 7); });
}

void add_tensor_methods(Samples& samples) {
  const Tensor a = samples.floats({2, 3, 1}), m = samples.floats({2, 3});
  const Device cpu = samples.device().runtime().first_cpu();
  const auto add = [&](const std::string& name, const Tensor& self, CallOptions options,
                       std::function<Tensor(const Tensor&)> method) {
    samples.add("Tensor." + name, {self}, std::move(options), [=] { return method(self); });
  };
  add("cast", m, {{"dtype", "i32"}}, [](const Tensor& t) { return t.cast(DType::i32); });
  add("cast", m, {{"dtype", DType::boolean}}, [](auto& t) { return t.cast(DType::boolean); });
  add("clone", m, {}, [](const Tensor& t) { return t.clone(); });
  add("contiguous", m.t(), {}, [](const Tensor& t) { return t.contiguous(); });
  add("detach", m, {}, [](const Tensor& t) { return t.detach(); });
  add("diagonal", m, {{"offset", 1}}, [](const Tensor& t) { return t.diagonal(1); });
  add("expand", a, {{"shape", {2, 3, 4}}}, [](const Tensor& t) { return t.expand({2, 3, 4}); });
  add("new_empty", m, {{"shape", {4}}}, [](const Tensor& t) { return t.new_empty({4}); });
  add("new_full", m, {{"shape", {4}}, {"value", 3}},
      [](const Tensor& t) { return t.new_full({4}, 3); });
  add("new_ones", m, {{"shape", {2, 2}}, {"dtype", "i64"}}, [](const Tensor& t) {
    return t.new_ones({2, 2}, DType::i64);
  });
  add("new_zeros", m, {{"shape", 5}}, [](const Tensor& t) { return t.new_zeros({5}); });
  add("permute", a, {{"dims", {2, 0, 1}}}, [](const Tensor& t) { return t.permute({2, 0, 1}); });
  add("reshape", m, {{"shape", {3, -1}}}, [](const Tensor& t) { return t.reshape({3, -1}); });
  add("select", m, {{"dim", 1}, {"index", -1}}, [](const Tensor& t) { return t.select(1, -1); });
  add("slice", m, {{"dim", 1}, {"start", 1}}, [](const Tensor& t) { return t.slice(1, 1); });
  add("squeeze", a, {{"dim", -1}}, [](const Tensor& t) { return t.squeeze(-1); });
  add("t", m, {}, [](const Tensor& t) { return t.t(); });
  add("to", m, {{"device", cpu}, {"copy", true}}, [=](auto& t) { return t.to(cpu, {true}); });
  add("transpose", a, {{"dim0", 0}, {"dim1", 1}}, [](auto& t) { return t.transpose(0, 1); });
  add("unsqueeze", m, {{"dim", 0}}, [](const Tensor& t) { return t.unsqueeze(0); });
  add("view", m, {{"shape", {6}}}, [](const Tensor& t) { return t.view({6}); });

  const Tensor x = m.clone(), y = m.clone(), source = samples.floats({2, 3}) * 2;
  samples.add("Tensor.copy_from", {x, source}, [=] { return y.copy_from(source); });
  samples.add("Tensor.fill_", {x}, {{"value", 4}}, [=] { return y.fill_(4); });
  samples.add("Tensor.zero_", {x}, [=] { return y.zero_(); });
  const Tensor p = m.clone(), q = m.clone();
  samples.add("Tensor.requires_grad_", {p}, [=] { return q.requires_grad_(); });
  samples.add("Tensor.set_grad", {p, source}, [=] { return q.set_grad(source); });
  samples.add("Tensor.grad", {p}, [=] { return q.grad(); });
}

void add_creation(Samples& samples) {
  const Device device = samples.device();
  const CallOptions shape{{"shape", {2, 3}}, {"device", device}};
  const Tensor like = samples.floats({3});
  const auto add = [&](const std::string& name, CallOptions options, auto direct) {
    options.try_emplace("device", device);
    samples.add(name, {}, std::move(options), [=] { return direct(); });
  };
  add("empty", {{"shape", {2}}, {"dtype", "u8"}}, [=] { return empty({2}, {DType::u8, device}); });
  add("zeros", {{"shape", {2, 3}}}, [=] { return zeros({2, 3}, device); });
  add("ones", {{"shape", {2, 3}}, {"dtype", "i32"}}, [=] {
    return ones({2, 3}, {DType::i32, device});
  });
  add("full", {{"shape", {2}}, {"value", true}, {"dtype", "bool"}}, [=] {
    return full({2}, true, {DType::boolean, device});
  });
  add("arange", {{"start", 1}, {"end", 8}, {"step", 2}}, [=] { return arange(1, 8, 2, device); });
  add("linspace", {{"start", 0}, {"end", 1.5}, {"count", 4}},
      [=] { return linspace(0, 1.5, 4, device); });
  add("eye", {{"rows", 3}}, [=] { return eye(3, device); });
  add("eye", {{"rows", 2}, {"columns", 4}}, [=] { return eye(2, 4, device); });
  samples.add("empty_like", {like}, [=] { return empty_like(like); });
  samples.add("zeros_like", {like}, [=] { return zeros_like(like); });
  samples.add("ones_like", {like}, [=] { return ones_like(like); });
  samples.add("full_like", {like}, {{"value", 0.25}}, [=] { return full_like(like, 0.25); });

  const auto draw = [&](const std::string& name, CallOptions options, auto direct) {
    options.try_emplace("generator", Generator(7));
    add(name, std::move(options), [=] { return direct(Generator(7)); });
  };
  draw("rand", {{"shape", {8}}}, [=](const Generator& g) { return rand({8}, device, g); });
  draw("randn", {{"shape", {8}}}, [=](const Generator& g) { return randn({8}, device, g); });
  draw("randint", {{"low", 2}, {"high", 9}, {"shape", {8}}},
       [=](const Generator& g) { return randint(2, 9, {8}, device, g); });
  draw("randperm", {{"n", 6}}, [=](const Generator& g) { return randperm(6, device, g); });
  draw("bernoulli", {{"p", 0.3}, {"shape", {8}}},
       [=](const Generator& g) { return bernoulli(0.3, {8}, device, g); });
  draw("dropout_mask", {{"p", 0.3}, {"shape", {8}}},
       [=](const Generator& g) { return dropout_mask(0.3, {8}, device, g); });

  const auto fill = [&](const std::string& name, DType dtype, CallOptions options, auto direct) {
    const Tensor out = empty({8}, {dtype, device}), other = empty({8}, {dtype, device});
    options.try_emplace("generator", Generator(7));
    samples.add(name, {out}, std::move(options), [=] { return direct(other, Generator(7)); });
  };
  fill("fill_uniform", DType::f32, {{"low", 1}, {"high", 2}},
       [](const Tensor& out, const Generator& g) { return fill_uniform(out, 1, 2, g); });
  fill("fill_normal", DType::f32, {{"deviation", 0.5}},
       [](const Tensor& out, const Generator& g) { return fill_normal(out, 0, 0.5, g); });
  fill("fill_integers", DType::i32, {{"low", 1}, {"high", 20}},
       [](const Tensor& out, const Generator& g) { return fill_integers(out, 1, 20, g); });
  fill("fill_bernoulli", DType::boolean, {{"p", 0.5}},
       [](const Tensor& out, const Generator& g) { return fill_bernoulli(out, 0.5, g); });
}

std::vector<Sample> all_samples(const Device& device) {
  Samples samples(device);
  add_elementwise(samples);
  add_tensor_methods(samples);
  add_creation(samples);
  add_operations(samples);
  add_networks(samples);
  add_updates(samples);
  return samples.list();
}

}  // namespace patchbay::test
