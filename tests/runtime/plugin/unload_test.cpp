// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Unloading is explicit, and refused while anything lives.
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include <patchbay/buffer.h>
#include <patchbay/error.h>
#include <patchbay/stream.h>

#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

void expect_unload_error(Runtime& runtime, std::string_view plugin, ErrorCode code,
                         const std::string& word) {
  try {
    runtime.unload(plugin);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(Unload, TakesDevicesAndLibraryAway) {
  const TemporaryDirectory directory;
  const std::string file = directory.add("fake").string();
  directory.add("plain-c");
  Runtime runtime(only({directory.path()}));
  const Device device = runtime.device("fake");
  device.default_stream().synchronize();
  EXPECT_TRUE(is_mapped(file));
  runtime.unload("fake");
  EXPECT_FALSE(is_mapped(file));
  EXPECT_EQ(plugin_info(runtime, "fake").status, PluginStatus::kUnloaded);
  EXPECT_EQ(runtime.num_gpus(), 0);
  EXPECT_THROW(static_cast<void>(runtime.device("fake")), Error);
  EXPECT_THROW(static_cast<void>(device.default_stream()), Error);  // a handle outlives it
  EXPECT_THROW(static_cast<void>(device.memory()), Error);
  EXPECT_EQ(device.name(), "fake:0");
  expect_plain_c_works(runtime);
}

TEST(Unload, IsRefusedWithTheHolders) {
  Runtime runtime = fake_runtime();
  {
    const Buffer buffer = Buffer::allocate(runtime.device("fake:1"), 4096);
    expect_unload_error(runtime, "fake", ErrorCode::kInUse, "fake:1: 1 buffer (4096 bytes)");
  }
  {
    const Stream stream(runtime.device("fake:0"));
    expect_unload_error(runtime, "fake", ErrorCode::kInUse, "fake:0: 1 stream");
  }
  {
    const Event event = runtime.device("fake:0").default_stream().record();
    expect_unload_error(runtime, "fake", ErrorCode::kInUse, "fake:0: 1 event");
  }
  EXPECT_EQ(runtime.num_gpus(), 2);
  runtime.unload("fake");
  EXPECT_EQ(runtime.num_gpus(), 0);
}

TEST(Unload, OfWhatIsNotLoadedIsAnError) {
  Runtime runtime = fake_runtime();
  expect_unload_error(runtime, "nobody", ErrorCode::kInvalidArgument, "'nobody'");
  expect_unload_error(runtime, "nobody", ErrorCode::kInvalidArgument, "fake");
  runtime.unload("fake");
  expect_unload_error(runtime, "fake", ErrorCode::kInvalidArgument, "'fake'");
}

TEST(Unload, LeavesTheLibraryToOtherRuntimes) {
  const TemporaryDirectory directory;
  const std::string file = directory.add("fake").string();
  Runtime first(only({directory.path()}));
  {
    const Runtime second(only({directory.path()}));
    (void)first.devices();
    (void)second.devices();
    first.unload("fake");
    EXPECT_TRUE(is_mapped(file));
    second.device("fake").default_stream().synchronize();
  }
  EXPECT_FALSE(is_mapped(file));
}

TEST(Unload, KeepsWhatIsNotOpenFromBeingOpened) {
  const TemporaryDirectory directory;
  const std::string file = directory.add("fake").string();
  Runtime runtime(only({directory.path()}));
  runtime.unload("fake");
  EXPECT_TRUE(runtime.devices().empty());
  EXPECT_THROW(static_cast<void>(runtime.device("fake")), Error);
  EXPECT_EQ(plugin_info(runtime, "fake").status, PluginStatus::kUnloaded);
  EXPECT_FALSE(is_mapped(file));
  expect_unload_error(runtime, "fake", ErrorCode::kInvalidArgument, "no plugin 'fake' is loaded");
}

}  // namespace
}  // namespace patchbay::faults
