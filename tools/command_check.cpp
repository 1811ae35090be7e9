// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "command.h"
#include "conformance/suite.h"
#include "examination.h"
#include "text.h"

namespace patchbay::tools {
namespace {

using conformance::Check;
using conformance::Outcome;
using conformance::Result;

Report report_list(const CheckArguments& arguments) {
  Report report;
  report.json["checks"] = Json::array();
  for (const Check& check : chosen_checks(arguments)) {
    report.json["checks"].push_back({{"chapter", check.chapter}, {"name", check.name}});
    report.text += check.id() + '\n';
  }
  return report;
}

conformance::Subject subject_of(const RuntimeOptions& options, const CheckArguments& arguments) {
  const std::string& name = arguments.subject;
  const bool is_path = name.find('/') != std::string::npos || name.ends_with(".so");
  conformance::Subject subject = is_path
                                     ? conformance::subject_of_file(options, absolute_path(name))
                                     : conformance::subject_of_backend(options, name);
  for (const std::string& waiver : arguments.waivers) {
    const std::size_t split = waiver.find('=');
    subject.exemptions.push_back({waiver.substr(0, split), waiver.substr(split + 1)});
  }
  return subject;
}

/// Counts results and collects those that did not pass.
class Tally {
 public:
  void add(const Check& check, const Outcome& outcome) {
    ++counts_[outcome.result];
    ++chapters_[check.chapter][outcome.result];
    checks_.push_back({{"chapter", check.chapter},
                       {"name", check.name},
                       {"result", to_string(outcome.result)},
                       {"message", outcome.message}});
    if (outcome.result != Result::kPassed) {
      rows_.push_back({std::string(to_string(outcome.result)), check.id(), outcome.message});
    }
  }

  Report report(const Examination& examination) {
    Report report;
    const bool is_good = counts_[Result::kFailed] == 0 && examination.num_not_run == 0;
    report.exit_status = is_good ? kExitOk : kExitError;
    report.json = {{"plugin", examination.plugin},
                   {"backend", examination.backend},
                   {"passed", counts_[Result::kPassed]},
                   {"failed", counts_[Result::kFailed]},
                   {"waived", counts_[Result::kWaived]},
                   {"not_run", examination.num_not_run},
                   {"checks", checks_}};
    report.text = text(examination);
    return report;
  }

 private:
  std::string text(const Examination& examination) {
    std::string text =
        fmt::format("Plugin {} (backend {})\n\n", examination.plugin, examination.backend);
    // Paragraphs instead of a table, because messages are long.
    for (const auto& [result, id, message] : rows_) {
      text += fmt::format("{} {}\n", result, id);
      for (const std::string& line : wrap(message, 94)) text += fmt::format("      {}\n", line);
    }
    if (!rows_.empty()) text += '\n';
    Table table({"CHAPTER", "PASSED", "FAILED", "WAIVED"});
    for (const std::string& chapter : conformance::chapters()) {
      if (chapters_.contains(chapter)) add_row(table, chapter, chapters_[chapter]);
    }
    add_row(table, "all", counts_);
    text += table.to_string();
    if (examination.num_not_run > 0) {
      text += fmt::format("\n{} checks were not run, because too many did not end in time.\n",
                          examination.num_not_run);
    }
    return text;
  }
  using Counts = std::map<Result, int>;
  static void add_row(Table& table, const std::string& name, Counts& counts) {
    table.add({name, std::to_string(counts[Result::kPassed]),
               std::to_string(counts[Result::kFailed]), std::to_string(counts[Result::kWaived])});
  }

  Counts counts_;
  std::map<std::string, Counts> chapters_;
  Json checks_ = Json::array();
  std::vector<std::array<std::string, 3>> rows_;
};

}  // namespace

std::vector<Check> chosen_checks(const CheckArguments& arguments) {
  std::vector<Check> checks = conformance::all_checks();
  const auto& [chapters, patterns] = std::tie(arguments.chapters, arguments.patterns);
  std::erase_if(checks, [&](const Check& check) {
    const bool is_chosen = chapters.empty() || std::find(chapters.begin(), chapters.end(),
                                                         check.chapter) != chapters.end();
    const bool is_named =
        patterns.empty() ||
        std::any_of(patterns.begin(), patterns.end(), [id = check.id()](const auto& pattern) {
          return conformance::matches(pattern, id);
        });
    return !is_chosen || !is_named;
  });
  return checks;
}

Report report_check(const CommonOptions& common, const CheckArguments& arguments) {
  if (arguments.list) return report_list(arguments);
  const std::chrono::duration<double> limit(arguments.time_limit_s);
  RuntimeOptions options = common.runtime_options();
  options.probe = ProbeMode::kOff;  // the examining process is a probe, and says more
  const Examination examination = examine(
      {[&] { return subject_of(options, arguments); }, chosen_checks(arguments),
       std::chrono::duration_cast<std::chrono::milliseconds>(limit), common.errors, !common.json});
  Tally tally;
  for (const auto& [check, outcome] : examination.findings) tally.add(check, outcome);
  return tally.report(examination);
}

}  // namespace patchbay::tools
