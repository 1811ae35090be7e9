// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the rows of patchbay-bench share.
#ifndef PATCHBAY_BENCH_BENCH_H_
#define PATCHBAY_BENCH_BENCH_H_

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <patchbay/patchbay.h>

#include "bench/harness.h"

namespace bench {

inline constexpr int kThreads = 2;

// Each adds the rows of its file.
void add_runtime();
void add_elementwise();
void add_products();
void add_convolutions();
void add_gradients();
void add_rows();
void add_network();
void add_linear_algebra();
void add_memory();
void add_training();

/// The device of rows that run on any.
std::string& device_of_rows();

/// Random values: zeros give false figures.
inline std::vector<float> random_values(std::int64_t count) {
  std::mt19937 generator(42);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = uniform(generator);
  return values;
}

inline patchbay::Tensor random_tensor(const patchbay::Shape& shape,
                                      const patchbay::Device& device = patchbay::default_device()) {
  return patchbay::from_host(random_values(patchbay::num_elements(shape)), shape, device);
}

inline bool is_there(const std::string& name) {
  const auto devices = patchbay::Runtime::get_default().devices();
  return std::any_of(devices.begin(), devices.end(),
                     [&](const patchbay::Device& device) { return device.name() == name; });
}

/// A device of a runtime with that setting, which is made once.
inline patchbay::Device device_with(const std::string& setting, const std::string& value) {
  static std::map<std::string, patchbay::Runtime> made;
  const std::string key = setting + '=' + value;
  if (!made.contains(key)) {
    patchbay::RuntimeOptions options;
    options.settings = {{setting, value}, {"cpu_threads", std::to_string(kThreads)}};
    made.emplace(key, patchbay::Runtime(options));
  }
  return made.at(key).device("cpu:0");
}

/// With weights that stay packed between calls, and with weights that are packed anew in each.
template <class MakeOn>
void add_packed(const std::string& row, const MakeOn& make_on) {
  add(row, [make_on] { return make_on(device_with("cpu_packed_mb", "64")); });
  add(row, "patchbay-packs-anew", [make_on] { return make_on(device_with("cpu_packed_mb", "0")); });
}

/// "4096x10000"
inline std::string extents_of(const patchbay::Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

/// The gradients of `leaves`, from a given gradient of what `forward` gives. With `again` forward
/// runs in each call, else once.
template <class Forward>
Repeat gradients_of(const std::vector<patchbay::Tensor>& leaves, const Forward& forward,
                    bool again) {
  for (const patchbay::Tensor& leaf : leaves) (void)patchbay::Tensor(leaf).requires_grad_();
  const patchbay::Tensor y = forward(), grad = random_tensor(y.shape(), y.device());
  if (again) return repeat([=] { (void)patchbay::gradients({forward()}, leaves, {grad}); });
  return repeat([=] { (void)patchbay::gradients({y}, leaves, {grad}, {.retain_graph = true}); });
}

using Leaves = std::vector<patchbay::Tensor>;

/// Adds a row forward, and one for the gradients of the leaves with that suffix. `forward` is
/// called with the leaves, of those shapes.
template <class Forward>
void add_both(const std::string& row, const std::vector<patchbay::Shape>& shapes,
              const char* suffix, bool again, const Forward& forward) {
  for (const bool is_backward : {false, true}) {
    add(row + (is_backward ? suffix : ""), [=]() -> Repeat {
      Leaves leaves;
      for (const patchbay::Shape& shape : shapes)
        leaves.push_back((random_tensor(shape) * 0.1).detach());
      const auto run = [=] { return forward(leaves); };
      return is_backward ? gradients_of(leaves, run, again) : repeat([run] { (void)run(); });
    });
  }
}

}  // namespace bench

#endif  // PATCHBAY_BENCH_BENCH_H_
