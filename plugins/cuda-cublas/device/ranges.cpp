// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// NVTX: what a profiler (Nsight) shows of the program. No library of NVIDIA's is loaded but the
// profiler's own, as the header-only NVTX 3 does.
#include <memory>
#include <mutex>
#include <string>

#include "cuda-cublas/api/ranges_api.hpp"
#include "cuda-cublas/device/vendor.hpp"
#include "kit/library/library.hpp"
#include "kit/library/search.hpp"

namespace patchbay::cuda {
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
