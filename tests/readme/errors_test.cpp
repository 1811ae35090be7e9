// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Each message that docs/errors.md shows is what the library says, with the code that stands there.
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <patchbay/patchbay.h>

#include "support/paths.h"

namespace patchbay {
namespace {

/// Two CPU devices and two that the host can't touch, whatever the environment says.
const Runtime& test_runtime() {
  static const Runtime runtime([] {
    RuntimeOptions options;
    options.plugin_directories = {test::test_plugin_folder()};
    options.settings = {{"cpu_devices", "2"}, {"fake_memory_bytes", "1048576"}};
    options.read_environment = false;
    return options;
  }());
  return runtime;
}
Device device(const char* name) { return test_runtime().device(name); }

class ErrorsDocument : public testing::Test {
 protected:
  /// Does `work`; its error must stand in the document, below the heading of its code.
  void expect(ErrorCode code, const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      EXPECT_EQ(to_string(error.code()), to_string(code)) << error.what();
      EXPECT_NE(section(code).find("\n" + std::string(error.what()) + "\n"), std::string::npos)
          << to_string(code) << " shows no\n"
          << error.what();
      return;
    }
    ADD_FAILURE() << "no error of code " << to_string(code);
  }

 private:
  static std::string section(ErrorCode code) {
    std::ifstream file(test::source_path("docs/errors.md"));
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const std::size_t start = text.find("\n### " + std::string(to_string(code)) + "\n");
    if (start == std::string::npos) return {};
    return text.substr(start, text.find("\n#", start + 1) - start);
  }
};

TEST_F(ErrorsDocument, InvalidArgument) {
  expect(ErrorCode::kInvalidArgument, [] { device("cpu:01"); });
  expect(ErrorCode::kInvalidArgument, [] {
    static_cast<void>(ones({2, 3}, device("cpu:0")).select(1, 3));
  });
}
TEST_F(ErrorsDocument, UnknownDevice) {
  expect(ErrorCode::kUnknownDevice, [] { device("cpu:7"); });
}
TEST_F(ErrorsDocument, DeviceMismatch) {
  expect(ErrorCode::kDeviceMismatch, [] {
    static_cast<void>(add(ones({2, 3}, device("cpu:0")), ones({2, 3}, device("fake:0"))));
  });
}
TEST_F(ErrorsDocument, DtypeMismatch) {
  expect(ErrorCode::kDtypeMismatch, [] {
    static_cast<void>(mul(ones({2}, device("cpu:0")), ones({2}, {DType::i32, device("cpu:0")})));
  });
}
TEST_F(ErrorsDocument, ShapeMismatch) {
  expect(ErrorCode::kShapeMismatch, [] {
    static_cast<void>(matmul(ones({2, 3}, device("cpu:0")), ones({2, 3}, device("cpu:0"))));
  });
}
TEST_F(ErrorsDocument, Overflow) {
  const std::int64_t huge = std::int64_t{1} << 40;
  expect(ErrorCode::kOverflow, [&] { static_cast<void>(zeros({huge, huge}, device("cpu:0"))); });
}
TEST_F(ErrorsDocument, OutOfMemory) {
  expect(ErrorCode::kOutOfMemory, [] { static_cast<void>(empty({1024, 1024}, device("fake:0"))); });
}
TEST_F(ErrorsDocument, Unsupported) {
  expect(ErrorCode::kUnsupported,
         [] { static_cast<void>(ones({2}, device("fake:0")).data<float>()); });
}
TEST_F(ErrorsDocument, PluginFailed) {
  expect(ErrorCode::kPluginFailed, [] {
    RuntimeOptions options;
    options.plugin_files = {"/no/such/patchbay-x.so"};
    options.read_environment = false;
    const Runtime runtime(options);
  });
}
TEST_F(ErrorsDocument, InUse) {
  const Tensor held = ones({2, 3}, device("fake:0"));
  expect(ErrorCode::kInUse, [] {
    Runtime runtime = test_runtime();
    runtime.unload("fake");
  });
}
TEST_F(ErrorsDocument, CopyForbidden) {
  const Tensor here = ones({2, 3}, device("cpu:0"));
  const CopyGuard guard;
  expect(ErrorCode::kCopyForbidden, [&] { static_cast<void>(here.to(device("fake:0"))); });
}

/// A runtime whose fake device has one fault, at the second launch.
Device faulty_device(const char* fault) {
  RuntimeOptions options;
  options.plugin_directories = {test::test_plugin_folder()};
  options.plugins = {"fake"};
  options.settings = {{fault, "2"}};
  options.read_environment = false;
  return Runtime(options).device("fake:0");
}
TEST_F(ErrorsDocument, LaunchFailed) {
  const Tensor twice = ones({2}, faulty_device("fake_fail_async_launch")) * 2;
  expect(ErrorCode::kLaunchFailed, [&] { static_cast<void>(twice.to_vector<float>()); });
}
TEST_F(ErrorsDocument, DeviceLost) {
  const Tensor one = ones({2}, faulty_device("fake_lose_device"));
  expect(ErrorCode::kDeviceLost, [&] { static_cast<void>(one * 2); });
}

}  // namespace
}  // namespace patchbay
