// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a plugin file asks of the dynamic linker is looked at before it is opened. The fixture has a
// RUNPATH with room for other texts, which the tests write into copies of it.
#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFixture = "linkage";
constexpr std::string_view kRoom = "/patchbay-linkage-fixture/";
constexpr std::size_t kRoomBytes = 200;

/// The bytes of a library that a test changes.
class Image {
 public:
  explicit Image(std::string_view fixture = kFixture)
      : bytes_(test::read_text(fixture_path(fixture))) {
    std::memcpy(&header_, bytes_.data(), sizeof header_);
  }

  const std::string& bytes() const { return bytes_; }

  /// Calls change(segment) for a program header of that type, after others of that type.
  template <class Change>
  Image& segment(std::uint32_t type, const Change& change, std::size_t num_others = 0) {
    const auto is_it = [&](const Elf64_Phdr& one) {
      return one.p_type == type && num_others-- == 0;
    };
    return change_first<Elf64_Phdr>(header_.e_phoff, header_.e_phnum, is_it, change);
  }

  /// Calls change(entry) for the first such entry of the dynamic section.
  template <class Change>
  Image& entry(std::int64_t tag, const Change& change) {
    const Elf64_Phdr dynamic = find(PT_DYNAMIC);
    const auto is_it = [&](const Elf64_Dyn& one) { return one.d_tag == tag; };
    return change_first<Elf64_Dyn>(dynamic.p_offset, dynamic.p_filesz / sizeof(Elf64_Dyn), is_it,
                                   change);
  }
  Image& value(std::int64_t tag, std::uint64_t value) {
    return entry(tag, [&](Elf64_Dyn& one) { one.d_un.d_val = value; });
  }
  Image& retag(std::int64_t tag, std::int64_t other) {
    return entry(tag, [&](Elf64_Dyn& one) { one.d_tag = other; });
  }
  /// Instead of the fixture's RUNPATH.
  Image& text(const std::string& text) {
    const std::size_t at = bytes_.find(kRoom);
    if (at == std::string::npos || text.size() > kRoomBytes) throw std::logic_error("no room");
    bytes_.replace(at, text.size() + 1, text.c_str(), text.size() + 1);
    return *this;
  }
  Elf64_Phdr find(std::uint32_t type) const {
    for (std::size_t i = 0; i < header_.e_phnum; ++i) {
      Elf64_Phdr one;
      std::memcpy(&one, bytes_.data() + header_.e_phoff + i * sizeof one, sizeof one);
      if (one.p_type == type) return one;
    }
    throw std::logic_error("no such segment");
  }

 private:
  template <class T, class IsIt, class Change>
  Image& change_first(std::size_t at, std::size_t count, const IsIt& is_it, const Change& change) {
    for (std::size_t i = 0; i < count; ++i, at += sizeof(T)) {
      T one;
      std::memcpy(&one, bytes_.data() + at, sizeof one);
      if (!is_it(one)) continue;
      change(one);
      std::memcpy(bytes_.data() + at, &one, sizeof one);
      return *this;
    }
    throw std::logic_error("nothing to change");
  }

  std::string bytes_;
  Elf64_Ehdr header_{};
};

void expect_refused(const Image& image, const std::string& reason) {
  const TemporaryDirectory directory{"plain-c"};
  directory.write(kFixture, image.bytes());
  expect_outcome_in(directory, kFixture, PluginStatus::kRefused, {reason});
}

void expect_loaded(const Image& image) {
  const TemporaryDirectory directory{"plain-c"};
  directory.write(kFixture, image.bytes());
  expect_outcome_in(directory, kFixture, PluginStatus::kLoaded, {});
}

/// What becomes of it with a RUNPATH.
PluginInfo outcome(const std::string& run_path, const std::vector<fs::path>& trusted = {}) {
  const TemporaryDirectory directory;
  directory.write(kFixture, Image().text(run_path).bytes());
  RuntimeOptions options = only({directory.path()});
  options.trusted_directories = trusted;
  return plugin_info(Runtime(options), kFixture);
}

