// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The skeleton to clone loads, is listed, and says what it lacks.
#include <string>

#include <gtest/gtest.h>

#include <patchbay/buffer.h>
#include <patchbay/error.h>
#include <patchbay/kernel.h>

#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

Runtime null_runtime() {
  RuntimeOptions options = only({});
  options.plugin_files = {fixture_path("null")};
  return Runtime(options);
}

TEST(NullPlugin, IsLoadedAndListed) {
  const Runtime runtime = null_runtime();
  EXPECT_EQ(plugin_info(runtime, "null").status, PluginStatus::kLoaded);
  ASSERT_EQ(runtime.num_gpus(), 1);
  EXPECT_EQ(runtime.device("null").properties().name, "null");
  EXPECT_EQ(runtime.device("null").properties().memory_total_bytes, 0u);
}

TEST(NullPlugin, SaysWhatIsNotImplemented) {
  const Runtime runtime = null_runtime();
  const Device device = runtime.device("null");
  try {
    static_cast<void>(Buffer::allocate(device, 16));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_NE(std::string(error.what()).find("allocate: not implemented"), std::string::npos)
        << error.what();
  }
  const ArgumentSpec out = ArgumentSpec::tensor(DType::f32, Access::kWrite);
  const ArgumentSpec in = ArgumentSpec::tensor(DType::f32, Access::kRead);
  const KernelSpec spec{"add.1", {out, in, in}, {}};
  EXPECT_NE(why_unsupported(device, spec).find("operator add.1: not implemented"),
            std::string::npos);
}

}  // namespace
}  // namespace patchbay::faults
