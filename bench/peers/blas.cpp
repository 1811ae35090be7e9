// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "bench/peers/blas.h"

#include <dlfcn.h>

namespace bench {
namespace {

struct Candidate {
  const char *name, *path, *set_threads;
};
constexpr Candidate kCandidates[] = {
    {"openblas-pthread", PATCHBAY_BENCH_LIBDIR "/openblas-pthread/libopenblas.so.0",
     "openblas_set_num_threads"},
    {"openblas-openmp", PATCHBAY_BENCH_LIBDIR "/openblas-openmp/libopenblas.so.0",
     "openblas_set_num_threads"},
    {"blis", PATCHBAY_BENCH_LIBDIR "/blis-openmp/libblis.so.4", "bli_thread_set_num_threads"},
    {"blis", PATCHBAY_BENCH_LIBDIR "/blis-pthread/libblis.so.4", "bli_thread_set_num_threads"}};

}  // namespace

std::vector<BlasPeer> open_blas_peers(int threads) {
  std::vector<BlasPeer> peers;
  for (const Candidate& candidate : kCandidates) {
    if (!peers.empty() && peers.back().name == candidate.name) continue;
    void* library = dlopen(candidate.path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (library == nullptr) continue;
    const auto sgemm = reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
    // BLIS counts with its own integer type, of 64 bits: a register holds either.
    const auto set_threads =
        reinterpret_cast<void (*)(long)>(dlsym(library, candidate.set_threads));
    if (sgemm == nullptr || set_threads == nullptr) continue;
    set_threads(threads);
    peers.push_back({candidate.name, sgemm});
  }
  return peers;
}

}  // namespace bench
