// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Marks what libpatchbay exports; everything else is hidden.
#ifndef PATCHBAY_EXPORT_H_
#define PATCHBAY_EXPORT_H_

#define PATCHBAY_API __attribute__((visibility("default")))

#endif  // PATCHBAY_EXPORT_H_
