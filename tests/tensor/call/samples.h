// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A call by name, and the same call in C++, for each function that can be called by name.
#ifndef PATCHBAY_TESTS_TENSOR_CALL_SAMPLES_H_
#define PATCHBAY_TESTS_TENSOR_CALL_SAMPLES_H_

#include <functional>
#include <string>
#include <vector>

#include <patchbay/patchbay.h>

namespace patchbay::test {

using Tensors = std::vector<Tensor>;

struct Sample {
  std::string name;
  std::vector<TensorOrScalar> inputs;
  CallOptions options;
  std::function<Tensors()> direct;
  /// What the call by name writes, and what the direct call writes, which returns nothing.
  Tensors written = {}, written_directly = {};
};

/// Adds samples to a list.
class Samples {
 public:
  explicit Samples(const Device& device) : device_(device) {}

  /// `direct` gives what the call by name gives: a tensor, a list, or sorted values.
  template <class Direct>
  void add(std::string name, std::vector<TensorOrScalar> inputs, CallOptions options,
           Direct direct) {
    list_.push_back({std::move(name),
                     std::move(inputs),
                     std::move(options),
                     [direct] { return list_of(direct()); },
                     {},
                     {}});
  }
  template <class Direct>
  void add(std::string name, std::vector<TensorOrScalar> inputs, Direct direct) {
    add(std::move(name), std::move(inputs), CallOptions(), std::move(direct));
  }
  void add_written(std::string name, std::vector<TensorOrScalar> inputs, CallOptions options,
                   std::function<void()> direct, Tensors written, Tensors written_directly) {
    const auto nothing = [direct = std::move(direct)] {
      direct();
      return Tensors();
    };
    list_.push_back({std::move(name), std::move(inputs), std::move(options), nothing,
                     std::move(written), std::move(written_directly)});
  }

  /// f32: different numbers from 0.05 up, in an order that is neither rising nor falling.
  Tensor floats(const Shape& shape) const;
  Tensor integers(const std::vector<std::int64_t>& values, const Shape& shape) const;
  Tensor bools(const Shape& shape) const;
  Tensor empty_f32(const Shape& shape) const { return empty(shape, device_); }

  const Device& device() const { return device_; }
  const std::vector<Sample>& list() const { return list_; }

 private:
  static Tensors list_of(const Tensor& one) { return {one}; }
  static Tensors list_of(Tensors all) { return all; }
  static Tensors list_of(const Sorted& all) { return {all.values, all.indices}; }

  Device device_;
  std::vector<Sample> list_;
};

void add_elementwise(Samples& samples);
void add_tensor_methods(Samples& samples);
void add_creation(Samples& samples);
void add_operations(Samples& samples);
void add_networks(Samples& samples);
void add_updates(Samples& samples);

std::vector<Sample> all_samples(const Device& device);

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_TENSOR_CALL_SAMPLES_H_
