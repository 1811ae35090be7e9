// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Matrix products by a vendor's BLAS library.
#ifndef PATCHBAY_KIT_CARD_KERNELS_PRODUCTS_HPP_
#define PATCHBAY_KIT_CARD_KERNELS_PRODUCTS_HPP_

#include <cstdint>
#include <mutex>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/card/device/allocator.hpp"
#include "kit/card/device/stream.hpp"

namespace patchbay::card {

/// c = alpha op(a) op(b) + beta c, `count` times; all matrices are column-major, and a product of
/// 16-bit floats may have an f32 result.
struct Product {
  struct Matrix {
    plugin::Memory memory;
    int leading = 1;
    bool transposed = false;
    std::int64_t next = 0;  // elements to the next matrix
  };
  std::uint8_t dtype = PATCHBAY_F32;
  int m = 0, n = 0, k = 0;
  Matrix a, b, c;
  int count = 1;
  const void* alpha = nullptr;  // f64 for products of f64, else f32
  const void* beta = nullptr;
  bool has_f32_result = false;  // else of `dtype`

  std::uint8_t result_dtype() const { return has_f32_result ? std::uint8_t{PATCHBAY_F32} : dtype; }
};

/// Whether the user has turned on a setting that makes products faster and less exact. Throws
/// invalid argument for another value than 0 and 1.
bool is_on(plugin::Host host, const char* setting);

/// The BLAS library on one device. Its handle is created for the first product and locked for each.
class Products {
 public:
  explicit Products(Context& context) : context_(context) {}
  virtual ~Products() = default;
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  /// Returns false if there is no library, which is logged once. Throws out of memory, retryable,
  /// if the device lacks memory for the library.
  bool open(plugin::Host host);
  /// The workspace with which the library is fastest.
  virtual std::uint64_t workspace_bytes() const = 0;
  void multiply(Stream& stream, Product product, plugin::Memory workspace,
                std::uint64_t workspace_bytes, std::string_view name);

 protected:
  // The vendor's part. All are called under the lock.
  /// Opens the library. Throws `unsupported` with the reason and what to install.
  virtual void open_library() = 0;
  /// Creates the handle.
  virtual void create_handle() = 0;
  /// Sets the stream and, unless `workspace` has no base, the workspace.
  virtual void begin(Stream& stream, plugin::Memory workspace, std::uint64_t workspace_bytes,
                     std::string_view name) = 0;
  virtual void multiply_batch(const Product& product, std::string_view name) = 0;

  Context& context() const { return context_; }
  /// Throws the error for a status of the library, unless it is 0. `doing` is a launch's name.
  template <class... P, class... A>
  void call(std::string_view doing, const Entry<int(P...)>& entry, A... arguments) {
    check(doing, entry.name, context_.attempt(entry, arguments...));
  }
  void check(std::string_view doing, const char* entry, int status);
  /// Throws out of memory for a status that a handle's creation gives on a full device.
  [[noreturn]] void throw_full(const char* entry, int status);
  /// The status that means that the library could not allocate.
  virtual int out_of_memory_status() const = 0;
  virtual const char* library_name() const = 0;

 private:
  Context& context_;
  std::mutex mutex_;
  bool is_open_ = false, is_absent_ = false;
};

template <class T>
T* pointer_to(plugin::Memory memory) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address_of(memory)));
}

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_KERNELS_PRODUCTS_HPP_
