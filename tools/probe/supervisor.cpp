// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// patchbay-probe FILE SECONDS 0|1 [NAME=VALUE]...: opens a plugin in a process of its own, watches
// that, and writes to descriptor 3 what it did; core/runtime/probe reads it. Linux only.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <set>
#include <string>
#include <utility>

#include "worker.h"

namespace patchbay::probe {
namespace {

using Clock = std::chrono::steady_clock;

constexpr rlim_t kMiB = rlim_t{1} << 20, kMostStack = 64 * kMiB;
constexpr int kAnswer = 3;  // a descriptor
constexpr std::chrono::milliseconds kPause{5}, kPatience{50};

/// At most as much as the caller allows.
void limit(auto resource, rlim_t most) {
  rlimit both{};
  getrlimit(resource, &both);
  both.rlim_cur = both.rlim_max = std::min(both.rlim_max, most);
  setrlimit(resource, &both);
}

/// Half of the memory that is free, as far as that says what a process may take.
rlim_t memory_limit() {
  rlim_t kib = 0;
  std::ifstream lines("/proc/meminfo");
  for (std::string line; std::getline(lines, line);) {
    if (std::sscanf(line.c_str(), "MemAvailable: %lu", &kib) == 1) break;
  }
  return std::min(4096 * kMiB, kib != 0 ? kib * 1024 / 2 : 4096 * kMiB);
}

class Supervisor {
 public:
  explicit Supervisor(char** words)
      : deadline_(Clock::now() +
                  std::chrono::microseconds(static_cast<long long>(std::atof(words[2]) * 1e6))),
        seconds_(words[2]) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGCHLD, [](int) {});  // poll returns
    void* const memory =
        mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const int gate = eventfd(0, EFD_CLOEXEC);
    int ends[2] = {-1, -1};
    if (memory == MAP_FAILED || gate < 0 || pipe2(ends, O_CLOEXEC) != 0) std::exit(1);
    page_ = new (memory) Page;
    output_ = ends[0];
    fcntl(output_, F_SETFL, O_NONBLOCK);
    const pid_t self = getpid();
    worker_ = fork();
    if (worker_ < 0) std::exit(1);
    if (worker_ == 0) begin_work(words, self, ends[1], gate);
    close(ends[1]);
    // Stops the worker when it ends, while it still has its libraries. May be forbidden here.
    ptrace(PTRACE_SEIZE, worker_, nullptr, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL);
    eventfd_write(gate, 1);
  }

  /// Follows the worker to its end, or to one that the kernel can't bring about.
  void watch() {
    while (!has_ended_ && Clock::now() < deadline_ + 2 * kPatience) {
      pollfd files[] = {{output_, POLLIN, 0}, {kAnswer, 0, 0}};
      poll(files, 2, static_cast<int>(kPause.count()));
      if ((files[1].revents & POLLERR) != 0) stop("nobody waits for it");
      read_output();
      follow_worker();
      rlim_t total = 0, resident = 0;  // pages
      std::ifstream("/proc/" + std::to_string(worker_) + "/statm") >> total >> resident;
      if (resident * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) > most_memory_) {
        stop("it took more than " + std::to_string(most_memory_ / kMiB) + " MiB of memory");
      }
      if (Clock::now() > deadline_) stop("it did not return within " + seconds_ + " s");
    }
    read_output();
    end_others();
  }

  void answer() const {
    std::string text =
        harm_.empty() && has_left_well() ? page_->outcome.load() : "harm " + describe_end();
    if (text.starts_with("harm ")) {
      text += page_->place;
      std::string words = page_->thrown[0] != '\0' ? page_->thrown : tail_;
      words.erase(words.find_last_not_of(" \r\n") + 1);
      words.erase(0, words.rfind('\n') + 1);
      if (!words.empty()) text += ": " + words;
    }
    text += "\n" + std::string(page_->changes);
    // Killed by somebody, such as the kernel without memory: the next time it may be another end.
    const bool is_lasting = !harm_.empty() || !WIFSIGNALED(status_) || WTERMSIG(status_) != SIGKILL;
    for (const std::string& library : libraries_) {
      if (is_lasting) text += "library " + library + "\n";
    }
    text += "end\n";
    std::FILE* const file = fdopen(kAnswer, "w");
    if (file != nullptr) std::fwrite(text.data(), 1, text.size(), file);
  }

 private:
  [[noreturn]] void begin_work(char** words, pid_t supervisor, int output, int gate) const {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor) _exit(1);
    eventfd_t value = 0;
    eventfd_read(gate, &value);
    signal(SIGCHLD, SIG_DFL);
    setpgid(0, 0);
    dup2(output, 1);
    dup2(output, 2);
    closefrom(kAnswer);
    std::ofstream("/proc/self/oom_score_adj") << 1000;  // before the program
    rlim_t num_tasks = 0;                               // of all users: "0.5 0.4 0.3 2/345 6789"
    std::string load;
    std::getline(std::ifstream("/proc/loadavg"), load);
    std::sscanf(load.c_str(), "%*s %*s %*s %*d/%lu", &num_tasks);
    limit(RLIMIT_NPROC, num_tasks + 1024);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_STACK, kMostStack);
    limit(RLIMIT_FSIZE, 256 * kMiB);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they reserve terabytes
    limit(RLIMIT_DATA, 32768 * kMiB);
