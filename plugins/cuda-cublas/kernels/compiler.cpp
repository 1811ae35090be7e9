// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/kernels/compiler.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "kDialectText.text.h"
#include "kit/text_hash.hpp"

namespace patchbay::cuda {
namespace {

void check(RtcResult code, const std::string& doing, const std::string& log = {}) {
  if (code == kRtcSuccess) return;
  const std::string reason = log.empty() ? "" : ": " + log;
  throw plugin::StatusError(PATCHBAY_DRIVER_ERROR,
                            doing + ": NVRTC gives error " + std::to_string(code) + reason, code);
}

template <class... P, class... A>
void call(const Entry<int(P...)>& entry, A... arguments) {
  check(entry(arguments...), entry.name);
}

std::string version(const RtcTable& rtc) {
  int major = 0, minor = 0;
  call(rtc.version, &major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

/// The compiler's output: machine code of the device, or assembly of the newest known architecture
/// before it, which the driver translates.
struct Target {
  std::string option;
  bool is_code;
};

/// Empty if the compiler does not support the device.
std::optional<Target> target_for(const RtcTable& rtc, int architecture) {
  int count = 0;
  call(rtc.num_architectures, &count);
  std::vector<int> known(static_cast<std::size_t>(count));
  call(rtc.architectures, known.data());
  int best = 0;
  for (const int one : known) {
    if (one <= architecture) best = std::max(best, one);
  }
  if (best == 0) return std::nullopt;
  const bool is_code = best == architecture;
  return Target{
      "--gpu-architecture=" + std::string(is_code ? "sm_" : "compute_") + std::to_string(best),
      is_code};
}

/// A program of the compiler, destroyed with this object.
class Program {
 public:
  Program(const RtcTable& rtc, const std::string& text) : rtc_(rtc) {
    call(rtc.create, &program_, text.c_str(), "kernel", 0, static_cast<const char* const*>(nullptr),
         static_cast<const char* const*>(nullptr));
  }
  ~Program() { rtc_.destroy(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::string build(const Target& target) {
    // --fmad=false: products and sums round separately on every backend.
    const std::array<const char*, 4> options = {target.option.c_str(), "--std=c++17",
                                                "--fmad=false", "-w"};
    const RtcResult code = rtc_.compile(program_, static_cast<int>(options.size()), options.data());
    if (code == kRtcErrorCompilation) {
      throw plugin::StatusError(
          PATCHBAY_BUILD_FAILED,
          "the kernel text does not compile (NVRTC " + version(rtc_) + "):\n" + log(), code);
    }
    if (code != kRtcSuccess) check(code, rtc_.compile.name, log());
    return target.is_code ? text_of(rtc_.code_size, rtc_.code)
                          : text_of(rtc_.assembly_size, rtc_.assembly);
  }

 private:
  /// Without the terminating zero; empty if the compiler returns none.
  std::string log() {
    std::size_t bytes = 0;
    if (rtc_.log_size(program_, &bytes) != kRtcSuccess) return {};
    std::string text(bytes, '\0');
    if (bytes == 0 || rtc_.log(program_, text.data()) != kRtcSuccess) return {};
    text.resize(text.find_last_not_of(std::string_view("\0\n", 2)) + 1);
    return text;
  }
  std::string text_of(const Entry<int(NativeProgram, std::size_t*)>& size,
                      const Entry<int(NativeProgram, char*)>& read) {
    std::size_t bytes = 0;
    call(size, program_, &bytes);
    std::string text(bytes, '\0');
    call(read, program_, text.data());
    return text;
  }

  const RtcTable& rtc_;
  NativeProgram program_ = nullptr;
};

}  // namespace

struct Compiler::Choice {
  std::size_t number;  // index of the compiler
  const RtcTable* rtc;
  Target target;
};

bool Compiler::choose(int architecture, std::size_t first, Choice& choice) {
  for (choice.number = first; (choice.rtc = libraries_.at(choice.number)); ++choice.number) {
    if (auto target = target_for(*choice.rtc, architecture)) {
      choice.target = *std::move(target);
      return true;
    }
  }
  return false;
}

Image Compiler::make(const Choice& choice, std::string_view text, bool may_be_cached) {
  const std::string whole = kDialectText + std::string(text);
  const std::string key =
      "cuda-" + text_hash(version(*choice.rtc) + '\0' + choice.target.option + '\0' + whole);
  if (may_be_cached) {
    auto made = host_.cache_get(key);
    if (made && !made->empty()) return {*std::move(made), true, choice.number};
  }
  Image image{Program(*choice.rtc, whole).build(choice.target), false, choice.number};
  host_.cache_put(key, image.bytes);
  return image;
}

Image Compiler::compile(std::string_view text, int architecture) {
  Choice choice;
  if (choose(architecture, 0, choice)) return make(choice, text, true);
  plugin::unsupported("NVRTC " + version(*libraries_.at(0)) +
                      " makes no code for this device (sm_" + std::to_string(architecture) +
                      "). Install an older one, or name it by the setting cuda_rtc_library");
}

bool Compiler::compile_again(std::string_view text, int architecture, Image& refused) {
  Choice choice;
  const std::size_t first = refused.is_cached ? refused.compiler : refused.compiler + 1;
  if (!choose(architecture, first, choice)) return false;
  refused = make(choice, text, !refused.is_cached);
  return true;
}

}  // namespace patchbay::cuda
