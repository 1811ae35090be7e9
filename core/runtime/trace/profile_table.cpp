// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The text of a profile.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "core/runtime/trace/profiler.h"

namespace patchbay::runtime {
namespace {

constexpr std::size_t kNumColumns = 8;
using Cells = std::array<std::string, kNumColumns>;

/// Three significant digits.
std::string show_time(double seconds) {
  if (seconds < 999.5e-6) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 999.5e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return seconds < 999.5 ? fmt::format("{:.3g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string show_bytes(std::uint64_t bytes) {
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

/// Without a time, the cells that need one are empty.
Cells cells_of(const ProfileRow& row) {
  Cells cells{row.name, row.device, fmt::format("{}", row.calls), "", "", show_bytes(row.bytes),
              "",       ""};
  if (row.timed_calls == 0) return cells;
  cells[3] = show_time(row.seconds);
  cells[4] = show_time(row.seconds / static_cast<double>(row.timed_calls));
  if (row.timed_calls == row.calls && row.seconds > 0) {
    cells[6] = fmt::format("{:.2f}", static_cast<double>(row.bytes) / row.seconds / 1e9);
  }
  cells[7] = fmt::format("{:.1f} %", row.share * 100);
  return cells;
}

/// The first two columns are words, the others numbers.
void append_line(std::string& text, const Cells& cells,
                 const std::array<std::size_t, kNumColumns>& widths) {
  std::string line;
  for (std::size_t i = 0; i < kNumColumns; ++i) {
    if (i > 0) line += "  ";
    const std::string padding(widths[i] - cells[i].size(), ' ');
    line += i < 2 ? cells[i] + padding : padding + cells[i];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + '\n';
}

void append_untimed(std::string& text, const std::vector<ProfileRow>& rows) {
  struct Calls {
    std::uint64_t all = 0, untimed = 0;
  };
  std::map<std::string, Calls> devices;
  for (const ProfileRow& row : rows) {
    Calls& calls = devices[row.device];
    calls.all += row.calls;
    calls.untimed += row.calls - row.timed_calls;
  }
  for (const auto& [device, calls] : devices) {
    if (calls.untimed == 0) continue;
    fmt::format_to(std::back_inserter(text),
                   "{}: {} of {} calls have no time: they failed, were not seen to end, or ran on "
                   "a stream of the application's.\n",
                   device, calls.untimed, calls.all);
  }
}

}  // namespace

std::string profile_table(const std::vector<ProfileRow>& rows) {
  if (rows.empty()) return "No launch and no copy was profiled.\n";
  std::vector<Cells> lines{
      {"OPERATOR", "DEVICE", "CALLS", "TIME", "PER CALL", "BYTES", "GB/s", "SHARE"}};
  for (const ProfileRow& row : rows) lines.push_back(cells_of(row));
  std::array<std::size_t, kNumColumns> widths{};
  for (const Cells& cells : lines) {
    for (std::size_t i = 0; i < kNumColumns; ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const Cells& cells : lines) append_line(text, cells, widths);
  append_untimed(text, rows);
  return text;
}

}  // namespace patchbay::runtime
