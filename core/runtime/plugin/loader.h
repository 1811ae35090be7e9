// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Opens plugin libraries. The only place of the core that does.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_LOADER_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_LOADER_H_

#include <memory>
#include <string>

#include "patchbay/plugin/abi.h"

#include "core/runtime/search/candidate.h"

namespace patchbay::runtime {

/// An opened library, shared by all runtimes of the process; closed with its last holder, but
/// never while the process ends.
class Library {
 public:
  virtual ~Library() = default;
  const patchbay_plugin* table() const { return table_; }

 protected:
  const patchbay_plugin* table_ = nullptr;
};

/// The library, or the reason why it could not be had.
struct LibraryResult {
  std::shared_ptr<Library> library;
  std::string failure;
};
LibraryResult open_library(const Inspection& inspection);

/// Notes that the plugin of that file opens its driver here. Errors: std::bad_alloc.
void note_opening(const FileId& file);
/// Whether it did so in a process that this one was forked from.
bool was_open_before_fork(const FileId& file) noexcept;

/// True once the process has begun to end: then nothing is unloaded and no plugin is called.
bool process_is_ending();
/// Called when a runtime is made, so that the end of the process is noticed.
void watch_process_end();

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_LOADER_H_