#endif
    work(words, *page_);
  }

  void read_output() {
    constexpr std::size_t kMostTail = 512;
    char bytes[65536];
    ssize_t size = -1;
    while (output_ >= 0 && (size = read(output_, bytes, sizeof(bytes))) > 0) {
      tail_.append(bytes, static_cast<std::size_t>(size));
      tail_.erase(0, tail_.size() - std::min(tail_.size(), kMostTail));
      num_output_ += static_cast<rlim_t>(size);
      if (num_output_ > kMiB) return stop("it wrote more than 1 MiB of output");
    }
    if (size == 0) close(std::exchange(output_, -1));  // poll ignores it
  }

  void follow_worker() {
    int status = 0;
    for (pid_t child; (child = waitpid(-1, &status, WNOHANG | __WALL)) > 0;) {
      if (child != worker_) continue;
      if (WIFSTOPPED(status)) {
        let_go_on(status >> 16, WSTOPSIG(status));
      } else {
        has_ended_ = true;
        status_ = status;
      }
    }
  }

  /// The worker is stopped at a signal, or at its end.
  void let_go_on(int event, int signal) {
    siginfo_t info{};
    if (event == PTRACE_EVENT_EXIT) read_libraries();
    if (event == 0 && signal == SIGSEGV) {
      ptrace(PTRACE_GETSIGINFO, worker_, nullptr, &info);
      // The worker's stack is where this process's is.
      const auto below = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) -
                         reinterpret_cast<std::uintptr_t>(info.si_addr);
      is_stack_exhausted_ = below > kMostStack / 2 && below < kMostStack * 2;
    }
    // A worker that has stopped itself stays so, up to the deadline.
    const bool is_still = event == PTRACE_EVENT_STOP && signal != SIGTRAP;
    ptrace(is_still ? PTRACE_LISTEN : PTRACE_CONT, worker_, nullptr, event == 0 ? signal : 0);
  }

  /// The files of its code, and the one that it runs.
  void read_libraries() {
    const std::string folder = "/proc/" + std::to_string(worker_);
    std::string line;
    std::getline(std::ifstream(folder + "/syscall"), line);  // "-1 <stack> <code>"
    const auto code = std::strtoul(line.c_str() + line.rfind(' ') + 1, nullptr, 16);
    for (std::ifstream maps(folder + "/maps"); std::getline(maps, line);) {
      unsigned long begin = 0, end = 0;
      char is_code = '-';
      const std::size_t path = std::min(line.find('/'), line.size());
      std::sscanf(line.c_str(), "%lx-%lx %*c%*c%c", &begin, &end, &is_code);
      if (is_code != 'x' || path == line.size()) continue;
      libraries_.insert(line.substr(path));
      if (begin <= code && code < end) code_ = line.substr(path);
    }
  }

  void stop(std::string why) {
    if (!harm_.empty() || has_ended_) return;
    harm_ = std::move(why);
    read_libraries();
    kill(-worker_, SIGKILL);
    kill(worker_, SIGKILL);
  }

  /// Children of the worker, and theirs, have become this process's.
  void end_others() {
    const std::string list = "/proc/self/task/" + std::to_string(getpid()) + "/children";
    const auto start = Clock::now();
    for (pid_t child; (child = waitpid(-1, nullptr, WNOHANG | __WALL)) >= 0;) {
      const auto time = Clock::now() - start;
      if (time > 3 * kPatience || Clock::now() > deadline_ + 3 * kPatience) return;
      if (child > 0) continue;
      if (time > kPatience && harm_.empty() && has_left_well()) {
        harm_ = "it left processes running";
        page_->place = "";
      }
      std::ifstream children(list);
      for (pid_t one = 0; (!harm_.empty() || !has_left_well()) && children >> one;) {
        kill(one, SIGKILL);
      }
      usleep(1000);
    }
  }

  bool has_left_well() const { return status_ == 0 && *page_->outcome.load() != '\0'; }

  std::string describe_end() const {
    if (!harm_.empty()) return harm_;
    if (WIFEXITED(status_)) {
      return "it ended the process with status " + std::to_string(WEXITSTATUS(status_));
    }
    const int signal = WTERMSIG(status_);
    const char* const name = sigabbrev_np(signal);
    const std::string text = " (SIG" + (name != nullptr ? name : std::to_string(signal)) + ")";
    if (signal == SIGABRT) return "it aborted" + text;
    if (signal == SIGKILL) return "it was killed" + text;
    if (signal == SIGXFSZ) return "it wrote a file of more than 256 MiB" + text;
    if (signal == SIGSEGV && is_stack_exhausted_) return "it exhausted its stack" + text;
    return "it crashed" + text + (code_.empty() ? "" : " in the code of " + code_ + ",");
  }

  const Clock::time_point deadline_;
  const std::string seconds_;
  const rlim_t most_memory_ = memory_limit();
  Page* page_ = nullptr;
  pid_t worker_ = -1;
  int output_ = -1, status_ = 0;
  bool has_ended_ = false, is_stack_exhausted_ = false;
  rlim_t num_output_ = 0;
  std::string tail_, harm_, code_;
  std::set<std::string> libraries_;
};

}  // namespace
}  // namespace patchbay::probe

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("patchbay-probe is for the library; see `patchbay plugins`\n", stderr);
    return 2;
  }
  patchbay::probe::Supervisor supervisor(argv);
  supervisor.watch();
  supervisor.answer();
  return 0;
}
