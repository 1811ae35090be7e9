// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The simulated driver as an application sees it that calls it directly.
#ifndef PATCHBAY_TESTS_SIM_CUDA_APPLICATION_H_
#define PATCHBAY_TESTS_SIM_CUDA_APPLICATION_H_

#include <cstdint>

#include "sim/cuda/application_entries.h"
#include "sim/simulation.h"

namespace patchbay::sim_test {

using namespace card;  // the parameters' types, in the lists of entries
using cuda::UpdateResult;

struct Driver {
#define PATCHBAY_SIM_MEMBER(member, symbol) decltype(Api::member.function) member = find(#symbol);
  PATCHBAY_CUDA_SYMBOLS(PATCHBAY_SIM_MEMBER)
  PATCHBAY_CUDA_GRAPH_SYMBOLS(PATCHBAY_SIM_MEMBER)
#undef PATCHBAY_SIM_MEMBER
#define PATCHBAY_SIM_MEMBER(member, symbol, parameters) int(*member) parameters = find(#symbol);
  PATCHBAY_CUDA_OWN_ENTRIES(PATCHBAY_SIM_MEMBER)
  PATCHBAY_CUDA_OWN_GRAPH_ENTRIES(PATCHBAY_SIM_MEMBER)
  PATCHBAY_SIM_APPLICATION_ENTRIES(PATCHBAY_SIM_MEMBER)
#undef PATCHBAY_SIM_MEMBER
  void (*set_gone)(int code) = find("patchbay_sim_set_gone");

 private:
  struct Found {
    void* address;
    template <class Function>
    operator Function*() const {  // NOLINT(google-explicit-constructor)
      return reinterpret_cast<Function*>(address);
    }
  };
  static Found find(const char* name) {
    static void* const driver = dlopen(library("cuda").c_str(), RTLD_NOW | RTLD_LOCAL);
    return {dlsym(driver, name)};
  }
};

inline std::uint64_t number_of(const void* handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

}  // namespace patchbay::sim_test

#endif  // PATCHBAY_TESTS_SIM_CUDA_APPLICATION_H_
