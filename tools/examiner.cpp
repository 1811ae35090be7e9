// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "examiner.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <patchbay/plugin_calls.h>

#include "conformance/support/check.h"

namespace patchbay::tools {
namespace {

using conformance::Context;
using conformance::Outcome;
using conformance::Subject;

constexpr int kFatalSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
CrashNote* last_words = nullptr;
struct sigaction previous_actions[NSIG];

void note_entry() {
  const char* const entry = current_plugin_call();
  if (entry != nullptr) std::strncpy(last_words->entry, entry, sizeof(last_words->entry) - 1);
}

/// The previous action runs after this handler has returned.
void note_crash(int signal) {
  note_entry();
  sigaction(signal, &previous_actions[signal], nullptr);
  raise(signal);
}

/// Records crashes and the exit, because a plugin may call exit or quick_exit too. Nothing runs at
/// _exit.
void note_the_end(CrashNote& words) {
  last_words = &words;
  for (const int signal : kFatalSignals) {
    struct sigaction action {};
    action.sa_handler = note_crash;
    sigaction(signal, &action, &previous_actions[signal]);
  }
  std::atexit(note_entry);
  std::at_quick_exit(note_entry);
}

class Lines {
 public:
  explicit Lines(int pipe) : pipe_(pipe) {}

  void write(const Json& line) const {
    const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = ::write(pipe_, text.data() + done, text.size() - done);
      if (written <= 0) _exit(kExitError);  // the reader is gone
      done += static_cast<std::size_t>(written);
    }
  }
  void write_error(ErrorCode code, const std::string& message) const {
    write({{"error", {{"code", static_cast<int>(code)}, {"message", message}}}});
  }

 private:
  int pipe_;
};

/// Ends the process although a thread of the plugin hangs.
[[noreturn]] void leave(const ExaminationRequest& request, const Lines& lines) {
  lines.write({{"logged", request.errors->take()}});
  lines.write({{"end", true}});
  _exit(kExitOk);
}

struct Search {
  std::function<Subject()> find;
  Subject subject;
  std::exception_ptr error;
};

Subject find_subject(const ExaminationRequest& request, const Lines& lines) {
  const auto search = std::make_shared<Search>(Search{request.find_subject, {}, {}});
  const bool has_ended = conformance::ends_within(request.time_limit, [search] {
    try {
      search->subject = search->find();
    } catch (...) {
      search->error = std::current_exception();
    }
  });
  if (!has_ended) {
    lines.write_error(
        ErrorCode::kPluginFailed,
        "[check] loading the plugin " + conformance::describe_hang(request.time_limit) + ".");
    leave(request, lines);
  }
  try {
    if (search->error) std::rethrow_exception(search->error);
  } catch (const Error& error) {
    lines.write_error(error.code(), error.what());
    leave(request, lines);
  } catch (const std::exception& error) {
    lines.write_error(ErrorCode::kInternal, error.what());
    leave(request, lines);
  }
  search->subject.time_limit = request.time_limit;
  return std::move(search->subject);
}

void write_outcome(const Lines& lines, const Outcome& outcome) {
  lines.write({{"outcome", static_cast<int>(outcome.result)},
               {"message", outcome.message},
               {"hung", outcome.is_hung}});
}

void run(const ExaminationRequest& request, std::size_t first, const Lines& lines,
         Context& context) {
  for (std::size_t i = first; i < request.checks.size(); ++i) {
    lines.write({{"begin", i}});
    const Outcome outcome = run_check(request.checks[i], context);
    write_outcome(lines, outcome);
    if (outcome.is_hung) leave(request, lines);
  }
}

}  // namespace

void examine(const ExaminationRequest& request, std::size_t first, int pipe, CrashNote& words) {
  note_the_end(words);
  const Lines lines(pipe);
  {
    Context context(find_subject(request, lines));
    lines.write({{"subject", context.subject().plugin}, {"backend", context.subject().backend}});
    run(request, first, lines, context);
    lines.write({{"begin", request.checks.size()}});  // the end
    const Outcome outcome = close_runtime(context);
    write_outcome(lines, outcome);
    if (outcome.is_hung) leave(request, lines);
  }
  lines.write({{"logged", request.errors->take()}});
  lines.write({{"end", true}});
  std::exit(kExitOk);  // like a program that used the plugin
}

}  // namespace patchbay::tools
