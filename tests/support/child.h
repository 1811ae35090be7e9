// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runs a part of a test in a child of this process.
#ifndef PATCHBAY_TESTS_SUPPORT_CHILD_H_
#define PATCHBAY_TESTS_SUPPORT_CHILD_H_

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <patchbay/error.h>

namespace patchbay::test {

/// How a child ended, as waitpid says it, and what it wrote to its pipe.
struct Ended {
  int status = 0;
  std::string text;
};

/// Runs `body` with the end of the pipe in a child, which then calls exit. One that hangs is
/// killed.
inline Ended in_child(const std::function<void(int pipe)>& body) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(300);
    body(ends[1]);
    std::exit(0);
  }
  close(ends[1]);
  Ended ended;
  char bytes[4096];
  for (ssize_t n = 0; (n = read(ends[0], bytes, sizeof bytes)) > 0;) {
    ended.text.append(bytes, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  waitpid(child, &ended.status, 0);
  return ended;
}

/// Its text is what `body` returns, or the words of the exception. Nothing runs at its exit.
inline Ended in_child(const std::function<std::string()>& body) {
  return in_child([&body](int pipe) {
    std::string text;
    try {
      text = body();
    } catch (const Error& error) {
      text = std::string(to_string(error.code())) + " " + error.what();
    } catch (const std::exception& error) {
      text = std::string("thrown: ") + error.what();
    }
    _exit(write(pipe, text.data(), text.size()) == std::ssize(text) ? 0 : 1);
  });
}

/// The text of a child, which must end well.
inline std::string answer_of(const std::function<std::string()>& body) {
  const Ended ended = in_child(body);
  EXPECT_EQ(ended.status, 0) << ended.text;
  return ended.text;
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_CHILD_H_
