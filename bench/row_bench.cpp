// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Softmax, cross entropy and normalization at shapes of common networks, and their gradients.
#include <string>
#include <vector>

#include "bench.h"
#ifdef PATCHBAY_BENCH_TORCH
#include "peers/torch_rows.h"
#endif

namespace bench {
namespace {

using patchbay::Shape;
using patchbay::Tensor;

struct Operation {
  const char* name;
  /// `leaves` are x, and the weights that the operation has.
  Tensor (*run)(const std::vector<Tensor>& leaves);
  int num_weights;
};

Tensor targets_of(const Tensor& x) {
  std::vector<std::int64_t> classes;
  for (std::int64_t i = 0; i < x.size(0); ++i) classes.push_back(i * 7919 % x.size(1));
  return patchbay::from_host(classes, {x.size(0)});
}

const std::vector<Operation>& operations() {
  static const auto& all = *new std::vector<Operation>{
      {"softmax", [](const std::vector<Tensor>& in) { return softmax(in[0], 1); }, 0},
      {"log_softmax", [](const std::vector<Tensor>& in) { return log_softmax(in[0], 1); }, 0},
      {"layer_norm",
       [](const std::vector<Tensor>& in) {
         return layer_norm(in[0], {in[0].size(1)}, in[1], in[2]);
       },
       2},
      {"rms_norm",
       [](const std::vector<Tensor>& in) { return rms_norm(in[0], {in[0].size(1)}, in[1], 1e-5); },
       1},
      {"batch_norm",
       [](const std::vector<Tensor>& in) {
         return batch_norm(in[0], {.weight = in[1], .bias = in[2], .training = true});
       },
       2},
  };
  return all;
}

std::vector<Tensor> leaves_of(const Operation& operation, const Shape& shape) {
  std::vector<Tensor> leaves{random_tensor(shape)};
  for (int i = 0; i < operation.num_weights; ++i) leaves.push_back(random_tensor({shape[1]}));
  return leaves;
}

std::function<void()> forward_of(const Operation& operation, const Shape& shape) {
  return [operation, leaves = leaves_of(operation, shape)] {
    benchmark::DoNotOptimize(operation.run(leaves));
  };
}

std::function<void()> backward_of(const Operation& operation, const Shape& shape) {
  const std::vector<Tensor> leaves = leaves_of(operation, shape);
  for (const Tensor& leaf : leaves) static_cast<void>(Tensor(leaf).requires_grad_());
  const Tensor y = operation.run(leaves);
  return [y, leaves, grad = random_tensor(shape)] {
    benchmark::DoNotOptimize(patchbay::gradients({y}, leaves, {grad}, {.retain_graph = true}));
  };
}

/// The target belongs to the case, so this one is apart.
std::function<void()> cross_entropy_of(const Shape& shape, bool backward) {
  const Tensor x = random_tensor(shape), target = targets_of(x);
  if (!backward) {
    return [x, target] { benchmark::DoNotOptimize(cross_entropy(x, target)); };
  }
  const Tensor leaf = Tensor(x).requires_grad_();
  return [loss = cross_entropy(leaf, target), leaf] {
    benchmark::DoNotOptimize(patchbay::gradients({loss}, {leaf}, {}, {.retain_graph = true}));
  };
}

template <class Make>
void add_row(const std::string& name, const Shape& shape, bool backward, Make make) {
  std::string row = name + "/";
  for (int dim = 0; dim < shape.rank(); ++dim) {
    row += (dim == 0 ? "" : "x") + std::to_string(shape[dim]);
  }
  row += backward ? "-backward/" : "/";
  add_benchmark(
      row + "patchbay", [=] { return make(shape, backward); }, benchmark::kMicrosecond);
#ifdef PATCHBAY_BENCH_TORCH
  if (name == "rms_norm" && backward) return;
  add_benchmark(
      row + "libtorch",
      [=] {
        return torch_rows({name, std::vector<std::int64_t>(shape.begin(), shape.end()), backward},
                          kThreads);
      },
      benchmark::kMicrosecond);
#endif
}

}  // namespace

void register_rows() {
  const std::vector<Shape> logits = {{64, 26752}, {1024, 10}, {4096, 10000}};
  const std::vector<Shape> rows = {{1024, 1024}, {4096, 768}, {256, 64}};
  const std::vector<Shape> images = {{16, 64, 112, 112}, {16, 256, 56, 56}, {16, 2048, 7, 7}};
  for (const bool backward : {false, true}) {
    for (const Operation& operation : operations()) {
      const std::string name = operation.name;
      const bool is_softmax = name.ends_with("softmax");
      for (const Shape& shape : is_softmax ? logits : name == "batch_norm" ? images : rows) {
        add_row(name, shape, backward, [operation](const Shape& of, bool back) {
          return back ? backward_of(operation, of) : forward_of(operation, of);
        });
      }
    }
    for (const Shape& shape : logits) add_row("cross_entropy", shape, backward, cross_entropy_of);
  }
}

}  // namespace bench
