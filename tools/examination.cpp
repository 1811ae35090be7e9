// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "examination.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "report.h"

namespace patchbay::tools {
namespace {

using conformance::Check;
using conformance::Outcome;
using conformance::Result;

/// Each hang costs a time limit.
constexpr int kMostHangs = 3;
/// The additional time before the process is ended from outside.
constexpr std::chrono::seconds kGrace{15};

[[noreturn]] void raise_system_error(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// The living and unreaped children of this process that are in its session.
std::set<pid_t> children_in_session() {
  std::set<pid_t> children;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    std::string line;
    if (process <= 0 || !std::getline(std::ifstream(entry.path() / "stat"), line)) continue;
    int parent = 0, session = 0;
    const std::size_t name_end = line.rfind(')');  // "12 (name) S parent group session"
    if (name_end == std::string::npos) continue;
    std::sscanf(line.c_str() + name_end, ") %*c %d %*d %d", &parent, &session);
    if (parent == getpid() && session == getsid(0)) children.insert(process);
  }
  return children;
}

/// Ends the processes that the examining process has left, such as a compiler that a hung entry
/// waits for, which has a process group of its own. They have become children of this process. A
/// daemon that has left the session goes on.
class LeftProcesses {
 public:
  LeftProcesses() : others_(children_in_session()) { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~LeftProcesses() {
    constexpr int kMostRounds = 200;  // their own children become this process's
    try {
      for (int round = 0; round < kMostRounds && end_all(); ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): /proc can't be read
    }
  }
  LeftProcesses(const LeftProcesses&) = delete;
  LeftProcesses& operator=(const LeftProcesses&) = delete;

 private:
  /// Returns false if there is none.
  bool end_all() const {
    bool has_any = false;
    for (const pid_t process : children_in_session()) {
      if (others_.contains(process)) continue;
      has_any = true;
      kill(process, SIGKILL);
      waitpid(process, nullptr, WNOHANG);
    }
    return has_any;
  }

  const std::set<pid_t> others_;  // the shell that became this process may have started some
};

/// Shared memory for the last words of the examining process.
class SharedWords {
 public:
  SharedWords()
      : words_(static_cast<CrashNote*>(mmap(nullptr, sizeof(CrashNote), PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    if (words_ == MAP_FAILED) raise_system_error("mmap");
  }
  ~SharedWords() { munmap(words_, sizeof(CrashNote)); }
  SharedWords(const SharedWords&) = delete;
  SharedWords& operator=(const SharedWords&) = delete;

  CrashNote& get() { return *words_; }
  /// " in launch of the kernel table"; empty if no entry was running.
  std::string place() const {
    return words_->entry[0] == '\0' ? "" : fmt::format(" in {}", words_->entry);
  }

 private:
  CrashNote* words_;
};

/// The examining process and the lines that it writes.
class Examiner {
 public:
  Examiner(const ExaminationRequest& request, std::size_t first) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) raise_system_error("pipe");
    std::fflush(nullptr);  // otherwise both processes would write the buffered output
    process_ = fork();
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(STDERR_FILENO, STDOUT_FILENO);  // keeps the plugin's output out of the report
      close(ends[0]);
      examine(request, first, ends[1], words_.get());
    }
    close(ends[1]);
    pipe_ = ends[0];
    if (process_ < 0) raise_system_error("fork");
  }
  ~Examiner() {
    if (!status_) stop();
    close(pipe_);
  }
  Examiner(const Examiner&) = delete;
  Examiner& operator=(const Examiner&) = delete;

  /// Empty at the end of the process, or if no line arrives in time; the process has ended then.
  std::optional<Json> next_line(std::chrono::milliseconds patience) {
    for (;;) {
      if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
        const std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return Json::parse(line);
      }
      if (!read_more(patience)) return std::nullopt;
    }
  }

  /// For example "crashed with SIGSEGV (Segmentation fault) in ...".
  std::string describe_end() {
    if (!status_) wait();
    if (was_stopped_) return "did not end, and its process had to be stopped";
    if (WIFSIGNALED(*status_)) {
      const int signal = WTERMSIG(*status_);
      return fmt::format("crashed with SIG{} ({}){}", sigabbrev_np(signal), strsignal(signal),
                         words_.place());
    }
    return fmt::format("ended the process with exit status {}{}", WEXITSTATUS(*status_),
                       words_.place());
  }
  bool was_stopped() const { return was_stopped_; }
  bool ended_well() {
    if (!status_) wait();
    return !was_stopped_ && WIFEXITED(*status_) && WEXITSTATUS(*status_) == kExitOk;
  }

