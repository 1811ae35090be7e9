// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include <fmt/format.h>

#include "command.h"
#include "text.h"

namespace patchbay::tools {
namespace {

Json describe(const Device& device, MemoryKind kind) {
  const DeviceMemory memory = device.memory(kind);
  Json tags = Json::array();
  for (const TaggedMemory& held : memory.by_tag) {
    tags.push_back(
        {{"tag", held.tag}, {"live_bytes", held.live_bytes}, {"live_blocks", held.live_blocks}});
  }
  return {{"device", device.name()},
          {"kind", to_string(kind)},
          {"total_bytes", memory.total_bytes},
          {"free_bytes", memory.free_bytes},
          {"live_bytes", memory.live_bytes},
          {"live_blocks", memory.live_blocks},
          {"peak_bytes", memory.peak_bytes},
          {"reserved_bytes", memory.reserved_bytes},
          {"peak_reserved_bytes", memory.peak_reserved_bytes},
          {"limit_bytes", memory.limit_bytes},
          {"largest_free_block_bytes", memory.largest_free_block_bytes},
          {"num_driver_allocations", memory.num_driver_allocations},
          {"by_tag", std::move(tags)}};
}

// ------------------------------------------------------------------------------- replay

constexpr std::size_t kLongestLine = 1000;          // a valid file has shorter lines
constexpr std::uintmax_t kMostBytes = 64ULL << 20;  // 64 MiB: about three million lines
constexpr const char* kExpected = "expected lines `a ID BYTES [TAG]` and `f ID`";

[[noreturn]] void refuse_line(const std::string& path, int number, const std::string& why) {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("[memory] {}:{}: {}: expected `a ID BYTES [TAG]` for a new ID or `f ID` "
                          "for a live one.",
                          path, number, why));
}

[[noreturn]] void refuse_file(const std::string& path, const std::string& got) {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("[memory] can't read '{}': {}, got {}.", path, kExpected, got));
}

[[noreturn]] void refuse_size(const std::string& path) {
  refuse_file(path, fmt::format("more than {}", show_bytes(kMostBytes)));
}

/// In quotes: control characters as \x00, and only the beginning of a long line.
std::string shown(std::string_view line) {
  constexpr std::size_t kMost = 60;
  std::string text = "'";
  for (const char letter : line.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(letter);
    text += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, letter);
  }
  return text + (line.size() > kMost ? "...'" : "'");
}

/// Pipes are allowed, but not devices: /dev/zero, for example, has no end.
void check_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  switch (status.type()) {
    case fs::file_type::regular:
      if (fs::file_size(path, error) > kMostBytes && !error) refuse_size(path);
      return;
    case fs::file_type::fifo: return;
    case fs::file_type::not_found: refuse_file(path, "no such file");
    case fs::file_type::directory: refuse_file(path, "a directory");
    case fs::file_type::character:
    case fs::file_type::block: refuse_file(path, "a device file");
    default: refuse_file(path, error ? error.message() : "something that is no file");
  }
}

