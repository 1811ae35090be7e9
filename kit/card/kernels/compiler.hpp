// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Compiles texts of the portable dialect to images that the driver loads.
#ifndef PATCHBAY_KIT_CARD_KERNELS_COMPILER_HPP_
#define PATCHBAY_KIT_CARD_KERNELS_COMPILER_HPP_

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/plugin/kit/host.hpp"

#include "kit/card/kernels/rtc.hpp"
#include "kit/machine/subnormals.hpp"

namespace patchbay::card {

/// A compiled text.
struct Image {
  std::string bytes;
  bool is_cached = false;    // whether it comes from the cache
  std::size_t compiler = 0;  // index of the compiler that produced it
};

/// The installed run-time compilers, one per version, and the host's cache of their output: new
/// compilers don't support old devices, and old ones don't support new devices. The cache also has
/// which compiler an architecture was compiled by, so that no compiler, a large library, is opened
/// for a text that is in the cache. Thread-safe.
class Compiler {
 public:
  /// For messages and for keys of the cache.
  struct Names {
    const char* compiler;  // "NVRTC"
    const char* setting;   // that names its file
    const char* cache;     // what keys begin with
    const char* flush;     // the option that makes kernels take subnormal numbers for zeros
  };

  Compiler(plugin::Host host, const Names& names)
      : host_(host), names_(names), flush_(Subnormals::wanted(host).flushes()) {}
  virtual ~Compiler() = default;
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  /// An image for that architecture ("sm_90"), by the first compiler that supports it. Throws
  /// PATCHBAY_BUILD_FAILED with the compiler's log, `unsupported` without a compiler.
  Image compile(std::string_view text, const std::string& architecture);
  /// Replaces an image that the driver refused: compiles again if it was cached, else uses the next
  /// compiler. Returns false if there is none.
  bool compile_again(std::string_view text, const std::string& architecture, Image& refused);

 protected:
  /// The files to try if the user's setting names none, best first.
  virtual std::vector<std::string> candidates() const = 0;
  /// Looks up the functions. If one is missing, `library.why()` names it and the result is unused.
  virtual std::unique_ptr<Rtc> open(Library& library) const = 0;

 private:
  struct Choice;
  /// The compiler number i, which is opened at its first use; null if there are fewer. Throws
  /// `unsupported`, with the reason and what to install, if there is none at all.
  const Rtc* at(std::size_t i);
  bool open_next();
  bool choose(const std::string& architecture, std::size_t first, Choice& choice);
  Image make(const Choice& choice, std::string_view text, bool may_be_cached);
  std::optional<Image> cached(const std::string& made_by, std::string_view text,
                              std::size_t number);
  /// What an earlier process has remembered for the architecture; empty if that compiler is not
  /// there any more as it was.
  std::string remembered(const std::string& architecture);
  void remember(const std::string& architecture, const Choice& choice, const std::string& made_by);
  std::string path_of(const Choice& choice);
  std::string choice_key(const std::string& architecture);
  void find_candidates();

  const plugin::Host host_;
  const Names names_;
  const bool flush_;
  std::mutex mutex_;
  bool has_candidates_ = false;
  std::string all_candidates_;
  std::deque<std::string> candidates_;             // not tried yet
  std::map<std::string, std::string> remembered_;  // by architecture
  std::string why_;                                // why the first candidate could not be opened
  std::vector<Library> libraries_;
  std::deque<std::unique_ptr<Rtc>> compilers_;  // of these libraries
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_KERNELS_COMPILER_HPP_
