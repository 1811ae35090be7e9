// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "support/temporary_directory.h"

#include "support/paths.h"

namespace patchbay::faults {

namespace fs = std::filesystem;

TemporaryDirectory::TemporaryDirectory(std::initializer_list<std::string_view> fixtures) {
  fs::permissions(path(), fs::perms(0755));
  for (const std::string_view fixture : fixtures) add(fixture);
}

fs::path TemporaryDirectory::add(std::string_view fixture) const {
  return write(fixture, test::read_text(fixture_path(fixture)));
}

fs::path TemporaryDirectory::write(std::string_view name, std::string_view bytes) const {
  const fs::path file = path() / ("patchbay-" + std::string(name) + ".so");
  std::ofstream(file, std::ios::binary).write(bytes.data(), std::ssize(bytes));
  fs::permissions(file, fs::perms(0644));
  return file;
}

fs::path fixture_path(std::string_view fixture) {
  const std::string file = "patchbay-" + std::string(fixture) + ".so";
  const fs::path path = fs::path(PATCHBAY_FIXTURE_DIR) / file;
  return fs::exists(path) ? path : fs::path(test::test_plugin_folder()) / file;
}

RuntimeOptions only(std::vector<fs::path> directories) {
  RuntimeOptions options;
  options.plugin_directories = std::move(directories);
  options.search_default_directories = false;
  options.read_environment = false;
  return options;
}

RuntimeOptions only_fixture(std::string_view fixture, std::map<std::string, std::string> settings) {
  RuntimeOptions options = only({});
  options.plugin_files = {fixture_path(fixture)};
  options.settings = std::move(settings);
  return options;
}

Runtime fake_runtime(std::map<std::string, std::string> settings) {
  return Runtime(only_fixture("fake", std::move(settings)));
}

PluginInfo plugin_info(const Runtime& runtime, std::string_view name) {
  const std::string file = "patchbay-" + std::string(name) + ".so";
  (void)runtime.devices();  // opens every plugin
  for (PluginInfo& info : runtime.plugins()) {
    if (info.path.filename() == file) return info;
  }
  ADD_FAILURE() << file << " is not among the candidates";
  return {};
}

bool is_mapped(const std::string& path) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with(path)) return true;
  }
  return false;
}

void expect_plain_c_works(const Runtime& runtime) {
  EXPECT_EQ(plugin_info(runtime, "plain-c").status, PluginStatus::kLoaded)
      << plugin_info(runtime, "plain-c").reason;
  const Device device = runtime.device("plainc");
  const std::array<int, 4> sent = {1, 2, 3, 4};
  const Buffer buffer = Buffer::allocate(device, sizeof(sent));
  copy_from_host({buffer, 0, sizeof(sent)}, sent.data());
  std::array<int, 4> received{};
  copy_to_host(received.data(), {buffer, 0, sizeof(sent)});
  EXPECT_EQ(received, sent);
}

void expect_outcome(std::string_view fixture, PluginStatus status,
                    const std::vector<std::string>& reasons) {
  const TemporaryDirectory directory{"plain-c", fixture};
  expect_outcome_in(directory, fixture, status, reasons);
}

void expect_outcome_in(const TemporaryDirectory& directory, std::string_view name,
                       PluginStatus status, const std::vector<std::string>& reasons) {
  const Runtime runtime(only({directory.path()}));
  const PluginInfo info = plugin_info(runtime, name);
  EXPECT_EQ(to_string(info.status), to_string(status)) << info.reason;
  for (const std::string& reason : reasons) EXPECT_HAS(info.reason, reason);
  EXPECT_EQ(info.reason.find('\n'), std::string::npos) << info.reason;
  EXPECT_HAS(runtime.explain(), info.reason);
  expect_plain_c_works(runtime);
}

}  // namespace patchbay::faults
