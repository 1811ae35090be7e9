// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Opens dynamic libraries at run time and looks up tables of their functions.
#ifndef PATCHBAY_KIT_LIBRARY_LIBRARY_HPP_
#define PATCHBAY_KIT_LIBRARY_LIBRARY_HPP_

#include <span>
#include <string>

namespace patchbay {

/// A function of a library and its symbol name.
template <class Signature>
struct Symbol;
template <class Result, class... Parameters>
struct Symbol<Result(Parameters...)> {
  const char* name;
  Result (*function)(Parameters...) = nullptr;

  Result operator()(Parameters... arguments) const { return function(arguments...); }
};

/// An opened library, or the reason why it can't be opened. Look up all functions of a table with
/// `find`, then call `is_complete`. Move-only; not thread-safe.
class Library {
 public:
  /// kProcess: the library stays loaded until the process ends, because it has its own threads or
  /// handlers.
  enum class Lifetime { kObject, kProcess };

  /// No library.
  Library() = default;
  /// A file name without a slash is searched for by the dynamic linker. Does not throw if the
  /// library can't be opened: see `why`.
  Library(const std::string& file, Lifetime lifetime);
  /// Opens the first file that can be opened. If none can, `why` is the reason for the first file.
  static Library first_of(std::span<const std::string> files, Lifetime lifetime);
  /// Opens the file that the process has loaded already, else the first one: a process should not
  /// have a driver twice, in two versions.
  static Library loaded_or_first_of(std::span<const std::string> files, Lifetime lifetime);

  ~Library();
  Library(Library&& other) noexcept;
  Library& operator=(Library&& other) noexcept;

  explicit operator bool() const { return handle_ != nullptr; }
  /// Whether the library is open and all functions that were looked up exist.
  bool is_complete() const { return handle_ != nullptr && why_.empty(); }
  /// Why the library is not open, or which function is missing: "libx.so.1: no symbol x_open".
  const std::string& why() const { return why_; }
  /// The name that was passed to the constructor.
  const std::string& file() const { return file_; }
  /// The path where the dynamic linker found it; empty if unknown.
  std::string path() const;

  /// Looks up an optional function; null if the library does not have it.
  void* optional(const char* name) const;
  template <class Function>
  void optional(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(optional(name));
  }
  /// Records the first function that is missing.
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

/// Whether there is such a file: a name without a slash is looked for in the folders of
/// LD_LIBRARY_PATH, in the dynamic linker's own and in its cache. No library is opened.
bool is_installed(const std::string& file);

/// Keeps the library or plugin that has this address loaded until the process ends, for others that
/// keep addresses in it.
void stay_loaded(const void* address);

/// Returns one of `names` for which the library's own calls would use another definition: the
/// dynamic linker prefers functions of the program and its libraries. Null if there is none. Call
/// it before opening a library that runs code when opened.
const char* replaced_function(const std::string& file, std::span<const char* const> names);

}  // namespace patchbay

#endif  // PATCHBAY_KIT_LIBRARY_LIBRARY_HPP_
