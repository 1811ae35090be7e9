// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/kernel/kernel_scanner.h"

#include <algorithm>

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

}  // namespace patchbay::runtime
