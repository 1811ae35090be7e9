// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Softmax, cross entropy and normalization at shapes of common networks, and their gradients.
#include <string>
#include <vector>

#include "bench/bench.h"

namespace bench {
namespace {

using patchbay::Shape;
using patchbay::Tensor;

Tensor targets_of(const Shape& shape) {
  std::vector<std::int64_t> classes;
  for (std::int64_t i = 0; i < shape[0]; ++i) classes.push_back(i * 7919 % shape[1]);
  return patchbay::from_host(classes, {shape[0]});
}

void add_losses() {
  for (const Shape& shape : {Shape{64, 26752}, Shape{1024, 10}, Shape{4096, 10000}}) {
    const std::string size = "/" + extents_of(shape);
    add_both("softmax" + size, {shape}, "-backward", false,
             [](const Leaves& in) { return softmax(in[0], 1); });
    add_both("log_softmax" + size, {shape}, "-backward", false,
             [](const Leaves& in) { return log_softmax(in[0], 1); });
    add_both(
        "cross_entropy" + size, {shape}, "-backward", false,
        [target = targets_of(shape)](const Leaves& in) { return cross_entropy(in[0], target); });
  }
}

void add_normalization() {
  for (const Shape& shape : {Shape{1024, 1024}, Shape{4096, 768}, Shape{256, 64}}) {
    const std::string size = "/" + extents_of(shape);
    const Shape row{shape[1]};
    add_both("layer_norm" + size, {shape, row, row}, "-backward", false,
             [row](const Leaves& in) { return layer_norm(in[0], row, in[1], in[2]); });
    add_both("rms_norm" + size, {shape, row}, "-backward", false,
             [row](const Leaves& in) { return rms_norm(in[0], row, in[1], 1e-5); });
  }
  for (const Shape& shape :
       {Shape{16, 64, 112, 112}, Shape{16, 256, 56, 56}, Shape{16, 2048, 7, 7}}) {
    const Shape channels{shape[1]};
    add_both("batch_norm/" + extents_of(shape), {shape, channels, channels}, "-backward", false,
             [](const Leaves& in) {
               return batch_norm(in[0], {.weight = in[1], .bias = in[2], .training = true});
             });
  }
}

}  // namespace

void add_rows() {
  add_losses();
  add_normalization();
}

}  // namespace bench
