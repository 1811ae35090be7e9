// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The step back of single operations, recorded once and walked again and again, and a whole step of
// a small chain: what is recorded is part of its time.
#include <string>
#include <vector>

#include "bench/bench.h"

namespace bench {
namespace {

using patchbay::DType;
using patchbay::Tensor;

struct Operation {
  const char* name;
  Tensor (*run)(const Tensor& a, const Tensor& b);
};

constexpr Operation kOperations[] = {
    {"add", [](const Tensor& a, const Tensor& b) { return a + b; }},
    {"sub", [](const Tensor& a, const Tensor& b) { return a - b; }},
    {"mul", [](const Tensor& a, const Tensor& b) { return a * b; }},
    {"mul-number", [](const Tensor& a, const Tensor&) { return a * 0.5; }},
    {"div", [](const Tensor& a, const Tensor& b) { return a / b; }},
    {"maximum", [](const Tensor& a, const Tensor& b) { return maximum(a, b); }},
    {"pow-number", [](const Tensor& a, const Tensor&) { return pow(a, 3); }},
    {"pow-of-number", [](const Tensor& a, const Tensor&) { return pow(2, a); }},
    {"square", [](const Tensor& a, const Tensor&) { return square(a); }},
    {"relu", [](const Tensor& a, const Tensor&) { return relu(a); }},
    {"exp", [](const Tensor& a, const Tensor&) { return exp(a); }},
    {"sigmoid", [](const Tensor& a, const Tensor&) { return sigmoid(a); }},
    {"tanh", [](const Tensor& a, const Tensor&) { return tanh(a); }},
    {"gelu", [](const Tensor& a, const Tensor&) { return gelu(a); }},
    {"clamp", [](const Tensor& a, const Tensor&) { return clamp(a, 0.25, 0.75); }},
};

Tensor leaf(std::int64_t count, DType dtype) {
  const patchbay::NoGrad scope;
  return (patchbay::rand({count}) + 0.1).cast(dtype).requires_grad_();
}

void add_operations(std::int64_t count, DType dtype) {
  const std::string type = dtype == DType::f32 ? "" : "-" + std::string(to_string(dtype));
  for (const Operation& operation : kOperations) {
    add("gradient/" + std::to_string(count) + type + "-" + operation.name, [=] {
      const Tensor a = leaf(count, dtype), b = leaf(count, dtype);
      const Tensor result = operation.run(a, b), grad = leaf(count, dtype).detach();
      std::vector<Tensor> leaves{a};
      if (patchbay::gradients({sum(operation.run(a, b))}, {a, b})[1].defined()) leaves.push_back(b);
      return [=] { (void)patchbay::gradients({result}, leaves, {grad}, {.retain_graph = true}); };
    });
  }
}

/// Forward and backward of what a small network does to its elements.
void add_step(std::int64_t count) {
  add("gradient/" + std::to_string(count) + "-step", [=] {
    const Tensor a = leaf(count, DType::f32), b = leaf(count, DType::f32);
    return [=] { (void)patchbay::gradients({sum(gelu(a * b + 0.5) / (a + 1))}, {a, b}); };
  });
}

}  // namespace

void add_gradients() {
  add_operations(1 << 10, DType::f32);
  add_operations(1 << 20, DType::f32);
  add_operations(1 << 20, DType::f16);
  add_step(1 << 10);
  add_step(1 << 20);
}

}  // namespace bench
