// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What is found wanting before it is opened: its code never runs.
#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

namespace fs = std::filesystem;

constexpr PluginStatus kRefused = PluginStatus::kRefused;

/// Puts these bytes beside the good plugin.
void expect_bytes_refused(std::string_view bytes, const std::string& reason) {
  const TemporaryDirectory directory{"plain-c"};
  directory.write("odd", bytes);
  expect_outcome_in(directory, "odd", kRefused, {reason});
}

/// A good plugin with its header changed.
template <class Change>
std::string changed_header(Change change) {
  std::string bytes = test::read_text(fixture_path("nothing"));
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  change(header);
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

TEST(RefusedPlugin, FilesThatAreNoPlugin) {
  const std::pair<std::string, const char*> files[] = {
      {"#!/bin/sh\necho hi\n", "not an ELF file"},
      {"", "not an ELF file"},
      {test::read_text(fixture_path("nothing")).substr(0, 40), "truncated"},
      {changed_header(
           [](Elf64_Ehdr& h) { h.e_machine = h.e_machine == EM_PPC64 ? EM_S390 : EM_PPC64; }),
       "another architecture"},
      {changed_header([](Elf64_Ehdr& h) { h.e_ident[EI_DATA] = ELFDATA2MSB; }),
       "another architecture"},
      {changed_header([](Elf64_Ehdr& h) { h.e_ident[EI_CLASS] = ELFCLASS32; }),
       "another architecture"},
      {changed_header([](Elf64_Ehdr& h) { h.e_type = ET_EXEC; }), "not a shared library"},
      {changed_header([](Elf64_Ehdr& h) { h.e_type = ET_REL; }), "not a shared library"},
      {changed_header([](Elf64_Ehdr& h) { h.e_phnum = 0; }), "malformed"},
      {changed_header([](Elf64_Ehdr& h) { h.e_phoff = ~Elf64_Off{0} - 8; }), "truncated"}};
  for (const auto& [bytes, reason] : files) {
    SCOPED_TRACE(reason);
    expect_bytes_refused(bytes, reason);
  }
}

TEST(RefusedPlugin, TruncatedAnywhere) {
  const std::string whole = test::read_text(fixture_path("nothing"));
  for (const std::size_t size : {sizeof(Elf64_Ehdr), sizeof(Elf64_Ehdr) + 100, whole.size() / 4,
                                 whole.size() / 2, whole.size() - 1}) {
    SCOPED_TRACE(size);
    expect_bytes_refused(whole.substr(0, size), "truncated");
  }
}

/// A name fills its 32 bytes, so that no zero ends it.
TEST(RefusedPlugin, NamesWithoutAnEnd) {
  const std::string whole = test::read_text(fixture_path("nothing"));
  const std::string field = std::string("nothing") + std::string(25, '\0');
  const std::size_t plugin = whole.find(field), backend = plugin + field.size();
  ASSERT_NE(plugin, std::string::npos);
  for (const std::size_t name : {plugin, backend}) {
    std::string bytes = whole;
    bytes.replace(name, 32, std::string(32, 'n'));
    expect_bytes_refused(
        bytes, "its note has a name of more than 31 bytes, '" + std::string(32, 'n') + "'");
  }
}

TEST(RefusedPlugin, BadNotes) {
  const std::pair<const char*, std::vector<std::string>> notes[] = {
      {"no-note", {"no Patchbay note"}},
      {"wrong-major", {"interface 77."}},
      {"version-zero", {"built for plugin interface 0.1, this library has 1.2"}},
      {"bad-backend", {"No Such-Name"}},
      {"other-kind",
       {"a plugin of kind 'teleporter': this library opens those of the kinds 'device' and "
        "'collective'"}},
      {"newer-minor",
       {"it requires plugin interface ", ".4000000000 for 'teleport/1', this library has ",
        "Use a newer library or an older plugin"}},
      // The strictest of several counts, and a long text is cut.
      {"two-requirements",
       {".4000000000 for 'teleport/1 of everything from this device to a card in K...', "}},
      {"bad-setting",
       {"its note has a bad setting name 'Bad\\x1b[31m': expected [a-z][a-z0-9_]*"}}};
  for (const auto& [fixture, words] : notes) {
    SCOPED_TRACE(fixture);
    expect_outcome(fixture, kRefused, words);
  }
}

TEST(RefusedPlugin, NoteOfAnotherPluginThanTheFile) {
  const TemporaryDirectory directory{"plain-c"};
  directory.write("harmless", test::read_text(fixture_path("later-version")));
  expect_outcome_in(directory, "harmless", kRefused, {"later-version", "harmless"});
}

TEST(RefusedPlugin, FileWritableByOthers) {
  const TemporaryDirectory directory{"plain-c"};
  fs::permissions(directory.add("later-version"), fs::perms(0646));
  expect_outcome_in(directory, "later-version", kRefused, {"the file is writable by others"});
}

TEST(RefusedPlugin, DirectoryWritableByOthers) {
  const TemporaryDirectory good{"plain-c"}, open{"later-version"};
  fs::permissions(open.path(), fs::perms(0757));
  const Runtime runtime(only({open.path(), good.path()}));
  const PluginInfo info = plugin_info(runtime, "later-version");
  EXPECT_EQ(info.status, kRefused);
  EXPECT_HAS(info.reason, open.path().string() + " is writable by others");
  expect_plain_c_works(runtime);
}

TEST(RefusedPlugin, SymlinkIntoADirectoryWritableByOthers) {
  const TemporaryDirectory good, open;
  good.add("plain-c");
  fs::create_symlink(open.add("later-version"), good.path() / "patchbay-later-version.so");
  fs::permissions(open.path(), fs::perms(0757));
  expect_outcome_in(good, "later-version", kRefused, {"writable by others"});
}

/// Files are another user's.
class GivenAwayPlugin : public testing::Test {
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  }
};

