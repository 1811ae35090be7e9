// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Measures operators beside the limits of their device.
#include <algorithm>

#include <fmt/format.h>

#include <patchbay/patchbay.h>

#include "tools/bench/operator_cases.h"
#include "tools/bench/plot.h"
#include "tools/bench/plot_file.h"
#include "tools/bench/timing.h"
#include "tools/command.h"
#include "tools/report.h"
#include "tools/text.h"

namespace patchbay::tools {
namespace {

/// Seconds of calls of an operator, one value for each batch.
std::vector<double> measure_on(const Device& device, const Rounds& rounds,
                               const std::function<void()>& run) {
  return measure({{repeat(run), [&device] { device.synchronize(); }}}, rounds)[0];
}

double least(const std::vector<double>& times) {
  return *std::min_element(times.begin(), times.end());
}

/// The best that the device reached. Rates are per second.
struct Limits {
  double bytes_read = 0, bytes_written = 0;
  double bytes_copied = 0;  // each counts twice, as it is read and written
  double flops = 0;
  std::int64_t tensor_bytes = 0, gemm_size = 0;

  double best_of_memory() const { return std::max({bytes_read, bytes_written, bytes_copied}); }
  /// Seconds of that many bytes: one byte read for each one written is a copy, and the rest is read
  /// or written alone.
  double seconds_of(double read, double written) const {
    const double pairs = std::min(read, written);
    return 2 * pairs / bytes_copied + (read - pairs) / bytes_read +
           (written - pairs) / bytes_written;
  }
};

struct Measured {
  OperatorCase what;
  double seconds = 0;
  std::string left_out;  // the reason, if it was not measured

