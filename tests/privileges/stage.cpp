// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "stage.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>

namespace patchbay::privileges_test {
namespace {

namespace fs = std::filesystem;

std::vector<char*> pointers_to(Words& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// In the child, between fork and exec.
[[noreturn]] void become(uid_t user, const char* program, char** arguments, char** variables,
                         int out) {
  constexpr int kNotStarted = 126;
  if (dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0) _exit(kNotStarted);
  if (geteuid() == 0 &&
      (setgroups(0, nullptr) != 0 || setgid(user) != 0 || setuid(user) != 0 || chdir("/") != 0)) {
    _exit(kNotStarted);
  }
  execve(program, arguments, variables);
  _exit(kNotStarted);
}

void set_owner(const fs::path& path, uid_t owner, mode_t mode) {
  if (geteuid() == 0 && chown(path.c_str(), owner, owner) != 0) {
    throw std::runtime_error("can't give away " + path.string());
  }
  if (chmod(path.c_str(), mode) != 0) throw std::runtime_error("no mode for " + path.string());
}

}  // namespace

Stage::Stage() { fs::permissions(path(), fs::perms(0755)); }

fs::path Stage::folder(std::string_view name, uid_t owner, mode_t mode) const {
  fs::create_directories(path() / name);
  set_owner(path() / name, owner, mode);
  return path() / name;
}

fs::path Stage::write(std::string_view name, std::string_view text, mode_t mode) const {
  std::ofstream(path() / name, std::ios::binary).write(text.data(), std::ssize(text));
  set_owner(path() / name, 0, mode);
  return path() / name;
}

fs::path Stage::copy(const fs::path& file, std::string_view name, uid_t owner, mode_t mode) const {
  fs::copy_file(file, path() / name, fs::copy_options::overwrite_existing);
  set_owner(path() / name, owner, mode);
  return path() / name;
}

std::string Stage::run(const fs::path& program, const Words& arguments, const Words& variables,
                       uid_t user) const {
  Words words = arguments, environment = variables;
  words.insert(words.begin(), program.string());
  for (const char* name : {"ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"}) {
    if (const char* value = getenv(name); value != nullptr) {
      environment.push_back(std::string(name) + "=" + value);
    }
  }
  const std::vector<char*> argv = pointers_to(words), envp = pointers_to(environment);
  const fs::path output = path() / "output";
  const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (out < 0) throw std::runtime_error("no file for the output");
  const pid_t child = fork();
  if (child == 0) {
    become(user, words.front().c_str(), const_cast<char**>(argv.data()),
           const_cast<char**>(envp.data()), out);
  }
  close(out);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) throw std::runtime_error("no child");
  std::string text = test::read_text(output);
  EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status) << "\n" << text;
  EXPECT_LE(WEXITSTATUS(status), 1) << "not started, or wrong arguments\n" << text;
  return text;
}

fs::path plain_probe(const Stage& stage) { return stage.copy(PATCHBAY_TEST_PROBE, "plain-probe"); }

fs::path raised_probe(const Stage& stage) {
  return stage.copy(PATCHBAY_TEST_PROBE, "raised-probe", 0, 04755);
}

std::string why_no_raised_privileges() {
  if (geteuid() != 0) return "needs root, to lend its privileges";
  const Stage stage;
  const std::string text =
      stage.run(raised_probe(stage), {"--only", (stage / "nowhere").string()}, {});
  return text.find("raised: yes") != std::string::npos
             ? ""
             : "set-uid programs get no privileges here (nosuid or no_new_privs)";
}

}  // namespace patchbay::privileges_test
