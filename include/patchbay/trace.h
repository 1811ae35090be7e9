// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TRACE_H_
#define PATCHBAY_TRACE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "patchbay/export.h"
#include "patchbay/runtime.h"

namespace patchbay {

/// A span of the application in this thread's line of the trace, and for vendors' profilers
/// (setting `ranges`), until the scope ends. Does nothing if nothing wants spans when the scope
/// begins.
class PATCHBAY_API TraceScope {
 public:
  explicit TraceScope(std::string name, const Runtime& runtime = Runtime::get_default());
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace patchbay

#endif  // PATCHBAY_TRACE_H_
