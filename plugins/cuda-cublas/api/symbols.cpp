// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/api/symbols.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "patchbay/plugin/kit/privileges.hpp"

#include "cuda-cublas/api/toolkit.hpp"

namespace patchbay::cuda {
namespace {

constexpr int kOldestVersion = 11040;  // cuDeviceGetUuid_v2

/// Opens the file, or notes why that fails, unless another file's reason is noted.
void open(Library& library, const std::string& file) {
  library.file = file;
  library.handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  const char* const why = library.handle == nullptr ? dlerror() : nullptr;
  if (why != nullptr && library.why.empty()) library.why = why;
}

Library open(const std::optional<std::string>& path, std::vector<std::string> names) {
  if (path) names = {*path};
  Library library;
  for (const std::string& name : names) {
    open(library, name);
    if (library.handle != nullptr) break;
  }
  return library;
}

/// Notes the first entry that the library lacks.
template <class Function>
void find(Library& library, Entry<Function>& entry) {
  void* const found = dlsym(library.handle, entry.name);
  entry.function = reinterpret_cast<decltype(entry.function)>(found);
  if (found == nullptr && library.why.empty()) {
    library.why = library.file + ": no symbol " + entry.name;
  }
}

/// The compiler looks for its built-in functions by the bare name of their library, and so finds
/// them only where the linker looks by itself. One that is open already is found.
void open_builtins(void* handle, const RtcTable& rtc) {
  const link_map* map = nullptr;
  int major = 0, minor = 0;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || rtc.version(&major, &minor) != kRtcSuccess) {
    return;
  }
  const std::string name =
      "/libnvrtc-builtins.so." + std::to_string(major) + "." + std::to_string(minor);
  for (const std::string& folder : folders_of(map->l_name)) {
    Library builtins;
    open(builtins, folder + name);
    if (builtins.handle != nullptr) return;
  }
}

[[noreturn]] void no_driver(const std::string& why) {
  throw plugin::StatusError(PATCHBAY_NO_DRIVER, why);
}

/// Asked first: an old driver lacks entries, and that is the better reason.
int version_of(Library& library) {
  Entry<int(int*)> get{"cuDriverGetVersion", nullptr};
  find(library, get);
  int version = 0;
  if (get.function == nullptr) no_driver(library.why);
  if (const int code = get(&version); code != kSuccess) {
    no_driver(library.file + ": cuDriverGetVersion gives " + std::to_string(code) +
              "; is it a stub? Install a driver");
  }
  if (version < kOldestVersion) {
    no_driver(library.file + " is a driver for CUDA " + version_text(version) + ", expected " +
              version_text(kOldestVersion) + " or newer; install a newer driver");
  }
  return version;
}

}  // namespace

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

#define PATCHBAY_FIND_ENTRY(member, symbol, parameters) find(library, member);

DriverTable::DriverTable(plugin::Host host) {
  plugin::refuse_raised_privileges("the driver", "CUDA_INJECTION64_PATH, CUDA_CACHE_PATH, HOME");
  const auto path = host.option("cuda_library");
  Library library = open(path, {"libcuda.so.1"});
  if (library.handle == nullptr) {
    no_driver(library.why + (path ? " (option cuda_library)" : "; install NVIDIA's driver"));
  }
  library.why.clear();
  version = version_of(library);
  PATCHBAY_DRIVER_ENTRIES(PATCHBAY_FIND_ENTRY)
  if (!library.why.empty()) no_driver(library.why);
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
    Library library;
    open(library, candidates_.front());
    const bool is_known = std::count(handles_.begin(), handles_.end(), library.handle) > 0;
    if (library.handle != nullptr && !is_known) {
      const RtcTable table(library);
      if (library.why.empty()) {
        open_builtins(library.handle, table);
        handles_.reserve(handles_.size() + 1);  // both or none, if the host's memory is short
        tables_.push_back(table);
        handles_.push_back(library.handle);
        return true;
      }
    }
    if (why_.empty()) why_ = library.why;
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
  if (library.handle != nullptr) {
    library.why.clear();
    PATCHBAY_BLAS_ENTRIES(PATCHBAY_FIND_ENTRY)
  }
  if (library.why.empty()) return;
  plugin::unsupported("no cuBLAS: " + library.why +
                      ". Install it, or name it by the setting cuda_blas_library");
}

#undef PATCHBAY_FIND_ENTRY

}  // namespace patchbay::cuda
