// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/check.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "conformance/chapters.h"
#include "conformance/expect.h"

namespace patchbay::conformance {

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

std::vector<Check> all_checks() {
  std::vector<Check> all;
  for (auto* chapter :
       {loading_checks, memory_checks, copies_checks, streams_checks, kernels_checks}) {
    std::vector<Check> checks = chapter();
    std::move(checks.begin(), checks.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<std::string> chapters() {
  std::vector<std::string> names;
  for (const Check& check : all_checks()) {
    if (names.empty() || names.back() != check.chapter) names.push_back(check.chapter);
  }
  return names;
}

bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '*') {
    return matches(pattern.substr(1), text) || (!text.empty() && matches(pattern, text.substr(1)));
  }
  if (text.empty() || (pattern.front() != '?' && pattern.front() != text.front())) return false;
  return matches(pattern.substr(1), text.substr(1));
}

namespace {

Outcome judge_lack(const Check& check, const Context& context, const std::string& message) {
  for (const Exemption& exemption : context.subject().exemptions) {
    if (matches(exemption.pattern, check.id())) {
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
    return judge_lack(check, context, lack.what());
  } catch (const Failure& failure) {
    return {Result::kFailed, failure.what()};
  } catch (const Error& error) {
    const std::string message =
        fmt::format("unexpected error {}: {}", to_string(error.code()), error.what());
    if (error.code() == ErrorCode::kUnsupported) return judge_lack(check, context, message);
    return {Result::kFailed, message};
  } catch (const std::exception& error) {
    return {Result::kFailed, fmt::format("unexpected exception: {}", error.what())};
  }
}

}  // namespace

Outcome run_check(const Check& check, Context& context) {
  Outcome outcome = run_guarded(check, context);
  if (outcome.result == Result::kFailed) context.forget_runtime();
  std::replace(outcome.message.begin(), outcome.message.end(), '\n', ' ');
  return outcome;
}

}  // namespace patchbay::conformance
