// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Validation mode: a layer between the runtime and its plugins that detects misuse.
// PATCHBAY_VALIDATE=1 or the setting `validate` turns it on. docs/validation.md.
#ifndef PATCHBAY_VALIDATION_H_
#define PATCHBAY_VALIDATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "patchbay/export.h"

namespace patchbay {

class Runtime;

/// An object of a device that has not been released.
struct LiveObject {
  std::string device;            // "cpu:0"
  std::string kind;              // "buffer", "pinned buffer", "stream", "event"
  std::uint64_t size_bytes = 0;  // of buffers
  std::string tag;               // the CopyTag at its allocation
  std::string operation;         // the function of the library that made it: "ones"
  std::string origin;            // its caller: "main+0x2f (program+0x11a3)"; "" if unknown
};

struct ValidationReport {
  bool is_on = false;
  std::uint64_t num_findings = 0;
  std::vector<std::string> findings;  // the texts of the errors; the first 1000
  std::vector<LiveObject> live;       // largest first

  /// One line for each finding and each live object.
  PATCHBAY_API std::string to_text() const;
};

/// The findings so far, and the objects that live on the runtime's devices. Waits for submitted
/// work, then checks all guard bytes and the memory released last. Later waits do not throw the
/// findings of the report again. Empty without validation. Thread-safe.
PATCHBAY_API ValidationReport validation_report(const Runtime& runtime);

}  // namespace patchbay

#endif  // PATCHBAY_VALIDATION_H_
