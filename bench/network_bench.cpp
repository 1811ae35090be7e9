// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Pooling, orders, recurrent layers, attention, updates of optimisers, and a transformer.
#include <memory>
#include <string>
#include <vector>

#include <patchbay/nn.h>

#include "bench/bench.h"
#include "bench/cases.h"

namespace bench {
namespace {

using patchbay::Shape;
using patchbay::Tensor;

void add_pooling() {
  for (const PoolCase& one : kPools) {
    const Shape shape{one.n, one.c, one.extent, one.extent};
    add_both(std::string("pool/max_pool2d-") + one.name, {shape}, "-input", false,
             [one](const Leaves& in) {
               return max_pool2d(in[0], one.kernel, {.stride = one.stride, .padding = one.padding});
             });
    add_both(std::string("pool/avg_pool2d-") + one.name, {shape}, "-input", false,
             [one](const Leaves& in) {
               return avg_pool2d(in[0], one.kernel, {.stride = one.stride, .padding = one.padding});
             });
  }
}

void add_orders() {
  for (const Shape& shape : {Shape{1, 1 << 10}, Shape{1, 1 << 20}, Shape{1, 1 << 24},
                             Shape{1024, 1000}, Shape{4096, 10000}}) {
    const auto add_order = [&](const char* operation, auto run) {
      add(std::string("order/") + operation + "-" + extents_of(shape),
          [=] { return [=, a = random_tensor(shape)] { (void)run(a); }; });
    };
    add_order("cumsum", [](const Tensor& a) { return cumsum(a, 1); });
    add_order("sort", [](const Tensor& a) { return patchbay::sort(a, 1).values; });
    add_order("topk", [](const Tensor& a) { return topk(a, 10, 1).values; });
    add_order("prod", [](const Tensor& a) { return prod(a, 1); });
  }
}

/// lstm or gru of 32 steps.
template <class Layer>
void add_recurrent(const char* name, std::int64_t num_gates, const Layer& layer) {
  constexpr std::int64_t kSteps = 32, kBatch = 128, kWidth = 256;
  const std::int64_t gates = num_gates * kWidth;
  add_both("recurrent/" + (name + ("-" + extents_of({kSteps, kBatch, kWidth}))),
           {{kSteps, kBatch, kWidth}, {gates, kWidth}, {gates, kWidth}, {gates}, {gates}},
           "-training", true, [layer](const Leaves& in) {
             const patchbay::RecurrentWeights weights{in[1], in[2], in[3], in[4]};
             return layer(in[0], weights);
           });
}

void add_attention(const Shape& shape) {
  const Shape all{1, shape[0], shape[1], shape[2]};
  add_both("attention/" + extents_of(shape), {all, all, all}, "-training", true,
           [](const Leaves& in) { return scaled_dot_product_attention(in[0], in[1], in[2]); });
}

void add_updates(int count, std::int64_t size) {
  const auto lists = [=] {
    std::vector<patchbay::TensorList> made(4);
    for (int i = 0; i < count; ++i) {
      made[0].push_back(random_tensor({size}));
      made[1].push_back(random_tensor({size}));
      made[2].push_back(patchbay::zeros({size}));
      made[3].push_back(patchbay::zeros({size}));
    }
    return made;
  };
  const std::string sizes = extents_of({count, size});
  add("update/sgd-" + sizes, [lists] {
    return [in = lists()] {
      sgd_update(in[0], in[1], in[2], 2, {.learning_rate = 0.01, .momentum = 0.9});
    };
  });
  add("update/adam-" + sizes, [lists] {
    return [in = lists()] { adam_update(in[0], in[1], in[2], in[3], 2, {.learning_rate = 0.01}); };
  });
}

/// Six layers of an encoder in evaluation: 384 features, 12 heads, 1536 features between.
void add_transformer(const Shape& batch_and_steps) {
  constexpr std::int64_t kSize = 384, kHeads = 12, kLayers = 6;
  add("infer/transformer-" + extents_of(batch_and_steps), [=] {
    const auto net = std::make_shared<patchbay::nn::Sequential>();
    for (std::int64_t i = 0; i < kLayers; ++i) {
      net->add(
          patchbay::nn::TransformerEncoderLayer(kSize, kHeads,
                                                {.feed_forward = 4 * kSize,
                                                 .activation = patchbay::Activation::kGelu,
                                                 .tensor = patchbay::Device(device_of_rows())}));
    }
    net->eval();
    const Tensor x = random_tensor({batch_and_steps[0], batch_and_steps[1], kSize});
    return [net, x] {
      const patchbay::NoGrad inference;
      (void)(*net)(x);
    };
  });
}

}  // namespace

void add_network() {
  add_pooling();
  add_orders();
  add_recurrent("lstm", 4, [](const Tensor& x, const patchbay::RecurrentWeights& weights) {
    return patchbay::lstm(x, {weights}).output;
  });
  add_recurrent("gru", 3, [](const Tensor& x, const patchbay::RecurrentWeights& weights) {
    return patchbay::gru(x, {weights}).output;
  });
  add_attention({8, 128, 64});
  add_attention({1, 4096, 64});
  add_updates(16, 6'250'000);
  add_updates(160, 1000);
  for (const Shape& shape : {Shape{1, 16}, Shape{1, 128}, Shape{16, 128}}) add_transformer(shape);
}

}  // namespace bench
