// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The command line of the demo.
#ifndef PATCHBAY_EXAMPLES_DEMO_OPTIONS_H_
#define PATCHBAY_EXAMPLES_DEMO_OPTIONS_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <patchbay/patchbay.h>

namespace examples {

/// Every option by its name, "--epochs"; empty if it was not given and has no default.
using Options = std::map<std::string, std::string>;

inline Options parse(int argc, char** argv) {
  Options options{{"--device", ""},  {"--devices", ""},
                  {"--epochs", "4"}, {"--train", ""},
                  {"--test", ""},    {"--reload", ""},
                  {"--output", ""},  {"--data", "/usr/share/datasets/fashion-mnist"}};
  for (int i = 1; i < argc; i += 2) {
    const auto option = options.find(argv[i]);
    if (option == options.end() || i + 1 == argc) {
      std::string names;
      for (const auto& [name, value] : options) names += " " + name;
      throw std::invalid_argument("'" + std::string(argv[i]) +
                                  "' is no option, or has no value; there are" + names);
    }
    option->second = argv[i + 1];
  }
  return options;
}

/// The number of an option; `most` if it is not given.
inline std::int64_t number_of(const Options& options, const std::string& name, std::int64_t most) {
  const std::string& text = options.at(name);
  const std::int64_t number = text.empty() ? most : std::atoll(text.c_str());
  if (number >= 1 && number <= most) return number;
  throw std::invalid_argument("[" + name + "] expected a whole number from 1 to " +
                              std::to_string(most) + ", got '" + text + "'");
}

inline std::vector<patchbay::Device> chosen_devices(const Options& options) {
  if (!options.at("--device").empty() && !options.at("--devices").empty()) {
    throw std::invalid_argument("both --device and --devices are given: leave one out");
  }
  std::string names = options.at("--device") + options.at("--devices");
  if (names.empty()) names = "cpu:0";
  std::vector<patchbay::Device> devices;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    devices.emplace_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return devices;
}

/// The device that is named, else the first one that did not train, else the last one that did.
inline patchbay::Device device_to_reload(const Options& options,
                                         const std::vector<patchbay::Device>& trained) {
  if (const std::string& name = options.at("--reload"); !name.empty())
    return patchbay::Device(name);
  for (const patchbay::Device& device : patchbay::Runtime::get_default().devices()) {
    if (std::find(trained.begin(), trained.end(), device) == trained.end()) return device;
  }
  return trained.back();
}

}  // namespace examples

#endif  // PATCHBAY_EXAMPLES_DEMO_OPTIONS_H_
