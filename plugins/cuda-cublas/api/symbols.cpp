// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/api/symbols.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "patchbay/plugin/kit/privileges.hpp"

#include "cuda-cublas/api/toolkit.hpp"

namespace patchbay::cuda {
namespace {

constexpr int kOldestVersion = 11040;  // the first with cuDeviceGetUuid_v2

/// Opens the user's file if it is set, else the first of the names that can be opened.
Library open(const std::optional<std::string>& path, std::vector<std::string> names) {
  if (path) names = {*path};
  return Library::first_of(names, Library::Lifetime::kProcess);
}

/// The compiler opens the library of its built-in functions by its bare name, which the linker may
/// not find. If the library is open already, the linker uses that.
void open_builtins(const Library& library, const RtcTable& rtc) {
  int major = 0, minor = 0;
  if (rtc.version(&major, &minor) != kRtcSuccess) return;
  const std::string name =
      "/libnvrtc-builtins.so." + std::to_string(major) + "." + std::to_string(minor);
  for (const std::string& folder : folders_of(library.path())) {
    if (Library(folder + name, Library::Lifetime::kProcess)) return;
  }
}

[[noreturn]] void no_driver(const std::string& why) {
  throw plugin::StatusError(PATCHBAY_NO_DRIVER, why);
}

/// Called before the entries are looked up: "too old" is a better reason than a missing entry.
int version_of(Library& library) {
  Entry<int(int*)> get{"cuDriverGetVersion", nullptr};
  library.find(get);
  int version = 0;
  if (get.function == nullptr) no_driver(library.why());
  if (const int code = get(&version); code != kSuccess) {
    no_driver(library.file() + ": cuDriverGetVersion gives " + std::to_string(code) +
              "; is it a stub? Install a driver");
  }
  if (version < kOldestVersion) {
    no_driver(library.file() + " is a driver for CUDA " + version_text(version) + ", expected " +
              version_text(kOldestVersion) + " or newer; install a newer driver");
  }
  return version;
}

}  // namespace

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

#define PATCHBAY_FIND_ENTRY(member, symbol, parameters) library.find(member);

DriverTable::DriverTable(plugin::Host host) {
  plugin::refuse_raised_privileges("the driver", "CUDA_INJECTION64_PATH, CUDA_CACHE_PATH, HOME");
  const auto path = host.option("cuda_library");
  Library library = open(path, {"libcuda.so.1"});
  if (!library) {
    no_driver(library.why() + (path ? " (option cuda_library)" : "; install NVIDIA's driver"));
  }
  version = version_of(library);
  PATCHBAY_DRIVER_ENTRIES(PATCHBAY_FIND_ENTRY)
  if (!library.is_complete()) no_driver(library.why());
}

RtcTable::RtcTable(Library& library) { PATCHBAY_RTC_ENTRIES(PATCHBAY_FIND_ENTRY) }

bool RtcLibraries::open_next() {
  if (!has_candidates_) {
    const auto path = host_.option("cuda_rtc_library");
    const auto names = path ? std::vector{*path} : library_candidates("nvrtc", driver_version_);
    candidates_.assign(names.begin(), names.end());
    has_candidates_ = true;
  }
  for (; !candidates_.empty(); candidates_.pop_front()) {
    Library library(candidates_.front(), Library::Lifetime::kProcess);
    const bool is_known = std::count(libraries_.begin(), libraries_.end(), library) > 0;
    if (library && !is_known) {
      const RtcTable table(library);
      if (library.is_complete()) {
        open_builtins(library, table);
        libraries_.reserve(libraries_.size() + 1);  // so push_back below can't fail
        tables_.push_back(table);
        libraries_.push_back(std::move(library));
        return true;
      }
    }
    if (why_.empty()) why_ = library.why();
  }
  return false;
}

const RtcTable* RtcLibraries::at(std::size_t i) {
  const std::lock_guard lock(mutex_);
  while (tables_.size() <= i && open_next()) {
  }
  if (tables_.empty()) {
    plugin::unsupported("kernels need NVRTC at run time: " + why_ +
                        ". Install it, or name it by the setting cuda_rtc_library");
  }
  return i < tables_.size() ? &tables_[i] : nullptr;
}

BlasTable::BlasTable(plugin::Host host, int driver_version) {
  Library library =
      open(host.option("cuda_blas_library"), library_candidates("cublas", driver_version));
  PATCHBAY_BLAS_ENTRIES(PATCHBAY_FIND_ENTRY)
  if (library.is_complete()) return;
  plugin::unsupported("no cuBLAS: " + library.why() +
                      ". Install it, or name it by the setting cuda_blas_library");
}

#undef PATCHBAY_FIND_ENTRY

}  // namespace patchbay::cuda
