// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "bench/harness.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <random>
#include <regex>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/bench.h"

namespace bench {
namespace {

using patchbay::tools::median;

struct TimedCase {
  std::string name;
  Make make;
  std::vector<double> times = {};  // seconds of a call
};

struct Row {
  std::string name;
  std::vector<TimedCase> subjects;
};

std::vector<Row>& all_rows() {
  static auto& rows = *new std::vector<Row>;
  return rows;
}

struct Options {
  std::string filter = ".", json;
  int repetitions = 9;
  double min_time = 0.1;
  bool lists = false, answers = false;
};

/// Operands are made anew for each repetition, because the position of their pages counts.
void measure_row(Row& row, const Options& options, std::mt19937& generator) {
  std::vector<TimedCase*> order;
  for (TimedCase& subject : row.subjects) order.push_back(&subject);
  for (int i = 0; i < options.repetitions; ++i) {
    std::shuffle(order.begin(), order.end(), generator);
    for (TimedCase* subject : order) {
      const Subject made{subject->make()};
      subject->times.push_back(measure({made}, {.batch_seconds = options.min_time})[0][0]);
    }
  }
}

std::string show(double seconds) {
  if (seconds >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  if (seconds >= 1e-6) return fmt::format("{:.2f} us", seconds * 1e6);
  return fmt::format("{:.0f} ns", seconds * 1e9);
}

/// Prints a line for each peer; returns the ratios.
std::vector<double> print_row(const Row& row) {
  const double ours = median(row.subjects.front().times);
  std::vector<double> ratios;
  for (std::size_t i = 1; i < row.subjects.size(); ++i) {
    const double theirs = median(row.subjects[i].times);
    ratios.push_back(theirs / ours);
    fmt::print("| {} | {} | {} | {} | {:.2f} |\n", row.name, show(ours), row.subjects[i].name,
               show(theirs), ratios.back());
  }
  if (ratios.empty()) fmt::print("| {} | {} | none |  |  |\n", row.name, show(ours));
  std::fflush(stdout);
  return ratios;
}

void print_mean(const std::vector<double>& ratios) {
  if (ratios.size() < 2) return;
  double logarithms = 0;
  for (const double ratio : ratios) logarithms += std::log(ratio);
  fmt::print("\n{} rows with one peer: geometric mean {:.2f}, least {:.2f}\n", ratios.size(),
             std::exp(logarithms / static_cast<double>(ratios.size())),
             *std::min_element(ratios.begin(), ratios.end()));
}

std::vector<Row*> wanted_rows(const std::string& filter) {
  const std::regex pattern(filter);
  std::vector<Row*> wanted;
  for (Row& row : all_rows()) {
    if (std::regex_search(row.name, pattern)) wanted.push_back(&row);
  }
  return wanted;
}

using Families = std::vector<void (*)()>;

void print_table(const Options& options, const Families& families) {
  std::mt19937 generator(std::random_device{}());
  nlohmann::json report;
  std::vector<double> single;  // ratios of rows that have one peer
  fmt::print("| row | patchbay | peer | peer's time | ratio |\n| --- | --- | --- | --- | --- |\n");
  for (const auto add_family : families) {
    all_rows().clear();
    add_family();
    for (Row* row : wanted_rows(options.filter)) {
      measure_row(*row, options, generator);
      for (const TimedCase& subject : row->subjects)
        report[row->name][subject.name] = subject.times;
      const std::vector<double> ratios = print_row(*row);
      if (ratios.size() == 1) single.push_back(ratios[0]);
    }
  }
  print_mean(single);
  if (!options.json.empty()) std::ofstream(options.json) << report.dump(1) << '\n';
}

Subject ours_of(const std::string& name) {
  for (const Row& row : all_rows()) {
    if (row.name == name) return {row.subjects.front().make()};
  }
  return {};
}

int run(int argc, char** argv, const Families& families) {
  CLI::App app("Measures Patchbay beside its peers and prints medians and ratios.",
               "patchbay-bench");
  Options options;
  app.add_option("--filter", options.filter, "Rows whose names match this regular expression")
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "Of each subject")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--min-time", options.min_time, "Seconds a repetition")->capture_default_str();
  app.add_option("--json", options.json, "Also write the seconds of all repetitions to this file");
  app.add_flag("--list", options.lists, "Print the names of the rows and measure nothing");
  app.add_flag("--answer", options.answers,
               "Read names of rows from standard input and answer each with a line of JSON");
  app.add_option("--device", device_of_rows(), "Of the rows subnormals/")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  if (!options.lists && !options.answers) {
    print_table(options, families);
    return 0;
  }
  for (const auto add_family : families) add_family();
  if (options.lists) {
    for (const Row* row : wanted_rows(options.filter)) fmt::print("{}\n", row->name);
  } else {
    print({{"patchbay", patchbay::version()}});
    answer(ours_of);
  }
  return 0;
}

}  // namespace

void add_subject(const std::string& name, const std::string& subject, Make make) {
  std::vector<Row>& rows = all_rows();
  if (rows.empty() || rows.back().name != name) rows.push_back({name, {}});
  rows.back().subjects.push_back({subject, std::move(make)});
}

std::string& device_of_rows() {
  static auto& name = *new std::string("cpu:0");
  return name;
}

int run_rows(int argc, char** argv, const std::vector<void (*)()>& families) {
  try {
    return run(argc, argv, families);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "patchbay-bench: %s\n", error.what());
    return 1;
  }
}

}  // namespace bench
