// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A process that calls chroot after it has opened a device takes no code from the new root.
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

#include <patchbay/patchbay.h>

#include "support/kernels.h"
#include "support/log_lines.h"
#include "support/runtime_fixture.h"
#include "support/scratch_directory.h"
#include "support/simulated_card.h"

namespace patchbay::test {
namespace {

constexpr const char* kReason =
    "the process has changed its root directory since the plugin was opened (chroot), and nothing "
    "is opened there: use once before what needs it";

/// A folder that becomes the root of this process, by a root user or in a namespace of the user's
/// own, until the object ends.
class OtherRoot {
 public:
  OtherRoot() : outside_(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}
  ~OtherRoot() {
    if (fchdir(outside_) != 0 || chroot(".") != 0) ADD_FAILURE() << "the root is lost";
    close(outside_);
  }
  OtherRoot(const OtherRoot&) = delete;
  OtherRoot& operator=(const OtherRoot&) = delete;

  const ScratchDirectory& folder() const { return folder_; }
  /// False if this user may not.
  bool enter() const {
    const char* const path = folder_.path().c_str();
    const bool is_in = chroot(path) == 0 || (unshare(CLONE_NEWUSER) == 0 && chroot(path) == 0);
    return is_in && chdir("/") == 0;
  }

 private:
  const ScratchDirectory folder_;
  const int outside_;
};

TEST(Chroot, LaterLibrariesAreRefused) {
  const LogLines lines;
  RuntimeOptions wanted =
      options({{"cpu_devices", "1"}, {"cpu_convolutions", "onednn"}, {"log", "warning"}});
  wanted.log = lines.sink();
  const Runtime runtime(wanted);
  const Device device = runtime.device("cpu:0");
  const Tensor image = ones({1, 4, 20, 20}, device), filter = ones({4, 4, 3, 3}, device);
  const OtherRoot root;
  if (!root.enter()) GTEST_SKIP() << "this user may not change the root directory";
  // Own loops compute what the library would have.
  EXPECT_EQ(conv2d(image, filter).to_vector<float>().back(), 36);
  EXPECT_GT(lines.count(kReason), 0);
}

TEST(Chroot, KernelsAreNotCompiled) {
  const Runtime runtime(options());
  const Device device = runtime.device("cpu:0"), fake = runtime.device("fake:0");
  const Tensor there = ones({5}, fake) + 1;
  const OtherRoot root;
  if (!root.enter()) GTEST_SKIP() << "this user may not change the root directory";
  const std::string expected = std::string("no kernel text is compiled: ") + kReason;
  EXPECT_ERROR(static_cast<void>(KernelModule::from_source(device, kScale)),
               ErrorCode::kUnsupported, expected);
  EXPECT_ERROR(static_cast<void>(exp(there)), ErrorCode::kUnsupported, expected);
  EXPECT_EQ((there + 1).to_vector<float>()[4], 3);  // prepared before
}

TEST(Chroot, ProgramsOfOpenclAreNotBuilt) {
  if (!is_built("opencl")) GTEST_SKIP() << "this build has no plugin opencl";
  RuntimeOptions wanted;
  wanted.plugins = {"opencl"};
  const Runtime runtime(wanted);
  const std::vector<Device> devices = runtime.devices();
  if (devices.empty()) GTEST_SKIP() << "this machine has no device of OpenCL";
  const Tensor there = ones({5}, devices[0]) + 1;
  devices[0].synchronize();
  const OtherRoot root;
  if (!root.enter()) GTEST_SKIP() << "this user may not change the root directory";
  EXPECT_ERROR(static_cast<void>(exp(there)), ErrorCode::kUnsupported,
               std::string("no kernel text is compiled: ") + kReason);
}

TEST(Chroot, LaterPluginsAreRefused) {
  RuntimeOptions wanted = options();
  wanted.plugin_files = {fake_plugin()};
  wanted.plugins = {"fake"};
  const Runtime runtime(wanted);
  static_cast<void>(runtime.device("fake:0"));
  const OtherRoot root;
  const std::string folder = root.folder().folder("plugins");
  std::filesystem::copy(built_path("lib/patchbay/plugins/patchbay-cpu-openblas.so"), folder);
  if (!root.enter()) GTEST_SKIP() << "this user may not change the root directory";
  EXPECT_ERROR(static_cast<void>(runtime.load("/plugins/patchbay-cpu-openblas.so")),
               ErrorCode::kPluginFailed, "the process has changed its root directory");
}

}  // namespace
}  // namespace patchbay::test
