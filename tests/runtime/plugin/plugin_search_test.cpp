// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Where plugins are looked for, in which order, and which of them are wanted.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/environment_variable.h"
#include "support/runtime_fixture.h"
#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

using test::EnvironmentVariable;

namespace fs = std::filesystem;

/// Default options, without the plugins of the build.
RuntimeOptions from_environment(std::vector<std::string> plugins) {
  RuntimeOptions options;
  options.plugins = std::move(plugins);
  return options;
}

PluginStatus status_of(const Runtime& runtime, std::string_view name) {
  return plugin_info(runtime, name).status;
}

TEST(PluginPath, IsSearchedInItsOrder) {
  const TemporaryDirectory first{"nothing"}, second{"plain-c"};
  const EnvironmentVariable path("PATCHBAY_PLUGIN_PATH",
                                 first.path().string() + ":" + second.path().string());
  const Runtime runtime(from_environment({"plain-c", "nothing"}));
  const auto directories = runtime.plugin_directories();
  ASSERT_GE(directories.size(), 2u);
  EXPECT_EQ(directories[0], first.path());
  EXPECT_EQ(directories[1], second.path());
  EXPECT_EQ(status_of(runtime, "nothing"), PluginStatus::kLoaded);
  EXPECT_EQ(status_of(runtime, "plain-c"), PluginStatus::kShadowed);
}

TEST(PluginPath, ComesAfterTheProgramsDirectories) {
  const TemporaryDirectory program{"plain-c"}, environment{"nothing"};
  const EnvironmentVariable path("PATCHBAY_PLUGIN_PATH", environment.path().string());
  RuntimeOptions options = from_environment({"plain-c", "nothing"});
  options.plugin_directories = {program.path()};
  const Runtime runtime(options);
  EXPECT_EQ(status_of(runtime, "plain-c"), PluginStatus::kLoaded);
  EXPECT_EQ(status_of(runtime, "nothing"), PluginStatus::kShadowed);
}

/// A plugin is opened later than it is found.
TEST(PluginPath, TheProgramsRelativeDirectoryStaysWhereItWas) {
  const TemporaryDirectory first, second;
  for (const TemporaryDirectory* one : {&first, &second}) fs::create_directory(one->path() / "own");
  fs::rename(first.add("plain-c"), first.path() / "own" / "patchbay-plain-c.so");
  fs::rename(second.add("plain-c"), second.path() / "own" / "patchbay-plain-c.so");
  const fs::path before = fs::current_path();
  for (const fs::path& later : {second.path(), fs::path("/")}) {
    RuntimeOptions options = from_environment({});
    options.search_default_directories = false;
    options.plugin_directories = {"own"};
    fs::current_path(first.path());
    const Runtime runtime(options);
    fs::current_path(later);
    (void)runtime.device("plainc:0");
    const PluginInfo found = plugin_info(runtime, "plain-c");
    EXPECT_EQ(found.status, PluginStatus::kLoaded);
    EXPECT_EQ(found.path, first.path() / "own" / "patchbay-plain-c.so");
  }
  fs::current_path(before);
}

/// Takes all file descriptors but some.
class FewDescriptors {
 public:
  explicit FewDescriptors(std::size_t num_free) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit lower = before_;
    lower.rlim_cur = std::min<rlim_t>(before_.rlim_cur, 256);
    setrlimit(RLIMIT_NOFILE, &lower);
    for (int fd = open("/dev/null", O_RDONLY); fd >= 0; fd = open("/dev/null", O_RDONLY)) {
      taken_.push_back(fd);
    }
    for (; num_free > 0; --num_free) give_back();
  }
  ~FewDescriptors() {
    while (!taken_.empty()) give_back();
    setrlimit(RLIMIT_NOFILE, &before_);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  void give_back() {
    close(taken_.back());
    taken_.pop_back();
  }

  rlimit before_{};
  std::vector<int> taken_;
};

