// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/device/compiler.hpp"

#include <algorithm>
#include <cstdlib>

#include "cuda-cublas/api/rtc_api.hpp"
#include "cuda-cublas/api/toolkit.hpp"
#include "kit/library/search.hpp"

namespace patchbay::cuda {
namespace {

class Rtc : public card::Rtc {
 public:
  explicit Rtc(Library& library) {
#define PATCHBAY_CUDA_FIND(member, symbol) \
  member.name = #symbol;                   \
  library.find(member);
    PATCHBAY_CUDA_RTC_SYMBOLS(PATCHBAY_CUDA_FIND)
#undef PATCHBAY_CUDA_FIND
#define PATCHBAY_CUDA_FIND(member, symbol, parameters) library.find(member);
    PATCHBAY_CUDA_RTC_OWN_ENTRIES(PATCHBAY_CUDA_FIND)
#undef PATCHBAY_CUDA_FIND
  }

  /// Machine code of the device, or assembly of the newest known architecture before it, which the
  /// driver translates.
  std::optional<Target> target_for(const std::string& architecture) const override {
    const int wanted = std::atoi(architecture.c_str() + architecture.find('_') + 1);
    int count = 0;
    if (num_architectures(&count) != card::kRtcSuccess) return std::nullopt;
    std::vector<int> known(static_cast<std::size_t>(count));
    if (architectures(known.data()) != card::kRtcSuccess) return std::nullopt;
    int best = 0;
    for (const int one : known) {
      if (one <= wanted) best = std::max(best, one);
    }
    if (best == 0) return std::nullopt;
    const bool is_code = best == wanted;
    // --fmad=false: products and sums round separately on every backend.
    return Target{
        {std::string("--gpu-architecture=") + (is_code ? "sm_" : "compute_") + std::to_string(best),
         "--std=c++17", "--fmad=false", "-w"},
        is_code};
  }
  const SizeEntry& size_entry(const Target& target) const override {
    return target.is_code ? code_size : assembly_size;
  }
  const ReadEntry& read_entry(const Target& target) const override {
    return target.is_code ? code : assembly;
  }

#define PATCHBAY_CUDA_MEMBER(member, symbol, parameters) \
  card::Entry<int parameters> member{#symbol, nullptr};
  PATCHBAY_CUDA_RTC_OWN_ENTRIES(PATCHBAY_CUDA_MEMBER)
#undef PATCHBAY_CUDA_MEMBER
};

/// The compiler opens the library of its built-in functions by its bare name, which the linker may
/// not find. If the library is open already, the linker uses that.
void open_builtins(const Library& library, const Rtc& rtc) {
  int major = 0, minor = 0;
  if (rtc.version(&major, &minor) != card::kRtcSuccess) return;
  const std::string name =
      "/libnvrtc-builtins.so." + std::to_string(major) + "." + std::to_string(minor);
  for (const std::string& folder : folders_of(library.path())) {
    if (Library(folder + name, Library::Lifetime::kProcess)) return;
  }
}

}  // namespace

std::vector<std::string> Compiler::candidates() const {
  return toolkit_files("nvrtc", driver_version_);
}

std::unique_ptr<card::Rtc> Compiler::open(Library& library) const {
  auto rtc = std::make_unique<Rtc>(library);
  if (library.is_complete()) open_builtins(library, *rtc);
  return rtc;
}

}  // namespace patchbay::cuda
