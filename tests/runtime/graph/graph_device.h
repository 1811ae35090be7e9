// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Graph tests run on each device, and on a CPU device that computes in the caller's thread, where
// replays take another path.
#ifndef PATCHBAY_TESTS_RUNTIME_GRAPH_GRAPH_DEVICE_H_
#define PATCHBAY_TESTS_RUNTIME_GRAPH_GRAPH_DEVICE_H_

#include "support/device_test.h"

namespace patchbay::test {

inline Runtime& inline_runtime() {
  static Runtime& runtime = *new Runtime(options({{"cpu_devices", "1"}}));
  return runtime;
}

class GraphTest : public testing::TestWithParam<const char*> {
 protected:
  GraphTest()
      : is_inline_(std::string(GetParam()) == "inline"),
        absence_(is_inline_ ? "" : absence_of(GetParam())),
        device_(is_inline_         ? inline_runtime().device("cpu:0")
                : absence_.empty() ? test_device(GetParam())
                                   : test_device("cpu:0")),
        other_(is_inline_                        ? inline_runtime().device("fake:0")
               : device_ == test_device("cpu:0") ? test_device("fake:0")
                                                 : test_device("cpu:0")) {}

  void SetUp() override {
    if (!absence_.empty()) GTEST_SKIP() << absence_;
  }

  /// 0, 1, 2 ... times `scale`.
  Tensor ramp(std::int64_t n, float scale = 1) const { return arange(0.0, n, 1, device_) * scale; }

 private:
  const bool is_inline_;
  const std::string absence_;

 protected:
  const Device device_, other_;
};

#define PATCHBAY_GRAPH_DEVICES(suite)                                                       \
  INSTANTIATE_TEST_SUITE_P(                                                                 \
      , suite, testing::Values("inline", "cpu:0", "fake:0", "opencl:0", "cuda:0", "hip:0"), \
      ::patchbay::test::device_test_name)

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_RUNTIME_GRAPH_GRAPH_DEVICE_H_
