// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A vendor's library that computes on one device.
#ifndef PATCHBAY_KIT_CARD_KERNELS_DEVICE_LIBRARY_HPP_
#define PATCHBAY_KIT_CARD_KERNELS_DEVICE_LIBRARY_HPP_

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/card/context/allocator.hpp"
#include "kit/card/context/stream.hpp"

namespace patchbay::card {

template <class T>
T* pointer_to(plugin::Memory memory) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address_of(memory)));
}

/// The library is opened, and its handle created, when it is first needed. The handle is locked for
/// each call that submits work.
class DeviceLibrary {
 public:
  explicit DeviceLibrary(Context& context) : context_(context) {}
  virtual ~DeviceLibrary() = default;
  DeviceLibrary(const DeviceLibrary&) = delete;
  DeviceLibrary& operator=(const DeviceLibrary&) = delete;

  /// Returns false if there is no library. What is used is logged once. Throws out of memory,
  /// retryable, if the device lacks memory for the library.
  bool open(plugin::Host host);

  Context& context() const { return context_; }
  /// Throws the error for a status of the library, unless it is 0. `doing` is a launch's name.
  template <class... P, class... A>
  void call(std::string_view doing, const Entry<int(P...)>& entry, A... arguments) {
    check(doing, entry.name, context_.attempt(entry, arguments...));
  }

 protected:
  // The vendor's part. All are called under the lock.
  /// Opens the library. Throws `unsupported` with the reason and what to install.
  virtual void open_library() = 0;
  /// Creates the handle. Throws `unsupported` if the library does not work here.
  virtual void create_handle() = 0;
  virtual const char* library_name() const = 0;
  /// The user's setting that names its file.
  virtual const char* setting() const = 0;
  /// Where the library was found.
  virtual const std::string& library_file() const = 0;
  /// What happens without the library: the start of a sentence that ends with the reason.
  virtual const char* instead() const = 0;
  /// The log level of the message that there is no library, if no setting names its file.
  virtual std::uint32_t absence_level() const { return PATCHBAY_LOG_WARNING; }
  /// The status that means that the library could not allocate.
  virtual int out_of_memory_status() const = 0;

  /// Calls `submits`, which returns whether it has submitted work to the stream. If it throws, asks
  /// the driver whether the device is lost, because the library does not report that.
  template <class Submits>
  bool submit(Stream& stream, std::string_view name, const Submits& submits) {
    stream.check_not_recorded(library_name());
    const std::lock_guard lock(mutex_);
    try {
      if (!submits()) return false;
    } catch (const plugin::StatusError&) {
      check_device(stream, name);
      throw;
    }
    stream.note(name);
    return true;
  }

  void check(std::string_view doing, const char* entry, int status);
  /// For a status that a handle's creation gives on a full device, among others: throws out of
  /// memory, but `unsupported` where much is free, unless the status means nothing else.
  [[noreturn]] void throw_full(const char* entry, int status);

 private:
  void check_device(Stream& stream, std::string_view name);

  Context& context_;
  std::mutex mutex_;
  bool is_open_ = false, is_absent_ = false;
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_KERNELS_DEVICE_LIBRARY_HPP_
