// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/api/pocl.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include "patchbay/plugin/kit/error.hpp"
#include "patchbay/plugin/kit/privileges.hpp"

#include "kit/library/root_folder.hpp"
#include "opencl/api/working_directory.hpp"

namespace patchbay::opencl {
namespace {

/// The files that hwloc, which PoCL uses to count processors, requires.
constexpr const char* kTopology[] = {
    "/sys/devices/system/cpu/cpu0/topology/core_cpus",
    "/sys/devices/system/cpu/cpu0/topology/core_siblings",
    "/sys/devices/system/cpu/cpu0/topology/package_cpus",
    "/sys/devices/system/cpu/cpu0/topology/thread_siblings",
    "/sys/bus/cpu/devices/cpu0/topology/core_cpus",
    "/sys/bus/cpu/devices/cpu0/topology/core_siblings",
    "/sys/bus/cpu/devices/cpu0/topology/package_cpus",
    "/sys/bus/cpu/devices/cpu0/topology/thread_siblings",
};

constexpr std::size_t kFiles = 16;        // PoCL and its linker have fewer open at once
constexpr std::size_t kRoom = 512 << 10;  // the files of a program of several large kernels
constexpr const char* kMoveCache = "set POCL_CACHE_DIR to a directory that has it.";

using Path = std::filesystem::path;

bool shows_processors() {
  return std::any_of(std::begin(kTopology), std::end(kTopology),
                     [](const char* path) { return access(path, R_OK) == 0; });
}

/// Where the ICD loader looks for drivers.
Path place_of_drivers() {
  const char* const set = std::getenv("OCL_ICD_VENDORS");
  return set != nullptr && *set != '\0' ? set : "/etc/OpenCL/vendors";
}

/// The .icd files that the ICD loader reads.
std::vector<Path> installed_drivers() {
  const Path place = place_of_drivers();
  if (place.extension() == ".icd") return {place};
  std::vector<Path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator next(place, error), end; !error && next != end;
       next.increment(error)) {
    if (next->path().extension() == ".icd") files.push_back(next->path());
  }
  return files;
}

/// Throws for a FIFO or a device: whoever opens it may wait for ever.
void check_file(const Path& file) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return;
  throw plugin::StatusError(PATCHBAY_NO_DRIVER, "the ICD loader would open '" + file.string() +
                                                    "': it is no regular file. Correct "
                                                    "OCL_ICD_VENDORS, or remove the file");
}

/// The library that an .icd file names.
std::string library_of(const Path& file) {
  std::ifstream stream(file);
  std::string library;
  std::getline(stream, library);
  return library;
}

bool is_pocls(const Path& file) { return library_of(file).find("pocl") != std::string::npos; }

bool is_program(const std::string& path) {
  struct stat info {};
  return access(path.c_str(), X_OK) == 0 && stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

/// Follows LLVM's findProgramByName, by which PoCL finds the linker.
void check_linker() {
  const char* const path = std::getenv("PATH");
  std::string_view folders = path != nullptr ? path : "";
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
    if (!folder.empty() && is_program(std::string(folder) + "/ld")) return;
  }
  plugin::unsupported(std::string("PoCL needs a linker at run time: ") +
                      (path != nullptr ? "there is no 'ld' on PATH" : "PATH is not set") +
                      ". Install one (binutils), or add its directory to PATH.");
}

/// The system discards the result of a child if its parent does not want to know.
void check_children() {
  struct sigaction action {};
  const bool is_ignored = sigaction(SIGCHLD, nullptr, &action) == 0 &&
                          (action.sa_handler == SIG_IGN || (action.sa_flags & SA_NOCLDWAIT) != 0);
  if (!is_ignored) return;
  throw plugin::StatusError(
      PATCHBAY_DRIVER_ERROR,
      "PoCL can't wait for its linker: expected that the process does not ignore SIGCHLD, got "
      "SIG_IGN or SA_NOCLDWAIT. Set SIGCHLD to SIG_DFL before a kernel is compiled.",
      0, PATCHBAY_STATUS_RETRYABLE);
}

void check_files() {
  std::array<int, kFiles> files{};
  std::size_t count = 0;
  int error = 0;
  for (; count < kFiles && error == 0; ++count) {
    files[count] = count == 0 ? eventfd(0, EFD_CLOEXEC) : fcntl(files[0], F_DUPFD_CLOEXEC, 0);
    if (files[count] < 0) error = errno;
  }
  const std::size_t opened = error == 0 ? count : count - 1;
  for (std::size_t i = 0; i < opened; ++i) close(files[i]);
  if (error != EMFILE && error != ENFILE) return;
  throw plugin::StatusError(PATCHBAY_DRIVER_ERROR,
                            "too few file descriptors are free for PoCL's compiler: expected " +
                                std::to_string(kFiles) + ", got " + std::to_string(opened) + " (" +
                                std::strerror(error) +
                                "). Close files, or raise the limit (ulimit -n).",
                            error, PATCHBAY_STATUS_RETRYABLE);
}

