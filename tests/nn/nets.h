// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Small models, and other things that the tests of core/nn share.
#ifndef PATCHBAY_TESTS_NN_NETS_H_
#define PATCHBAY_TESTS_NN_NETS_H_

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <patchbay/nn/linear.h>
#include <patchbay/nn/module.h>
#include <patchbay/patchbay.h>

namespace patchbay::test {

using Floats = std::vector<float>;
using Names = std::vector<std::string>;

/// Two layers, a buffer, and weights that are tied on demand.
class Net : public nn::Module {
 public:
  explicit Net(const Device& device, bool tied = false)
      : hidden(3, 3, {.tensor = device}),
        out(3, 3, {.tensor = device}),
        count(zeros({}, device), /*is_trained=*/false) {
    if (tied) out.weight = hidden.weight;
  }
  Tensor forward(const Tensor& x) override { return out(relu(hidden(x))); }
  void members(nn::Members& each) override {
    each("hidden", hidden);
    each("out", out);
    each.buffer("count", count);
  }

  nn::Linear hidden, out;
  nn::Parameter count;
};

/// The tensor, which is on a CPU device, as one that its owner lent to be read.
inline Tensor read_only(const Tensor& tensor) {
  dlpack::DLManagedTensorVersioned* const managed = to_dlpack(tensor);
  managed->flags |= dlpack::kReadOnly;
  return from_dlpack(managed, tensor.device());
}

inline void expect_equal(const Tensor& got, const Tensor& expected) {
  ASSERT_EQ(got.shape(), expected.shape());
  EXPECT_EQ(got.to_vector<float>(), expected.to_vector<float>());
}

inline Names names_of(const std::vector<nn::NamedParameter>& parameters) {
  Names names;
  for (const nn::NamedParameter& each : parameters) names.push_back(each.name);
  return names;
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_NN_NETS_H_
