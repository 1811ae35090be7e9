// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The setting `sync` (PATCHBAY_SYNC=1): each submission is waited for.
#include <chrono>
#include <string>

#include <patchbay/patchbay.h>

#include "support/kernels.h"
#include "support/runtime_fixture.h"

namespace patchbay::test {
namespace {

using namespace std::chrono_literals;

RuntimeOptions synchronous(std::map<std::string, std::string> settings) {
  settings["sync"] = "1";
  return options(std::move(settings));
}

TEST(Synchronous, ErrorsComeFromTheCallThatCausedThem) {
  const Runtime runtime(synchronous({{"fake_fail_async_launch", "3"}}));
  const Device device = runtime.device("fake:0");
  const Tensor a = ones({4}, device);
  const Tensor b = a + 1;
  EXPECT_ERROR(
      static_cast<void>(b * 2), ErrorCode::kLaunchFailed,
      "[mul] launch of mul failed, as the setting fake_fail_async_launch asks (launched by "
      "[mul] on fake:0). ");
}

TEST(Synchronous, NothingIsPendingAfterACall) {
  const Runtime runtime(synchronous({{"fake_delay_ms", "10"}}));
  const Device device = runtime.device("fake:0"), other = runtime.device("fake:1");
  const Tensor a = ones({4}, device);
  device.default_stream().synchronize(0ns);
  const Tensor b = a.to(other, {.non_blocking = true});
  device.default_stream().synchronize(0ns);
  other.default_stream().synchronize(0ns);
  const Stream stream(device);
  const StreamScope scope(stream);
  static_cast<void>(a + 1);
  stream.synchronize(0ns);
  const Kernel fill = Kernel::prepare(device, fill_spec());
  fill.launch(stream, std::vector{Argument::tensor(a.buffer(), DType::f32, {4}, Access::kWrite),
                                  Argument::scalar(2.0f)});
  stream.synchronize(0ns);
  EXPECT_EQ(a.to_vector<float>()[3], 2.0f);
}

TEST(Synchronous, SoAreStagedCopies) {
  const Runtime runtime(
      synchronous({{"fake_peer", "0"}, {"fake_delay_ms", "10"}, {"fake_fail_copy", "3"}}));
  const Device device = runtime.device("fake:0"), other = runtime.device("fake:1");
  const Tensor a = ones({4}, device);
  const Tensor b = a.to(other, {.non_blocking = true});  // two copies of the driver's
  EXPECT_ERROR((void)a.to(other, {.non_blocking = true}), ErrorCode::kLaunchFailed,
               "copy number 3 fails");
}

TEST(Synchronous, BadSettingsAreRefused) {
  EXPECT_ERROR(
      Runtime(options({{"sync", "maybe"}})), ErrorCode::kInvalidArgument,
      "[Runtime] bad setting 'sync': expected 0 or 1, got 'maybe'. Correct PATCHBAY_SYNC or "
      "RuntimeOptions::settings.");
}

}  // namespace
}  // namespace patchbay::test
