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

Runtime null_runtime() { return Runtime(only_fixture("null")); }

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
  EXPECT_ERROR((void)Buffer::allocate(device, 16), ErrorCode::kUnsupported,
               "allocate: not implemented");
  const ArgumentSpec out = ArgumentSpec::tensor(DType::f32, Access::kWrite);
  const ArgumentSpec in = ArgumentSpec::tensor(DType::f32, Access::kRead);
  const KernelSpec spec{"add.1", {out, in, in}, {}};
  EXPECT_HAS(why_unsupported(device, spec), "operator add.1: not implemented");
}

}  // namespace
}  // namespace patchbay::faults
