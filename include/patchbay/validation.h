// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Validation mode: a layer between the runtime and its plugins that finds misuse. It is on with
// PATCHBAY_VALIDATE=1 or the setting `validate`; docs/validation.md says what it finds.
#ifndef PATCHBAY_VALIDATION_H_
#define PATCHBAY_VALIDATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "patchbay/export.h"

namespace patchbay {

class Runtime;

/// Something of a device's that has not been given back.
struct LiveObject {
  std::string device;            // "cpu:0"
  std::string kind;              // "buffer", "pinned buffer", "stream", "event"
  std::uint64_t size_bytes = 0;  // of buffers
  std::string tag;               // the CopyTag at its allocation
  std::string operation;         // the function of the library that made it: "ones"
  std::string origin;            // who called that: "main+0x2f (program+0x11a3)"; "" if unknown
};

struct ValidationReport {
  bool is_on = false;
  std::uint64_t num_findings = 0;
  std::vector<std::string> findings;  // as in the errors; the first 1000
  std::vector<LiveObject> live;       // the largest first

  /// One line for each finding and each live object.
  PATCHBAY_API std::string to_text() const;
};

/// What validation has found so far, and what lives on the runtime's devices now. Waits for what
/// was submitted, then looks at all guard bytes and at the memory released last. What it tells is
/// not raised by a later wait any more. Without validation it is empty. Thread-safe.
PATCHBAY_API ValidationReport validation_report(const Runtime& runtime);

}  // namespace patchbay

#endif  // PATCHBAY_VALIDATION_H_
