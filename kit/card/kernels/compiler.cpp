// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/card/kernels/compiler.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "kDialectText.text.h"
#include "kit/text_hash.hpp"

namespace patchbay::card {
namespace {

/// One compiler with its names, for the errors of its calls.
class Session {
 public:
  Session(const Rtc& rtc, const Compiler::Names& names) : rtc_(rtc), names_(names) {}

  std::string version() const {
    int major = 0, minor = 0;
    call(rtc_.version, &major, &minor);
    return std::to_string(major) + "." + std::to_string(minor);
  }
  std::string build(const std::string& text, const Rtc::Target& target) const {
    NativeProgram program = nullptr;
    call(rtc_.create, &program, text.c_str(), "kernel", 0, static_cast<const char* const*>(nullptr),
         static_cast<const char* const*>(nullptr));
    const auto destroy = [this](ProgramObject* object) { rtc_.destroy(&object); };
    const std::unique_ptr<ProgramObject, decltype(destroy)> owner(program, destroy);
    std::vector<const char*> options;
    for (const std::string& option : target.options) options.push_back(option.c_str());
    const RtcResult code = rtc_.compile(program, static_cast<int>(options.size()), options.data());
    if (code == kRtcErrorCompilation) {
      const std::string said = log(program);
      throw plugin::StatusError(PATCHBAY_BUILD_FAILED,
                                "the kernel text does not compile (" +
                                    std::string(names_.compiler) + " " + version() +
                                    (said.empty() ? ", without a log)" : "):\n" + said),
                                code);
    }
    if (code != kRtcSuccess) check(code, rtc_.compile.name, log(program));
    std::size_t bytes = 0;
    call(rtc_.size_entry(target), program, &bytes);
    std::string image(bytes, '\0');
    call(rtc_.read_entry(target), program, image.data());
    return image;
  }

 private:
  void check(RtcResult code, const std::string& doing, const std::string& log = {}) const {
    if (code == kRtcSuccess) return;
    const std::string reason = log.empty() ? "" : ": " + log;
    throw plugin::StatusError(
        PATCHBAY_DRIVER_ERROR,
        doing + ": " + names_.compiler + " gives error " + std::to_string(code) + reason, code);
  }
  template <class... P, class... A>
  void call(const Entry<int(P...)>& entry, A... arguments) const {
    check(entry(arguments...), entry.name);
  }
  /// Without the terminating zero; empty if the compiler returns none.
  std::string log(NativeProgram program) const {
    std::size_t bytes = 0;
    if (rtc_.log_size(program, &bytes) != kRtcSuccess) return {};
    std::string text(bytes, '\0');
    if (bytes == 0 || rtc_.log(program, text.data()) != kRtcSuccess) return {};
    text.resize(text.find_last_not_of(std::string_view("\0\n", 2)) + 1);
    return text;
  }

