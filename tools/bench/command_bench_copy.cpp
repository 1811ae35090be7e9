// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Measures copies between the host, a device and its neighbour, at sizes from 4 KiB to 1 GiB.
#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "tools/bench/plot.h"
#include "tools/bench/plot_file.h"
#include "tools/bench/timing.h"
#include "tools/command.h"
#include "tools/report.h"
#include "tools/text.h"

namespace patchbay::tools {
namespace {

constexpr std::uint64_t kLeastBytes = 4096, kMostBytes = std::uint64_t{1} << 30;
/// The default time limit; the rest of half a minute is for loading and closing plugins.

struct Point {
  std::uint64_t bytes = 0;
  double seconds = 0;  // median

  double bytes_per_second() const { return static_cast<double>(bytes) / seconds; }
};

/// A curve: a route measured at each size.
struct Way {
  std::string name;
  std::string from, to;  // places
  std::string route;
  std::vector<Point> points = {};
};

/// Makes a copy.
using CopyOnce = std::function<void()>;

/// Routes that are compared with each other, so their copies alternate.
struct Group {
  std::vector<Way> ways;
  /// Allocates memory for copies of this size, and returns a copy function for each route.
  std::function<std::vector<CopyOnce>(std::uint64_t size_bytes)> make;
};

/// Not zeros, which some machines copy faster than other data.
std::shared_ptr<std::vector<unsigned char>> host_memory(std::uint64_t size_bytes) {
  auto bytes = std::make_shared<std::vector<unsigned char>>(size_bytes);
  const std::size_t first = std::min<std::size_t>(size_bytes, 65536);
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < first; ++i) {
    state = state * 1664525u + 1013904223u;
    (*bytes)[i] = static_cast<unsigned char>(state >> 24);
  }
  for (std::size_t done = first; done < size_bytes; done *= 2) {
    std::memcpy(bytes->data() + done, bytes->data(),
                std::min<std::size_t>(done, size_bytes - done));
  }
  return bytes;
}

Buffer device_memory(const Device& device, std::uint64_t size_bytes) {
  const Buffer buffer = Buffer::allocate(device, size_bytes);
  const auto bytes = host_memory(std::min<std::uint64_t>(size_bytes, 16 << 20));
  for (std::uint64_t done = 0; done < size_bytes; done += bytes->size()) {
    const auto part = std::min<std::uint64_t>(bytes->size(), size_bytes - done);
    copy_from_host({buffer, done, part}, bytes->data());
  }
  return buffer;
}

std::string route_text(const Endpoint& from, const Endpoint& to) {
  return std::string(to_string(plan_copy(from, to, kLeastBytes).route));
}

Group to_device(const Device& device) {
  Way way{"host to " + device.name(), "host", device.name(), route_text(Endpoint::host(), device)};
  return {{std::move(way)}, [device](std::uint64_t size) -> std::vector<CopyOnce> {
            return {[size, buffer = Buffer::allocate(device, size), bytes = host_memory(size)] {
              copy_from_host({buffer, 0, size}, bytes->data());
            }};
          }};
}

Group to_host(const Device& device) {
  Way way{device.name() + " to host", device.name(), "host", route_text(device, Endpoint::host())};
  return {{std::move(way)}, [device](std::uint64_t size) -> std::vector<CopyOnce> {
            return {[size, buffer = device_memory(device, size), bytes = host_memory(size)] {
              copy_to_host(bytes->data(), {buffer, 0, size});
            }};
          }};
}

/// Compares a staged copy with all of its first leg followed by all of its second.
Group across(const Device& from, const Device& to) {
  const std::string name = from.name() + " to " + to.name();
  Group group;
  group.ways.push_back({name, from.name(), to.name(), route_text(from, to)});
  const bool is_staged = plan_copy(from, to, kLeastBytes).route == Route::kStaged;
  if (is_staged) {
    group.ways.push_back({name + ", one leg after the other", from.name(), to.name(), "two legs"});
  }
  group.make = [from, to, is_staged](std::uint64_t size) {
    const Buffer source = device_memory(from, size), target = Buffer::allocate(to, size);
    std::vector<CopyOnce> copies{[=] { copy({target, 0, size}, {source, 0, size}); }};
    if (is_staged) {
      const Buffer pinned = Buffer::allocate(from, size, MemoryKind::kPinned);
      copies.emplace_back([=] {
        copy({pinned, 0, size}, {source, 0, size});
        copy({target, 0, size}, {pinned, 0, size});
      });
    }
    return copies;
  };
  return group;
}

/// The first neighbour whose memory the host can't address either: others are like the host.
std::vector<Group> groups_of(const Runtime& runtime, const Device& device) {
  std::vector<Group> groups{to_device(device), to_host(device)};
  for (const Device& other : runtime.devices()) {
    if (other == device || other.properties().host_addressable) continue;
    groups.push_back(across(device, other));
    break;
  }
  return groups;
}

/// Devices that the host can't address come first: copies to others are copies on the host.
Device choose_device(const Runtime& runtime, const std::string& name) {
  if (!name.empty()) return runtime.device(name);
  const std::vector<Device> devices = runtime.devices();
  const auto far = std::find_if(devices.begin(), devices.end(), [](const Device& device) {
    return !device.properties().host_addressable;
  });
  if (far != devices.end()) return *far;
  return runtime.device("cpu:0");
}

/// The median of at least three copies for each route, more if they are fast.
std::vector<double> measure_copies(const std::vector<CopyOnce>& copies) {
  std::vector<Subject> subjects;
  for (const CopyOnce& copy_once : copies) subjects.push_back({repeat(copy_once)});
  const double enough = 0.15 * static_cast<double>(copies.size());
  std::vector<double> medians;
  for (std::vector<double>& times : measure(subjects, {.least = 3, .most = 200, .seconds = enough}))
    medians.push_back(median(std::move(times)));
  return medians;
}

/// Runs all sizes within a time limit and records which were left out and why.
class Bench {
 public:
  explicit Bench(double seconds) : seconds_(seconds) {}

