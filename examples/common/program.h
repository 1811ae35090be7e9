// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What every example's main does around its own work.
#ifndef PATCHBAY_EXAMPLES_COMMON_PROGRAM_H_
#define PATCHBAY_EXAMPLES_COMMON_PROGRAM_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace examples {

/// A program's command line and its exit status.
class Program {
 public:
  Program(const std::string& name, const std::string& description);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// An option with a value: `value` holds the default, which --help shows unless it is empty, and
  /// must live until `run` returns.
  void add_option(const std::string& name, std::string& value, const std::string& description);
  /// Without a default.
  void add_option(const std::string& name, std::optional<std::string>& value,
                  const std::string& description);

  /// Parses the command line, then calls `work`. The exit status: 0, 1 for an error (one line on
  /// stderr), 2 for a command line that is not understood.
  int run(int argc, char** argv, const std::function<void()>& work);

 private:
  struct Parser;
  const std::unique_ptr<Parser> parser_;
};

}  // namespace examples

#endif  // PATCHBAY_EXAMPLES_COMMON_PROGRAM_H_