void expect_refused(const PluginInfo& info, const std::string& reason) {
  EXPECT_EQ(to_string(info.status), "refused") << info.reason;
  EXPECT_HAS(info.reason, reason);
}

TEST(Linkage, OfTheFixtureIsSound) { expect_loaded(Image()); }

TEST(Linkage, AnExecutableStackIsRefused) {
  expect_outcome("exec-stack", PluginStatus::kRefused,
                 {"it asks for an executable stack (link it with -z noexecstack)"});
  expect_refused(Image().segment(PT_GNU_STACK, [](Elf64_Phdr& one) { one.p_type = PT_NULL; }),
                 "no PT_GNU_STACK");
}

TEST(Linkage, CodeThatLoadingWouldChangeIsRefused) {
  expect_refused(Image().retag(DT_RUNPATH, DT_TEXTREL), "(TEXTREL: compile it with -fPIC");
  expect_refused(Image().entry(DT_FLAGS, [](Elf64_Dyn& one) { one.d_un.d_val |= DF_TEXTREL; }),
                 "(TEXTREL: compile it with -fPIC");
}

TEST(Linkage, RelativeAndEmptyElementsOfRunPathsAreRefused) {
  const std::string wanted = ": expected absolute paths, or such that begin with $ORIGIN/";
  for (const auto& [tag, name] : {std::pair{DT_RUNPATH, "RUNPATH"}, {DT_RPATH, "RPATH"}}) {
    for (const char* element : {"lib", ".", "./lib", "..", "~/lib", "$LIB", "$ORIGINAL/lib",
                                "${ORIGIN}lib", "$ORIGIN/$LIB", "/opt/$PLATFORM", "$origin/lib"}) {
      for (const char* around : {"%", "/usr/lib:%", "%:/usr/lib", "/usr/lib:%:/lib"}) {
        std::string text = around;
        text.replace(text.find('%'), 1, element);
        SCOPED_TRACE(text);
        expect_refused(
            Image().text(text).retag(DT_RUNPATH, tag),
            std::string("its ") + name + " has the relative element '" + element + "'" + wanted);
      }
    }
    for (const char* text : {"", ":", "/usr/lib:", ":/usr/lib", "/usr/lib::/lib"}) {
      SCOPED_TRACE(text);
      expect_refused(Image().text(text).retag(DT_RUNPATH, tag),
                     std::string("its ") + name + " '" + text +
                         "' has an empty element, which means the working directory" + wanted);
    }
  }
}

TEST(Linkage, RelativePathsOfLibrariesAreRefused) {
  for (const auto& [tag, name] : {std::pair<std::int64_t, const char*>{DT_NEEDED, "NEEDED"},
                                  {DT_AUXILIARY, "AUXILIARY"},
                                  {DT_FILTER, "FILTER"}}) {
    for (const char* text : {"./libm.so.6", "lib/libm.so.6", "../libm.so.6", "libm/", "$LIB",
                             "$PLATFORM/libm.so.6", "${ORIGIN}libm.so.6"}) {
      SCOPED_TRACE(text);
      expect_refused(
          Image().text(text).retag(DT_RUNPATH, tag),
          std::string("it asks for the library '") + text + "' (" + name + "), a relative path");
    }
  }
}

TEST(Linkage, PlainNamesAreLeftToTheSystem) {
  expect_loaded(Image().text("libm.so.6").retag(DT_RUNPATH, DT_NEEDED));
  expect_loaded(Image().text("libm.so.6").retag(DT_RUNPATH, DT_AUXILIARY));
}

TEST(Linkage, AbsoluteFoldersAreGood) {
  for (const char* text : {"/usr/lib", "/usr/lib:/lib", "/", "$ORIGIN", "${ORIGIN}/none",
                           "$ORIGIN/none/../lib", "/no-such-folder/below/another:/usr/lib/"}) {
    SCOPED_TRACE(text);
    expect_loaded(Image().text(text));
    expect_loaded(Image().text(text).retag(DT_RUNPATH, DT_RPATH));
  }
}