  double bytes() const { return what.bytes_read + what.bytes_written; }
  double flops_per_second() const { return what.flops / seconds; }
  double bytes_per_second() const { return bytes() / seconds; }
  double memory_seconds(const Limits& limits) const {
    return limits.seconds_of(what.bytes_read, what.bytes_written);
  }
  double compute_seconds(const Limits& limits) const { return what.flops / limits.flops; }
  const char* bound(const Limits& limits) const {
    return memory_seconds(limits) > compute_seconds(limits) ? "memory" : "compute";
  }
  double share(const Limits& limits) const {
    return std::max(memory_seconds(limits), compute_seconds(limits)) / seconds;
  }
};

Limits measure_limits(const Device& device, const CaseSizes& sizes, const Rounds& rounds) {
  Limits limits;
  {
    const Tensor from = rand({sizes.elements}, device), to = empty({sizes.elements}, device);
    const auto seconds = [&](const char* progress, const std::function<void()>& run) {
      show_progress(progress);
      return least(measure_on(device, rounds, run));
    };
    limits.tensor_bytes = 4 * sizes.elements;
    const auto bytes = static_cast<double>(limits.tensor_bytes);
    const double by_sum = seconds("reading", [&] { static_cast<void>(sum(from)); });
    const double by_max = seconds("reading", [&] { static_cast<void>(max(from)); });
    limits.bytes_read = bytes / std::min(by_sum, by_max);
    limits.bytes_written = bytes / seconds("writing", [&] { to.fill_(1); });
    // Some devices copy with one thread or engine, and read and write faster in a kernel.
    const double copy = seconds("copies on the device", [&] { to.copy_from(from); });
    const double kernel = seconds("a kernel that copies", [&] { abs_out(to, from); });
    limits.bytes_copied = 2 * bytes / std::min(copy, kernel);
  }
  for (const std::int64_t size : sizes.gemm_limits) {
    show_progress(fmt::format("products of {0} x {0}", size));
    const OperatorCase product = gemm_case(size);
    const double rate = product.flops / least(measure_on(device, rounds, product.make(device)));
    if (rate <= limits.flops) continue;
    limits.flops = rate;
    limits.gemm_size = size;
  }
  return limits;
}

Measured measure_case(const Device& device, const OperatorCase& what, const Rounds& rounds) {
  show_progress(what.name);
  Measured measured{what, 0, ""};
  try {
    measured.seconds = median(measure_on(device, rounds, what.make(device)));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported && error.code() != ErrorCode::kOutOfMemory) throw;
    measured.left_out = error.what();
  }
  return measured;
}

Roofline roofline_of(const Limits& limits, const std::vector<Measured>& all) {
  Roofline roofline{limits.best_of_memory(), limits.flops, {}};
  for (const Measured& one : all) {
    if (!one.left_out.empty()) continue;
    roofline.dots.push_back({one.what.name, one.what.flops / one.bytes(), one.flops_per_second()});
  }
  return roofline;
}

Json describe(const Device& device, const Limits& limits, const std::vector<Measured>& all) {
  Json operators = Json::array(), left_out = Json::array();
  for (const Measured& one : all) {
    if (!one.left_out.empty()) {
      left_out.push_back(
          {{"name", one.what.name}, {"shape", one.what.shape}, {"reason", one.left_out}});
      continue;
    }
    operators.push_back({{"name", one.what.name},
                         {"shape", one.what.shape},
                         {"seconds", one.seconds},
                         {"flops", one.what.flops},
                         {"bytes_read", one.what.bytes_read},
                         {"bytes_written", one.what.bytes_written},
                         {"flops_per_second", one.flops_per_second()},
                         {"bytes_per_second", one.bytes_per_second()},
                         {"bound", one.bound(limits)},
                         {"share", one.share(limits)}});
  }
  return {{"version", version()},
          {"device", device.name()},
          {"processor", device.properties().name},
          {"limits",
           {{"bytes_read_per_second", limits.bytes_read},
            {"bytes_written_per_second", limits.bytes_written},
            {"bytes_copied_per_second", limits.bytes_copied},
            {"flops_per_second", limits.flops},
            {"tensor_bytes", limits.tensor_bytes},
            {"gemm_size", limits.gemm_size}}},
          {"operators", std::move(operators)},
          {"left_out", std::move(left_out)}};
}

std::string show(const Device& device, const Limits& limits, const std::vector<Measured>& all) {
  std::string text = fmt::format(
      "{} ({}), f32. Limits: {} read, {} written, {} copied (read and written) in tensors of {}; "
      "{} in products of {} x {}.\n",
      device.name(), device.properties().name, show_rate(limits.bytes_read, "B/s"),
      show_rate(limits.bytes_written, "B/s"), show_rate(limits.bytes_copied, "B/s"),
      show_bytes(static_cast<std::uint64_t>(limits.tensor_bytes)),
      show_rate(limits.flops, "FLOP/s"), limits.gemm_size, limits.gemm_size);
  Table table({"OPERATOR", "TIME", "GFLOP/s", "GB/s", "BOUND", "SHARE", "SHAPE"});
  std::string left_out;
  for (const Measured& one : all) {
    if (!one.left_out.empty()) {
      left_out += fmt::format("{} is left out: {}\n", one.what.name, one.left_out);
      continue;
    }
    table.add({one.what.name, show_seconds(one.seconds),
               fmt::format("{:.2f}", one.flops_per_second() / 1e9),
               fmt::format("{:.2f}", one.bytes_per_second() / 1e9), one.bound(limits),
               fmt::format("{:.0f} %", 100 * one.share(limits)), one.what.shape});
  }
  return text + table.to_string() + left_out;
}

}  // namespace

Report report_bench_ops(const RuntimeOptions& options, const BenchOpsArguments& arguments) {
  const Runtime runtime(options);
  const Device device =
      arguments.device.empty() ? runtime.try_gpu() : runtime.device(arguments.device);
  const CaseSizes sizes = CaseSizes::of(device, arguments.quick);
  const PlotFile plot("bench ops", arguments.plot);
  const double seconds = arguments.quick ? 0.005 : 0.4;
  const Rounds rounds{arguments.quick ? 0.0005 : 0.005, 3, 100, seconds, 5 * seconds};
  const Limits limits = measure_limits(device, sizes, rounds);
  std::vector<Measured> all;
  for (const OperatorCase& what : operator_cases(sizes)) {
    all.push_back(measure_case(device, what, rounds));
  }
  show_progress("");
  if (plot.is_wanted()) {
    plot.write(plot_roofline(
        fmt::format("Operators of {} ({}), f32", device.name(), device.properties().name),
        roofline_of(limits, all)));
  }
  Report report;
  report.json = describe(device, limits, all);
  report.text = show(device, limits, all);
  return report;
}

}  // namespace patchbay::tools
