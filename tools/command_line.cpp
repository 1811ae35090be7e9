// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "conformance/suite.h"
#include "core/base/nearest.h"
#include "text.h"

namespace patchbay::tools {
namespace {

// The validators return the error text, or an empty string, as CLI11 requires.

/// False for NaN and for text that is no number.
bool is_number_between(const std::string& text, double low, double high) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == '\0' && number >= low && number <= high;
}

std::string complain_about_seconds(const std::string& text) {
  if (is_number_between(text, std::numeric_limits<double>::min(), HUGE_VAL)) return {};
  return fmt::format("expected a number above 0, got '{}'", text);
}

std::string complain_about_limit(const std::string& text) {
  if (is_number_between(text, 0.001, 86400)) return {};
  return fmt::format("expected seconds from 0.001 to 86400, got '{}'", text);
}

std::string complain_about_name(const std::string& text) {
  return text.empty() ? "the name is empty" : "";
}

std::string complain_about_path(const std::string& text) {
  return text.empty() ? "the path is empty" : "";
}

std::string complain_about_plot(const std::string& text) {
  if (text == "/dev/stdout" || text == "/dev/fd/1" || text == "/proc/self/fd/1") {
    return fmt::format("expected a file, got '{}', where the report goes", text);
  }
  return complain_about_path(text);
}

std::string complain_about_directory(const std::string& text) {
  if (text.empty()) return complain_about_path(text);
  std::error_code error;
  if (std::filesystem::is_directory(text, error)) return {};
  return fmt::format("no directory '{}'", text);
}

std::string complain_about_bytes(const std::string& text) {
  try {
    (void)parse_bytes(text);
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

std::string complain_about_pattern(const std::string& pattern) {
  for (const conformance::Check& check : conformance::all_checks()) {
    if (conformance::matches(pattern, check.id())) return {};
  }
  return fmt::format("no check matches '{}'; `patchbay check --list` lists them", pattern);
}

std::string complain_about_waiver(const std::string& text) {
  const std::size_t split = text.find('=');
  if (split == std::string::npos || split == 0 || split + 1 == text.size()) {
    return fmt::format("expected PATTERN=REASON, got '{}'", text);
  }
  return complain_about_pattern(text.substr(0, split));
}

/// Adds the commands to a parser. Their callbacks set the invocation's action.
class Commands {
 public:
  Commands(CLI::App& app, Invocation& invocation) : app_(app), invocation_(invocation) {}

  void add_devices() {
    CLI::App* command = app_.add_subcommand("devices", "Devices, and what they can do");
    const auto with_memory = std::make_shared<bool>(false);
    command->add_flag("--memory", *with_memory,
                      "Ask the drivers for free memory too, which opens the devices");
    set_action(command, [=](const auto& common) {
      return report_devices(common.runtime_options(), *with_memory);
    });
  }

  void add_plugins() {
    CLI::App* command =
        app_.add_subcommand("plugins", "Plugin files that were found, and what became of them");
    const auto explain = std::make_shared<bool>(false), again = std::make_shared<bool>(false);
    command->add_flag("--explain", *explain,
                      "For each plugin and device that could have been there, what was tried");
    command->add_flag("--reprobe", *again, "Probe each plugin, whatever earlier probes found");
    set_action(command, [=](const auto& common) {
      RuntimeOptions options = common.runtime_options();
      if (*again) options.probe = ProbeMode::kAgain;
      return report_plugins(std::move(options), *explain);
    });
  }

  void add_copy_plan() {
    CLI::App* command =
        app_.add_subcommand("copy-plan", "The route that a copy would take, without copying");
    const auto arguments = std::make_shared<CopyPlanArguments>();
    command->add_option("SRC", arguments->from, "A device's name, or host")
        ->required()
        ->check(CLI::Validator(complain_about_name, ""));
    command->add_option("DST", arguments->to, "A device's name, or host")
        ->required()
        ->check(CLI::Validator(complain_about_name, ""));
    command->add_option("BYTES", arguments->bytes, "How many; 64KiB, 2MiB, 1GiB are understood")
        ->required()
        ->check(CLI::Validator(complain_about_bytes, ""));
    command->add_flag("--calibrate", arguments->calibrate,
                      "Measure the link first, for about half a second, and say how long it takes");
    command->add_flag("--non-blocking", arguments->non_blocking,
                      "Of a copy that is to return at once");
    set_action(command, [=](const auto& common) {
      return report_copy_plan(common.runtime_options(), *arguments);
    });
  }

  void add_check() {
    CLI::App* command =
        app_.add_subcommand("check", "Examines a plugin: the conformance checks against it");
    const auto arguments = std::make_shared<CheckArguments>();
    command
        ->add_option("PLUGIN_OR_BACKEND", arguments->subject,
                     "Path of a plugin's .so, or the name of a loaded plugin or backend")
        ->check(CLI::Validator(complain_about_name, ""));
    command->add_option("--chapter", arguments->chapters, "Only this chapter (repeatable)")
        ->allow_extra_args(false)
        ->check(CLI::IsMember(conformance::chapters()));
    command->add_option("--only", arguments->patterns, "Only checks that match (repeatable)")
        ->type_name("PATTERN")
        ->allow_extra_args(false)
        ->check(CLI::Validator(complain_about_pattern, ""));
    command
        ->add_option("--waive", arguments->waivers,
                     "'unsupported' does not fail checks that match (repeatable)")
        ->type_name("PATTERN=REASON")
        ->allow_extra_args(false)
        ->check(CLI::Validator(complain_about_waiver, ""));
    command
        ->add_option("--time-limit", arguments->time_limit_s,
                     "A check that takes longer has failed (120 seconds if it is not given)")
        ->type_name("SECONDS")
        ->check(CLI::Validator(complain_about_limit, ""));
    command->add_flag("--list", arguments->list, "List the checks without running them");
    command->callback([=, this] {
      if (!arguments->list && arguments->subject.empty()) {
        throw CLI::RequiredError("PLUGIN or BACKEND");
      }
      if (chosen_checks(*arguments).empty()) {
        throw CLI::ValidationError("--only", "no check of the chapters matches");
      }
      invocation_.action = [&common = invocation_.common, arguments] {
        return report_check(common, *arguments);
      };
    });
  }

  void add_bench() {
    CLI::App* bench = app_.add_subcommand("bench", "Measures what this machine's devices do");
    bench->require_subcommand(0, 1);  // the check below has a better message
    bench->callback([=] {
      if (!bench->get_subcommands().empty()) return;
      throw CLI::RequiredError("bench: expected what to measure; `patchbay bench --help` lists it",
                               CLI::ExitCodes::RequiredError);
    });
    CLI::App* command = bench->add_subcommand(
        "copy",
        "Bandwidth of copies from 4 KiB to 1 GiB: host to device, back, and to a neighbour");
    const auto arguments = std::make_shared<BenchCopyArguments>();
    add_device(*command, arguments->device,
               "This device; else the first whose memory the host can't reach");
    add_plot(*command, arguments->plot, "Draw bandwidth over size");
    command
        ->add_option("--seconds", arguments->seconds,
                     fmt::format("Leave out sizes that would take longer ({:g})",
                                 BenchCopyArguments().seconds))
        ->type_name("S")
        ->check(CLI::Validator(complain_about_seconds, ""));
    set_action(command, [=](const auto& common) {
      return report_bench_copy(common.runtime_options(), *arguments);
    });
    add_bench_ops(*bench);
  }

  void add_memory() {
    CLI::App* command = app_.add_subcommand(
        "memory", "Memory of each device as its driver says, and what this process has of it");
    const auto only = std::make_shared<std::string>(), replayed = std::make_shared<std::string>();
    add_device(*command, *only, "Only this device");
    command
        ->add_option(
            "--replay", *replayed,
            "Allocate and free as the lines of this file say (`a ID BYTES [TAG]`, `f ID`), on "
            "--device or cpu:0, and report the peaks")
        ->type_name("FILE")
        ->check(CLI::Validator(complain_about_path, ""));
    set_action(command, [=](const auto& common) {
      const RuntimeOptions options = common.runtime_options();
      return replayed->empty() ? report_memory(options, *only)
                               : report_replay(options, *only, *replayed);
    });
  }

  void add_ops() {
    CLI::App* command =
        app_.add_subcommand("ops", "Operators, and which dtypes each device has them for");
    const auto device = std::make_shared<std::string>();
    add_device(*command, *device, "Only this device, for example opencl:0");
    set_action(command, [=](const auto& common) {
      return report_operators(common.runtime_options(), *device);
    });
  }

  void add_version() {
    set_action(app_.add_subcommand("version", "Versions of the library and of its plugin boundary"),
               [](const auto&) { return report_version(); });
  }

  /// Adds the options that every command takes.
  void add_common_options() {
    add_common_options_to(app_);
    add_common_options_below(app_);
  }

 private:
  void set_action(CLI::App* command, std::function<Report(const CommonOptions&)> report) {
    command->callback([this, report = std::move(report)] {
      invocation_.action = [&common = invocation_.common, report] { return report(common); };
    });
  }

  void add_bench_ops(CLI::App& bench) {
    CLI::App* command = bench.add_subcommand(
        "ops", "Operators beside the limits of the device, which are measured first");
    const auto arguments = std::make_shared<BenchOpsArguments>();
    add_device(*command, arguments->device, "This device; else gpu:0, or cpu:0 without one");
    add_plot(*command, arguments->plot, "Draw a roofline");
    command->add_flag("--quick", arguments->quick,
                      "Small operands, which caches hold, for a second or two");
    set_action(command, [=](const auto& common) {
      return report_bench_ops(common.runtime_options(), *arguments);
    });
  }

  void add_common_options_to(CLI::App& app) {
    CommonOptions& options = invocation_.common;
    app.add_flag("--json", options.json, "Print one JSON object, also for errors");
    app.add_option("--plugin-path", options.plugin_directories,
                   "Look for plugins in this directory first (repeatable)")
        ->type_name("DIR")
        ->allow_extra_args(false)
        ->check(CLI::Validator(complain_about_directory, ""));
    app.add_option("--plugin", options.plugin_files, "Load this plugin before others (repeatable)")
        ->type_name("FILE")
        ->allow_extra_args(false)
        ->check(CLI::Validator(complain_about_path, ""));
  }

  static void add_device(CLI::App& command, std::string& name, const std::string& help) {
    command.add_option("--device", name, help)
        ->type_name("NAME")
        ->check(CLI::Validator(complain_about_name, ""));
  }

  static void add_plot(CLI::App& command, std::string& path, const std::string& help) {
    command.add_option("--plot", path, help)
        ->type_name("FILE.svg")
        ->check(CLI::Validator(complain_about_plot, ""));
  }

  void add_common_options_below(CLI::App& app) {
    for (CLI::App* command : app.get_subcommands({})) {
      add_common_options_to(*command);
      add_common_options_below(*command);
    }
  }

  CLI::App& app_;
  Invocation& invocation_;
};

/// The last command that was recognised.
const CLI::App& innermost(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : innermost(*parsed.back());
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options({})) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// "patchbay bench copy"
std::string full_name(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr ? "patchbay" : full_name(*parent) + " " + command.get_name();
}

/// Explains the first word of a refused command line that is neither a command nor an option where
/// it stands, with its place or the nearest valid one, if one is similar. Empty if there is no such
/// word or nothing to compare it with.
std::string explain_unknown_word(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining();
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  if (words.empty()) return parsed.empty() ? "" : explain_unknown_word(*parsed.back());
  const std::string word = words.front().substr(0, words.front().find('='));
  const bool is_option = word.starts_with("-");
  const CLI::App& command = is_option ? innermost(app) : app;
  const std::vector<std::string> known = is_option ? options_of(command) : commands_of(command);
  if (known.empty()) return {};
  if (is_option && std::find(known.begin(), known.end(), word) != known.end()) {
    return fmt::format("'{}' belongs after '{}'; `{} --help` says more", word, command.get_name(),
                       full_name(command));
  }
  return fmt::format("unknown {} '{}'{}; `{} --help` lists them", is_option ? "option" : "command",
                     word, base::hint_nearest(word, known), full_name(command));
}

/// Also works for a command line that is not understood.
bool asks_for_json(int argc, char** argv) {
  std::vector<std::string> words;  // the last one first, as the parser takes them
  for (int i = argc - 1; i > 0; --i) {
    const std::string_view word = argv[i];
    if (word == "--json" || word.starts_with("--json=")) words.emplace_back(word);
  }
  bool json = false;
  CLI::App app;
  app.add_flag("--json", json);
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError&) {
    // Its value is what is not understood.
  }
  return json;
}

Report report_version_alone() {
  Report report = report_version();
  report.text = fmt::format("patchbay {}\n", version());
  return report;
}

}  // namespace

void parse_command_line(int argc, char** argv, Invocation& invocation) {
  CLI::App app("Lists and examines the devices that Patchbay's plugins offer.", "patchbay");
  Commands commands(app, invocation);
  commands.add_devices();
  commands.add_plugins();
  commands.add_copy_plan();
  commands.add_check();
  commands.add_bench();
  commands.add_memory();
  commands.add_ops();
  commands.add_version();
  commands.add_common_options();
  app.set_version_flag("--version");  // printed by report_version_alone instead
  app.require_subcommand(0, 1);       // the check below has a better message
  app.footer("`patchbay COMMAND --help` says more.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion&) {
    invocation.common.json = asks_for_json(argc, argv);
    invocation.action = report_version_alone;
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    app.exit(help, text, text);
    invocation.action = [text = text.str()] {
      Report report;
      report.text = text;
      return report;
    };
    invocation.common.json = false;
    return;
  } catch (const CLI::ParseError& error) {
    invocation.common.json = asks_for_json(argc, argv);
    const std::string unknown = explain_unknown_word(app);
    throw UsageError(unknown.empty() ? error.what() : unknown);
  }
  if (!invocation.action) throw UsageError("expected a command; `patchbay --help` lists them");
}

}  // namespace patchbay::tools