  /// Measures all routes at one size before the next, so that the same sizes are left out for all.
  void run(std::vector<Group>& groups) {
    double last_round = 0;
    for (std::uint64_t size = kLeastBytes; size <= kMostBytes; size *= 4) {
      // Four times the bytes take about four times as long, or somewhat more in new memory.
      const double left = seconds_ - seconds_since(start_);
      if (last_round * 5 > left) {
        cut_ = fmt::format("sizes from {} up are left out: they would not end within {:g} s",
                           show_bytes(size), seconds_);
        return;
      }
      const auto before = Clock::now();
      for (Group& group : groups) {
        show_progress(fmt::format("{}, {}", group.ways[0].name, show_bytes(size)));
        if (!run_one(group, size)) return;
      }
      last_round = seconds_since(before);
    }
  }
  const std::string& cut() const { return cut_; }

 private:
  bool run_one(Group& group, std::uint64_t size) {
    try {
      const std::vector<double> seconds = measure_copies(group.make(size));
      for (std::size_t i = 0; i < seconds.size(); ++i) {
        group.ways[i].points.push_back({size, seconds[i]});
      }
      return true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kOutOfMemory) throw;
    } catch (const std::bad_alloc&) {
    }
    cut_ = fmt::format("sizes from {} up are left out: there is no memory for them ({})",
                       show_bytes(size), group.ways[0].name);
    return false;
  }

  const Clock::time_point start_ = Clock::now();
  const double seconds_;
  std::string cut_;
};

Json describe(const std::vector<Way>& ways, const std::string& cut) {
  Json series = Json::array();
  for (const Way& way : ways) {
    Json points = Json::array();
    for (const Point& point : way.points) {
      points.push_back({{"bytes", point.bytes},
                        {"seconds", point.seconds},
                        {"bytes_per_second", point.bytes_per_second()}});
    }
    series.push_back({{"name", way.name},
                      {"from", way.from},
                      {"to", way.to},
                      {"route", way.route},
                      {"points", std::move(points)}});
  }
  return {{"series", std::move(series)}, {"cut", cut.empty() ? Json() : Json(cut)}};
}

std::string show(const std::vector<Way>& ways, const std::string& cut) {
  std::string text;
  std::vector<std::string> header{"SIZE"};
  for (std::size_t i = 0; i < ways.size(); ++i) {
    text += fmt::format("({}) {} ({})\n", i + 1, ways[i].name, ways[i].route);
    header.push_back(fmt::format("({}) GB/s", i + 1));
  }
  Table table(std::move(header));
  for (std::size_t row = 0; row < ways.front().points.size(); ++row) {
    std::vector<std::string> cells{show_bytes(ways.front().points[row].bytes)};
    for (const Way& way : ways) {
      cells.push_back(row < way.points.size()
                          ? fmt::format("{:.3f}", way.points[row].bytes_per_second() / 1e9)
                          : std::string());
    }
    table.add(std::move(cells));
  }
  text += table.to_string();
  return cut.empty() ? text : text + cut + '\n';
}

std::string plot_of(const std::string& title, const std::vector<Way>& ways) {
  std::vector<Series> series;
  for (const Way& way : ways) {
    Series curve{fmt::format("{} ({})", way.name, way.route), {}};
    for (const Point& point : way.points) {
      curve.points.emplace_back(static_cast<double>(point.bytes), point.bytes_per_second());
    }
    series.push_back(std::move(curve));
  }
  return plot_bandwidth(title, series);
}

}  // namespace

Report report_bench_copy(const RuntimeOptions& options, const BenchCopyArguments& arguments) {
  const Runtime runtime(options);
  const Device device = choose_device(runtime, arguments.device);
  std::vector<Group> groups = groups_of(runtime, device);
  const PlotFile plot("bench copy", arguments.plot);
  Bench bench(arguments.seconds);
  bench.run(groups);
  show_progress("");
  std::vector<Way> ways;
  for (Group& group : groups)
    std::move(group.ways.begin(), group.ways.end(), std::back_inserter(ways));
  if (plot.is_wanted()) {
    plot.write(
        plot_of(fmt::format("Copies of {} ({})", device.name(), device.properties().name), ways));
  }
  Report report;
  report.json = describe(ways, bench.cut());
  report.json["device"] = device.name();
  report.text = show(ways, bench.cut());
  return report;
}

}  // namespace patchbay::tools
