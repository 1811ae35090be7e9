// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the benchmarks share. A name is GROUP/SIZE/SUBJECT; ratios are taken within GROUP/SIZE.
#ifndef PATCHBAY_BENCH_BENCH_H_
#define PATCHBAY_BENCH_BENCH_H_

#include <map>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <patchbay/patchbay.h>

namespace bench {

inline constexpr int kThreads = 2;

void register_add();
void register_convolution();
void register_copy();
void register_data_parallel();
void register_fuse();
void register_gemm();
void register_gradient();
void register_graph();
void register_memory();
void register_network();
void register_opencl();
void register_ops();
void register_packed();
void register_rows();
void register_runtime();

/// Random values: zeros give false figures.
inline std::vector<float> random_values(std::int64_t count) {
  std::mt19937 generator(42);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = uniform(generator);
  return values;
}

inline patchbay::Tensor random_tensor(const patchbay::Shape& shape,
                                      const patchbay::Device& device = patchbay::default_device()) {
  return patchbay::from_host(random_values(patchbay::num_elements(shape)), shape, device);
}

/// A CPU device of a runtime with that setting, which is made once.
inline patchbay::Device cpu_with(const std::string& setting, const std::string& value) {
  static std::map<std::string, patchbay::Runtime> made;
  const std::string key = setting + '=' + value;
  if (!made.contains(key)) {
    patchbay::RuntimeOptions options;
    options.settings = {{setting, value}, {"cpu_threads", std::to_string(kThreads)}};
    made.emplace(key, patchbay::Runtime(options));
  }
  return made.at(key).device("cpu:0");
}

/// `run` is timed; `make` prepares what it works on, outside the time.
template <class Make>
void add_benchmark(const std::string& name, Make make, benchmark::TimeUnit unit) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [make](benchmark::State& state) {
                                 auto run = make();
                                 run();
                                 for (auto _ : state) run();
                               })
      ->Unit(unit)
      ->UseRealTime();
}

}  // namespace bench

#endif  // PATCHBAY_BENCH_BENCH_H_