/// A lack that passes loses no plugin.
TEST(PluginPath, WithoutFileDescriptorsIsAnError) {
  if (test::kSanitized) {
    GTEST_SKIP() << "the sanitizer needs descriptors to look at the object of an exception";
  }
  const TemporaryDirectory directory{"plain-c"};
  RuntimeOptions options = from_environment({});
  options.search_default_directories = false;
  options.plugin_directories = {directory.path()};
  for (std::size_t num_free = 0; num_free < 2; ++num_free) {
    SCOPED_TRACE(num_free);
    Error error(ErrorCode::kInternal, "none");
    {
      const FewDescriptors few(num_free);
      try {
        const Runtime runtime(options);
      } catch (const Error& thrown) {
        error = thrown;
      }
    }
    EXPECT_EQ(error.code(), ErrorCode::kIo);
    EXPECT_HAS(error.what(), "can't be opened: no file descriptor is free (Too many open files)");
  }
  const Runtime runtime(options);
  {
    const FewDescriptors few(0);
    EXPECT_THROW((void)runtime.device("plainc:0"), Error);
  }
  EXPECT_EQ(runtime.device("plainc:0").name(), "plainc:0");
}

TEST(PluginPath, AbsentDirectoryIsNoError) {
  const TemporaryDirectory directory{"plain-c"};
  const EnvironmentVariable path("PATCHBAY_PLUGIN_PATH",
                                 "/does/not/exist:" + directory.path().string());
  expect_plain_c_works(Runtime(from_environment({"plain-c"})));
}

void expect_bad_path(const std::string& value, const std::string& element) {
  const EnvironmentVariable path("PATCHBAY_PLUGIN_PATH", value);
  EXPECT_INVALID(Runtime(RuntimeOptions{}), "PATCHBAY_PLUGIN_PATH '" + value + "'");
  EXPECT_INVALID(Runtime(RuntimeOptions{}), "'" + element + "'");
}

TEST(PluginPath, EmptyElementIsAnError) {
  expect_bad_path("", "");
  expect_bad_path(":", "");
  expect_bad_path("/usr/lib:", "");
  expect_bad_path(":/usr/lib", "");
  expect_bad_path("/usr/lib::/usr/local/lib", "");
}

TEST(PluginPath, RelativeElementIsAnError) {
  expect_bad_path("plugins", "plugins");
  expect_bad_path("/usr/lib:./plugins", "./plugins");
  expect_bad_path(".", ".");
}

TEST(PluginPath, IsNotReadWhenTheProgramForbidsIt) {
  const EnvironmentVariable path("PATCHBAY_PLUGIN_PATH", "relative");
  const TemporaryDirectory directory{"plain-c"};
  expect_plain_c_works(Runtime(only({directory.path()})));
}

TEST(PluginFilter, FilteredPluginsAreNotOpened) {
  const TemporaryDirectory directory{"plain-c", "later-version"};
  const fs::path trace = directory.path() / "trace";
  const EnvironmentVariable traced("PATCHBAY_TEST_TRACE", trace.string());
  RuntimeOptions options = only({directory.path()});
  options.plugins = {"plain-c"};
  const Runtime runtime(options);
  EXPECT_EQ(status_of(runtime, "later-version"), PluginStatus::kFiltered);
  EXPECT_HAS(plugin_info(runtime, "later-version").reason, "plain-c");
  EXPECT_FALSE(fs::exists(trace)) << "code of a filtered plugin ran";
  expect_plain_c_works(runtime);

  // The same file leaves its trace when it is opened.
  const Runtime all(only({directory.path()}));
  EXPECT_EQ(status_of(all, "later-version"), PluginStatus::kLoaded);
  EXPECT_EQ(test::read_text(trace), "later-version\n");
}

TEST(PluginFilter, RefusedPluginsAreNotOpened) {
  const TemporaryDirectory directory{"plain-c"};
  fs::permissions(directory.add("nothing"), fs::perms(0666));
  const fs::path trace = directory.path() / "trace";
  const EnvironmentVariable traced("PATCHBAY_TEST_TRACE", trace.string());
  const Runtime runtime(only({directory.path()}));
  EXPECT_EQ(status_of(runtime, "nothing"), PluginStatus::kRefused);
  EXPECT_FALSE(fs::exists(trace)) << "code of a refused plugin ran";
}

