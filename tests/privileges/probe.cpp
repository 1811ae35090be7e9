// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Makes a runtime and prints, a line each, what it was: privileges, log, plugins, a sum, an error.
//   privileges_probe [--file PLUGIN] [--directory DIR] [--only DIR] [--trust DIR] [--set
//   NAME=VALUE]
//                    [--kernel] [--drop USER]
// --drop gives up the privileges of root, and could take them back.
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include <patchbay/patchbay.h>

namespace {

using namespace patchbay;

constexpr const char* kText = R"(
PATCHBAY_KERNEL(twice)(PATCHBAY_INOUT(f32, x)) {
  PATCHBAY_BIND(f32, x);
  const i64 i = PATCHBAY_GLOBAL_ID64(0);
  x[i] = 2.0f * x[i];
}
)";

void print(std::string_view what, std::string_view text) {
  std::printf("%.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
              static_cast<int>(text.size()), text.data());
}

void probe(const RuntimeOptions& options, bool runs_kernel) {
  const Runtime runtime(options);
  (void)runtime.devices();  // opens every plugin
  for (const PluginInfo& plugin : runtime.plugins()) {
    print("plugin",
          plugin.name + " " + std::string(to_string(plugin.status)) + ": " + plugin.reason);
  }
  for (const std::filesystem::path& directory : runtime.plugin_directories()) {
    print("directory", directory.string());
  }
  if (options.search_default_directories) {
    const Tensor values = full({3}, 2.0F, runtime.device("cpu:0"));
    print("sum", std::to_string(sum(values).item<float>()));
  }
  if (!runs_kernel) return;
  const Tensor x = full({4}, 1.5F, runtime.device("cpu:0"));
  KernelModule::from_source(x.device(), kText).kernel("twice").launch({.groups = {4}}, {x});
  print("kernel", std::to_string(x.to_vector<float>()[3]));
}

}  // namespace

int main(int argc, char** argv) {
  print("raised", getauxval(AT_SECURE) != 0 ? "yes" : "no");
  RuntimeOptions options;
  options.log = [](LogLevel level, std::string_view line) { print(to_string(level), line); };
  bool runs_kernel = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--kernel") {
      runs_kernel = true;
      continue;
    }
    if (i + 1 == argc) return 2;
    const std::string value = argv[++i];
    if (word == "--file") options.plugin_files.emplace_back(value);
    if (word == "--directory" || word == "--only") options.plugin_directories.emplace_back(value);
    if (word == "--trust") options.trusted_directories.emplace_back(value);
    if (word == "--drop" && seteuid(static_cast<uid_t>(std::stoul(value))) != 0) return 3;
    if (word == "--only") options.search_default_directories = false;
    if (word == "--set") {
      options.settings[value.substr(0, value.find('='))] = value.substr(value.find('=') + 1);
    }
  }
  try {
    probe(options, runs_kernel);
  } catch (const Error& error) {
    print(to_string(error.code()), error.what());
    return 1;
  }
  return 0;
}
