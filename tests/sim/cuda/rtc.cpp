// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What only NVIDIA's compiler has: assembly, a list of architectures, and a library of built-in
// functions.
#include "sim/rtc.h"

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <string>

#include "sim/config.h"

using namespace patchbay;
using namespace patchbay::sim;

PATCHBAY_CUDA_RTC_OWN_ENTRIES(PATCHBAY_SIM_DECLARE_OWN)

namespace {

constexpr std::array<int, 5> kArchitectures = {75, 80, 90, 100, 120};
constexpr int kInvalidOption = 5, kBuiltinOperationFailure = 7;

/// Comes before the others: an older compiler knows an older card.
int oldest_architecture() { return static_cast<int>(setting("RTC_OLDEST", 75)); }
int minor_version() { return static_cast<int>(setting("RTC_MINOR", 0)); }

/// Of "sm_80" or "compute_80"; empty if it is not known.
std::string known_architecture(const std::string& name) {
  const std::string digits = name.substr(name.find('_') + 1);
  if (digits == std::to_string(oldest_architecture())) return digits;
  for (const int known : kArchitectures) {
    if (digits == std::to_string(known)) return digits;
  }
  return {};
}

/// The compiler opens this library by its bare name when it first compiles.
bool open_builtins(std::string& log) {
  const std::string file = "libnvrtc-builtins.so.99." + std::to_string(minor_version());
  if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return true;
  log = "nvrtc: error: failed to open " + file + ".\n  Make sure that " + file +
        " is installed correctly.";
  return false;
}

}  // namespace

namespace patchbay::sim {

RtcResult version(int* major, int* minor) {
  *major = 99;  // nobody's: caches keep the output of compilers by their version
  *minor = minor_version();
  return kRtcSuccess;
}

RtcResult compile(NativeProgram program, int num_options, const char* const* options) {
  const std::string wanted = "--gpu-architecture=";
  bool fuses = true, is_code = false, flushes = false;
  std::string architecture;
  for (int i = 0; i < num_options; ++i) {
    const std::string option = options[i];
    if (option == "--fmad=false") fuses = false;
    if (option == "--ftz=true") flushes = true;
    if (option.compare(0, wanted.size(), wanted) != 0) continue;
    is_code = option.find("sm_") != std::string::npos;
    architecture = known_architecture(option.substr(wanted.size()));
  }
  // The executor never fuses. A plugin that does not forbid it would get other bits from a real
  // compiler.
  if (architecture.empty() || fuses) return kInvalidOption;
  if (!open_builtins(program->log)) return kBuiltinOperationFailure;
  return build(*program, is_code, architecture, flushes);
}

}  // namespace patchbay::sim

int nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(kArchitectures.size()) + 1;
  return kRtcSuccess;
}

int nvrtcGetSupportedArchs(int* architectures) {
  *architectures = oldest_architecture();
  std::memcpy(architectures + 1, kArchitectures.data(), sizeof kArchitectures);
  return kRtcSuccess;
}

int nvrtcGetPTXSize(NativeProgram program, std::size_t* size) {
  *size = program->image.to_bytes().size() + 1;
  return kRtcSuccess;
}

int nvrtcGetPTX(NativeProgram program, char* text) { return code(program, text); }