TEST(Linkage, AFolderThatOthersCanWriteIsRefused) {
  const TemporaryDirectory open;
  fs::permissions(open.path(), fs::perms(0777));
  const std::string path = open.path().string();
  expect_refused(outcome("/usr/lib:" + path),
                 "its RUNPATH folder " + path + " is writable by others (chmod o-w)");
  expect_refused(outcome(path + "/none/below"), "its RUNPATH folder " + path +
                                                    "/none/below does not exist, and " + path +
                                                    " is writable by others");
  expect_refused(Image().text(path).retag(DT_RUNPATH, DT_RPATH),
                 "its RPATH folder " + path + " is writable by others");
  expect_refused(Image().text(path + "/libm.so.6").retag(DT_RUNPATH, DT_NEEDED),
                 "the folder " + path + " of its NEEDED library is writable by others");
  fs::create_directory(open.path() / "closed");
  EXPECT_EQ(outcome(path + "/closed").status, PluginStatus::kLoaded);  // as for plugins' folders
}

TEST(Linkage, ALinkToSuchAFolderIsRefused) {
  const TemporaryDirectory open, closed;
  fs::permissions(open.path(), fs::perms(0777));
  fs::create_symlink(open.path(), closed.path() / "link");
  expect_refused(outcome((closed.path() / "link").string()), "is writable by others");
  fs::create_symlink(open.path() / "none", closed.path() / "dangling");
  expect_refused(outcome((closed.path() / "dangling").string()),
                 "/dangling does not exist, and " + open.path().string());
  fs::create_symlink("loop", closed.path() / "loop");
  expect_refused(outcome((closed.path() / "loop").string()), "/loop has too many links");
  std::string file = (open.path() / "file").string();
  fs::copy_file(fixture_path("plain-c"), file);
  expect_refused(outcome(file), "is writable by others");  // a folder may come in its place
}

TEST(Linkage, AFolderOfAnotherUserOrGroupIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  const TemporaryDirectory odd;
  const std::string path = odd.path().string();
  ASSERT_EQ(chown(path.c_str(), 12345, 0), 0);
  expect_refused(outcome(path), "its RUNPATH folder " + path + " is owned by user 12345");
  ASSERT_EQ(chown(path.c_str(), 0, 12345), 0);
  ASSERT_EQ(chmod(path.c_str(), 0775), 0);
  expect_refused(outcome(path), "is writable by group 12345 (chmod g-w)");
  EXPECT_EQ(outcome(path, {odd.path()}).status, PluginStatus::kLoaded);
}

TEST(Linkage, ATrustedFolderMayBeWritable) {
  const TemporaryDirectory plugins, libraries;
  plugins.write(kFixture, Image().text(libraries.path().string()).bytes());
  fs::permissions(plugins.path() / "patchbay-linkage.so", fs::perms(0666));
  fs::permissions(plugins.path(), fs::perms(0777));
  fs::permissions(libraries.path(), fs::perms(0777));
  const auto outcome_with = [&](std::vector<fs::path> trusted) {
    RuntimeOptions options = only({plugins.path()});
    options.trusted_directories = std::move(trusted);
    return plugin_info(Runtime(options), kFixture);
  };
  expect_refused(outcome_with({}), "the file is writable by others");
  expect_refused(outcome_with({plugins.path().parent_path(), "/none"}), "writable by others");
  expect_refused(outcome_with({libraries.path()}), "the file is writable by others");
  expect_refused(outcome_with({plugins.path()}),
                 "its RUNPATH folder " + libraries.path().string() + " is writable by others");
  EXPECT_EQ(outcome_with({plugins.path(), libraries.path()}).status, PluginStatus::kLoaded);

  const fs::path before = fs::current_path();
  fs::current_path(plugins.path());
  fs::create_symlink(libraries.path(), "link");
  EXPECT_EQ(outcome_with({".", "link"}).status, PluginStatus::kLoaded);  // by any name
  fs::current_path(before);
}

