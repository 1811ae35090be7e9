// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A vendor's run-time compiler. The vendors' compilers have the same entries under different names.
#ifndef PATCHBAY_KIT_CARD_KERNELS_RTC_HPP_
#define PATCHBAY_KIT_CARD_KERNELS_RTC_HPP_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kit/card/api/entries.hpp"

namespace patchbay::card {

using RtcResult = int;
using NativeProgram = struct ProgramObject*;

inline constexpr RtcResult kRtcSuccess = 0, kRtcErrorCompilation = 6;

// Entry by entry.
// clang-format off
// our name, parameters; all return an RtcResult
#define PATCHBAY_CARD_RTC_ENTRIES(entry) \
  entry(version, (int* major, int* minor)) \
  entry(create, (NativeProgram*, const char* text, const char* name, int num_headers, \
        const char* const* headers, const char* const* names)) \
  entry(destroy, (NativeProgram*)) \
  entry(compile, (NativeProgram, int num_options, const char* const* options)) \
  entry(code_size, (NativeProgram, std::size_t* size)) \
  entry(code, (NativeProgram, char* code)) \
  entry(log_size, (NativeProgram, std::size_t* size)) \
  entry(log, (NativeProgram, char* log))
// clang-format on

/// One opened compiler. The vendor's class fills the entries.
class Rtc {
 public:
  /// How it compiles for a device.
  struct Target {
    std::vector<std::string> options;
    bool is_code;  // machine code; else a text that the driver translates
  };

  virtual ~Rtc() = default;

  /// None if it makes no code for the architecture.
  virtual std::optional<Target> target_for(const std::string& architecture) const = 0;
  using SizeEntry = Entry<int(NativeProgram, std::size_t*)>;
  using ReadEntry = Entry<int(NativeProgram, char*)>;
  /// The entries that read what it has made.
  virtual const SizeEntry& size_entry(const Target&) const { return code_size; }
  virtual const ReadEntry& read_entry(const Target&) const { return code; }

#define PATCHBAY_CARD_MEMBER(member, parameters) Entry<int parameters> member{"", nullptr};
  PATCHBAY_CARD_RTC_ENTRIES(PATCHBAY_CARD_MEMBER)
#undef PATCHBAY_CARD_MEMBER

 protected:
  Rtc() = default;
  Rtc(const Rtc&) = delete;
  Rtc& operator=(const Rtc&) = delete;
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_KERNELS_RTC_HPP_