  const Rtc& rtc_;
  const Compiler::Names& names_;
};

std::string image_key(const Compiler::Names& names, const std::string& made_by,
                      const std::string& whole) {
  return std::string(names.cache) + "-" + text_hash(made_by + '\0' + whole);
}

/// Changes with the file; empty if there is none.
std::string state_of(const std::string& path) {
  struct stat info {};
  if (path.empty() || stat(path.c_str(), &info) != 0) return {};
  return std::to_string(info.st_size) + ' ' + std::to_string(info.st_mtim.tv_sec) + ' ' +
         std::to_string(info.st_mtim.tv_nsec);
}

}  // namespace

struct Compiler::Choice {
  std::string architecture;
  std::size_t number;  // index of the compiler
  const Rtc* rtc;
  Rtc::Target target;
};

void Compiler::find_candidates() {
  if (has_candidates_) return;
  const auto path = host_.option(names_.setting);
  const auto files = path ? std::vector{*path} : candidates();
  candidates_.assign(files.begin(), files.end());
  for (const std::string& file : files) all_candidates_ += file + '\0';
  has_candidates_ = true;
}

bool Compiler::open_next() {
  find_candidates();
  for (; !candidates_.empty(); candidates_.pop_front()) {
    Library library(candidates_.front(), Library::Lifetime::kProcess);
    const bool is_known = std::count(libraries_.begin(), libraries_.end(), library) > 0;
    if (library && !is_known) {
      std::unique_ptr<Rtc> rtc = open(library);
      if (library.is_complete()) {
        libraries_.reserve(libraries_.size() + 1);  // so push_back below can't fail
        compilers_.push_back(std::move(rtc));
        libraries_.push_back(std::move(library));
        return true;
      }
    }
    if (why_.empty()) why_ = library.why();
  }
  return false;
}

const Rtc* Compiler::at(std::size_t i) {
  const std::lock_guard lock(mutex_);
  while (compilers_.size() <= i && open_next()) {
  }
  if (compilers_.empty()) {
    plugin::unsupported("kernels need " + std::string(names_.compiler) + " at run time: " + why_ +
                        ". Install it, or name it by the setting " + names_.setting);
  }
  return i < compilers_.size() ? compilers_[i].get() : nullptr;
}

bool Compiler::choose(const std::string& architecture, std::size_t first, Choice& choice) {
  choice.architecture = architecture;
  for (choice.number = first; (choice.rtc = at(choice.number)); ++choice.number) {
    if (auto target = choice.rtc->target_for(architecture)) {
      choice.target = *std::move(target);
      if (flush_) choice.target.options.emplace_back(names_.flush);
      return true;
    }
  }
  return false;
}

std::optional<Image> Compiler::cached(const std::string& made_by, std::string_view text,
                                      std::size_t number) {
  auto made = host_.cache_get(image_key(names_, made_by, kDialectText + std::string(text)));
  if (!made || made->empty()) return std::nullopt;
  return Image{*std::move(made), true, number};
}

Image Compiler::make(const Choice& choice, std::string_view text, bool may_be_cached) {
  const Session session(*choice.rtc, names_);
  // Its version alone does not tell: hipRTC's is the same for years.
  std::string made_by = session.version() + ' ' + state_of(path_of(choice));
  for (const std::string& option : choice.target.options) made_by += '\0' + option;
  if (may_be_cached) {
    if (auto image = cached(made_by, text, choice.number)) {
      remember(choice.architecture, choice, made_by);
      return *std::move(image);
    }
  }
  const std::string whole = kDialectText + std::string(text);
  Image image{session.build(whole, choice.target), false, choice.number};
  host_.cache_put(image_key(names_, made_by, whole), image.bytes);
  remember(choice.architecture, choice, made_by);
  return image;
}

std::string Compiler::path_of(const Choice& choice) {
  const std::lock_guard lock(mutex_);
  return libraries_[choice.number].path();
}

std::string Compiler::choice_key(const std::string& architecture) {
  const std::lock_guard lock(mutex_);
  find_candidates();
  const std::string flush = flush_ ? names_.flush : "";
  return std::string(names_.cache) + "-choice-" +
         text_hash(architecture + '\0' + all_candidates_ + flush);
}

std::string Compiler::remembered(const std::string& architecture) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = remembered_.find(architecture);
    if (known != remembered_.end()) return known->second;
  }
  // The file's state, its path, and what the keys of its images begin with.
  const std::string kept = host_.cache_get(choice_key(architecture)).value_or("");
  const std::size_t path_at = kept.find('\0') + 1, made_by_at = kept.find('\0', path_at) + 1;
  std::string made_by;
  if (path_at != 0 && made_by_at != 0) {
    const std::string path = kept.substr(path_at, made_by_at - path_at - 1);
    const bool is_same = state_of(path) == kept.substr(0, path_at - 1);
    if (is_same) made_by = kept.substr(made_by_at);
  }
  const std::lock_guard lock(mutex_);
  return remembered_[architecture] = made_by;
}

void Compiler::remember(const std::string& architecture, const Choice& choice,
                        const std::string& made_by) {
  const std::string path = path_of(choice);
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(remembered_[architecture], made_by) == made_by) return;
  }
  const std::string state = state_of(path);
  if (state.empty()) return;
  host_.cache_put(choice_key(architecture), state + '\0' + path + '\0' + made_by);
}

Image Compiler::compile(std::string_view text, const std::string& architecture) {
  if (const std::string made_by = remembered(architecture); !made_by.empty()) {
    if (auto image = cached(made_by, text, 0)) return *std::move(image);
  }
  Choice choice;
  if (choose(architecture, 0, choice)) return make(choice, text, true);
  plugin::unsupported(std::string(names_.compiler) + " " + Session(*at(0), names_).version() +
                      " makes no code for this device (" + architecture +
                      "). Install one that does, or name it by the setting " + names_.setting);
}

bool Compiler::compile_again(std::string_view text, const std::string& architecture,
                             Image& refused) {
  Choice choice;
  const std::size_t first = refused.is_cached ? refused.compiler : refused.compiler + 1;
  if (!choose(architecture, first, choice)) return false;
  refused = make(choice, text, !refused.is_cached);
  return true;
}

}  // namespace patchbay::card