TEST(Linkage, ATrustedFolderDoesNotExcuseWhatIsNeverGranted) {
  const TemporaryDirectory plugins;
  plugins.write(kFixture, Image().text("lib").bytes());
  RuntimeOptions options = only({plugins.path()});
  options.trusted_directories = {plugins.path()};
  expect_refused(plugin_info(Runtime(options), kFixture), "has the relative element 'lib'");
}

TEST(Linkage, TrustHoldsForPluginsThatAreLoadedLater) {
  const TemporaryDirectory plugins;
  fs::permissions(plugins.add(kFixture), fs::perms(0666));
  RuntimeOptions options = only({});
  options.trusted_directories = {plugins.path()};
  EXPECT_EQ(Runtime(options).load(plugins.path() / "patchbay-linkage.so").status,
            PluginStatus::kLoaded);
}

TEST(Linkage, DamagedDynamicSectionsAreRefused) {
  constexpr std::uint64_t kFar = ~std::uint64_t{0} - 8;
  const std::string damaged = "malformed dynamic section";
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1} << 40, kFar}) {
    SCOPED_TRACE(value);
    if (value != 0) expect_refused(Image().value(DT_STRTAB, value), damaged);
    if (value != 0) expect_refused(Image().value(DT_RUNPATH, value), damaged);
    if (value != 0) expect_refused(Image().value(DT_NEEDED, value), damaged);
    if (value != kFar) {
      expect_refused(Image().segment(PT_DYNAMIC,
                                     [&](Elf64_Phdr& one) {
                                       one.p_vaddr = value != 0 ? value : one.p_vaddr;
                                       one.p_memsz = value != 0 ? one.p_memsz : 0;
                                     }),
                     damaged);
    }
  }
  expect_refused(Image().value(DT_STRSZ, 0), damaged);
  expect_refused(Image().retag(DT_STRTAB, DT_DEBUG), damaged);
  expect_refused(Image().retag(DT_STRSZ, DT_DEBUG), damaged);
  expect_refused(Image().retag(DT_RUNPATH, DT_STRTAB), damaged);  // two tables
  const auto no_dynamic = [](Elf64_Phdr& one) { one.p_type = PT_NULL; };
  expect_refused(Image().segment(PT_DYNAMIC, no_dynamic), damaged);
  // The end mark lies outside.
  expect_refused(
      Image().segment(PT_DYNAMIC, [&](Elf64_Phdr& one) { one.p_memsz = 3 * sizeof(Elf64_Dyn); }),
      damaged);
}

TEST(Linkage, TextsWithoutAnEndAreRefused) {
  std::uint64_t offset = 0;
  Image image;
  image.entry(DT_RUNPATH, [&](Elf64_Dyn& one) { offset = one.d_un.d_val; });
  expect_refused(image.value(DT_STRSZ, offset + 5), "malformed dynamic section");
}

/// The dynamic linker reads the section where it is mapped, whatever offset its header names.
TEST(Linkage, IsReadWhereTheDynamicLinkerReadsIt) {
  Image image;
  image.text("lib").segment(PT_DYNAMIC, [](Elf64_Phdr& one) { one.p_offset = 0; });
  expect_refused(image, "has the relative element 'lib'");
}

TEST(Linkage, SegmentsThatOverlapAreRefused) {
  const auto move = [](Elf64_Phdr& one) { one.p_vaddr -= 0x1000; };
  expect_refused(Image().segment(PT_LOAD, move, 1), "malformed ELF segments");
  expect_refused(Image().segment(PT_LOAD, [](Elf64_Phdr& one) { one.p_memsz = ~std::uint64_t{0}; }),
                 "malformed ELF segments");
  expect_refused(Image().segment(PT_LOAD, [](Elf64_Phdr& one) { one.p_memsz = one.p_filesz - 1; }),
                 "malformed ELF segments");
}

TEST(Linkage, ASegmentBeyondTheFileIsRefused) {
  expect_refused(
      Image().segment(PT_LOAD,
                      [](Elf64_Phdr& one) { one.p_filesz = one.p_memsz = std::uint64_t{1} << 40; }),
      "truncated");
}

}  // namespace
}  // namespace patchbay::faults
