// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <iostream>
#include <stdexcept>

#include "bench/harness.h"

namespace bench {

void print(const nlohmann::json& object) {
  std::printf("%s\n", object.dump().c_str());
  std::fflush(stdout);
}

void answer(const std::function<Subject(const std::string& row)>& make) {
  std::string wanted;
  while (std::getline(std::cin, wanted)) {
    try {
      const Subject subject = make(wanted);
      if (!subject.run) throw std::invalid_argument("there is no such row");
      const std::vector<double> times =
          measure({subject}, {.batch_seconds = 0.02, .least = 7, .most = 7})[0];
      print({{"row", wanted}, {"nanoseconds", patchbay::tools::median(times) * 1e9}});
    } catch (const std::exception& error) {
      print({{"row", wanted}, {"error", error.what()}});
    }
  }
}

}  // namespace bench
