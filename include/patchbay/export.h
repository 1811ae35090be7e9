// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Marks the symbols that libpatchbay exports; all others are hidden. Refuses containers of another
// layout than the library's.
#ifndef PATCHBAY_EXPORT_H_
#define PATCHBAY_EXPORT_H_

#if defined(_GLIBCXX_DEBUG) && !defined(PATCHBAY_GLIBCXX_DEBUG)
#error \
    "_GLIBCXX_DEBUG changes the layout of vectors and maps, which the library was compiled without. \
Compile without it; or compile the library with it too, and define PATCHBAY_GLIBCXX_DEBUG for both."
#endif

#define PATCHBAY_API __attribute__((visibility("default")))

#endif  // PATCHBAY_EXPORT_H_
