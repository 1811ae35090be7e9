// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The types and constants of the three binary interfaces: the standard's (MPI 5.0, chapter 20),
// Open MPI's since 4.0, and MPICH's since 3.1, which Intel MPI and MVAPICH share.
#ifndef PATCHBAY_PLUGINS_MPI_LIBRARY_ABIS_HPP_
#define PATCHBAY_PLUGINS_MPI_LIBRARY_ABIS_HPP_

#include <cstddef>
#include <cstdint>

#include "kit/library/library.hpp"
#include "mpi/library/mpi.hpp"

namespace patchbay::mpi {

/// Handles are pointers, to objects that the library exports.
struct OpenMpiAbi {
  using Comm = void*;
  using Datatype = void*;
  using Request = void*;
  using Errhandler = void*;
  struct Status {
    int source, tag, error, cancelled;
    std::size_t count;
  };
  static constexpr int kErrInStatus = 18, kErrPending = 19;
  static constexpr int kErrProcFailed = 75, kErrProcFailedPending = 76;
  static constexpr int kLevels[] = {0, 1, 2, 3};
  static constexpr int kMaxText = 512;

  static const char* missing(const Library& library, OpenMpiAbi& abi) {
    for (const auto& [name, handle] :
         {Export{"ompi_mpi_comm_world", &abi.world}, Export{"ompi_mpi_byte", &abi.byte},
          Export{"ompi_mpi_errors_return", &abi.errors_return},
          Export{"ompi_request_null", &abi.request_null}}) {
      *handle = library.optional(name);
      if (*handle == nullptr) return name;
    }
    return nullptr;
  }

  void *world = nullptr, *byte = nullptr, *errors_return = nullptr, *request_null = nullptr;

 private:
  struct Export {
    const char* name;
    void** handle;
  };
};

/// Handles are numbers.
struct MpichAbi {
  using Comm = int;
  using Datatype = int;
  using Request = int;
  using Errhandler = int;
  struct Status {
    int count_low, count_high_and_cancelled, source, tag, error;
  };
  static constexpr int kErrInStatus = 17, kErrPending = 18;
  static constexpr int kErrProcFailed = 101, kErrProcFailedPending = 102;
  static constexpr int kLevels[] = {0, 1, 2, 3};
  static constexpr int kMaxText = 512;

  static const char* missing(const Library&, MpichAbi&) { return nullptr; }

  int world = 0x44000000, byte = 0x4c00010d, errors_return = 0x54000001, request_null = 0x2c000000;
};

/// Handles are pointers whose values the standard gives.
struct StandardAbi {
  using Comm = void*;
  using Datatype = void*;
  using Request = void*;
  using Errhandler = void*;
  struct Status {
    int source, tag, error, internal[5];
  };
  static constexpr int kErrInStatus = 19, kErrPending = 18;
  // Fault tolerance is not in the standard.
  static constexpr int kErrProcFailed = -1, kErrProcFailedPending = -1;
  static constexpr int kLevels[] = {0, 1024, 2048, 4096};
  static constexpr int kMaxText = 512;

  static const char* missing(const Library&, StandardAbi&) { return nullptr; }
  static void* handle(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

  void *world = handle(0x101), *byte = handle(0x247), *errors_return = handle(0x143),
       *request_null = handle(0x180);
};

}  // namespace patchbay::mpi

#endif  // PATCHBAY_PLUGINS_MPI_LIBRARY_ABIS_HPP_
