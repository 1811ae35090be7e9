// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Words that can't be the name of a kernel's argument.
#ifndef PATCHBAY_CORE_RUNTIME_KERNEL_RESERVED_WORDS_H_
#define PATCHBAY_CORE_RUNTIME_KERNEL_RESERVED_WORDS_H_

#include <string_view>

namespace patchbay::runtime {

/// Whether the word has a meaning in one of the languages that kernel texts are compiled as: a
/// keyword, type or constant, or a name that the dialect's macros use. As an argument's name, it
/// would compile on some devices only.
bool is_reserved_word(std::string_view word);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_RESERVED_WORDS_H_
