// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/executor/compiler.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "kit/executor/cache.hpp"
#include "kit/executor/child_process.hpp"
#include "kit/library/search.hpp"

namespace patchbay::executor {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".build-";

/// Earlier versions left single files, which have no lock.
bool is_old_file(int file, std::string_view name) {
  constexpr std::time_t kOldS = 3600;
  struct stat info {};
  return name.starts_with(".new-") && fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
         std::time(nullptr) - info.st_mtim.tv_sec > kOldS;
}

/// Removes what processes have left that were killed while they compiled.
void remove_leftovers(const std::string& cache) {
  std::error_code error;
  for (fs::directory_iterator next(cache, error), end; !error && next != end;
       next.increment(error)) {
    const std::string name = next->path().filename().string();
    if (!name.starts_with('.')) continue;
    const int file = open(next->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) continue;
    const bool is_left = name.starts_with(kPrefix) && flock(file, LOCK_EX | LOCK_NB) == 0;
    std::error_code ignored;
    if (is_left || is_old_file(file, name)) fs::remove_all(next->path(), ignored);
    close(file);
  }
}

void write_new_file(const std::string& path, std::string_view content) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) fail_to_write(path);
  const bool written = write_all(file, content);
  const int error = errno;
  close(file);
  errno = error;
  if (!written) fail_to_write(path);
}

}  // namespace

WorkFolder::WorkFolder(const std::string& cache, std::string_view text) {
  remove_leftovers(cache);
  make(cache);
  try {
    write_new_file(this->text(), text);
  } catch (...) {
    remove();
    throw;
  }
}

WorkFolder::~WorkFolder() { remove(); }

void WorkFolder::make(const std::string& cache) {
  for (;;) {
    path_ = cache + "/" + std::string(kPrefix) + "XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) fail_to_write(path_);
    lock_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    // Another process may take it for a leftover before it is locked, and remove it.
    const bool is_lost = lock_ < 0
                             ? errno == ENOENT
                             : (flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
                                   access(path_.c_str(), F_OK) != 0;
    if (lock_ >= 0 && !is_lost) return;
    const int error = errno;
    remove();
    errno = error;
    if (!is_lost) fail_to_write(path_);
  }
}

void WorkFolder::remove() noexcept {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) close(lock_);
  lock_ = -1;
}

