// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_HIP_DEVICE_COMPILER_HPP_
#define PATCHBAY_PLUGINS_HIP_DEVICE_COMPILER_HPP_

#include <memory>
#include <string>
#include <vector>

#include "hip/api/driver.hpp"
#include "hip/api/rtc_api.hpp"
#include "kit/card/api/lazy.hpp"
#include "kit/card/kernels/compiler.hpp"

namespace patchbay::hip {

/// The list of architectures for which code can be made, of the compiler's code object manager.
struct ComgrTable {
  /// Throws `unsupported` with the reason.
  ComgrTable(plugin::Host host, int driver_version);
  /// `architecture` may have features after its name: "gfx90a:sramecc+:xnack-".
  bool knows(const std::string& architecture) const;

#define PATCHBAY_HIP_MEMBER(member, symbol, parameters) \
  Symbol<int parameters> member{#symbol, nullptr};
  PATCHBAY_COMGR_ENTRIES(PATCHBAY_HIP_MEMBER)
#undef PATCHBAY_HIP_MEMBER
};

/// hipRTC. It makes machine code for one architecture with its features.
class Compiler : public card::Compiler {
 public:
  Compiler(plugin::Host host, int driver_version)
      : card::Compiler(host, {"hipRTC", "hip_rtc_library", "hip", "-fgpu-flush-denormals-to-zero"}),
        driver_major_(major_version(driver_version)),
        comgr_(host, driver_version) {}

 protected:
  std::vector<std::string> candidates() const override;
  std::unique_ptr<card::Rtc> open(Library& library) const override;

 private:
  const int driver_major_;
  mutable card::Lazy<ComgrTable> comgr_;
};

}  // namespace patchbay::hip

#endif  // PATCHBAY_PLUGINS_HIP_DEVICE_COMPILER_HPP_
