// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/kernel/kernel_scanner.h"

#include <algorithm>
#include <iterator>

namespace patchbay::runtime {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

void KernelScanner::advance() {
  if (text_[at_] == '\n') {
    ++line_;
    at_line_start_ = true;
  }
  ++at_;
}

/// An escaped character does not end a literal. The end of the line does: the literal is invalid.
void KernelScanner::skip_literal(char quote) {
  advance();
  while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) advance();
    advance();
  }
  if (at_ < text_.size() && text_[at_] == quote) advance();
}

/// Skips to the end of the line, including continuation lines and comments.
void KernelScanner::skip_directive() {
  const std::size_t begin = at_;
  const int line = line_;
  while (at_ < text_.size() && text_[at_] != '\n') {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("\\\n") || rest.starts_with("\\\r\n")) {
      while (text_[at_] != '\n') advance();
      advance();
    } else if (rest.starts_with("/*") || rest.starts_with("//")) {
      skip_one();
    } else if (rest.front() == '"') {
      skip_literal('"');
    } else {
      advance();
    }
  }
  note_directive(text_.substr(begin, at_ - begin), line);
}

void KernelScanner::note_directive(std::string_view directive, int line) {
  directives_.push_back(directive);
  directive.remove_prefix(std::min(directive.find_first_not_of("# \t"), directive.size()));
  if (directive.starts_with("if")) ++conditions_;
  if (directive.starts_with("endif")) --conditions_;
  const bool is_include = directive.starts_with("include") && conditions_ == 0;
  if (is_include && line_of_include_ == 0) line_of_include_ = line;
}

bool KernelScanner::is_in_directives(std::string_view text) const {
  return std::any_of(directives_.begin(), directives_.end(), [&](std::string_view directive) {
    return directive.find(text) != std::string_view::npos;
  });
}

/// Skips a space, comment, literal or directive; false if there is none here.
bool KernelScanner::skip_one() {
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with("//")) {
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) advance();
      advance();
    }
  } else if (rest.starts_with("/*")) {
    const std::size_t end = text_.find("*/", at_ + 2);
    while (at_ < text_.size() && (end == std::string_view::npos || at_ < end + 2)) advance();
  } else if (is_space(rest.front())) {
    advance();
  } else if (rest.front() == '"' || rest.front() == '\'') {
    at_line_start_ = false;
    skip_literal(rest.front());
  } else if (rest.front() == '#' && at_line_start_) {
    skip_directive();
  } else {
    return false;
  }
  return true;
}

int KernelScanner::line_of_nul() const {
  const std::size_t end = text_.find('\0');
  if (end == std::string_view::npos) return 0;
  return 1 + static_cast<int>(std::ranges::count(text_.substr(0, end), '\n'));
}

std::string_view KernelScanner::next() {
  while (at_ < text_.size() && skip_one()) {
  }
  line_of_last_ = line_;
  if (at_ == text_.size()) return {};
  const std::size_t begin = at_;
  at_line_start_ = false;
  if (is_word(text_[at_])) {
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
  } else {
    ++at_;
  }
  return text_.substr(begin, at_ - begin);
}

namespace {

/// Sorted.
constexpr std::string_view kWords[] = {"HUGE_VAL",
                                       "HUGE_VALF",
                                       "INFINITY",
                                       "MAXFLOAT",
                                       "NAN",
                                       "NULL",
                                       "alignas",
                                       "alignof",
                                       "and",
                                       "and_eq",
                                       "as_float",
                                       "as_uint",
                                       "asm",
                                       "atomicAdd",
                                       "atomicCAS",
                                       "atomicMax",
                                       "atomicMin",
                                       "atomic_add",
                                       "atomic_cmpxchg",
                                       "atomic_max",
                                       "atomic_min",
                                       "auto",
                                       "barrier",
                                       "bitand",
                                       "bitor",
                                       "blockDim",
                                       "blockIdx",
                                       "bool",
                                       "break",
                                       "case",
                                       "catch",
                                       "char",
                                       "char16_t",
                                       "char32_t",
                                       "char8_t",
                                       "class",
                                       "co_await",
                                       "co_return",
                                       "co_yield",
                                       "compl",
                                       "concept",
                                       "const",
                                       "const_cast",
                                       "constant",
                                       "consteval",
                                       "constexpr",
                                       "constinit",
                                       "continue",
                                       "decltype",
                                       "default",
                                       "delete",
                                       "do",
                                       "double",
                                       "dynamic_cast",
                                       "else",
                                       "enum",
                                       "event_t",
                                       "explicit",
                                       "export",
                                       "extern",
                                       "f32",
                                       "f64",
                                       "false",
                                       "float",
                                       "for",
                                       "friend",
                                       "generic",
                                       "get_global_id",
                                       "get_group_id",
                                       "get_local_id",
                                       "get_local_size",
                                       "get_num_groups",
                                       "global",
                                       "goto",
                                       "gridDim",
                                       "half",
                                       "i16",
                                       "i32",
                                       "i64",
                                       "i8",
                                       "if",
                                       "image1d_t",
                                       "image2d_t",
                                       "image3d_t",
                                       "inline",
                                       "int",
                                       "kernel",
                                       "local",
                                       "long",
                                       "mul_hi",
                                       "mutable",
                                       "namespace",
                                       "new",
                                       "noexcept",
                                       "not",
                                       "not_eq",
                                       "nullptr",
                                       "operator",
                                       "or",
                                       "or_eq",
                                       "pipe",
                                       "private",
                                       "protected",
                                       "public",
                                       "read_only",
                                       "read_write",
                                       "register",
                                       "reinterpret_cast",
                                       "requires",
                                       "restrict",
                                       "return",
                                       "sampler_t",
                                       "short",
                                       "signed",
                                       "sizeof",
                                       "static",
                                       "static_assert",
                                       "static_cast",
                                       "struct",
                                       "switch",
                                       "template",
                                       "this",
                                       "threadIdx",
                                       "thread_local",
                                       "throw",
                                       "true",
                                       "try",
                                       "typedef",
                                       "typeid",
                                       "typename",
                                       "u16",
                                       "u32",
                                       "u64",
                                       "u8",
                                       "uchar",
                                       "uint",
                                       "ulong",
                                       "uniform",
                                       "union",
                                       "unsigned",
                                       "ushort",
                                       "using",
                                       "virtual",
                                       "void",
                                       "volatile",
                                       "wchar_t",
                                       "while",
                                       "write_only",
                                       "xor",
                                       "xor_eq"};
static_assert(std::is_sorted(std::begin(kWords), std::end(kWords)));

/// Prefixes of constants such as M_PI and INT_MAX, and of words reserved for compilers.
constexpr std::string_view kPrefixes[] = {"__",     "CHAR_", "CLK_",   "DBL_",   "FLT_",
                                          "INT_",   "LONG_", "M_",     "SCHAR_", "SHRT_",
                                          "UCHAR_", "UINT_", "ULONG_", "USHRT_"};

}  // namespace

bool is_reserved_word(std::string_view word) {
  return std::binary_search(std::begin(kWords), std::end(kWords), word) ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return word.starts_with(prefix); });
}

}  // namespace patchbay::runtime
