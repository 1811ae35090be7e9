// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A directory in which a program is started as another user.
#ifndef PATCHBAY_TESTS_PRIVILEGES_STAGE_H_
#define PATCHBAY_TESTS_PRIVILEGES_STAGE_H_

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/scratch_directory.h"
#include "support/text.h"

namespace patchbay::privileges_test {

inline constexpr uid_t kCaller = 65534;

using Words = std::vector<std::string>;

/// Belongs to this user, who must be root for most of it; gone with the object.
class Stage : public test::ScratchDirectory {
 public:
  Stage();

  std::filesystem::path operator/(std::string_view name) const { return path() / name; }
  /// A folder below it.
  std::filesystem::path folder(std::string_view name, uid_t owner = 0, mode_t mode = 0755) const;
  std::filesystem::path write(std::string_view name, std::string_view text, mode_t mode) const;
  std::filesystem::path copy(const std::filesystem::path& file, std::string_view name,
                             uid_t owner = 0, mode_t mode = 0755) const;

  /// What a program prints that `user` starts with these variables, and no others but those for
  /// sanitizers. Fails the test if a signal ends the program.
  std::string run(const std::filesystem::path& program, const Words& arguments,
                  const Words& variables, uid_t user = kCaller) const;
};

/// The program that the tests start, and a copy of it that runs with root's privileges.
std::filesystem::path plain_probe(const Stage& stage);
std::filesystem::path raised_probe(const Stage& stage);

/// Why this machine can't show raised privileges; empty if it can.
std::string why_no_raised_privileges();

}  // namespace patchbay::privileges_test

#endif  // PATCHBAY_TESTS_PRIVILEGES_STAGE_H_