namespace {

/// Limits the private memory of a work-item: with barriers it has a small stack.
constexpr const char* kFrameLimit = "-Wframe-larger-than=49152";

std::vector<std::string> options_for(std::string_view version) {
  std::vector<std::string> options = {"-x",
                                      "c++",
                                      "-std=c++20",
                                      "-O3",
                                      "-march=native",
                                      "-ffp-contract=off",
                                      "-fno-math-errno",
                                      "-fno-trapping-math",
                                      "-fno-exceptions",
                                      "-fno-rtti",
                                      "-fvisibility=hidden",
                                      "-shared",
                                      "-fPIC",
                                      "-fdiagnostics-color=never",
                                      kFrameLimit};
  if (version.find("clang") != std::string_view::npos) {
    options.insert(options.end(), {"-Werror=frame-larger-than", "-ferror-limit=20"});
  } else {
    // Shared arrays are statics of inline functions: unique symbols would keep the library loaded.
    options.insert(options.end(),
                   {"-Werror=frame-larger-than=49152", "-fmax-errors=20", "-fno-gnu-unique"});
  }
  return options;
}

std::string find_compiler(plugin::Host host, const std::string& path) {
  const auto set = host.option("kernel_compiler");
  const std::string name = set && !set->empty() ? *set : "c++";
  const bool is_path = name.find('/') != std::string::npos;
  if (is_path && name.front() != '/') {
    plugin::refuse_setting("kernel_compiler", "an absolute path, or a name on PATH", name);
  }
  const std::string found = is_path ? (is_program(name) ? name : "")
                                    : find_program(name, path.empty() ? "/usr/bin:/bin" : path);
  if (!found.empty()) return found;
  plugin::unsupported("kernels need a C++ compiler at run time: there is no program '" + name +
                      (is_path ? "'" : "' on PATH") +
                      ". Install one (g++ or clang), or name it by the setting kernel_compiler "
                      "(PATCHBAY_KERNEL_COMPILER).");
}

std::chrono::seconds deadline_of(plugin::Host host) {
  constexpr int kUsual = 120, kMost = 86400;
  const auto set = host.option("kernel_compiler_timeout_s");
  if (!set || set->empty()) return std::chrono::seconds(kUsual);
  int seconds = 0;
  const char* const end = set->data() + set->size();
  const auto [rest, error] = std::from_chars(set->data(), end, seconds);
  if (error != std::errc() || rest != end || seconds < 1 || seconds > kMost) {
    plugin::refuse_setting("kernel_compiler_timeout_s", "a number of seconds from 1 to 86400",
                           *set);
  }
  return std::chrono::seconds(seconds);
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

/// Whether the compiler refused the text, and did not fail itself.
bool is_refusal(const ChildEnd& end) {
  const bool has_failed = !end.status || (WIFEXITED(*end.status) && WEXITSTATUS(*end.status) != 0);
  return has_failed && !end.is_late && !is_blank(end.output);
}

/// What a compiler gave that made no library.
std::string describe_failure(std::optional<int> status) {
  if (!status) return "none";
  if (WIFSIGNALED(*status)) {
    const int signal = WTERMSIG(*status);
    return "its end by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  const int code = WEXITSTATUS(*status);
  return "exit status " + std::to_string(code) + (code == 0 ? " and none" : " and no message");
}

/// The error for a compiler that failed itself. `more` names another way out.
std::string fault_of(const std::string& path, const std::string& what, const char* more,
                     const std::string& output) {
  return "the C++ compiler '" + path + "' failed: expected a shared library, got " + what +
         ". Correct it, or name another by the setting kernel_compiler "
         "(PATCHBAY_KERNEL_COMPILER)" +
         more + (is_blank(output) ? "." : ". It wrote:\n" + output);
}

std::string lateness(const std::string& path, std::chrono::seconds deadline,
                     const std::string& output) {
  return fault_of(path, "none within its deadline of " + std::to_string(deadline.count()) + " s",
                  ", or allow more time by kernel_compiler_timeout_s "
                  "(PATCHBAY_KERNEL_COMPILER_TIMEOUT_S)",
                  output);
}

/// The result of -march=native depends on the processor.
std::string processor_features() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, features;
  while (std::getline(file, line) && !line.empty()) {
    for (const std::string_view key : {"model", "flags", "Features", "CPU part"}) {
      if (line.starts_with(key)) features += line + '\n';
    }
  }
  return features;
}

}  // namespace

Compiler::Compiler(plugin::Host host, const std::string& path, const std::string& directory)
    : path_(find_compiler(host, path)), deadline_(deadline_of(host)) {
  const ChildEnd end = run_child({{path_, "--version"}, directory, deadline_});
  if (end.is_late) {
    throw plugin::StatusError(PATCHBAY_BUILD_FAILED, lateness(path_, deadline_, end.output));
  }
  options_ = options_for(end.output);
  identity_ = path_ + '\n' + end.output + processor_features();
  for (const std::string& option : options_) identity_ += option + ' ';
}

std::string Compiler::compile(const WorkFolder& work, std::string& log) const {
  std::vector<std::string> arguments = {path_};
  arguments.insert(arguments.end(), options_.begin(), options_.end());
  arguments.insert(arguments.end(), {"-o", work.library(), work.text(), "-lm"});
  const ChildEnd end = run_child({std::move(arguments), work.path(), deadline_});
  log = end.output;
  if (end.is_late) return lateness(path_, deadline_, log);
  if (end.status.value_or(0) == 0 && is_whole_library(work.library())) return {};
  if (is_refusal(end)) return "the kernel text does not compile (" + path_ + "):\n" + log;
  return fault_of(path_, describe_failure(end.status), "", log);
}

}  // namespace patchbay::executor
