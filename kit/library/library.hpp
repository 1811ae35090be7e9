// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Dynamic libraries that a plugin opens at run time, and tables of their functions.
#ifndef PATCHBAY_KIT_LIBRARY_LIBRARY_HPP_
#define PATCHBAY_KIT_LIBRARY_LIBRARY_HPP_

#include <span>
#include <string>

namespace patchbay {

/// A function of a library, with the name that the library and messages give it.
template <class Signature>
struct Symbol;
template <class Result, class... Parameters>
struct Symbol<Result(Parameters...)> {
  const char* name;
  Result (*function)(Parameters...) = nullptr;

  Result operator()(Parameters... arguments) const { return function(arguments...); }
};

/// An opened library, or the reason why there is none. Look up all functions of a table with
/// `find`, then ask `is_complete`. Move-only; not thread-safe.
class Library {
 public:
  /// kProcess: the library stays in memory to the end of the process, because it keeps threads or
  /// handlers of its own.
  enum class Lifetime { kObject, kProcess };

  /// No library.
  Library() = default;
  /// A file name without a slash is looked up where the dynamic linker looks. Never throws for a
  /// library that does not open: see `why`.
  Library(const std::string& file, Lifetime lifetime);
  /// The first of the files that opens. If none does, the reason is that of the first.
  static Library first_of(std::span<const std::string> files, Lifetime lifetime);

  ~Library();
  Library(Library&& other) noexcept;
  Library& operator=(Library&& other) noexcept;

  explicit operator bool() const { return handle_ != nullptr; }
  /// Whether the library is open, and no function that was looked up is missing.
  bool is_complete() const { return handle_ != nullptr && why_.empty(); }
  /// Why the library is not open, or which function is missing: "libx.so.1: no symbol x_open".
  const std::string& why() const { return why_; }
  /// As it was asked for.
  const std::string& file() const { return file_; }
  /// Where the dynamic linker found it; empty if that can't be told.
  std::string path() const;

  /// Null if the library does not have it, which is no failure.
  void* optional(const char* name) const;
  template <class Function>
  void optional(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(optional(name));
  }
  /// Notes the first function that is missing.
  template <class Function>
  void find(const char* name, Function*& function) {
    optional(name, function);
    if (function == nullptr) miss(name);
  }
  template <class Signature>
  void find(Symbol<Signature>& symbol) {
    find(symbol.name, symbol.function);
  }

  friend bool operator==(const Library& a, const Library& b) { return a.handle_ == b.handle_; }

 private:
  void miss(const char* name);

  void* handle_ = nullptr;
  std::string file_, why_;
};

/// One of the names that calls inside of the library would not find there: the dynamic linker
/// prefers a function of the program, or of a library that the program brought, over the library's
/// own. Null if there is none. Ask before the library is opened if it runs code as it is opened.
const char* replaced_function(const std::string& file, std::span<const char* const> names);

}  // namespace patchbay

#endif  // PATCHBAY_KIT_LIBRARY_LIBRARY_HPP_
