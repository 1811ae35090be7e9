// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "misspelt.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace patchbay::tools {
namespace {

/// The number of letters to insert, drop or replace to get one from the other.
std::size_t num_edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

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

}  // namespace

std::string explain_unknown_word(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(/*recurse=*/true);
  if (words.empty()) return {};
  const std::string word = words.front().substr(0, words.front().find('='));
  const CLI::App& command = innermost(app);
  const bool is_option = word.starts_with("-");
  const std::vector<std::string> known = is_option ? options_of(command) : commands_of(command);
  if (known.empty()) return {};
  const auto nearest = std::min_element(known.begin(), known.end(),
                                        [&word](const std::string& a, const std::string& b) {
                                          return num_edits(word, a) < num_edits(word, b);
                                        });
  const std::string place = &command == &app ? "patchbay" : "patchbay " + command.get_name();
  return fmt::format("unknown {} '{}': the nearest is '{}'; `{} --help` lists them",
                     is_option ? "option" : "command", word, *nearest, place);
}

}  // namespace patchbay::tools
