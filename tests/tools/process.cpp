// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "tools/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace patchbay::tests {
namespace {

std::vector<std::string> clean_environment(const std::vector<std::string>& more) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    // The suite's compiler and its cache of kernels stay.
    const bool is_kept =
        text.starts_with("PATCHBAY_CACHE_DIR=") || text.starts_with("PATCHBAY_KERNEL_COMPILER=");
    if (is_kept || !text.starts_with("PATCHBAY_")) all.push_back(text);
  }
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

int spawn_and_wait(std::vector<std::string> arguments, std::vector<std::string> environment,
                   const std::string& out, const std::string& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), flags, 0600);
  pid_t child = 0;
  const int failure = posix_spawn(&child, PATCHBAY_COMMAND, &actions, nullptr,
                                  pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw std::runtime_error("can't run " PATCHBAY_COMMAND);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

nlohmann::json Finished::json() const {
  nlohmann::json parsed = nlohmann::json::parse(out, nullptr, false);
  EXPECT_TRUE(parsed.is_object()) << "no JSON object: " << out << err;
  EXPECT_EQ(err, "") << "with --json everything is said on standard output";
  return parsed.is_object() ? parsed : nlohmann::json::object();
}

Finished run_command(const std::vector<std::string>& arguments,
                     const std::vector<std::string>& more, const std::string& out_path) {
  const TemporaryDirectory directory;
  const std::string out = out_path.empty() ? (directory.path() / "out").string() : out_path;
  const std::string err = directory.path() / "err";
  std::vector<std::string> all = {"patchbay"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  Finished finished;
  finished.exit_status = spawn_and_wait(all, clean_environment(more), out, err);
  if (out_path.empty()) finished.out = read_text(out);
  finished.err = read_text(err);
  return finished;
}

std::string TemporaryDirectory::write(const std::string& name, const std::string& content) const {
  const std::filesystem::path file = path() / name;
  std::ofstream(file) << content;
  std::filesystem::permissions(
      file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  return file;
}

}  // namespace patchbay::tests
