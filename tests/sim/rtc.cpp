// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The simulated run-time compiler: lets the kernel executor judge the text, and keeps it.
#include <dlfcn.h>

#include <array>
#include <cstring>
#include <string>

#include "config.h"
#include "cuda-cublas/api/rtc_api.hpp"
#include "entries.h"
#include "image.h"

namespace patchbay::cuda {

struct ProgramObject {
  std::string text, log;
  sim::Image image;
};

}  // namespace patchbay::cuda

using namespace patchbay::cuda;
using namespace patchbay::sim;

PATCHBAY_RTC_ENTRIES(PATCHBAY_SIM_DECLARE)

namespace {

constexpr std::array<int, 5> kArchitectures = {75, 80, 90, 100, 120};
constexpr int kInvalidOption = 5, kBuiltinOperationFailure = 7;

/// What comes before them: an older compiler knows an older card.
int oldest_architecture() { return static_cast<int>(setting("RTC_OLDEST", 75)); }
int minor_version() { return static_cast<int>(setting("RTC_MINOR", 0)); }

/// "sm_80" or "compute_80" of one that is known; 0 otherwise.
int read_architecture(const std::string& name) {
  const std::size_t digits = name.find('_') + 1;
  if (name.substr(digits) == std::to_string(oldest_architecture())) return oldest_architecture();
  for (const int known : kArchitectures) {
    if (name.substr(digits) == std::to_string(known)) return known;
  }
  return 0;
}

/// A library of its own, which the compiler opens by its bare name when it first compiles.
bool open_builtins(std::string& log) {
  const std::string file = "libnvrtc-builtins.so.99." + std::to_string(minor_version());
  if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return true;
  log = "nvrtc: error: failed to open " + file + ".\n  Make sure that " + file +
        " is installed correctly.";
  return false;
}

}  // namespace

int nvrtcVersion(int* major, int* minor) {
  *major = 99;  // nobody's: caches keep what compilers make by their version
  *minor = minor_version();
  return kRtcSuccess;
}

int nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(kArchitectures.size()) + 1;
  return kRtcSuccess;
}

int nvrtcGetSupportedArchs(int* architectures) {
  *architectures = oldest_architecture();
  std::memcpy(architectures + 1, kArchitectures.data(), sizeof kArchitectures);
  return kRtcSuccess;
}

int nvrtcCreateProgram(NativeProgram* program, const char* text, const char*, int,
                       const char* const*, const char* const*) {
  *program = new ProgramObject{without_dialect(text), {}, {}};
  return kRtcSuccess;
}

int nvrtcDestroyProgram(NativeProgram* program) {
  delete *program;
  *program = nullptr;
  return kRtcSuccess;
}

int nvrtcCompileProgram(NativeProgram program, int num_options, const char* const* options) {
  const std::string wanted = "--gpu-architecture=";
  bool fuses = true;
  program->image = {false, 0, program->text};
  for (int i = 0; i < num_options; ++i) {
    const std::string option = options[i];
    if (option == "--fmad=false") fuses = false;
    if (option.compare(0, wanted.size(), wanted) != 0) continue;
    program->image.is_code = option.find("sm_") != std::string::npos;
    program->image.architecture = read_architecture(option.substr(wanted.size()));
  }
  // The executor never fuses: a plugin that forgets to forbid it would give other bits for real.
  if (program->image.architecture == 0 || fuses) return kInvalidOption;
  if (!open_builtins(program->log)) return kBuiltinOperationFailure;
  try {
    load(program->text);
    return kRtcSuccess;
  } catch (const std::exception& error) {
    program->log = error.what();
    return kRtcErrorCompilation;
  }
}

int nvrtcGetCUBINSize(NativeProgram program, std::size_t* size) {
  *size = program->image.is_code ? program->image.to_bytes().size() + 1 : 0;
  return kRtcSuccess;
}

int nvrtcGetCUBIN(NativeProgram program, char* code) {
  const std::string bytes = program->image.to_bytes();
  std::memcpy(code, bytes.c_str(), bytes.size() + 1);
  return kRtcSuccess;
}

int nvrtcGetPTXSize(NativeProgram program, std::size_t* size) {
  *size = program->image.to_bytes().size() + 1;
  return kRtcSuccess;
}

int nvrtcGetPTX(NativeProgram program, char* text) { return nvrtcGetCUBIN(program, text); }

int nvrtcGetProgramLogSize(NativeProgram program, std::size_t* size) {
  *size = program->log.size() + 1;
  return kRtcSuccess;
}

int nvrtcGetProgramLog(NativeProgram program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return kRtcSuccess;
}