/// Accepts digits only: streams read "-5" as an unsigned number and wrap it around.
std::optional<std::size_t> parse_number(const std::string& text) {
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

bool has_more(std::istringstream& words) {
  std::string word;
  return static_cast<bool>(words >> word);
}

/// Allocates and frees as the lines of a file say.
class Replay {
 public:
  Replay(Device device, std::string path) : device_(std::move(device)), path_(std::move(path)) {}

  void run() {
    check_file(path_);
    std::ifstream file(path_);
    if (!file) refuse_file(path_, "one that can't be opened");
    std::uintmax_t read_bytes = 0;
    for (std::string line; read_line(file, line);) {
      ++number_;
      read_bytes += line.size() + 1;
      if (read_bytes > kMostBytes) refuse_size(path_);
      if (!line.empty() && line[0] != '#') do_line(line);
    }
  }
  std::uint64_t num_allocations() const { return num_allocations_; }

 private:
  /// Returns false at the end of the file. Reads at most the longest valid line.
  bool read_line(std::istream& file, std::string& line) {
    line.clear();
    for (int letter = file.get(); letter != std::char_traits<char>::eof(); letter = file.get()) {
      if (letter == '\n') return true;
      line += static_cast<char>(letter);
      if (line.size() > kLongestLine) {
        refuse_line(
            path_, number_ + 1,
            fmt::format("a line of more than {} characters, {}", kLongestLine, shown(line)));
      }
    }
    if (file.bad()) refuse_file(path_, "one that can't be read");
    return !line.empty();
  }

  void do_line(const std::string& line) {
    std::istringstream words(line);
    std::string what, id;
    words >> what >> id;
    if (what == "a" && !id.empty()) {
      allocate(id, words);
    } else if (what != "f" || has_more(words) || live_.erase(id) == 0) {
      refuse_line(path_, number_, shown(line));
    }
  }

  void allocate(const std::string& id, std::istringstream& words) {
    std::string bytes, tag;
    words >> bytes >> tag;
    const std::optional<std::size_t> size_bytes = parse_number(bytes);
    if (!size_bytes || live_.count(id) != 0 || has_more(words)) {
      refuse_line(path_, number_, shown(words.str()));
    }
    const CopyTag scope(tag);
    live_.emplace(id, Buffer::allocate(device_, *size_bytes));
    ++num_allocations_;
  }

  const Device device_;
  const std::string path_;
  int number_ = 0;
  std::uint64_t num_allocations_ = 0;
  std::unordered_map<std::string, Buffer> live_;
};

}  // namespace

Report report_memory(const RuntimeOptions& options, const std::string& only) {
  const Runtime runtime(options);
  Table table({"DEVICE", "KIND", "TOTAL", "FREE", "LIVE", "RESERVED", "LIMIT"});
  Report report;
  report.json["memory"] = Json::array();
  const auto add = [&](const Device& device) {
    for (const MemoryKind kind : {MemoryKind::kDevice, MemoryKind::kPinned, MemoryKind::kUnified}) {
      if (kind == MemoryKind::kUnified && !device.properties().unified_buffers) continue;
      Json entry = describe(device, kind);
      const auto bytes = [&](const char* key) {
        return show_bytes(entry[key].get<std::uint64_t>());
      };
      const bool has_limit = entry["limit_bytes"] != 0;
      table.add({device.name(), std::string(to_string(kind)), bytes("total_bytes"),
                 bytes("free_bytes"), bytes("live_bytes"), bytes("reserved_bytes"),
                 has_limit ? bytes("limit_bytes") : "none"});
      report.json["memory"].push_back(std::move(entry));
    }
  };
  if (only.empty()) {
    for (const Device& device : runtime.devices()) report.attempt([&] { add(device); });
  } else {
    add(runtime.device(only));
  }
  report.text = runtime.devices().empty() ? show_absence(runtime) : table.to_string();
  return report;
}

Report report_replay(const RuntimeOptions& options, const std::string& device_name,
                     const std::string& path) {
  const Runtime runtime(options);
  const Device device = runtime.device(device_name.empty() ? "cpu:0" : device_name);
  Replay replay(device, path);
  replay.run();
  const DeviceMemory memory = device.memory();
  const double ratio = memory.peak_bytes == 0 ? 1
                                              : static_cast<double>(memory.peak_reserved_bytes) /
                                                    static_cast<double>(memory.peak_bytes);
  Report report;
  report.json = {{"device", device.name()},
                 {"num_allocations", replay.num_allocations()},
                 {"num_driver_allocations", memory.num_driver_allocations},
                 {"peak_bytes", memory.peak_bytes},
                 {"peak_reserved_bytes", memory.peak_reserved_bytes},
                 {"reserved_to_live", ratio}};
  report.text = fmt::format(
      "{}: {} allocations, {} of them by the driver; peak live {}, reserved {}: ratio {:.3f}\n",
      device.name(), replay.num_allocations(), memory.num_driver_allocations,
      show_bytes(memory.peak_bytes), show_bytes(memory.peak_reserved_bytes), ratio);
  return report;
}

}  // namespace patchbay::tools
