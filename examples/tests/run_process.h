// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runs a program as a user would, and keeps what it prints.
#ifndef PATCHBAY_EXAMPLES_TESTS_RUN_PROCESS_H_
#define PATCHBAY_EXAMPLES_TESTS_RUN_PROCESS_H_

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace examples {

struct ProcessResult {
  int status = -1;  // as exit gives it; 128 + the signal if one ended the program
  std::string output, errors;
};

using Environment = std::map<std::string, std::string>;

namespace process_detail {

inline std::string take_text(std::FILE* file) {
  std::string text;
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

[[noreturn]] inline void become(std::vector<std::string> command, const Environment& environment) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace process_detail

/// Runs `command` (a path, then its arguments) with these variables added to the environment.
/// What it prints goes through files: pipes would have to be emptied while it runs.
inline ProcessResult run_process(const std::vector<std::string>& command,
                                 const Environment& environment = {}) {
  std::FILE* output = std::tmpfile();
  std::FILE* errors = std::tmpfile();
  ProcessResult result;
  if (output == nullptr || errors == nullptr) return result;
  const pid_t child = fork();
  if (child == 0) {
    dup2(fileno(output), STDOUT_FILENO);
    dup2(fileno(errors), STDERR_FILENO);
    process_detail::become(command, environment);
  }
  int status = 0;
  if (child > 0 && waitpid(child, &status, 0) == child) {
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  result.output = process_detail::take_text(output);
  result.errors = process_detail::take_text(errors);
  return result;
}

}  // namespace examples

#endif  // PATCHBAY_EXAMPLES_TESTS_RUN_PROCESS_H_
