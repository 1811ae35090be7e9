// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The vendors' run-time compilers, where they are installed, take users' texts and the portable
// operators', although no device is here.
#include <dlfcn.h>

#include "kit/dialect_texts.h"
#include "kit/portable_texts.h"
#include "support/child.h"

namespace patchbay::test {
namespace {

/// What the tests need to know of a vendor's compiler.
struct Vendor {
  std::string name, prefix;  // "NVRTC", "nvrtc"
  std::vector<const char*> files;
  std::string unfused;  // the option that keeps products and sums apart
  std::string quick;    // the option for little optimisation
  std::int64_t sub_group_width;
};

const Vendor& nvrtc() {
  static const Vendor vendor{
      "NVRTC",
      "nvrtc",
      {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"},
      "--fmad=false",
      "--Ofast-compile=max",
      32};
  return vendor;
}

const Vendor& hiprtc() {
  static const Vendor vendor{"hipRTC",
                             "hiprtc",
                             {"libhiprtc.so.7", "libhiprtc.so.6", "libamdhip64.so.6",
                              "libamdhip64.so.5", "/opt/rocm/lib/libhiprtc.so"},
                             "-ffp-contract=off",
                             "-O1",
                             64};
  return vendor;
}

/// A vendor's compiler. Both vendors' entries have the same parameters.
struct RunTimeCompiler {
  explicit RunTimeCompiler(const Vendor& with) : vendor(with) {
    void* library = nullptr;
    for (const char* file : vendor.files) {
      if (library == nullptr) library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    }
    is_open = library != nullptr && find(library, "CreateProgram", create) &&
              find(library, "CompileProgram", compile) &&
              find(library, "GetProgramLogSize", log_size) && find(library, "GetProgramLog", log) &&
              find(library, "DestroyProgram", destroy);
  }

  /// Empty, or what the compiler says.
  std::string failure(const std::string& source,
                      const std::vector<std::string>& all_options) const {
    void* program = nullptr;
    if (create(&program, source.c_str(), "text", 0, nullptr, nullptr) != 0) return "no program";
    std::vector<const char*> options;
    for (const std::string& option : all_options) options.push_back(option.c_str());
    std::string text;
    if (const int code = compile(program, static_cast<int>(options.size()), options.data());
        code != 0) {
      std::size_t size = 0;
      log_size(program, &size);
      text.resize(size);
      log(program, text.data());
      text += "code " + std::to_string(code);
    }
    destroy(&program);
    return text;
  }

  const Vendor& vendor;
  bool is_open = false;
  int (*create)(void** program, const char* source, const char* name, int, const char* const*,
                const char* const*) = nullptr;
  int (*compile)(void* program, int num_options, const char* const* options) = nullptr;
  int (*log_size)(void* program, std::size_t* size) = nullptr;
  int (*log)(void* program, char* text) = nullptr;
  int (*destroy)(void** program) = nullptr;

 private:
  template <class Function>
  bool find(void* library, const char* name, Function& function) const {
    function = reinterpret_cast<Function>(dlsym(library, (vendor.prefix + name).c_str()));
    return function != nullptr;
  }
};

/// In a child process, because a compiler may end it. `body` returns its failures.
std::string failures_in_child(const std::function<std::string()>& body) {
  auto [status, text] = in_child(body);
  if (WIFSIGNALED(status))
    text += "the compiler ended the process by signal " + std::to_string(WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    text += "the child ended with a failure";
  return text;
}

constexpr const char* kAbsent = "absent";

/// The names that the text defines for the preprocessor.
std::vector<std::string> macros_of(std::string_view text) {
  constexpr std::string_view kDefine = "#define ";
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = text.find(kDefine, at)) != std::string_view::npos;) {
    at += kDefine.size();
    names.emplace_back(text.substr(at, text.find_first_of(" (\n", at) - at));
  }
  return names;
}

/// Joins texts into one program, because a compiler needs long to start: hipRTC 5 takes a third of
/// a second for an empty program. Each text gets a namespace, its kernels get C++ linkage, and its
/// macros are undefined after it.
std::string together(std::span<const PortableText> texts) {
  std::string all = with_dialect("");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    all += "namespace text_" + std::to_string(i) + " {\n#line 1 \"" + texts[i].name + "\"\n" +
           texts[i].text + "\n}\n";
    for (const std::string& macro : macros_of(texts[i].text)) all += "#undef " + macro + '\n';
  }
  const std::string linkage = "extern \"C\" ";
  for (std::size_t at = 0; (at = all.find(linkage, at)) != std::string::npos;) {
    all.erase(at, linkage.size());
  }
  return all;
}

struct Way {
  std::string architecture;
  bool is_quick = false;        // little optimisation
  std::size_t num_at_once = 1;  // texts in a program
};

/// Compiles the texts. Returns the first failures, or kAbsent.
std::string failures(const Vendor& vendor, const Way& way,
                     const std::function<std::vector<PortableText>()>& texts_of) {
  return failures_in_child([&]() -> std::string {
    const RunTimeCompiler compiler(vendor);
    if (!compiler.is_open) return kAbsent;
    std::vector<std::string> options = {"--gpu-architecture=" + way.architecture, vendor.unfused,
                                        "-w"};
    if (way.is_quick) {
      options.push_back(vendor.quick);
      // An older compiler may not know the option.
      if (!compiler.failure("", options).empty()) options.pop_back();
    }
    const std::vector<PortableText> texts = texts_of();
    std::string all;
    for (std::span<const PortableText> rest = texts; !rest.empty() && all.size() <= 8192;) {
      const auto some = rest.first(std::min(way.num_at_once, rest.size()));
      rest = rest.subspan(some.size());
      std::string why_together;
      if (some.size() > 1) {
        why_together = compiler.failure(together(some), options);
        if (why_together.empty()) continue;
      }
      const std::size_t size_before = all.size();
      for (const auto& [name, text] : some) {
        const std::string why = compiler.failure(with_dialect(text), options);
        if (!why.empty())
          all += name + " for " + way.architecture + ": " + why + "\n" + text + "\n";
      }
      if (!why_together.empty() && all.size() == size_before)
        all += some.front().name +
               " and the texts after it compile alone, but not in one program: " + why_together +
               "\n";
    }
    return all.substr(0, 16384);
  });
}

struct Target {
  const Vendor& vendor;
  std::string architecture;
  // Compiled in every run; the long runs compile it with full optimisation. The other targets are
  // compiled in the long runs only.
  bool is_usual = false;
};

class RunTimeCompilers : public testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    if (!GetParam().is_usual && std::getenv("PATCHBAY_TEST_ALL") == nullptr) {
      GTEST_SKIP() << "takes minutes: PATCHBAY_TEST_ALL=1 runs it";
    }
  }
  static void expect_compiled(bool is_quick, std::size_t num_at_once,
                              const std::function<std::vector<PortableText>()>& texts_of) {
    const Vendor& vendor = GetParam().vendor;
    const std::string found =
        failures(vendor, {GetParam().architecture, is_quick, num_at_once}, texts_of);
    if (found == kAbsent) GTEST_SKIP() << "no " << vendor.name << " here";
    EXPECT_EQ(found, "");
  }
};

