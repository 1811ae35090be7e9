// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "patchbay/runtime.h"
#include "patchbay/validation.h"

#include "core/base/error.h"
#include "core/runtime/registry/loaded_runtime.h"
#include "core/runtime/validation/layer.h"

namespace patchbay {
namespace {

/// Waits for all work, ignoring failures, and returns all freed memory.
void settle(runtime::DeviceAssembly& device) {
  if (device.handle.load() == nullptr) return;
  try {
    device.synchronize(PATCHBAY_NO_DEADLINE);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): see above
  }
  device.allocator->trim();
}

void add(ValidationReport& report, runtime::Backend& backend) {
  auto& layer = static_cast<runtime::validation::Layer&>(*backend.layer);
  const runtime::CallGate::Call call(backend.calls);
  if (!backend.calls.is_late()) {  // else its memory is gone, or going
    for (const auto& device : backend.assemblies) settle(*device);
    layer.look();
  }
  layer.findings().forget_late();
  report.is_on = true;
  report.num_findings += layer.findings().count();
  for (std::string& text : layer.findings().texts()) report.findings.push_back(std::move(text));
  for (LiveObject& object : layer.live()) report.live.push_back(std::move(object));
}

}  // namespace

ValidationReport validation_report(const Runtime& runtime) {
  runtime.state().home.check("validation_report", "every device");
  ValidationReport report;
  report.is_on = runtime.state().validates;
  const runtime::PluginRegistry::Reading reading(runtime::registry_of(runtime.state()));
  for (runtime::Backend* const backend : runtime::registry_of(runtime.state()).validated()) {
    add(report, *backend);
  }
  std::stable_sort(report.live.begin(), report.live.end(),
                   [](const auto& a, const auto& b) { return a.size_bytes > b.size_bytes; });
  return report;
}

std::string ValidationReport::to_text() const {
  std::string text;
  for (const std::string& finding : findings) text += finding + '\n';
  for (const LiveObject& object : live) text += runtime::validation::to_text(object) + '\n';
  return text;
}

}  // namespace patchbay
