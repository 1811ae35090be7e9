// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// oneDNN, if it is installed: convolutions on one thread, in layouts that it chooses. The
// application may use the same file, so nothing in it is changed.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_ONEDNN_ONEDNN_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_ONEDNN_ONEDNN_HPP_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kit/library/library.hpp"
#include "kit/windows.hpp"

namespace patchbay::cpu::dnnl {

// The oneDNN functions that this plugin uses, declared here so that no vendor header is needed.
// Versions 2 and 3 differ in how layouts and convolutions are described, and are alike in the rest.

// The library's objects.
struct Engine;
struct Stream;
struct Attributes;
struct Descriptor;  // of a primitive
struct Primitive;
struct Memory;

/// Where the elements of a tensor lie ("memory descriptor"): a struct in version 2, an object in
/// version 3, an address in both.
using LayoutAddress = const void*;

struct Argument {
  int number;
  Memory* memory;
};

struct Version {
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime, gpu_runtime;
};

/// The numbers of both versions.
inline constexpr int kMostDims = 12;
inline constexpr int kF32 = 3, kAnyTag = 1, kCpu = 1, kInOrder = 1, kUserScratchpad = 1;
inline constexpr int kForwardTraining = 64, kDirect = 1;
inline constexpr int kQueryImplementation = 8, kQuerySource = 129, kQuerySourceGradient = 130,
                     kQueryWeight = 131, kQueryWeightGradient = 132, kQueryResult = 133,
                     kQueryResultGradient = 134, kQueryScratchpad = 136;
inline constexpr int kSource = 1, kResult = 17, kWeight = 33, kScratchpad = 80,
                     kSourceGradient = 129, kResultGradient = 145, kWeightGradient = 161;
inline constexpr unsigned kSequential = 1, kOpenMp = 2;  // runtimes

/// The structs of version 2, of which only the sizes matter here.
inline constexpr std::size_t kLayoutBytes = 1024, kConvolutionBytes = 16384;

using Dims = std::int64_t[kMostDims];

// name in the library, member, signature; all return a status, 0 for success, unless said
#define PATCHBAY_DNNL_COMMON(symbol)                                                              \
  symbol("dnnl_version", version, const Version*()) symbol(                                       \
      "dnnl_engine_create", engine_create,                                                        \
      int(Engine**, int kind, std::size_t index)) symbol("dnnl_engine_destroy", engine_destroy,   \
                                                         int(Engine*))                            \
      symbol("dnnl_stream_create", stream_create, int(Stream**, Engine*, unsigned flags)) symbol( \
          "dnnl_stream_destroy", stream_destroy, int(Stream*)) symbol("dnnl_stream_wait",         \
                                                                      stream_wait, int(Stream*))  \
          symbol("dnnl_primitive_attr_create", attributes_create, int(Attributes**)) symbol(      \
              "dnnl_primitive_attr_destroy", attributes_destroy,                                  \
              int(Attributes*)) symbol("dnnl_primitive_attr_set_scratchpad_mode",                 \
                                       set_scratchpad_mode, int(Attributes*, int))                \
              symbol("dnnl_primitive_desc_destroy", descriptor_destroy, int(Descriptor*)) symbol( \
                  "dnnl_primitive_desc_query", query,                                             \
                  int(const Descriptor*, int what, int index, void*))                             \
                  symbol("dnnl_primitive_desc_query_md", query_layout,                            \
                         LayoutAddress(const Descriptor*, int what, int index))                   \
                      symbol("dnnl_primitive_create", primitive_create,                           \
                             int(Primitive**, const Descriptor*))                                 \
                          symbol("dnnl_primitive_destroy", primitive_destroy, int(Primitive*))    \
                              symbol("dnnl_primitive_execute", execute,                           \
                                     int(const Primitive*, Stream*, int count, const Argument*))  \
                                  symbol("dnnl_memory_create", memory_create,                     \
                                         int(Memory**, LayoutAddress, Engine*, void* data))       \
                                      symbol("dnnl_memory_destroy", memory_destroy, int(Memory*)) \
                                          symbol("dnnl_memory_desc_get_size", size_bytes,         \
                                                 std::size_t(LayoutAddress))                      \
                                              symbol("dnnl_memory_desc_equal", equal,             \
                                                     int(LayoutAddress, LayoutAddress))           \
                                                  symbol("dnnl_reorder_primitive_desc_create",    \
                                                         reorder,                                 \
                                                         int(Descriptor**, LayoutAddress from,    \
                                                             Engine*, LayoutAddress to, Engine*,  \
                                                             const Attributes*))

#define PATCHBAY_DNNL_VERSION_2(symbol)                                                           \
  symbol("dnnl_memory_desc_init_by_strides", layout_by_strides,                                   \
         int(void* layout, int rank, const std::int64_t* dims, int dtype,                         \
             const std::int64_t* strides))                                                        \
      symbol("dnnl_memory_desc_init_by_tag", layout_by_tag,                                       \
             int(void* layout, int rank, const std::int64_t* dims, int dtype, int tag))           \
          symbol("dnnl_dilated_convolution_forward_desc_init", forward,                           \
                 int(void* convolution, int kind, int algorithm, LayoutAddress source,            \
                     LayoutAddress weight, LayoutAddress bias, LayoutAddress result,              \
                     const std::int64_t* strides, const std::int64_t* dilations,                  \
                     const std::int64_t* before, const std::int64_t* after))                      \
              symbol("dnnl_dilated_convolution_backward_data_desc_init", backward_data,           \
                     int(void* convolution, int algorithm, LayoutAddress source,                  \
                         LayoutAddress weight, LayoutAddress result, const std::int64_t* strides, \
                         const std::int64_t* dilations, const std::int64_t* before,               \
                         const std::int64_t* after))                                              \
                  symbol("dnnl_dilated_convolution_backward_weights_desc_init", backward_weights, \
                         int(void* convolution, int algorithm, LayoutAddress source,              \
                             LayoutAddress weight, LayoutAddress bias, LayoutAddress result,      \
                             const std::int64_t* strides, const std::int64_t* dilations,          \
                             const std::int64_t* before, const std::int64_t* after))              \
                      symbol("dnnl_primitive_desc_create", descriptor_create,                     \
                             int(Descriptor**, const void* operation, const Attributes*, Engine*, \
                                 const Descriptor* hint))

#define PATCHBAY_DNNL_VERSION_3(symbol)                                                           \
  symbol("dnnl_memory_desc_create_with_strides", layout_with_strides,                             \
         int(void** layout, int rank, const std::int64_t* dims, int dtype,                        \
             const std::int64_t* strides))                                                        \
      symbol("dnnl_memory_desc_create_with_tag", layout_with_tag,                                 \
             int(void** layout, int rank, const std::int64_t* dims, int dtype, int tag))          \
          symbol("dnnl_memory_desc_destroy", layout_destroy, int(void* layout)) symbol(           \
              "dnnl_convolution_forward_primitive_desc_create", forward_descriptor,               \
              int(Descriptor**, Engine*, int kind, int algorithm, LayoutAddress source,           \
                  LayoutAddress weight, LayoutAddress bias, LayoutAddress result,                 \
                  const std::int64_t* strides, const std::int64_t* dilations,                     \
                  const std::int64_t* before, const std::int64_t* after, const Attributes*))      \
              symbol("dnnl_convolution_backward_data_primitive_desc_create", data_descriptor,     \
                     int(Descriptor**, Engine*, int algorithm, LayoutAddress source,              \
                         LayoutAddress weight, LayoutAddress result, const std::int64_t* strides, \
                         const std::int64_t* dilations, const std::int64_t* before,               \
                         const std::int64_t* after, const Descriptor* hint, const Attributes*))   \
                  symbol("dnnl_convolution_backward_weights_primitive_desc_create",               \
                         weight_descriptor,                                                       \
                         int(Descriptor**, Engine*, int algorithm, LayoutAddress source,          \
                             LayoutAddress weight, LayoutAddress bias, LayoutAddress result,      \
                             const std::int64_t* strides, const std::int64_t* dilations,          \
                             const std::int64_t* before, const std::int64_t* after,               \
                             const Descriptor* hint, const Attributes*))

/// The functions of an opened library; those of the other version are null.
struct Symbols {
#define PATCHBAY_DNNL_MEMBER(name, member, ...) Symbol<__VA_ARGS__> member{name};
  PATCHBAY_DNNL_COMMON(PATCHBAY_DNNL_MEMBER)
  PATCHBAY_DNNL_VERSION_2(PATCHBAY_DNNL_MEMBER)
  PATCHBAY_DNNL_VERSION_3(PATCHBAY_DNNL_MEMBER)
#undef PATCHBAY_DNNL_MEMBER
  // Of OpenMP, for the calling thread; null if the library has no threads.
  int (*max_threads)() = nullptr;
  void (*set_num_threads)(int) = nullptr;

