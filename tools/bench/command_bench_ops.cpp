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

/// The best that the device reached.
struct Limits {
  double bytes_per_second = 0, flops_per_second = 0;
  std::int64_t copy_bytes = 0, gemm_size = 0;
};

struct Measured {
  OperatorCase what;
  double seconds = 0;
  std::string left_out;  // the reason, if it was not measured

  double intensity() const { return what.flops / what.bytes; }
  double flops_per_second() const { return what.flops / seconds; }
  double bytes_per_second() const { return what.bytes / seconds; }
};

Limits measure_limits(const Device& device, const CaseSizes& sizes, const Rounds& rounds) {
  Limits limits;
  show_progress("copies on the device");
  {
    const Tensor from = rand({sizes.elements}, device), to = empty({sizes.elements}, device);
    // Some devices copy with one thread or engine, and read and write faster in a kernel.
    const double copy = least(measure_on(device, rounds, [&] { to.copy_from(from); }));
    const double kernel = least(measure_on(device, rounds, [&] { abs_out(to, from); }));
    limits.copy_bytes = 4 * sizes.elements;
    limits.bytes_per_second = 2 * static_cast<double>(limits.copy_bytes) / std::min(copy, kernel);
  }
  for (const std::int64_t size : sizes.gemm_limits) {
    show_progress(fmt::format("products of {0} x {0}", size));
    const OperatorCase product = gemm_case(size);
    const double rate = product.flops / least(measure_on(device, rounds, product.make(device)));
    if (rate <= limits.flops_per_second) continue;
    limits.flops_per_second = rate;
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
  Roofline roofline{limits.bytes_per_second, limits.flops_per_second, {}};
  for (const Measured& one : all) {
    if (!one.left_out.empty()) continue;
    roofline.dots.push_back({one.what.name, one.intensity(), one.flops_per_second()});
  }
  return roofline;
}

double share_of(const Measured& one, const Roofline& roofline) {
  return one.flops_per_second() / roofline.bound(one.intensity());
}

const char* bound_of(const Measured& one, const Limits& limits) {
  const bool by_memory = one.intensity() * limits.bytes_per_second < limits.flops_per_second;
  return by_memory ? "memory" : "compute";
}

Json describe(const Device& device, const Limits& limits, const std::vector<Measured>& all,
              const Roofline& roofline) {
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
                         {"bytes", one.what.bytes},
                         {"flops_per_second", one.flops_per_second()},
                         {"bytes_per_second", one.bytes_per_second()},
                         {"bound", bound_of(one, limits)},
                         {"share", share_of(one, roofline)}});
  }
  return {{"version", version()},
          {"device", device.name()},
          {"processor", device.properties().name},
          {"limits",
           {{"bytes_per_second", limits.bytes_per_second},
            {"flops_per_second", limits.flops_per_second},
            {"copy_bytes", limits.copy_bytes},
            {"gemm_size", limits.gemm_size}}},
          {"operators", std::move(operators)},
          {"left_out", std::move(left_out)}};
}

std::string show(const Device& device, const Limits& limits, const std::vector<Measured>& all,
                 const Roofline& roofline) {
  std::string text = fmt::format(
      "{} ({}), f32. Limits: {} read and written by copies of {}, {} by products of {} x {}.\n",
      device.name(), device.properties().name, show_rate(limits.bytes_per_second, "B/s"),
      show_bytes(static_cast<std::uint64_t>(limits.copy_bytes)),
      show_rate(limits.flops_per_second, "FLOP/s"), limits.gemm_size, limits.gemm_size);
  Table table({"OPERATOR", "TIME", "GFLOP/s", "GB/s", "BOUND", "SHARE", "SHAPE"});
  std::string left_out;
  for (const Measured& one : all) {
    if (!one.left_out.empty()) {
      left_out += fmt::format("{} is left out: {}\n", one.what.name, one.left_out);
      continue;
    }
    table.add({one.what.name, show_seconds(one.seconds),
               fmt::format("{:.2f}", one.flops_per_second() / 1e9),
               fmt::format("{:.2f}", one.bytes_per_second() / 1e9), bound_of(one, limits),
               fmt::format("{:.0f} %", 100 * share_of(one, roofline)), one.what.shape});
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
  const Roofline roofline = roofline_of(limits, all);
  if (plot.is_wanted()) {
    plot.write(plot_roofline(
        fmt::format("Operators of {} ({}), f32", device.name(), device.properties().name),
        roofline));
  }
  Report report;
  report.json = describe(device, limits, all, roofline);
  report.text = show(device, limits, all, roofline);
  return report;
}

}  // namespace patchbay::tools