constexpr uid_t kStranger = 12345;

/// What becomes of a plugin in a directory with this owner, group and mode.
PluginInfo outcome_in_directory_of(uid_t owner, gid_t group, int mode) {
  const TemporaryDirectory good{"plain-c"}, odd{"later-version"};
  EXPECT_EQ(chown(odd.path().c_str(), owner, group), 0);
  EXPECT_EQ(chmod(odd.path().c_str(), static_cast<mode_t>(mode)), 0);
  const Runtime runtime(only({odd.path(), good.path()}));
  expect_plain_c_works(runtime);
  return plugin_info(runtime, "later-version");
}

/// The same for the file's own.
PluginInfo outcome_of_file_of(uid_t owner, gid_t group, int mode) {
  const TemporaryDirectory directory{"plain-c"};
  const fs::path file = directory.add("later-version");
  EXPECT_EQ(chown(file.c_str(), owner, group), 0);
  EXPECT_EQ(chmod(file.c_str(), static_cast<mode_t>(mode)), 0);
  const Runtime runtime(only({directory.path()}));
  expect_plain_c_works(runtime);
  return plugin_info(runtime, "later-version");
}

void expect_refused(const PluginInfo& info, const std::string& reason) {
  EXPECT_EQ(info.status, kRefused) << info.reason;
  EXPECT_HAS(info.reason, reason);
}

TEST_F(GivenAwayPlugin, FileOfAnotherUser) {
  expect_refused(outcome_of_file_of(kStranger, 0, 0644),
                 "the file is owned by user 12345: expected root, the user of this process (0)");
}

TEST_F(GivenAwayPlugin, DirectoryOfAnotherUser) {
  const PluginInfo info = outcome_in_directory_of(kStranger, 0, 0755);
  expect_refused(info, "its directory " + info.path.parent_path().string() +
                           " is owned by user 12345: expected root");
}

TEST_F(GivenAwayPlugin, SymlinkIntoADirectoryOfAnotherUser) {
  const TemporaryDirectory good, odd;
  good.add("plain-c");
  fs::create_symlink(odd.add("later-version"), good.path() / "patchbay-later-version.so");
  ASSERT_EQ(chown(odd.path().c_str(), kStranger, 0), 0);
  expect_outcome_in(good, "later-version", kRefused, {odd.path().string(), "owned by user 12345"});
}

TEST_F(GivenAwayPlugin, WritableByAGroup) {
  expect_refused(outcome_of_file_of(0, kStranger, 0664),
                 "the file is writable by group 12345 (chmod g-w)");
  expect_refused(outcome_in_directory_of(0, kStranger, 0775),
                 "is writable by group 12345 (chmod g-w)");
}

TEST_F(GivenAwayPlugin, ButNotForAGroupThatMayOnlyRead) {
  EXPECT_EQ(outcome_of_file_of(0, kStranger, 0644).status, PluginStatus::kLoaded);
  EXPECT_EQ(outcome_in_directory_of(0, kStranger, 0755).status, PluginStatus::kLoaded);
}

TEST_F(GivenAwayPlugin, ButNotForRootsGroup) {
  EXPECT_EQ(outcome_of_file_of(0, 0, 0664).status, PluginStatus::kLoaded);
  EXPECT_EQ(outcome_in_directory_of(0, 0, 0775).status, PluginStatus::kLoaded);
}

TEST(RefusedPlugin, NotARegularFile) {
  const TemporaryDirectory directory{"plain-c"};
  fs::create_directory(directory.path() / "patchbay-folder.so");
  ASSERT_EQ(mkfifo((directory.path() / "patchbay-pipe.so").c_str(), 0644), 0);
  expect_outcome_in(directory, "folder", kRefused, {"not a regular file"});
  expect_outcome_in(directory, "pipe", kRefused, {"not a regular file"});
}

TEST(RefusedPlugin, SymlinksToNothing) {
  const TemporaryDirectory directory{"plain-c"};
  fs::create_symlink("nowhere", directory.path() / "patchbay-dangling.so");
  fs::create_symlink("patchbay-loop.so", directory.path() / "patchbay-loop.so");
  expect_outcome_in(directory, "dangling", kRefused, {"can't be found"});
  expect_outcome_in(directory, "loop", kRefused, {"can't be found"});
}

}  // namespace
}  // namespace patchbay::faults
