// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Whose plugins a user's process opens: root's, the user's, and those of the library's owner.
#include <unistd.h>

#include <gtest/gtest.h>

#include "stage.h"

namespace patchbay::privileges_test {
namespace {

constexpr uid_t kVendor = 12345, kStranger = 12346;

/// What a process of kCaller says of a plugin of `plugin_owner`'s if `library_owner` installed the
/// library.
std::string outcome(uid_t library_owner, uid_t plugin_owner) {
  const Stage stage;
  stage.folder("lib", library_owner);
  stage.copy(PATCHBAY_TEST_LIBRARY, "lib/" PATCHBAY_TEST_SONAME, library_owner);
  const auto plugins = stage.folder("plugins", plugin_owner);
  stage.copy(PATCHBAY_TEST_PLAIN_C, "plugins/patchbay-plain-c.so", plugin_owner);
  return stage.run(plain_probe(stage), {"--only", plugins.string()},
                   {"LD_LIBRARY_PATH=" + (stage / "lib").string()});
}

TEST(Ownership, TheUsersAndRootsPluginsAreOpened) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  for (const uid_t owner : {uid_t{0}, kCaller}) {
    const std::string text = outcome(0, owner);
    EXPECT_HAS(text, "plugin: plain-c loaded") << owner << "\n" << text;
  }
}

TEST(Ownership, SoAreThoseOfTheLibrarysOwner) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  const std::string text = outcome(kVendor, kVendor);
  EXPECT_HAS(text, "plugin: plain-c loaded");
}

TEST(Ownership, ButNoStrangers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  const std::string text = outcome(kVendor, kStranger);
  EXPECT_HAS(text,
             "plugin: plain-c refused: the file is owned by user 12346: expected root, "
             "the user of this process (65534) or the owner of the library (12345)");
}

}  // namespace
}  // namespace patchbay::privileges_test