 private:
  bool read_more(std::chrono::milliseconds patience) {
    pollfd wanted{pipe_, POLLIN, 0};
    const int ready = poll(&wanted, 1, static_cast<int>(patience.count()));
    if (ready < 0 && errno == EINTR) return true;
    if (ready == 0) stop();
    char bytes[4096];
    const ssize_t size = ready > 0 ? read(pipe_, bytes, sizeof(bytes)) : 0;
    if (size <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(size));
    return true;
  }
  void stop() {
    kill(process_, SIGKILL);
    was_stopped_ = true;
    reap(0);
  }
  /// Needed if a plugin closes the pipe but keeps running.
  void wait() {
    const auto deadline = std::chrono::steady_clock::now() + kGrace;
    while (!reap(WNOHANG)) {
      if (std::chrono::steady_clock::now() > deadline) return stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  /// Returns false if the process has not ended.
  bool reap(int options) {
    int status = 0;
    pid_t ended = 0;
    do {
      ended = waitpid(process_, &status, options);
    } while (ended < 0 && errno == EINTR);
    if (ended == 0) return false;
    status_ = status;
    return true;
  }

  const LeftProcesses left_;
  SharedWords words_;
  pid_t process_ = -1;
  int pipe_ = -1;
  std::string buffer_;
  std::optional<int> status_;
  bool was_stopped_ = false;
};

constexpr std::size_t kNone = SIZE_MAX;
/// A run of at least kLongRun checks writes to a log a line for each chapter, and one after every
/// kLogEvery checks: compiling the kernels may take minutes.
constexpr std::size_t kLogEvery = 25, kLongRun = 30;

/// Collects the outcomes that a process reports.
class Progress {
 public:
  Progress(const ExaminationRequest& request, Examination& found)
      : request_(request), found_(found) {}

  /// Returns the number of the first check that still has to run.
  std::size_t follow(std::size_t first) {
    Examiner examiner(request_, first);
    first_ = next_ = first;
    // Not to the end of the pipe, which a process that the plugin started may keep open.
    while (!has_ended_) {
      const auto line = examiner.next_line(request_.time_limit + kGrace);
      if (!line) break;
      take(*line);
    }
    if (!has_ended_) {
      note_end(examiner);
    } else if (!examiner.ended_well()) {
      add(kTheEnd,
          {Result::kFailed, "in exit, after the last check, it " + examiner.describe_end()});
    }
    return next_;
  }
  bool is_hung() const { return is_hung_; }

 private:
  void take(const Json& line) {
    if (line.contains("subject")) {
      found_.plugin = line["subject"];
      found_.backend = line["backend"];
    } else if (line.contains("begin")) {
      current_ = line["begin"].get<std::size_t>();
      const std::size_t count = request_.checks.size();
      if (current_ < count) {
        const std::string begun =
            fmt::format("{}/{} {}", current_ + 1, count, check(current_).id());
        show_progress(begun);
        if (request_.logs_progress && count >= kLongRun &&
            (is_first_of_chapter() || current_ % kLogEvery == 0)) {
          log_progress("check " + begun);
        }
      }
    } else if (line.contains("outcome")) {
      is_hung_ = line["hung"];
      finish({static_cast<Result>(line["outcome"].get<int>()), line["message"], is_hung_});
    } else if (line.contains("error")) {
      note_load_failure(static_cast<ErrorCode>(line["error"]["code"].get<int>()),
                        line["error"]["message"]);
    } else if (line.contains("logged")) {
      for (const auto& logged : line["logged"]) request_.errors->add(logged.get<std::string>());
    } else if (line.contains("end")) {
      has_ended_ = true;
    }
  }
  void note_end(Examiner& examiner) {
    const std::string what = examiner.describe_end();
    is_hung_ = examiner.was_stopped();
    if (current_ != kNone) return finish({Result::kFailed, what});
    if (next_ > first_) return add(check(next_ - 1), {Result::kFailed, "afterwards it " + what});
    note_load_failure(ErrorCode::kPluginFailed,
                      fmt::format("[check] loading the plugin {}.", what));
  }
  /// If the plugin was loaded before, the next check fails.
  void note_load_failure(ErrorCode code, const std::string& message) {
    if (found_.findings.empty()) throw Error(code, message);
    current_ = first_;
    finish({Result::kFailed, message});
  }
  void finish(const Outcome& outcome) {
    if (current_ == kNone) return;
    add(check(current_), outcome);
    next_ = current_ + 1;
    current_ = kNone;
  }
  bool is_first_of_chapter() const {
    return current_ == 0 || check(current_).chapter != check(current_ - 1).chapter;
  }
  const Check& check(std::size_t number) const {
    return number < request_.checks.size() ? request_.checks[number] : kTheEnd;
  }
  /// kTheEnd is not a check: it is listed only if it fails.
  void add(const Check& check, const Outcome& outcome) {
    if (&check == &kTheEnd && outcome.result == Result::kPassed) return;
    found_.findings.push_back({check, outcome});
  }

  const ExaminationRequest& request_;
  Examination& found_;
  std::size_t current_ = kNone;  // the running check
  std::size_t first_ = 0, next_ = 0;
  bool has_ended_ = false, is_hung_ = false;
};

}  // namespace

Examination examine(const ExaminationRequest& request) {
  Examination found;
  std::size_t next = 0;
  for (int hangs = 0; next < request.checks.size() && hangs < kMostHangs;) {
    Progress progress(request, found);
    next = progress.follow(next);
    if (progress.is_hung()) ++hangs;
  }
  show_progress("");
  found.num_not_run = request.checks.size() - std::min(next, request.checks.size());
  return found;
}

}  // namespace patchbay::tools