  /// Looks the functions up, and returns why the library can't be used; empty if it can.
  std::string find(Library& library);
};

}  // namespace patchbay::cpu::dnnl

namespace patchbay::cpu {

/// A convolution of f32 by one primitive. The weight has rank 5, its groups first, if there are
/// any.
struct DnnlConvolution {
  ConvolutionPart part;
  std::int64_t images[4], weight[5], windows[4];
  int weight_rank;
  std::int64_t strides[2], dilations[2], before[2], after[2];  // dilations count from 0
};

/// Any thread may use an object of this class, and those that it makes.
class OneDnn {
 public:
  /// Opens `path`, or the newest version that is found. Returns null, with the reason in `why`, if
  /// there is none.
  static std::unique_ptr<OneDnn> open(const std::optional<std::string>& path, std::string& why);
  ~OneDnn();
  OneDnn(const OneDnn&) = delete;
  OneDnn& operator=(const OneDnn&) = delete;

  /// "oneDNN 3.2.0"
  std::string name() const;

  using Layout = std::shared_ptr<const void>;
  /// Null if the library refuses.
  Layout strided(std::span<const std::int64_t> dims, std::span<const std::int64_t> strides) const;
  bool equal(dnnl::LayoutAddress a, dnnl::LayoutAddress b) const {
    return symbols_.equal(a, b) != 0;
  }
  std::int64_t size_bytes(dnnl::LayoutAddress layout) const {
    return static_cast<std::int64_t>(symbols_.size_bytes(layout));
  }

