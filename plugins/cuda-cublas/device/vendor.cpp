// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/device/vendor.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/error.hpp"

#include "cuda-cublas/api/ranges_api.hpp"
#include "kit/card/api/entries.hpp"
#include "kit/library/library.hpp"
#include "kit/library/search.hpp"

namespace patchbay::cuda {
namespace {

/// "GPU-5e6f0a1b-0000-0000-0000-000000000001"; a part of a card begins with "MIG-".
std::string uuid_text(std::string_view prefix, const card::Uuid& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(prefix);
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

Management::Management(plugin::Host host, int) {
  Library library(host.option("cuda_management_library").value_or("libnvidia-ml.so.1"),
                  Library::Lifetime::kProcess);
#define PATCHBAY_CUDA_FIND(member, symbol, parameters) library.find(member);
  PATCHBAY_NVML_ENTRIES(PATCHBAY_CUDA_FIND)
#undef PATCHBAY_CUDA_FIND
  if (!library.is_complete()) plugin::unsupported("no NVML: " + library.why());
  if (const int code = initialise(); code != 0) {
    plugin::unsupported(std::string(initialise.name) + " gives " + std::to_string(code));
  }
}

plugin::Allocator::Info Management::memory_info(const card::DeviceInfo& info) const {
  for (const char* prefix : {"GPU-", "MIG-"}) {
    ManagedDevice device = nullptr;
    ManagedMemory found{};
    const bool is_known = find_device(uuid_text(prefix, info.uuid).c_str(), &device) == 0;
    if (is_known && memory(device, &found) == 0) return {found.free_bytes, found.total_bytes};
  }
  plugin::unsupported("NVML does not know this device");
}

int Vendor::old_version() const {
  constexpr int kNewest = 12990;  // any of CUDA 12
  return std::min(own_api().version, kNewest);
}

std::unique_ptr<card::Products> Vendor::make_products(card::Context& context,
                                                      const card::DeviceInfo& info) {
  return std::make_unique<Blas>(context, info, choices_,
                                is_before_cuda_13(info) ? old_blas_ : blas());
}

std::unique_ptr<card::DnnLibrary> Vendor::make_dnn(card::Context& context) {
  return std::make_unique<Dnn>(context, choices_, dnn_);
}

std::unique_ptr<card::Layers> Vendor::make_layers(card::Context& context,
                                                  const card::DeviceInfo& info) {
  return std::make_unique<BlasLt>(context, choices_,
                                  is_before_cuda_13(info) ? old_blas_lt_ : blas_lt_);
}

card::DeviceInfo Vendor::device(int index) const {
  DeviceNumber number = 0;
  card::call(api(), own_api().device_get, &number, index);
  card::DeviceInfo info =
      card::device_info(api(), number,
                        {kMultiprocessorCount, kWarpSize, kMaxThreadsPerBlock, kIntegrated,
                         kL2CacheBytes, kSharedMemoryBytes, kClockKhz, kMemoryClockKhz});
  int major = 0, minor = 0;
  card::call(api(), api().device_attribute, &major, kCapabilityMajor, number);
  card::call(api(), api().device_attribute, &minor, kCapabilityMinor, number);
  // CUDA C++ Programming Guide, kernel parameters: since CUDA 12.1, from compute capability 7.0 on.
  if (api().version >= 12010 && major >= 7) info.argument_bytes = 32764;
  info.architecture = "sm_" + std::to_string(10 * major + minor);
  return info;
}

// NVTX: what a profiler (Nsight) shows of the program. No library of NVIDIA's is loaded but the
// profiler's own, as the header-only NVTX 3 does.

namespace {

/// A profiler's library, and the functions that it has set. The library keeps the addresses of
/// `functions`, so a started profiler is never freed.
struct Profiler {
  std::string file;
  AnyFunction functions[kNumPlaces] = {};
  AnyFunction* places[kNumPlaces + 1] = {};  // ends with null
  Profiler* next = nullptr;
};
constinit std::mutex mutex;
/// The started profilers. While one is being started, it is the first.
constinit Profiler* profilers = nullptr;

int places_of(int module, AnyFunction*** table, unsigned* count) {
  if (module != kCoreModule) return 0;
  if (table != nullptr) *table = profilers->places;
  if (count != nullptr) *count = kNumPlaces;
  return 1;
}

const void* export_table(std::uint32_t number) {
  static constexpr CallbackTables kCallbacks = {sizeof(CallbackTables), places_of};
  static constexpr VersionTable kVersion = {sizeof(VersionTable), kInterfaceVersion, 0,
                                            [](std::uint32_t) {}};
  if (number == kCallbackTables) return &kCallbacks;
  if (number == kVersionTable) return &kVersion;
  return nullptr;
}

/// Returns why it does not start; empty if it does. The caller holds the mutex.
std::string start(const std::string& file) {
  Library library(file, Library::Lifetime::kProcess);
  InitialiseInjection initialise = nullptr;
  library.find(kInjectionSymbol, initialise);
  if (!library.is_complete()) return library.why();
  auto started = std::make_unique<Profiler>();
  started->file = file;
  for (unsigned i = 1; i < kNumPlaces; ++i) started->places[i] = &started->functions[i];
  started->next = profilers;
  stay_loaded(&profilers);
  profilers = started.get();
  if (initialise(export_table) == 0) {
    profilers = started->next;
    return file + " does not start";
  }
  static_cast<void>(started.release());
  return {};
}

const Profiler* find(const std::string& file) {
  const Profiler* found = profilers;
  while (found != nullptr && found->file != file) found = found->next;
  return found;
}

}  // namespace

card::RangeCalls Vendor::find_range_calls(plugin::Host host) {
  const std::string file =
      host.option("cuda_ranges_library").value_or(environment(kInjectionVariable));
  if (file.empty()) {
    host.log(PATCHBAY_LOG_INFO,
             std::string("no profiler for ranges: ") + kInjectionVariable + " is not set");
    return {};
  }
  const std::lock_guard lock(mutex);
  const Profiler* profiler = find(file);
  if (profiler == nullptr) {
    if (const std::string why = start(file); !why.empty()) {
      host.log(PATCHBAY_LOG_WARNING, "no ranges: " + why);
      return {};
    }
    profiler = profilers;
  }
  const card::RangeCalls found = {
      reinterpret_cast<int (*)(const char*)>(profiler->functions[kPushPlace]),
      reinterpret_cast<int (*)()>(profiler->functions[kPopPlace])};
  return found.push != nullptr && found.pop != nullptr ? found : card::RangeCalls{};
}

}  // namespace patchbay::cuda
