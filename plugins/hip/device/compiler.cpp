// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "hip/device/compiler.hpp"

#include <string_view>

#include "hip/api/toolkit.hpp"

namespace patchbay::hip {
namespace {

class Rtc : public card::Rtc {
 public:
  Rtc(Library& library, card::Lazy<ComgrTable>& comgr) : comgr_(comgr) {
#define PATCHBAY_HIP_FIND(member, symbol) \
  member.name = #symbol;                  \
  library.find(member);
    PATCHBAY_HIP_RTC_SYMBOLS(PATCHBAY_HIP_FIND)
#undef PATCHBAY_HIP_FIND
  }

  /// The compiler ends the process for an architecture that it does not know, so the list is asked
  /// first.
  std::optional<Target> target_for(const std::string& architecture) const override {
    if (!comgr_.get().knows(architecture)) return std::nullopt;
    // -ffp-contract=off: products and sums round separately on every backend.
    return Target{{"--gpu-architecture=" + architecture, "-std=c++17", "-ffp-contract=off", "-w"},
                  true};
  }

 private:
  card::Lazy<ComgrTable>& comgr_;
};

}  // namespace

ComgrTable::ComgrTable(plugin::Host host, int driver_version) {
  // That of the compiler, which is not newer than the driver. The driver has mostly loaded it; 6.4
  // is the first with version 3.
  const std::vector<int> versions =
      driver_version >= 60400000 ? std::vector{3, 2} : std::vector{2, 3};
  Library library =
      card::library_of(host, "hip_comgr_library", companion_files("amd_comgr", versions),
                       &Library::loaded_or_first_of);
#define PATCHBAY_HIP_FIND(member, symbol, parameters) library.find(member);
  PATCHBAY_COMGR_ENTRIES(PATCHBAY_HIP_FIND)
#undef PATCHBAY_HIP_FIND
  if (library.is_complete()) return;
  plugin::unsupported("kernels need the list of hipRTC's architectures: " + library.why() +
                      ". Install ROCm's comgr, or name it by the setting hip_comgr_library");
}

bool ComgrTable::knows(const std::string& architecture) const {
  const std::string_view wanted = std::string_view(architecture).substr(0, architecture.find(':'));
  std::size_t count = 0;
  if (num_architectures(&count) != 0) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    if (architecture_name(i, &name) != 0 || name == nullptr) continue;
    // "amdgcn-amd-amdhsa--gfx90a", with features after another ':'.
    std::string_view known(name);
    known.remove_prefix(known.rfind('-', known.find(':')) + 1);
    if (known.substr(0, known.find(':')) == wanted) return true;
  }
  return false;
}

std::vector<std::string> Compiler::candidates() const {
  // A newer compiler's code may be more than the driver can load.
  std::vector<int> versions = {7, 6, 5};
  std::erase_if(versions, [this](int version) { return version > driver_major_; });
  std::vector<std::string> files = companion_files("hiprtc", versions);
  // Up to version 6 the driver's library has the compiler too.
  std::erase(versions, 7);
  const std::vector<std::string> drivers = companion_files("amdhip64", versions);
  files.insert(files.end(), drivers.begin(), drivers.end());
  return files;
}

std::unique_ptr<card::Rtc> Compiler::open(Library& library) const {
  return std::make_unique<Rtc>(library, comgr_);
}

}  // namespace patchbay::hip
