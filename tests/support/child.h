// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runs a part of a test in a child of this process.
#ifndef PATCHBAY_TESTS_SUPPORT_CHILD_H_
#define PATCHBAY_TESTS_SUPPORT_CHILD_H_

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <patchbay/error.h>

namespace patchbay::test {

/// What `body` gives in a child of this process, which has used no runtime; or its error's words.
inline std::string answer_of(const std::function<std::string()>& body) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    std::string answer;
    try {
      answer = body();
    } catch (const Error& error) {
      answer = std::string(to_string(error.code())) + " " + error.what();
    }
    const bool written = write(ends[1], answer.data(), answer.size()) == std::ssize(answer);
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string answer;
  char bytes[256];
  for (ssize_t n = 0; (n = read(ends[0], bytes, sizeof bytes)) > 0;) {
    answer.append(bytes, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << answer;
  return answer;
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_CHILD_H_