TEST(PluginFilter, TakesNamesFromTheEnvironment) {
  const TemporaryDirectory directory{"plain-c", "later-version"};
  const EnvironmentVariable names("PATCHBAY_PLUGINS", "plain-c");
  RuntimeOptions options = only({directory.path()});
  options.read_environment = true;
  const Runtime runtime(options);
  EXPECT_EQ(status_of(runtime, "later-version"), PluginStatus::kFiltered);
  expect_plain_c_works(runtime);
  options.plugins = {"later-version"};  // the program's word counts
  EXPECT_EQ(status_of(Runtime(options), "plain-c"), PluginStatus::kFiltered);
}

TEST(PluginDuplicates, SymlinkToTheSameFileIsOnePlugin) {
  const TemporaryDirectory directory{"plain-c"};
  fs::create_directory(directory.path() / "second");
  fs::create_symlink("../patchbay-plain-c.so", directory.path() / "second/patchbay-plain-c.so");
  const Runtime runtime(only({directory.path(), directory.path() / "second"}));
  (void)runtime.devices();  // opens every plugin
  ASSERT_EQ(runtime.plugins().size(), 2u);
  EXPECT_EQ(runtime.plugins()[0].status, PluginStatus::kLoaded);
  EXPECT_EQ(runtime.plugins()[1].status, PluginStatus::kShadowed);
  EXPECT_HAS(runtime.plugins()[1].reason, "same file");
  EXPECT_EQ(runtime.devices().size(), 1u);
}

TEST(PluginDuplicates, FirstOfTwoWithOneBackendWins) {
  const TemporaryDirectory directory{"plain-c"};
  directory.add("nothing");  // before plain-c by name, and of its backend
  const fs::path winner = directory.path() / "patchbay-nothing.so";
  const Runtime runtime(only({directory.path()}));
  EXPECT_EQ(status_of(runtime, "nothing"), PluginStatus::kLoaded);
  const PluginInfo shadowed = plugin_info(runtime, "plain-c");
  EXPECT_EQ(shadowed.status, PluginStatus::kShadowed);
  EXPECT_HAS(shadowed.reason, "'plainc'");
  EXPECT_HAS(shadowed.reason, winner.string());
  EXPECT_EQ(runtime.devices().size(), 1u);
}

void expect_file_error(const fs::path& file, const std::string& reason) {
  const TemporaryDirectory directory{"plain-c"};
  RuntimeOptions options = only({directory.path()});
  options.plugin_files = {file};
  EXPECT_ERROR(Runtime{options}, kPluginFailed, file.string());
  EXPECT_ERROR(Runtime{options}, kPluginFailed, reason);
}

TEST(PluginFile, ThatDoesNotLoadIsAnError) {
  const TemporaryDirectory directory;
  expect_file_error("/does/not/exist/patchbay-x.so", "can't be found");
  expect_file_error(directory.write("text", "hello"), "not an ELF file");
  expect_file_error(directory.add("no-open"), "'open'");
  expect_file_error(directory.add("throwing-open"), "thrown out of it");
}

TEST(PluginFile, WithoutADriverIsNoError) {
  const TemporaryDirectory directory{"plain-c"};
  RuntimeOptions options = only({directory.path()});
  options.plugin_files = {fixture_path("fake")};
  options.settings["fake_open"] = "no-driver";
  const Runtime runtime(options);
  EXPECT_EQ(status_of(runtime, "fake"), PluginStatus::kNoDriver);
  expect_plain_c_works(runtime);
}

TEST(PluginFile, ComesBeforeTheDirectories) {
  const TemporaryDirectory files, directory;
  directory.add("nothing");
  RuntimeOptions options = only({directory.path()});
  options.plugin_files = {files.add("plain-c")};
  const Runtime runtime(options);
  EXPECT_EQ(status_of(runtime, "nothing"), PluginStatus::kShadowed);
  expect_plain_c_works(runtime);
}

}  // namespace
}  // namespace patchbay::faults
