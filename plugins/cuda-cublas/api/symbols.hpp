// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The vendor's libraries, opened at run time. They are never unloaded, because they keep threads.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_API_SYMBOLS_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_API_SYMBOLS_HPP_

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "patchbay/plugin/kit/host.hpp"

#include "cuda-cublas/api/blas_api.hpp"
#include "cuda-cublas/api/driver_api.hpp"
#include "cuda-cublas/api/rtc_api.hpp"
#include "kit/library/library.hpp"

namespace patchbay::cuda {

template <class Signature>
using Entry = Symbol<Signature>;

#define PATCHBAY_TABLE_ENTRY(member, symbol, parameters) \
  Entry<int parameters> member{#symbol, nullptr};

struct DriverTable {
  /// Opens the file of the option cuda_library, else libcuda.so.1. Throws PATCHBAY_NO_DRIVER with
  /// the reason, also if the driver is too old.
  explicit DriverTable(plugin::Host host);

  int version = 0;  // 1000 * major + 10 * minor
  PATCHBAY_DRIVER_ENTRIES(PATCHBAY_TABLE_ENTRY)
};

struct RtcTable {
  /// If the library lacks a function, `library.why()` names it.
  explicit RtcTable(Library& library);

  PATCHBAY_RTC_ENTRIES(PATCHBAY_TABLE_ENTRY)
};

/// The installed run-time compilers, one per version: new ones don't support old devices, and old
/// ones don't support new devices. Thread-safe.
class RtcLibraries {
 public:
  RtcLibraries(plugin::Host host, int driver_version)
      : host_(host), driver_version_(driver_version) {}

  /// The compiler number i, which is opened at its first use; null if there are fewer. Throws
  /// `unsupported`, with the reason and what to install, if there is none at all.
  const RtcTable* at(std::size_t i);

 private:
  bool open_next();

  const plugin::Host host_;
  const int driver_version_;
  std::mutex mutex_;
  bool has_candidates_ = false;
  std::deque<std::string> candidates_;  // not tried yet
  std::string why_;                     // why the first candidate could not be opened
  std::vector<Library> libraries_;
  std::deque<RtcTable> tables_;
};

struct BlasTable {
  /// Throws `unsupported` with the reason and what to install.
  BlasTable(plugin::Host host, int driver_version);

  PATCHBAY_BLAS_ENTRIES(PATCHBAY_TABLE_ENTRY)
};

#undef PATCHBAY_TABLE_ENTRY

/// Opens a library at its first use.
template <class Table>
class Lazy {
 public:
  /// The library must work with this driver version.
  Lazy(plugin::Host host, int driver_version) : host_(host), driver_version_(driver_version) {}

  /// If the table's constructor throws, each call throws the same.
  const Table& get() {
    const std::lock_guard lock(mutex_);
    if (!table_) table_.emplace(host_, driver_version_);
    return *table_;
  }

 private:
  const plugin::Host host_;
  const int driver_version_;
  std::mutex mutex_;
  std::optional<Table> table_;
};

/// For example "13.0" for 13000.
std::string version_text(int version);

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_API_SYMBOLS_HPP_
