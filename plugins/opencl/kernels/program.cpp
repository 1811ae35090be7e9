// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/kernels/program.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include "kDialectText.text.h"
#include "kit/library/root_folder.hpp"
#include "kit/machine/subnormals.hpp"
#include "kit/text_hash.hpp"
#include "opencl/api/device_info.hpp"
#include "opencl/api/error.hpp"
#include "opencl/api/pocl.hpp"
#include "opencl/api/working_directory.hpp"

namespace patchbay::opencl {
namespace {

constexpr std::chrono::seconds kMostPatience{60};
constexpr std::chrono::milliseconds kPause{5};

/// The byte of the lock file for a program: different programs do not wait for each other.
off_t place_of(std::string_view key) {
  std::uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (const char c : key) {
    hash = (hash ^ static_cast<unsigned char>(c)) * UINT64_C(0x100000001b3);
  }
  return static_cast<off_t>(hash >> 2);
}

/// Locks the open file description, so that threads exclude each other too.
bool try_lock(int file, off_t place) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = place;
  range.l_len = 1;
  return fcntl(file, F_OFD_SETLK, &range) == 0;
}

/// Prevents other threads and processes from building the same program for the device.
///
/// PoCL keeps built programs in a directory that all processes share, and removes a file there
/// before it replaces it: another process that builds or loads the same program then finds no file,
/// and fails or aborts. The lock is not taken for drivers other than PoCL, if the directory can't
/// be written, or after waiting for a minute.
class BuildLock {
 public:
  /// `key`: the same for the same program.
  BuildLock(const DeviceInfo& device, std::string_view key) {
    if (!device.is_pocl) return;
    const std::string directory = pocl_directory();
    if (directory.empty()) return;
    const std::string path = directory + "/patchbay.lock";
    file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (file_ < 0) return;
    const off_t place = place_of(key);
    const auto end = std::chrono::steady_clock::now() + kMostPatience;
    while (!try_lock(file_, place) && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(kPause);
    }
  }

  ~BuildLock() {
    if (file_ >= 0) close(file_);
  }

  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

 private:
  int file_ = -1;
};

std::string cache_key(const DeviceInfo& info, std::string_view options, std::string_view text) {
  std::string all;
  for (const std::string_view part :
       {std::string_view(info.name), std::string_view(info.driver_version),
        std::string_view(info.version), options, text}) {
    all.append(part).push_back('\0');
  }
  return "opencl-2-" + text_hash(all);
}

std::string build_log(const Context& context, cl_program program) {
  std::size_t size = 0;
  const auto what = static_cast<cl_uint>(kProgramBuildLog);
  const Symbols& cl = context.cl();
  if (cl.clGetProgramBuildInfo(program, context.info().id, what, 0, nullptr, &size) != kSuccess) {
    return {};
  }
  std::string log(size, '\0');
  cl.clGetProgramBuildInfo(program, context.info().id, what, size, log.data(), nullptr);
  log.resize(log.find('\0') == std::string::npos ? size : log.find('\0'));
  return log;
}

cl_int build(const Context& context, cl_program program, const std::string& options) {
  return context.cl().clBuildProgram(program, 1, &context.info().id, options.c_str(), nullptr,
                                     nullptr);
}

ProgramHandle from_source(const Context& context, const std::string& options,
                          std::string_view text) {
  cl_int code = 0;
  const char* data = text.data();
  const std::size_t size = text.size();
  const Symbols& cl = context.cl();
  ProgramHandle program(cl, cl.clCreateProgramWithSource(context.native(), 1, &data, &size, &code));
  check(code, "clCreateProgramWithSource");
  const cl_int built = build(context, program.get(), options);
  if (built == kSuccess) return program;
  const std::string log = build_log(context, program.get());
  throw plugin::StatusError(PATCHBAY_BUILD_FAILED,
                            "the kernel text does not compile (clBuildProgram: " + describe(built) +
                                (log.empty() ? ", without a log)" : "):\n" + log),
                            built);
}

/// Null if the driver refuses the binary, for example because the driver was updated.
ProgramHandle from_binary(const Context& context, const std::string& options,
                          const std::string& binary) {
  cl_int code = 0, binary_code = 0;
  const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t size = binary.size();
  const Symbols& cl = context.cl();
  ProgramHandle program(cl, cl.clCreateProgramWithBinary(context.native(), 1, &context.info().id,
                                                         &size, &data, &binary_code, &code));
  if (code != kSuccess || binary_code != kSuccess) return {};
  if (build(context, program.get(), options) != kSuccess) return {};
  return program;
}

/// Empty if the driver returns none.
std::string binary_of(const Symbols& cl, cl_program program) {
  std::size_t size = 0;
  if (cl.clGetProgramInfo(program, static_cast<cl_uint>(kProgramBinarySizes), sizeof size, &size,
                          nullptr) != kSuccess) {
    return {};
  }
  std::string binary(size, '\0');
  char* data = binary.data();
  if (cl.clGetProgramInfo(program, static_cast<cl_uint>(kProgramBinaries), sizeof data, &data,
                          nullptr) != kSuccess) {
    return {};
  }
  return binary;
}

/// Puts the program's binary into the host's cache.
///
/// To make a binary, PoCL compiles every kernel of the program for groups of any size. Launches do
/// not use these: each compiles its kernel for the size of its groups, and PoCL keeps the result in
/// its own cache. A binary saves a later process about 30 ms. So on PoCL a device spends at most
/// `kMost` of a process on binaries.
void keep(const Context& context, plugin::Host host, const std::string& key, cl_program program) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kMost{250};
  const bool is_costly = context.info().is_pocl && pocl_specialises();
  if (is_costly && context.time_of_binaries() >= kMost) return;
  const Clock::time_point start = Clock::now();
  const std::string binary = binary_of(context.cl(), program);
  if (!binary.empty()) host.cache_put(key, binary);
  if (is_costly) context.add_time_of_binaries(Clock::now() - start);
}

}  // namespace

ProgramHandle build_program(const Context& context, plugin::Host host, std::string_view text) {
  const DeviceInfo& info = context.info();
  // Suppress warnings, because some compilers print them and a library must not print.
  std::string options = "-cl-std=CL1.2 -w";
  if (info.divides_exactly) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  if (Subnormals::wanted(host).flushes()) options += " -cl-denorms-are-zero";
  std::string whole;
  if (!info.divides_exactly && info.has_f64) whole += "#define PATCHBAY_ROUNDS_TWICE 1\n";
  whole.append(kDialectText).append(text);
  RootFolder::check("kernel text is compiled");
  info.is_pocl ? check_pocl_can_compile() : check_working_directory();
  const std::string key = cache_key(info, options, whole);
  const BuildLock lock(info, key);
  const ProcessEnd::Pass pass(context.process_end());
  if (const auto binary = host.cache_get(key); binary && !binary->empty()) {
    if (ProgramHandle program = from_binary(context, options, *binary)) return program;
  }
  ProgramHandle program = from_source(context, options, whole);
  keep(context, host, key, program.get());
  return program;
}

}  // namespace patchbay::opencl
