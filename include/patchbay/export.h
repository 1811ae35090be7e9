// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Marks the symbols that libpatchbay exports; all others are hidden.
#ifndef PATCHBAY_EXPORT_H_
#define PATCHBAY_EXPORT_H_

#define PATCHBAY_API __attribute__((visibility("default")))

#endif  // PATCHBAY_EXPORT_H_
