// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The tokens of a kernel text.
#ifndef PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_SCANNER_H_
#define PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_SCANNER_H_

#include <string_view>
#include <vector>

namespace patchbay::runtime {

/// Skips comments, literals and preprocessor lines.
class KernelScanner {
 public:
  explicit KernelScanner(std::string_view text) : text_(text) {}

  /// The next identifier or number as a whole, or a single character; empty at the end.
  std::string_view next();
  /// The line of the last token, from 1.
  int line() const { return line_of_last_; }
  /// Whether a preprocessor line that was skipped so far contains the text.
  bool is_in_directives(std::string_view text) const;
  /// The line of the first #include that was skipped outside #if; 0 for none.
  int line_of_include() const { return line_of_include_; }
  /// The line of the first NUL byte of the whole text, at which some compilers stop; 0 for none.
  int line_of_nul() const;

 private:
  bool skip_one();
  void skip_literal(char quote);
  void skip_directive();
  void note_directive(std::string_view directive, int line);
  void advance();

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1, line_of_last_ = 1, line_of_include_ = 0;
  int conditions_ = 0;  // #if without their #endif so far
  bool at_line_start_ = true;
  std::vector<std::string_view> directives_;
};

/// Whether the word has a meaning in one of the languages that kernel texts are compiled as: a
/// keyword, type or constant, or a name that the dialect's macros use. As an argument's name, it
/// would compile on some devices only.
bool is_reserved_word(std::string_view word);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_SCANNER_H_
