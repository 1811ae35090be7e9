// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/support/check.h"

#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <patchbay/plugin_calls.h>

#include "conformance/support/expect.h"

namespace patchbay::conformance {

bool ends_within(std::chrono::milliseconds limit, std::function<void()> work) {
  std::packaged_task<void()> task(std::move(work));
  const std::future<void> done = task.get_future();
  std::thread thread(std::move(task));
  if (done.wait_for(limit) == std::future_status::ready) {
    thread.join();
    return true;
  }
  thread.detach();
  return false;
}

std::string describe_hang(std::chrono::milliseconds limit) {
  std::set<std::string_view> entries;
  for (const PluginCall& call : running_plugin_calls()) entries.insert(call.entry);
  const auto seconds = std::chrono::duration<double>(limit).count();
  if (entries.empty()) {
    return fmt::format("did not end within {} s, and no entry of the plugin is running", seconds);
  }
  return fmt::format("did not end within {} s: the plugin is still in {}", seconds,
                     fmt::join(entries, ", "));
}

Context::Context(Subject subject) : subject_(std::move(subject)) {
  subject_.options.settings.try_emplace("watch_plugin", subject_.plugin);
}

Runtime Context::new_runtime(const std::map<std::string, std::string>& settings) const {
  RuntimeOptions options = subject_.options;
  for (const auto& [name, value] : settings) options.settings[name] = value;
  return Runtime(options);
}

Runtime Context::runtime() {
  if (!runtime_) runtime_.emplace(subject_.options);
  return *runtime_;
}

std::vector<Device> Context::devices() {
  std::vector<Device> found = devices_of(runtime(), subject_.backend);
  expect(!found.empty(), "the runtime shows no device of backend '{}'", subject_.backend);
  return found;
}

std::string_view to_string(Result result) {
  switch (result) {
    case Result::kPassed: return "passed";
    case Result::kFailed: return "failed";
    case Result::kWaived: return "waived";
  }
  return "";
}

bool matches(std::string_view pattern, std::string_view text) {
  // On a mismatch the last star takes one character more. The time is at most the product of the
  // two lengths.
  std::size_t p = 0, t = 0;
  std::optional<std::size_t> star;
  std::size_t after_star = 0;  // the position in the text after what the star has taken
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star) {
      p = *star + 1;
      t = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

namespace {

/// `about` is the id of the check for the missing feature; empty if there is none.
Outcome judge_lack(const Check& check, const Context& context, const std::string& message,
                   const std::string& about = {}) {
  for (const Exemption& exemption : context.subject().exemptions) {
    if (matches(exemption.pattern, check.id()) ||
        (!about.empty() && matches(exemption.pattern, about))) {
      return {Result::kWaived, fmt::format("{} ({})", exemption.reason, message)};
    }
  }
  return {Result::kFailed, message};
}

Outcome run_guarded(const Check& check, Context& context) {
  try {
    check.run(context);
    return {};
  } catch (const Waiver& waiver) {
    return {Result::kWaived, waiver.what()};
  } catch (const Lack& lack) {
    return judge_lack(check, context, lack.what(), lack.check());
  } catch (const Failure& failure) {
    return {Result::kFailed, failure.what()};
  } catch (const Error& error) {
    const std::string message =
        fmt::format("unexpected error {}: {}", to_string(error.code()), error.what());
    if (error.code() == ErrorCode::kUnsupported) return judge_lack(check, context, message);
    return {Result::kFailed, message};
  } catch (const std::exception& error) {
    return {Result::kFailed, fmt::format("unexpected exception: {}", error.what())};
  } catch (...) {
    return {Result::kFailed, "unexpected exception of an unknown type"};
  }
}

/// Fails the check if an entry of the plugin broke a rule of the interface during it.
void add_breaches(Outcome& outcome) {
  for (const std::string& breach : take_plugin_breaches()) {
    if (outcome.message.find(breach) != std::string::npos) continue;
    if (outcome.result != Result::kFailed) outcome = {Result::kFailed, ""};
    outcome.message += (outcome.message.empty() ? "" : "; ") + breach;
  }
}

/// A running check. If it exceeds its time limit, its thread keeps this object.
struct Run {
  std::function<Outcome(Context&)> work;
  Context context;
  Outcome outcome{};

  void operator()() {
    outcome = work(context);
    if (outcome.result == Result::kFailed) context.forget_runtime();
    add_breaches(outcome);
  }
};

Outcome run_in_time(Context& context, std::function<Outcome(Context&)> work) {
  static_cast<void>(take_plugin_breaches());  // discard those of earlier checks
  const auto run = std::make_shared<Run>(Run{std::move(work), context});
  const auto limit = context.subject().time_limit;
  context.forget_runtime();  // so that only this check uses it
  if (!ends_within(limit, [run] { (*run)(); })) {
    return {Result::kFailed, describe_hang(limit), true};
  }
  context = std::move(run->context);
  Outcome outcome = std::move(run->outcome);
  std::replace(outcome.message.begin(), outcome.message.end(), '\n', ' ');
  return outcome;
}

}  // namespace

Outcome run_check(const Check& check, Context& context) {
  return run_in_time(context, [check](Context& own) { return run_guarded(check, own); });
}

Outcome close_runtime(Context& context) {
  return run_in_time(context, [](Context& own) {
    own.forget_runtime();
    return Outcome{};
  });
}

}  // namespace patchbay::conformance
