// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Opens plugin libraries. No other part of the core opens libraries.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_LOADER_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_LOADER_H_

#include <memory>
#include <string>

#include "patchbay/plugin/abi.h"

#include "core/runtime/search/candidate.h"

namespace patchbay::runtime {

/// An open library, shared by all runtimes of the process. Closed with its last holder, but not
/// while the process ends.
class Library {
 public:
  virtual ~Library() = default;
  const patchbay_plugin* table() const { return table_; }

 protected:
  const patchbay_plugin* table_ = nullptr;
};

/// The library, or the reason why it could not be opened.
struct LibraryResult {
  std::shared_ptr<Library> library;
  std::string failure;
};
LibraryResult open_library(const Inspection& inspection);

/// Notes that this process opens the driver of that file's plugin. False if a process that it was
/// forked from has. The caller holds the DriverLock. Errors: std::bad_alloc.
bool note_opening(const FileId& file);

/// Keeps the library or program that contains this code loaded until the process ends, for objects
/// and threads that stay as long.
void keep_own_library_loaded() noexcept;

/// True once the process is ending: nothing is unloaded and no plugin is called from then on.
bool process_is_ending();
/// Starts to watch for the end of the process. Called when a runtime is made.
void watch_process_end();

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_LOADER_H_
