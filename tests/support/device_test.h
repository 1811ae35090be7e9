// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Tests that run on each kind of device: one that the host can address, and one that it can't.
#ifndef PATCHBAY_TESTS_SUPPORT_DEVICE_TEST_H_
#define PATCHBAY_TESTS_SUPPORT_DEVICE_TEST_H_

#include "support/absence.h"
#include "support/runtime_fixture.h"
#include "support/simulated_card.h"

namespace patchbay::test {

/// cpu:0, cpu:1, fake:0, fake:1, simulated cards, and the devices of this machine's drivers.
inline RuntimeOptions device_options() {
  RuntimeOptions result = options(simulated_card_settings());
  for (const char* plugin : {"opencl", "cuda-cublas", "hip"}) {
    if (is_built(plugin)) result.plugins.emplace_back(plugin);
  }
  return result;
}
/// Never destroyed, because static tensors may outlive main.
inline Runtime& test_runtime() {
  static Runtime& runtime = *new Runtime(device_options());
  return runtime;
}
inline Device test_device(std::string_view name) { return test_runtime().device(name); }

/// The plugin of a device that needs a vendor's driver; empty for other devices.
inline std::string vendors_plugin(std::string_view device) {
  if (device.starts_with("opencl")) return "opencl";
  for (const CardVendor& vendor : card_vendors()) {
    if (device.starts_with(vendor.backend)) return vendor.plugin;
  }
  return {};
}

/// Why a device that needs a vendor's driver is absent; empty if it is present.
inline std::string absence_of(std::string_view device) {
  const std::string plugin = vendors_plugin(device);
  if (plugin.empty()) return {};
  (void)test_runtime().devices();  // opens every plugin
  for (const PluginInfo& info : test_runtime().plugins()) {
    if (info.name != plugin) continue;
    if (const std::string why = why_absent(info); !why.empty()) return why;
    const bool has_it =
        std::find(info.devices.begin(), info.devices.end(), device) != info.devices.end();
    // A broken plugin is not absent.
    return has_it || info.devices.empty() ? ""
                                          : "this machine has " + info.devices.back() + " at most";
  }
  return "this build has no plugin " + plugin;
}

/// Derived suites run on each device of PATCHBAY_ON_EACH_DEVICE.
class DeviceTest : public testing::TestWithParam<const char*> {
 protected:
  DeviceTest()
      : absence_(absence_of(GetParam())),
        device_(test_device(absence_.empty() ? GetParam() : "cpu:0")) {}

  /// Of one dimension.
  Tensor floats(const Floats& values) const { return from_host(values, {values.size()}, device_); }
  Tensor leaf(const Floats& values) const { return floats(values).requires_grad_(); }

  void SetUp() override {
    if (!absence_.empty()) GTEST_SKIP() << absence_;
  }

 private:
  const std::string absence_;

 protected:
  const Device device_;
  const Device other_ = test_device(device_ == test_device("cpu:0") ? "fake:0" : "cpu:0");
  const std::string on_ = " on " + device_.name();  // in messages
};

/// "cpu0"; "sim_cuda0" for simulated devices.
inline std::string device_test_name(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  name.erase(std::remove(name.begin(), name.end(), ':'), name.end());
  return name.starts_with("cuda") || name.starts_with("hip") ? "sim_" + name : name;
}

// Every kind of device that tests run on.
#define PATCHBAY_EACH_DEVICE testing::Values("cpu:0", "fake:0", "opencl:0", "cuda:0", "hip:0")
#define PATCHBAY_ON_EACH_DEVICE(suite) \
  INSTANTIATE_TEST_SUITE_P(, suite, PATCHBAY_EACH_DEVICE, ::patchbay::test::device_test_name)

/// A suite without a class of its own.
#define PATCHBAY_DEVICE_TESTS(suite)  \
  class suite : public DeviceTest {}; \
  PATCHBAY_ON_EACH_DEVICE(suite)

/// The number of copies from `from` to `to` (device names, or "host") since the start.
inline std::uint64_t num_copies(std::string_view from, std::string_view to) {
  return test_runtime().ledger().total(from, to).copies;
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_DEVICE_TEST_H_
