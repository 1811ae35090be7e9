// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "symbols.hpp"

#include <dlfcn.h>

#include <optional>
#include <vector>

#include "patchbay/plugin/kit/privileges.hpp"

namespace patchbay::cuda {
namespace {

constexpr int kOldestVersion = 11040;  // cuDeviceGetUuid_v2

/// An opened library, or why there is none.
struct Library {
  void* handle = nullptr;
  std::string file, why;
};

Library open(const std::optional<std::string>& path, std::vector<std::string> names) {
  if (path) names = {*path};
  Library library;
  for (const std::string& name : names) {
    library.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    library.file = name;
    if (library.handle != nullptr) return library;
    const char* const why = dlerror();
    if (library.why.empty()) library.why = why != nullptr ? why : name;
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

/// Of a library of the toolkit: the newest that the driver may know first, then whatever is there.
std::vector<std::string> names_of(const std::string& library, int driver_version) {
  const std::string file = "lib" + library + ".so";
  std::vector<std::string> names;
  for (const int major : {13, 12, 11}) {
    if (major > driver_version / 1000) continue;
    const bool has_minor = major == 11 && library == "nvrtc";
    names.push_back(file + "." + std::to_string(major) + (has_minor ? ".2" : ""));
  }
  names.insert(names.end(), {file, "/usr/local/cuda/lib64/" + file});
  return names;
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

RtcTable::RtcTable(plugin::Host host, int driver_version) {
  Library library = open(host.option("cuda_rtc_library"), names_of("nvrtc", driver_version));
  if (library.handle != nullptr) {
    library.why.clear();
    PATCHBAY_RTC_ENTRIES(PATCHBAY_FIND_ENTRY)
  }
  if (library.why.empty()) return;
  plugin::unsupported("kernels need NVRTC at run time: " + library.why +
                      ". Install it, or name it by the setting cuda_rtc_library");
}

BlasTable::BlasTable(plugin::Host host, int driver_version) {
  Library library = open(host.option("cuda_blas_library"), names_of("cublas", driver_version));
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
