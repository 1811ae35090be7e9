// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What only AMD's compiler has: a code object manager, which lists the architectures. For another
// one the compiler ends the process.
#include "sim/rtc.h"

#include <array>
#include <cstdlib>
#include <string>

#include "sim/config.h"

using namespace patchbay;
using namespace patchbay::sim;

PATCHBAY_COMGR_ENTRIES(PATCHBAY_SIM_DECLARE_OWN)

namespace {

constexpr std::array kArchitectures = {"amdgcn-amd-amdhsa--gfx906", "amdgcn-amd-amdhsa--gfx90a",
                                       "amdgcn-amd-amdhsa--gfx1030"};
constexpr int kInvalidOption = 5;

bool is_known(const std::string& architecture) {
  for (const std::string known : kArchitectures) {
    if (known.substr(known.rfind('-') + 1) == architecture.substr(0, architecture.find(':')))
      return true;
  }
  return false;
}

}  // namespace

namespace patchbay::sim {

RtcResult version(int* major, int* minor) {
  *major = 99;  // nobody's: caches keep the output of compilers by their version
  *minor = 0;
  return kRtcSuccess;
}

RtcResult compile(NativeProgram program, int num_options, const char* const* options) {
  const std::string wanted = "--gpu-architecture=";
  bool fuses = true, flushes = false;
  std::string architecture;
  for (int i = 0; i < num_options; ++i) {
    const std::string option = options[i];
    if (option == "-ffp-contract=off") fuses = false;
    if (option == "-fgpu-flush-denormals-to-zero") flushes = true;
    if (option.compare(0, wanted.size(), wanted) == 0) architecture = option.substr(wanted.size());
  }
  if (architecture.empty() || fuses) return kInvalidOption;
  if (!is_known(architecture)) std::abort();
  return build(*program, true, architecture, flushes);
}

}  // namespace patchbay::sim

int amd_comgr_get_isa_count(std::size_t* count) {
  *count = kArchitectures.size();
  return 0;
}

int amd_comgr_get_isa_name(std::size_t index, const char** name) {
  if (index >= kArchitectures.size()) return 1;
  *name = kArchitectures[index];
  return 0;
}
