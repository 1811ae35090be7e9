// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/executor/compiler.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

#include "kit/executor/cache.hpp"

namespace patchbay::executor {
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

/// A file that this process may run.
bool is_program(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> search(const std::string& name, std::string_view folders) {
  while (!folders.empty()) {
    const std::size_t end = folders.find(':');
    const std::string folder(folders.substr(0, end));
    folders.remove_prefix(end == std::string_view::npos ? folders.size() : end + 1);
    std::string path = folder + "/" + name;
    // Skip the current directory, which an empty or relative element of PATH means.
    if (!folder.empty() && folder.front() == '/' && is_program(path)) return path;
  }
  return std::nullopt;
}

std::string find_compiler(plugin::Host host) {
  const auto set = host.option("kernel_compiler");
  const std::string name = set && !set->empty() ? *set : "c++";
  const char* const path = secure_getenv("PATH");
  const auto found = name.front() == '/' ? (is_program(name) ? std::optional(name) : std::nullopt)
                                         : search(name, path != nullptr ? path : "/usr/bin:/bin");
  if (found) return *found;
  plugin::unsupported("kernels need a C++ compiler at run time: expected " +
                      ("'" + name + (name.front() == '/' ? "'" : "' on PATH")) +
                      ", got no such program. Install one (g++ or clang), or name it by the "
                      "setting kernel_compiler (PATCHBAY_KERNEL_COMPILER).");
}

/// The environment without its language, so that messages are English.
std::vector<std::string> environment_for_child() {
  std::vector<std::string> variables = {"LC_ALL=C"};
  const bool trusted = secure_getenv("PATH") != nullptr;
  if (!trusted) variables.push_back("PATH=/usr/bin:/bin");
  for (char** variable = environ; trusted && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("LC_") && !text.starts_with("LANG")) variables.emplace_back(text);
  }
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// The output of a program, kept in memory because the disk may be full.
class Output {
 public:
  Output() : file_(make()) {
    if (file_ >= 0) return;
    throw plugin::StatusError(
        PATCHBAY_DRIVER_ERROR,
        std::string("can't record the compiler's output: ") + std::strerror(errno), errno);
  }
  ~Output() { close(file_); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  int file() const { return file_; }
  /// The first 16 KiB.
  std::string text() const {
    std::string text(std::size_t{16} << 10, '\0');
    const ssize_t size = pread(file_, text.data(), text.size(), 0);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text;
  }

 private:
  /// Above the standard descriptors, which a service may have closed: those of the child would
  /// replace the file before it gets there.
  static int make() {
    const int any = memfd_create("patchbay-compiler", MFD_CLOEXEC);
    constexpr int kFirstOther = 3;
    if (any < 0 || any >= kFirstOther) return any;
    const int higher = fcntl(any, F_DUPFD_CLOEXEC, kFirstOther);
    const int error = errno;
    close(any);
    errno = error;
    return higher;
  }

  const int file_;
};

int start(pid_t& child, std::vector<char*> arguments, const Output& output) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output.file(), 1);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  sigset_t none;  // the caller may block signals that the compiler needs
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  std::vector<std::string> variables = environment_for_child();
  const int error = posix_spawn(&child, arguments[0], &files, &attributes, arguments.data(),
                                pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error;
}

/// Returns the program's wait status; nothing if it is not known.
std::optional<int> run(std::vector<std::string> arguments, std::string& log) {
  pid_t child = 0;
  const Output output;
  if (const int error = start(child, pointers_to(arguments), output); error != 0) {
    throw plugin::StatusError(PATCHBAY_DRIVER_ERROR,
                              "can't run '" + arguments[0] + "': " + std::strerror(error), error);
  }
  int status = 0;
  pid_t waited = 0;
  do {
    waited = waitpid(child, &status, 0);
  } while (waited < 0 && errno == EINTR);
  log = output.text();
  // An application that ignores SIGCHLD discards the status; the caller checks the result.
  if (waited < 0) return std::nullopt;
  return status;
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

/// Whether the compiler refused the text, and did not fail itself.
bool is_refusal(std::optional<int> status, const std::string& log) {
  const bool has_failed = !status || (WIFEXITED(*status) && WEXITSTATUS(*status) != 0);
  return has_failed && !is_blank(log);
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

Compiler::Compiler(plugin::Host host) : path_(find_compiler(host)) {
  std::string version;
  run({path_, "--version"}, version);
  options_ = options_for(version);
  identity_ = path_ + '\n' + version + processor_features();
  for (const std::string& option : options_) identity_ += option + ' ';
}

std::string Compiler::compile(const std::string& source_path, const std::string& library_path,
                              std::string& log) const {
  std::vector<std::string> arguments = {path_};
  arguments.insert(arguments.end(), options_.begin(), options_.end());
  arguments.insert(arguments.end(), {"-o", library_path, source_path, "-lm"});
  const std::optional<int> status = run(std::move(arguments), log);
  if (status.value_or(0) == 0 && is_whole_library(library_path)) return {};
  if (is_refusal(status, log)) return "the kernel text does not compile (" + path_ + "):\n" + log;
  return "the C++ compiler '" + path_ + "' failed: expected a shared library, got " +
         describe_failure(status) +
         ". Correct it, or name another by the setting kernel_compiler "
         "(PATCHBAY_KERNEL_COMPILER)." +
         (is_blank(log) ? "" : " It wrote:\n" + log);
}

}  // namespace patchbay::executor
