// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The functions that devices lack are those that docs/functions.md names.
#include <nlohmann/json.hpp>

#include "support/device_test.h"
#include "support/paths.h"
#include "tensor/call/samples.h"

namespace patchbay::test {
namespace {

using Names = std::set<std::string>;

nlohmann::json record(const std::string& file) {
  std::ifstream stream(source_path("tools/interface/record/" + file));
  return nlohmann::json::parse(stream);
}

/// A function that can't be called by name, and that a device may lack.
struct Probe {
  const char* name;
  std::function<void(const Device& device)> call;
};

const Probe kProbes[] = {
    {"adopt_context",
     [](const Device& device) {  // of a device that is not open yet
       const Runtime fresh(device_options());
       adopt_context(fresh.device(device.name()), native_context(device).value);
     }},
    {"from_dlpack",
     [](const Device& device) { return from_dlpack(to_dlpack(ones({2}, device)), device); }},
    {"native_context", [](const Device& device) { return native_context(device); }},
    {"native_handle", [](const Device& device) { return native_handle(ones({2}, device)); }},
    {"to_dlpack",
     [](const Device& device) {
       dlpack::DLManagedTensorVersioned* const made = to_dlpack(ones({2}, device));
       made->deleter(made);
     }},
    {"wrap_buffer",
     [](const Device& device) {
       const Buffer buffer = ones({2}, device).buffer();
       (void)wrap_buffer(device, native_handle(buffer).value, 8);
     }},
    {"wrap_host",
     [](const Device& device) {
       static float values[4] = {};
       (void)wrap_host(values, DType::f32, {4}, device);
     }},
    {"wrap_stream",
     [](const Device& device) {
       return wrap_stream(device, native_handle(device.default_stream()).value);
     }},
};
/// Whether there is such a function does not depend on the device: of a backward, of the plugin's
/// own extensions, of a dtype.
constexpr const char* kOnAllDevices[] = {"checkpoint", "plugin_extension", "from_buffer"};

bool is_lacking(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code() == kUnsupported;
  }
  return false;
}

PATCHBAY_DEVICE_TESTS(LackingTest);

TEST_P(LackingTest, FunctionsAreThoseOfThePage) {
  Names found, listed;
  for (const Sample& sample : all_samples(device_)) {
    if (is_lacking([&] { return call(sample.name, sample.inputs, sample.options); })) {
      found.insert(sample.name);
    }
  }
  for (const Probe& probe : kProbes) {
    if (is_lacking([&] { probe.call(device_); })) found.insert(probe.name);
  }
  const nlohmann::json lacking = record("lacking.json");
  for (const auto& [name, backends] : lacking.items()) {
    if (std::find(backends.begin(), backends.end(), device_.backend()) != backends.end()) {
      listed.insert(name);
    }
  }
  EXPECT_EQ(found, listed) << "write what " << device_.backend()
                           << " lacks to tools/interface/record/lacking.json";
}

TEST(LackingProbes, AreThereForEachFunctionThatADeviceMayLack) {
  Names probed(std::begin(kOnAllDevices), std::end(kOnAllDevices));
  for (const Probe& probe : kProbes) probed.insert(probe.name);
  const nlohmann::json functions = record("functions.json").at("functions");
  for (const auto& [name, entry] : functions.items()) {
    const nlohmann::json errors = entry.value("errors", nlohmann::json::array());
    const bool may_lack = std::find(errors.begin(), errors.end(), "kUnsupported") != errors.end();
    const std::string own = name.substr(std::string("patchbay::").size());
    if (!may_lack || entry.at("call") == true) continue;
    EXPECT_TRUE(probed.contains(own)) << own;
  }
}

}  // namespace
}  // namespace patchbay::test
