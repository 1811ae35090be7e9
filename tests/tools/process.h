// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TESTS_TOOLS_PROCESS_H_
#define PATCHBAY_TESTS_TOOLS_PROCESS_H_

#include <nlohmann/json.hpp>

#include "support/paths.h"
#include "support/scratch_directory.h"
#include "support/text.h"

namespace patchbay::tests {

struct Finished {
  int exit_status = -1;  // -1 if a signal ended it
  std::string out, err;

  /// A failure of the calling test if it ended with another status.
  const Finished& exits(int status) const {
    EXPECT_EQ(exit_status, status) << out << err;
    return *this;
  }
  /// Standard output as JSON; a failure of the calling test if it is anything else.
  nlohmann::json json() const;
};

/// Runs the command `patchbay`. The environment is this process's, with `more` ("NAME=value")
/// added; settings of Patchbay that it happens to hold are taken out.
Finished run_command(const std::vector<std::string>& arguments,
                     const std::vector<std::string>& more = {}, const std::string& out_path = {});

using patchbay::test::fake_plugin;
using patchbay::test::read_text;

/// A new directory that only the user may write; removed with the object.
class TemporaryDirectory : public test::ScratchDirectory {
 public:
  /// Writes a file and gives its path.
  std::string write(const std::string& name, const std::string& content) const;
};

}  // namespace patchbay::tests

#endif  // PATCHBAY_TESTS_TOOLS_PROCESS_H_
