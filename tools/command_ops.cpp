// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.h"
#include "report.h"
#include "text.h"

namespace patchbay::tools {
namespace {

Json describe(const OperatorInfo& record) {
  Json entry = {
      {"name", record.name},     {"kernel", record.kernel},       {"family", record.family},
      {"shapes", record.shapes}, {"source", record.source},       {"derivative", nullptr},
      {"dtypes", Json::array()}, {"error_bound", Json::object()}, {"devices", Json::object()}};
  if (!record.derivative.empty()) entry["derivative"] = record.derivative;
  const bool of_terms = record.bound.scale == ErrorBound::Scale::kTerms;
  entry["error_bound"]["of"] = of_terms ? "sum of magnitudes" : "result";
  for (const DType dtype : record.dtypes) {
    entry["dtypes"].push_back(to_string(dtype));
    entry["error_bound"][std::string(to_string(dtype))] = record.bound.of(dtype);
  }
  return entry;
}

/// Keys are dtypes; the value is null if the device has the operator, otherwise the reason.
Json support_of(const Device& device, const OperatorInfo& record) {
  Json support = Json::object();
  for (const DType dtype : record.dtypes) {
    const std::string why = why_unsupported(device, record, dtype);
    support[std::string(to_string(dtype))] = why.empty() ? Json() : Json(why);
  }
  return support;
}

/// Whether the library computes the operator by others where the plugin lacks it. Products and
/// copies are the parts that a device may lack.
bool is_composed(const Device& device, const OperatorInfo& record, std::string_view dtype) {
  if (record.family != "composite") return false;
  for (const char* part : {"copy", "gemm"}) {
    if (!why_unsupported(device, find_operator(part), parse_dtype(dtype)).empty()) return false;
  }
  return true;
}

constexpr const char* kComposed = "composed";

/// "all", "none", "all but f64", "composed", "composed for f64" or "all but f64, composed".
std::string show_support(const Device& device, const OperatorInfo& record, const Json& support) {
  std::vector<std::string> lacking, composed;
  for (const auto& [dtype, why] : support.items()) {
    if (why.is_null()) continue;
    (is_composed(device, record, dtype) ? composed : lacking).push_back(dtype);
  }
  if (lacking.size() == support.size()) return "none";
  std::vector<std::string> parts;
  if (!lacking.empty()) parts.push_back(fmt::format("all but {}", fmt::join(lacking, " ")));
  if (lacking.size() + composed.size() == support.size()) {
    parts.emplace_back(kComposed);
  } else if (!composed.empty()) {
    parts.push_back(fmt::format("{} for {}", kComposed, fmt::join(composed, " ")));
  }
  return parts.empty() ? "all" : fmt::format("{}", fmt::join(parts, ", "));
}

/// Opens the device, if it is not open yet.
void open(const Device& device) {
  const OperatorInfo& record = operators().front();
  (void)why_unsupported(device, record, record.dtypes.front());
}

/// The requested device, otherwise the first of each backend that can be opened.
std::vector<Device> devices_of(const Runtime& runtime, const std::string& only, Report& report) {
  if (!only.empty()) return {runtime.device(only)};
  std::vector<Device> devices;
  std::set<std::string> backends;
  for (const Device& device : runtime.devices()) {
    const std::string name = device.name();
    const std::string backend = name.substr(0, name.find(':'));
    if (backends.contains(backend)) continue;
    report.attempt([&] {
      open(device);
      devices.push_back(device);
      backends.insert(backend);
    });
  }
  return devices;
}

}  // namespace

Report report_operators(const RuntimeOptions& options, const std::string& only) {
  const Runtime runtime(options);
  Report report;
  const std::vector<Device> devices = devices_of(runtime, only, report);
  std::vector<std::string> header{"OPERATOR"};
  for (const Device& device : devices) header.push_back(device.name());
  header.emplace_back("DTYPES");
  Table table(header);
  report.json["operators"] = Json::array();
  bool is_any_composed = false;
  for (const OperatorInfo& record : operators()) {
    Json entry = describe(record);
    std::vector<std::string> row{std::string(record.name)};
    for (const Device& device : devices) {
      // A device that compiles the operators takes minutes if it has none of them in its cache.
      show_progress(fmt::format("{}/{} {} on {}", report.json["operators"].size() + 1,
                                operators().size(), record.name, device.name()));
      Json support = support_of(device, record);
      row.push_back(show_support(device, record, support));
      is_any_composed = is_any_composed || row.back().find(kComposed) != std::string::npos;
      entry["devices"][device.name()] = std::move(support);
    }
    row.push_back(
        fmt::format("{}", fmt::join(entry["dtypes"].get<std::vector<std::string>>(), " ")));
    table.add(std::move(row));
    report.json["operators"].push_back(std::move(entry));
  }
  show_progress("");
  report.text = table.to_string();
  if (runtime.devices().empty()) report.text += show_absence(runtime);
  if (is_any_composed) {
    report.text += fmt::format(
        "{}: the library makes the operator of others, because the plugin has no kernel.\n",
        kComposed);
  }
  return report;
}

}  // namespace patchbay::tools
