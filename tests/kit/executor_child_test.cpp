// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The compiler's process inherits nothing of the program's: directory, environment, descriptors,
// signals. It ends at a deadline.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "kit/executor_fixture.h"
#include "support/environment_variable.h"

namespace patchbay::test {
namespace {

using KernelCompilerProcess = KernelExecutorTest;

/// Changes the working directory while it lives.
class WorkingDirectory {
 public:
  explicit WorkingDirectory(const fs::path& path) : previous_(fs::current_path()) {
    fs::current_path(path);
  }
  ~WorkingDirectory() { fs::current_path(previous_); }
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;

 private:
  const fs::path previous_;
};

/// What a stand-in for the compiler finds: it writes to a file and goes on as the compiler.
std::string seen_by(const fs::path& file, const std::string& commands) {
  return "{ " + commands + "; } > '" + file.string() + "' 2>&1\nexec c++ \"$@\"\n";
}

/// GNU ld looks for what gcc's linker script names in the working directory, and what is linked
/// runs when the kernel is loaded.
TEST_F(KernelCompilerProcess, TakesNothingFromTheWorkingDirectory) {
  const fs::path planted = directory_.path() / "planted", mark = directory_.path() / "mark";
  fs::create_directories(planted);
  std::ofstream(planted / "planted.c")
      << "#include <fcntl.h>\n__attribute__((constructor)) static void ran(void) { creat(\""
      << mark.string() << "\", 0600); }\n";
  const std::string object = (planted / "planted.o").string();
  ASSERT_EQ(
      std::system(
          ("cc -fPIC -c '" + (planted / "planted.c").string() + "' -o '" + object + "'").c_str()),
      0);
  for (const char* name : {"libgcc_s.so.1", "libstdc++.so.6", "libm.so.6", "libc.so.6", "libm.so",
                           "libgcc.a", "crti.o", "crtbeginS.o"}) {
    fs::copy_file(object, planted / name);
  }
  for (const char* name : {"as", "ld", "collect2", "cc1plus", "specs"}) {
    std::ofstream(planted / name) << "#!/bin/sh\ntouch '" << mark.string() << "'\nexit 1\n";
    fs::permissions(planted / name, fs::perms::owner_all);
  }
  const std::string here = planted.string();
  const WorkingDirectory working(planted);
  expect_scales(device());
  // The compiler and the linker read these variables.
  const EnvironmentVariable path("PATH", ".:" + std::string(std::getenv("PATH")));
  const EnvironmentVariable compilers("COMPILER_PATH", here), prefix("GCC_EXEC_PREFIX", here + "/");
  const EnvironmentVariable libraries("LIBRARY_PATH", here), headers("CPATH", here);
  const EnvironmentVariable run("LD_RUN_PATH", here), temporary("TMPDIR", here);
  fs::remove_all(cache());
  expect_scales(device());
  EXPECT_EQ(kept().size(), 1u);
  EXPECT_FALSE(fs::exists(mark)) << "a planted file ran";
}

TEST_F(KernelCompilerProcess, HasAnEnvironmentOfItsOwn) {
  const fs::path file = directory_.path() / "seen";
  const std::string noting = script(seen_by(file, "env | sort; pwd"));
  const EnvironmentVariable secret("PATCHBAY_TEST_SECRET", "told"), language("LC_ALL", "de_DE");
  expect_scales(device({{"kernel_compiler", noting}}));
  const std::string seen = read_text(file), work = (cache() / "kernels" / ".build-").string();
  EXPECT_EQ(seen.find("PATCHBAY_TEST_SECRET"), std::string::npos) << seen;
  EXPECT_HAS(seen, "LC_ALL=C\n");
  EXPECT_HAS(seen, "PATH=/usr/local/bin:/usr/bin:/bin\n");
  EXPECT_HAS(seen, "TMPDIR=" + work);
  EXPECT_HAS(seen, "\n" + work) << "the working directory: " << seen;
  EXPECT_EQ(kept().size(), 1u) << "its folder is left";
}

TEST_F(KernelCompilerProcess, HasNoOtherDescriptorsAndSignals) {
  const fs::path file = directory_.path() / "seen";
  const std::string noting =
      script(seen_by(file, "ls -l /proc/$$/fd; grep -E '^Sig(Blk|Ign)' /proc/self/status"));
  const fs::path open_file = directory_.path() / "open-in-the-program";
  const int inherited = open(open_file.c_str(), O_CREAT | O_RDWR, 0600);  // without O_CLOEXEC
  ASSERT_GE(inherited, 0);
  sigset_t blocked, previous;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &previous);
  const auto of_pipes = signal(SIGPIPE, SIG_IGN), of_children = signal(SIGCHLD, SIG_IGN);
  expect_scales(device({{"kernel_compiler", noting}}));
  signal(SIGPIPE, of_pipes);
  signal(SIGCHLD, of_children);
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  close(inherited);
  const std::string seen = read_text(file);
  EXPECT_EQ(seen.find("open-in-the-program"), std::string::npos) << seen;
  EXPECT_HAS(seen, "/dev/null");
  // The C library keeps signals 32 and 33 for itself.
  constexpr std::uint64_t kOfPrograms = 0x7fffffff;
  for (const std::string name : {"SigBlk:\t", "SigIgn:\t"}) {
    const std::size_t at = seen.find(name);
    ASSERT_NE(at, std::string::npos) << seen;
    EXPECT_EQ(std::stoull(seen.substr(at + name.size(), 16), nullptr, 16) & kOfPrograms, 0u)
        << seen;
  }
}

TEST_F(KernelCompilerProcess, IsStoppedAtItsDeadline) {
  // With a child of its own, which would keep the pipe open.
  const std::string slow = script("echo 'still thinking'; sleep 600 & sleep 600\n");
  const auto late = device({{"kernel_compiler", slow}, {"kernel_compiler_timeout_s", "1"}});
  const Error error = error_of([&] { return KernelModule::from_source(late, kScale); });
  EXPECT_EQ(error.code(), kBuildFailed);
  EXPECT_EQ(std::string(error.what()),
            "[KernelModule] the C++ compiler '" + slow +
                "' failed: expected a shared library, got none within its deadline of 1 s. "
                "Correct it, or name another by the setting kernel_compiler "
                "(PATCHBAY_KERNEL_COMPILER), or allow more time by kernel_compiler_timeout_s "
                "(PATCHBAY_KERNEL_COMPILER_TIMEOUT_S). It wrote:\nstill thinking\n (cpu:0)");
  EXPECT_TRUE(kept().empty());
  for (const char* wrong : {"0", "-1", "1.5", "soon", "86401"}) {
    EXPECT_INVALID(
        KernelModule::from_source(device({{"kernel_compiler_timeout_s", wrong}}), kScale),
        "expected a number of seconds from 1 to 86400, got '" + std::string(wrong) + "'");
  }
}

TEST_F(KernelCompilerProcess, IsNamedByAnAbsolutePathOrANameOnPath) {
  EXPECT_INVALID(KernelModule::from_source(device({{"kernel_compiler", "./compiler"}}), kScale),
                 "expected an absolute path, or a name on PATH");
}

}  // namespace
}  // namespace patchbay::test