TEST_P(RunTimeCompilers, TakeUsersTexts) {
  expect_compiled(false, 1, [] {
    std::vector<PortableText> all;
    for (const auto& [name, text] : texts()) all.push_back({name, text});
    return all;
  });
}

/// Each template once; in the long runs for every dtype, with wide indices too.
TEST_P(RunTimeCompilers, TakeEveryOperator) {
  portable::Traits traits;
  traits.sub_group_width = GetParam().vendor.sub_group_width;
  traits.has_addresses = true;
  // As the plugins say of these.
  traits.argument_bytes = GetParam().architecture.starts_with("sm_") ? 32764 : 4096;
  const bool all = std::getenv("PATCHBAY_TEST_ALL") != nullptr;
  expect_compiled(!all || !GetParam().is_usual, 16, [&] {
    Bytes dtypes = {PATCHBAY_F32};
    if (all)
      dtypes = {PATCHBAY_F32, PATCHBAY_F64, PATCHBAY_F16,  PATCHBAY_BF16, PATCHBAY_I64,
                PATCHBAY_I32, PATCHBAY_U8,  PATCHBAY_BOOL, PATCHBAY_I8,   PATCHBAY_I16,
                PATCHBAY_U16, PATCHBAY_U32, PATCHBAY_U64};
    std::vector<PortableText> found = portable_texts(traits, dtypes);
    for (const PortableText& late : late_texts(traits)) found.push_back(late);
    if (all) {
      for (const auto& [name, text] : portable_texts(traits, {PATCHBAY_F32})) {
        found.push_back({name + " with wide indices", with_wide_indices(text)});
      }
    } else {
      // One text of each form for the dtypes that are stored and computed differently.
      for (const PortableText& text : portable_texts(traits, {PATCHBAY_F16, PATCHBAY_BF16})) {
        const bool is_short = text.name.starts_with("add.1") || text.name.starts_with("sum.1") ||
                              text.name.starts_with("gemm.1") || text.name.starts_with("conv2d.1");
        if (is_short) found.push_back(text);
      }
      for (const PortableText& text : portable_texts(traits, {PATCHBAY_I64})) {
        const bool is_short = text.name.starts_with("add.1") || text.name.starts_with("sum.1") ||
                              text.name.starts_with("gather") || text.name.starts_with("scatter");
        if (is_short) found.push_back(text);
      }
    }
    return found;
  });
}

INSTANTIATE_TEST_SUITE_P(, RunTimeCompilers,
                         testing::Values(Target{nvrtc(), "sm_75", true}, Target{nvrtc(), "sm_80"},
                                         Target{nvrtc(), "sm_86"}, Target{nvrtc(), "sm_89"},
                                         Target{nvrtc(), "sm_90"}, Target{nvrtc(), "sm_100"},
                                         Target{nvrtc(), "sm_103"}, Target{nvrtc(), "sm_120"},
                                         Target{hiprtc(), "gfx90a", true},
                                         Target{hiprtc(), "gfx906"}, Target{hiprtc(), "gfx1030"}),
                         [](const auto& test) { return test.param.architecture; });

}  // namespace
}  // namespace patchbay::test
