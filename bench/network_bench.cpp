// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Pooling, orders, recurrent layers, attention and updates of optimisers.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench.h"
#ifdef PATCHBAY_BENCH_TORCH
#include "peers/torch_network.h"
#endif

namespace bench {
namespace {

using patchbay::Shape;
using patchbay::Tensor;
using Run = std::function<void()>;

template <class Ours, class Theirs>
void add_pair(const std::string& row, Ours ours, [[maybe_unused]] Theirs theirs) {
  add_benchmark(row + "/patchbay", ours, benchmark::kMillisecond);
#ifdef PATCHBAY_BENCH_TORCH
  add_benchmark(row + "/libtorch", theirs, benchmark::kMillisecond);
#endif
}
#ifdef PATCHBAY_BENCH_TORCH
#define PATCHBAY_PEER(...) [=] { return __VA_ARGS__; }
#else
#define PATCHBAY_PEER(...) 0
#endif

std::vector<Tensor> random_leaves(const std::vector<Shape>& shapes, bool gradient) {
  std::vector<Tensor> leaves;
  for (const Shape& shape : shapes) {
    leaves.push_back((random_tensor(shape) * 0.1).detach());
    if (gradient) leaves.back().requires_grad_();
  }
  return leaves;
}

/// Forward, and backward from a given gradient of the result.
Run run_of(const std::vector<Tensor>& leaves, bool gradient,
           const std::function<Tensor()>& forward) {
  if (!gradient) return [forward] { benchmark::DoNotOptimize(forward()); };
  return [leaves, forward, grad = random_tensor(forward().shape())] {
    benchmark::DoNotOptimize(patchbay::gradients({forward()}, leaves, {grad}));
  };
}

// ------------------------------------------------------------------------------- pooling ---

struct PoolCase {
  const char* name;
  std::int64_t n, c, extent, kernel, stride, padding;
};
constexpr PoolCase kPools[] = {{"alexnet-55", 16, 96, 55, 3, 2, 0},
                               {"resnet50-112", 16, 64, 112, 3, 2, 1},
                               {"alexnet-r-32", 128, 32, 32, 3, 2, 0},
                               {"resnet50-7", 16, 2048, 7, 7, 1, 0}};

Run pool_run(const PoolCase& one, bool takes_most, bool gradient) {
  const auto leaves = random_leaves({{one.n, one.c, one.extent, one.extent}}, gradient);
  const auto forward = [=] {
    if (takes_most) {
      return max_pool2d(leaves[0], one.kernel, {.stride = one.stride, .padding = one.padding});
    }
    return avg_pool2d(leaves[0], one.kernel, {.stride = one.stride, .padding = one.padding});
  };
  if (!gradient) return run_of(leaves, false, forward);
  const Tensor y = forward();
  return [y, leaves, grad = random_tensor(y.shape())] {
    benchmark::DoNotOptimize(patchbay::gradients({y}, leaves, {grad}, {.retain_graph = true}));
  };
}

void register_pooling() {
  for (const PoolCase& one : kPools) {
    for (const bool takes_most : {true, false}) {
      for (const bool gradient : {false, true}) {
        const std::string operation = takes_most ? "max_pool2d" : "avg_pool2d";
        add_pair(
            "pool/" + operation + "-" + one.name + (gradient ? "-input" : ""),
            [=] { return pool_run(one, takes_most, gradient); },
            PATCHBAY_PEER(torch_pool({operation, one.n, one.c, one.extent, one.kernel, one.stride,
                                      one.padding, gradient},
                                     kThreads)));
      }
    }
  }
}

// -------------------------------------------------------------------------------- orders ---

Run order_run(const std::string& operation, std::int64_t rows, std::int64_t columns) {
  const Tensor a = random_tensor({rows, columns});
  if (operation == "cumsum") return [a] { benchmark::DoNotOptimize(cumsum(a, 1)); };
  if (operation == "sort") return [a] { benchmark::DoNotOptimize(patchbay::sort(a, 1).values); };
  if (operation == "topk") return [a] { benchmark::DoNotOptimize(topk(a, 10, 1).values); };
  return [a] { benchmark::DoNotOptimize(prod(a, 1)); };
}

void register_orders() {
  for (const std::string operation : {"cumsum", "sort", "topk", "prod"}) {
    for (const auto& size :
         {std::pair{1, 1 << 10}, {1, 1 << 20}, {1, 1 << 24}, {1024, 1000}, {4096, 10000}}) {
      const std::int64_t rows = size.first, columns = size.second;
      add_pair(
          "order/" + operation + "-" + std::to_string(rows) + "x" + std::to_string(columns),
          [=] { return order_run(operation, rows, columns); },
          PATCHBAY_PEER(torch_order(operation, rows, columns, kThreads)));
    }
  }
}

// ----------------------------------------------------------------------------- sequences ---

Run recurrent_run(bool is_lstm, std::int64_t steps, std::int64_t batch, std::int64_t width,
                  bool gradient) {
  const std::int64_t gates = (is_lstm ? 4 : 3) * width;
  const auto leaves = random_leaves(
      {{steps, batch, width}, {gates, width}, {gates, width}, {gates}, {gates}}, gradient);
  const patchbay::RecurrentWeights weights{leaves[1], leaves[2], leaves[3], leaves[4]};
  return run_of(leaves, gradient, [=] {
    return is_lstm ? lstm(leaves[0], {weights}).output : gru(leaves[0], {weights}).output;
  });
}

Run attention_run(std::int64_t heads, std::int64_t length, std::int64_t features, bool gradient) {
  const Shape shape{1, heads, length, features};
  const auto leaves = random_leaves({shape, shape, shape}, gradient);
  return run_of(leaves, gradient,
                [=] { return scaled_dot_product_attention(leaves[0], leaves[1], leaves[2]); });
}

void register_sequences() {
  for (const bool gradient : {false, true}) {
    const std::string suffix = gradient ? "-training" : "";
    for (const bool is_lstm : {true, false}) {
      add_pair(
          std::string(is_lstm ? "recurrent/lstm" : "recurrent/gru") + "-32x128x256" + suffix,
          [=] { return recurrent_run(is_lstm, 32, 128, 256, gradient); },
          PATCHBAY_PEER(
              torch_recurrent(is_lstm ? "lstm" : "gru", 32, 128, 256, gradient, kThreads)));
    }
    for (const auto& size : {std::pair{8, 128}, {1, 4096}}) {
      const std::int64_t heads = size.first, length = size.second;
      add_pair(
          "attention/" + std::to_string(heads) + "x" + std::to_string(length) + "x64" + suffix,
          [=] { return attention_run(heads, length, 64, gradient); },
          PATCHBAY_PEER(torch_attention(heads, length, 64, gradient, kThreads)));
    }
  }
}

// ------------------------------------------------------------------------------- updates ---

Run update_run(bool is_adam, int count, std::int64_t size) {
  patchbay::TensorList parameters, gradients, first, second;
  for (int i = 0; i < count; ++i) {
    parameters.push_back(random_tensor({size}));
    gradients.push_back(random_tensor({size}));
    first.push_back(patchbay::zeros({size}));
    if (is_adam) second.push_back(patchbay::zeros({size}));
  }
  return [=] {
    if (is_adam) {
      adam_update(parameters, gradients, first, second, 2, {.learning_rate = 0.01});
    } else {
      sgd_update(parameters, gradients, first, 2, {.learning_rate = 0.01, .momentum = 0.9});
    }
  };
}

void register_updates() {
  for (const bool is_adam : {false, true}) {
    for (const auto& sizes : {std::pair{16, 6'250'000}, {160, 1000}}) {
      const int count = sizes.first;
      const std::int64_t size = sizes.second;
      add_pair(
          std::string(is_adam ? "update/adam-" : "update/sgd-") + std::to_string(count) + "x" +
              std::to_string(size),
          [=] { return update_run(is_adam, count, size); },
          PATCHBAY_PEER(torch_update(is_adam ? "adam" : "sgd", count, size, kThreads)));
    }
  }
}

}  // namespace

void register_network() {
  register_pooling();
  register_orders();
  register_sequences();
  register_updates();
}

}  // namespace bench
