// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// oneDNN, if it is installed: convolutions on one thread, in layouts that it chooses. The
// application may use the same file, so nothing in it is changed.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_ONEDNN_ONEDNN_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_ONEDNN_ONEDNN_HPP_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cpu-openblas/onednn/symbols.hpp"
#include "kit/windows.hpp"

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
