// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <map>
#include <string>

#include "probe.h"

namespace probe {

std::vector<float> whole_numbers(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7 % 13) - 6;
  return values;
}

patchbay::Tensor filled(const patchbay::Shape& shape, const patchbay::Device& device) {
  return from_host(whole_numbers(num_elements(shape)), shape, device);
}

}  // namespace probe

int main(int argc, char** argv) {
  const std::map<std::string, int (*)(const probe::Target&)> commands = {
      {"start", probe::start},
      {"products", probe::products},
      {"streams", probe::streams},
      {"memory", probe::memory},
      {"rows", probe::rows},
      {"bare", probe::bare},
      {"profile", probe::profile},
      {"out-of-bounds", probe::out_of_bounds},
      {"fork", probe::fork_after_start},
      {"work", probe::work},
      {"exit-with-work", probe::exit_with_work}};
  const auto command = commands.find(argc > 1 ? argv[1] : "");
  if (command == commands.end()) {
    std::string names;
    for (const auto& [name, function] : commands) names += " " + name;
    std::fprintf(stderr, "usage: patchbay-gpu-probe COMMAND [DEVICE [SIZE]], COMMAND one of%s\n",
                 names.c_str());
    return 2;
  }
  try {
    probe::Target target;
    if (argc > 2) target.device = argv[2];
    if (argc > 3) target.size = std::stoll(argv[3]);
    return command->second(target);
  } catch (const std::exception& error) {
    probe::print({{"error", error.what()}});
    return 1;
  }
}