/// Fills the file. Returns an error number, or 0.
int try_room(int file) {
  rlimit limit{};
  // A larger file would bring the signal SIGXFSZ.
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < rlim_t{kRoom}) return EFBIG;
  static constexpr char kZeros[kRoom / 8] = {};
  for (std::size_t done = 0; done < kRoom;) {
    const ssize_t written = write(file, kZeros, std::min(sizeof kZeros, kRoom - done));
    if (written < 0 && errno != EINTR) return errno;
    done += written > 0 ? static_cast<std::size_t>(written) : 0;
  }
  return 0;
}

[[noreturn]] void refuse_directory(const std::string& directory, const char* wanted, int error) {
  throw plugin::StatusError(PATCHBAY_IO_FAILED,
                            "PoCL can't compile in its cache directory '" + directory +
                                "': expected " + wanted + ", got the error '" +
                                std::strerror(error) + "'. Provide that, or " + kMoveCache,
                            error, PATCHBAY_STATUS_RETRYABLE);
}

void check_directory() {
  const std::string directory = pocl_directory();
  std::string path = directory + "/patchbay-XXXXXX";
  if (directory.empty()) return;
  const int file = mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR) return;  // PoCL makes it, or has another one
    refuse_directory(directory, "that files can be made there", error);
  }
  unlink(path.c_str());
  struct statvfs disk {};
  const bool runs = fstatvfs(file, &disk) != 0 || (disk.f_flag & ST_NOEXEC) == 0;
  const int error = try_room(file);
  close(file);
  if (!runs) {
    plugin::unsupported("PoCL can't load kernels from its cache directory '" + directory +
                        "': expected a file system that may hold programs, got one mounted with "
                        "noexec. Mount it otherwise, or " +
                        kMoveCache);
  }
  if (error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO) {
    refuse_directory(directory, "room for a file of 512 KiB", error);
  }
}

}  // namespace

void check_driver_files() {
  check_file(place_of_drivers());
  for (const Path& file : installed_drivers()) {
    check_file(file);
    const std::string library = library_of(file);
    if (library.find('/') != std::string::npos) check_file(library);
  }
}

void check_pocl_may_be_loaded() {
  const char* const directory = std::getenv("POCL_CACHE_DIR");
  const bool is_nameless = directory != nullptr && *directory == '\0';
  if (!is_nameless && shows_processors()) return;
  const std::vector<Path> drivers = installed_drivers();
  if (std::none_of(drivers.begin(), drivers.end(), is_pocls)) return;
  if (is_nameless) {
    throw plugin::StatusError(PATCHBAY_NO_DEVICE,
                              "the variable POCL_CACHE_DIR is empty, upon which PoCL would end the "
                              "process: unset it, or name a directory");
  }
  // The loader asks each of several drivers for its devices, to sort them.
  if (drivers.size() == 1) return;
  throw plugin::StatusError(PATCHBAY_NO_DEVICE,
                            "PoCL, one of the installed drivers, " + why_not_ask_pocl() +
                                ", or name another driver's .icd file by OCL_ICD_VENDORS");
}

std::string why_not_ask_pocl() {
  if (shows_processors()) return {};
  return "needs /sys/devices/system/cpu, without which it ends the process: mount sysfs at /sys";
}

std::string why_pocl_has_no_device() {
  const std::string directory = pocl_directory();
  for (Path part = directory; !part.empty(); part = part.parent_path()) {
    if (access(part.c_str(), W_OK | X_OK) == 0) return {};
    if (errno != ENOENT) {
      return "it can't write its cache directory '" + directory + "' (" + std::strerror(errno) +
             " at '" + part.string() + "'). Set POCL_CACHE_DIR to a directory that can be written";
    }
  }
  return {};
}

std::string pocl_directory() {
  if (plugin::has_raised_privileges()) return {};
  if (const char* const set = std::getenv("POCL_CACHE_DIR")) return set;
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != '\0') return std::string(cache) + "/pocl/kcache";
  if (const char* const home = std::getenv("HOME"))
    return std::string(home) + "/.cache/pocl/kcache";
  return "/tmp/pocl/kcache";
}

bool pocl_specialises() {
  const char* const setting = std::getenv("POCL_WORK_GROUP_SPECIALIZATION");
  return setting == nullptr || std::strcmp(setting, "0") != 0;
}

void check_pocl_can_compile() {
  RootFolder::check("kernel is compiled");
  check_working_directory();
  check_linker();
  check_children();
  check_files();
  check_directory();
}

void PoclShapes::check(const Extents& group, const Extents& items) {
  constexpr std::uint64_t kSmallGrid = 65535;
  const Shape shape{group, *std::max_element(items.begin(), items.end()) < kSmallGrid};
  const auto is_known = [&] {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::find(known_.begin(), known_.end(), shape) != known_.end();
  };
  if (is_known()) return;
  check_pocl_can_compile();
  const std::lock_guard<std::mutex> lock(mutex_);
  known_.push_back(shape);
}

}  // namespace patchbay::opencl
