// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What can't name an argument of a kernel.
#ifndef PATCHBAY_CORE_RUNTIME_KERNEL_RESERVED_WORDS_H_
#define PATCHBAY_CORE_RUNTIME_KERNEL_RESERVED_WORDS_H_

#include <string_view>

namespace patchbay::runtime {

/// Whether the word means something else in one of the languages that kernel texts are compiled as:
/// a keyword, a type or a constant, or what a macro of the dialect uses. A text that has it for a
/// name would compile on some devices and not on others.
bool is_reserved_word(std::string_view word);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_RESERVED_WORDS_H_
