// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The functions of cuDNN, the descriptors of its graphs, and how graphs are computed.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DNN_GRAPH_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DNN_GRAPH_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "patchbay/plugin/kit/host.hpp"

#include "cuda-cublas/api/dnn_api.hpp"
#include "kit/card/context/stream.hpp"
#include "kit/card/kernels/device_library.hpp"

namespace patchbay::cuda {

/// The functions of the library, which stays loaded.
struct DnnTable {
  static constexpr const char* kSetting = "cuda_dnn_library";  // names the file

  /// Throws `unsupported` with the reason and what to install.
  DnnTable(plugin::Host host, int driver_version);

  std::string file;  // where it was found
  std::size_t version = 0;
#define PATCHBAY_CUDA_MEMBER(member, symbol, parameters) \
  card::Entry<int parameters> member{#symbol, nullptr};
  PATCHBAY_DNN_ENTRIES(PATCHBAY_CUDA_MEMBER)
#undef PATCHBAY_CUDA_MEMBER
};

/// Owns a descriptor of the library. A failing call throws the error of its status.
class DnnDescriptor {
 public:
  DnnDescriptor() = default;
  DnnDescriptor(card::DeviceLibrary& library, const DnnTable& table, int kind);
  DnnDescriptor(DnnDescriptor&& other) noexcept { *this = std::move(other); }
  DnnDescriptor& operator=(DnnDescriptor&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(table_, other.table_);
    std::swap(native_, other.native_);
    return *this;
  }
  ~DnnDescriptor();

  NativeDescriptor native() const { return native_; }
  template <std::size_t N, class T>
  DnnDescriptor& set(int attribute, int type, const std::array<T, N>& values) {
    return set(attribute, type, N, values.data());
  }
  template <class T>
  DnnDescriptor& set(int attribute, int type, T value) {
    return set(attribute, type, std::array{value});
  }
  DnnDescriptor& set(int attribute, const DnnDescriptor& value) {
    return set(attribute, kDnnTypeDescriptor, value.native_);
  }
  /// 1 and 0, in the type in which the library sums: it reads them as that.
  DnnDescriptor& set_factors(int alpha, int beta, bool is_f64);
  /// Returns how many values there are; at most `most` are written.
  std::int64_t get(int attribute, int type, std::int64_t most, void* values) const;
  /// Ends a chain of `set`: finalizes the descriptor and moves it out.
  DnnDescriptor finalized();

 private:
  DnnDescriptor& set(int attribute, int type, std::int64_t count, const void* values);

  card::DeviceLibrary* library_ = nullptr;
  const DnnTable* table_ = nullptr;
  NativeDescriptor native_ = nullptr;
};

/// A tensor of a graph.
struct DnnTensorOf {
  std::int64_t id;
  int type;
  std::array<std::int64_t, 4> extents, strides;
  bool is_by_value = false;  // one number in the host's memory, read when the plan is executed

  /// The library's fast algorithms read so many bytes at once.
  static constexpr std::int64_t kAlignmentBytes = 16;
};

/// How a graph is computed.
struct DnnPlan {
  DnnDescriptor descriptor;
  std::uint64_t workspace_bytes;
};

/// Makes and executes graphs. The caller has locked the handle.
class DnnGraphs {
 public:
  DnnGraphs(card::DeviceLibrary& library, const DnnTable& table, NativeDnn handle)
      : library_(&library), table_(&table), handle_(handle) {}

  DnnDescriptor descriptor(int kind) const { return {*library_, *table_, kind}; }
  DnnDescriptor tensor(const DnnTensorOf& of) const;
  DnnDescriptor graph(const DnnDescriptor& operation) const;
  /// The first of the library's proposals that needs no larger workspace and whose numerical notes
  /// are all allowed. Empty if there is none, or if a call of the library fails, also within
  /// `make`: then the library can't compute the graph.
  std::optional<DnnPlan> find_plan(const std::function<DnnDescriptor(const DnnGraphs&)>& make,
                                   const std::function<bool(int note)>& allows,
                                   std::uint64_t most_workspace_bytes) const;
  /// The tensors' memory by their numbers. A number by value is a pointer to it.
  template <std::size_t N>
  void execute(std::string_view name, card::Stream& stream, const DnnPlan& plan,
               const std::array<std::int64_t, N>& ids, const std::array<void*, N>& pointers,
               void* workspace) const {
    library_->call(name, table_->set_stream, handle_, stream.native());
    const DnnDescriptor pack = descriptor(kDnnVariantPack)
                                   .set(kDnnPackIds, kDnnTypeInt64, ids)
                                   .set(kDnnPackPointers, kDnnTypePointer, pointers)
                                   .set(kDnnPackWorkspace, kDnnTypePointer, workspace)
                                   .finalized();
    library_->call(name, table_->execute, handle_, plan.descriptor.native(), pack.native());
  }

 private:
  std::optional<DnnPlan> propose(const DnnDescriptor& graph, int mode,
                                 const std::function<bool(int note)>& allows,
                                 std::uint64_t most_workspace_bytes) const;
  bool are_allowed(const DnnDescriptor& config, const std::function<bool(int note)>& allows) const;
  /// The library also gives these codes where it finds no room for a kernel's code. Throws out of
  /// memory then, so that the answer is not kept.
  void check_room(const std::string& failure, DnnResult code) const;

  card::DeviceLibrary* library_;
  const DnnTable* table_;
  NativeDnn handle_;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DNN_GRAPH_HPP_
