// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include <fmt/format.h>

#include "command.h"
#include "text.h"

namespace patchbay::tools {
namespace {

Endpoint endpoint_of(const Runtime& runtime, const std::string& name) {
  if (name == "host") return Endpoint::host();
  try {
    return runtime.device(name);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnknownDevice) throw;
    throw Error(error.code(), fmt::format("{} Host memory is 'host'.", error.what()));
  }
}

Json describe(const CopyPlan& plan) {
  Json legs = Json::array();
  for (const CopyLeg& leg : plan.legs) legs.push_back({{"from", leg.from}, {"to", leg.to}});
  return {{"route", to_string(plan.route)},
          {"reason", plan.reason},
          {"legs", std::move(legs)},
          {"bytes", plan.size_bytes},
          {"chunks", plan.chunks},
          {"chunk_bytes", plan.chunk_bytes},
          {"seconds", plan.seconds ? Json(*plan.seconds) : Json()}};
}

std::string show(const CopyPlan& plan, const Endpoint& from, const Endpoint& to) {
  std::string text =
      fmt::format("{} -> {}, {}\n", from.name(), to.name(), show_bytes(plan.size_bytes));
  text += fmt::format("route   {}\n", to_string(plan.route));
  text += fmt::format("reason  {}\n", plan.reason);
  const char* label = "legs    ";
  for (const CopyLeg& leg : plan.legs) {
    text += fmt::format("{}{} -> {}\n", label, leg.from, leg.to);
    label = "        ";
  }
  if (plan.chunks > 0) {
    text += fmt::format("chunks  {} of {}\n", plan.chunks, show_bytes(plan.chunk_bytes));
  }
  text += fmt::format("time    {}\n",
                      plan.seconds ? show_seconds(*plan.seconds) : std::string("not measured"));
  return text;
}

}  // namespace

Report report_copy_plan(const RuntimeOptions& options, const CopyPlanArguments& arguments) {
  const Runtime runtime(options);
  const Endpoint from = endpoint_of(runtime, arguments.from),
                 to = endpoint_of(runtime, arguments.to);
  if (arguments.calibrate) calibrate(from, to);
  const CopyPlan plan = plan_copy(from, to, parse_bytes(arguments.bytes), arguments.non_blocking);
  Report report;
  report.json = describe(plan);
  report.text = show(plan, from, to);
  return report;
}

}  // namespace patchbay::tools