  /// Work that is ready to run; false if the library can't do it.
  class Primitive {
   public:
    explicit operator bool() const { return work_ != nullptr; }
    /// The layout that the library has chosen for an operand (dnnl::kQuery...).
    dnnl::LayoutAddress layout(int query) const;
    std::int64_t scratch_bytes() const { return scratch_bytes_; }

   private:
    friend OneDnn;
    const OneDnn* library_ = nullptr;
    std::shared_ptr<dnnl::Descriptor> descriptor_;
    std::shared_ptr<dnnl::Primitive> work_;
    std::int64_t scratch_bytes_ = 0;
  };
  /// Call them while a `Session` lives, so that the work is made for one thread. A convolution is
  /// empty unless the library generates code for it: its general code is slower than our own loops.
  Primitive convolution(const DnnlConvolution& one) const;
  Primitive reorder(dnnl::LayoutAddress from, dnnl::LayoutAddress to) const;

  struct Operand {
    int number;
    dnnl::LayoutAddress layout;
    const void* data;
  };
  /// While it lives, the library uses no other threads for the calling one.
  class Session {
   public:
    explicit Session(const OneDnn& library);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    /// Returns false if the library fails. `scratch` has the primitive's scratch bytes.
    bool run(const Primitive& primitive, std::initializer_list<Operand> operands,
             void* scratch) const noexcept;

   private:
    const OneDnn& library_;
    const int before_;  // the caller's number of threads
    dnnl::Stream* stream_ = nullptr;
  };

 private:
  OneDnn() = default;
  bool try_open(const std::string& path, std::string& why);
  Primitive finished(dnnl::Descriptor* descriptor) const;
  Layout any(std::span<const std::int64_t> dims) const;
  template <class InRoom, class AsObject, class Order>
  Layout made_layout(const InRoom& in_room, const AsObject& as_object,
                     std::span<const std::int64_t> dims, Order order) const;
  dnnl::Descriptor* describe(const DnnlConvolution& one, ConvolutionPart part,
                             const dnnl::Descriptor* hint) const;

  Library library_;
  dnnl::Symbols symbols_;
  dnnl::Engine* engine_ = nullptr;
  dnnl::Attributes* attributes_ = nullptr;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_ONEDNN_ONEDNN_HPP_
