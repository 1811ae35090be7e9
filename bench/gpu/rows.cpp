// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The rows that torch_rows.py measures too, and the kernels that a profiler looks at.
#include <algorithm>
#include <iostream>
#include <memory>

#include "probe.h"

namespace probe {
namespace {

using patchbay::Device;
using patchbay::DType;
using patchbay::Tensor;

/// What a row does once; empty if there is no such row. Names are KIND/SIZE.
std::function<void()> row(const std::string& name, const Device& device) {
  const std::size_t slash = name.find('/');
  const std::string kind = name.substr(0, slash);
  const std::int64_t n = slash == std::string::npos ? 0 : std::stoll(name.substr(slash + 1));
  if (kind == "gemm") {
    return [a = filled({n, n}, device), b = filled({n, n}, device), out = zeros({n, n}, device)] {
      matmul_out(out, a, b);
    };
  }
  if (kind == "gemm-f16" || kind == "gemm-bf16") {
    const DType dtype = kind == "gemm-f16" ? DType::f16 : DType::bf16;
    return [a = filled({n, n}, device).cast(dtype), b = filled({n, n}, device).cast(dtype),
            out = patchbay::zeros({n, n}, {dtype, device})] { matmul_out(out, a, b); };
  }
  if (kind == "softmax") return [a = filled({n, n}, device)] { (void)softmax(a, 1); };
  if (kind == "layer-norm") {
    return [a = filled({n, n}, device)] { (void)layer_norm(a, {a.size(1)}); };
  }
  if (kind == "graph") {  // that many dependent additions of 64 elements
    Tensor y;
    const Tensor x = filled({64}, device);
    const patchbay::Graph graph = patchbay::record_graph([&] {
      y = x;
      for (std::int64_t i = 0; i < n; ++i) y = maximum(y, x);
    });
    return [graph, y] { graph.replay(); };
  }
  if (kind == "add") {
    return [a = filled({n}, device), b = filled({n}, device), out = zeros({n}, device)] {
      add_out(out, a, b);
    };
  }
  if (kind == "exp") {
    return [a = filled({n}, device), out = zeros({n}, device)] { exp_out(out, a); };
  }
  if (kind == "sum") return [a = filled({n}, device)] { (void)sum(a); };
  if (kind == "sum-rows") return [a = filled({n, n}, device)] { (void)sum(a, 1); };
  if (kind == "sum-columns") return [a = filled({n, n}, device)] { (void)sum(a, 0); };
  if (kind == "transpose") {
    return [a = filled({n, n}, device), out = zeros({n, n}, device)] { out.copy_from(a.t()); };
  }
  if (kind == "gather") {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<std::int64_t>(i * 7919 % rows.size());
    }
    return [a = filled({n, 64}, device), index = from_host(rows, {n}, device),
            out = zeros({n, 64}, device)] { index_select_out(out, a, 0, index); };
  }
  if (kind == "to-device") {
    return [values = whole_numbers(n), out = zeros({n}, device)] {
      auto* const host = const_cast<float*>(values.data());
      out.copy_from(patchbay::wrap_host(host, DType::f32, out.shape()));
    };
  }
  if (kind == "to-host") {
    return [values = std::make_shared<std::vector<float>>(static_cast<std::size_t>(n)),
            a = filled({n}, device)] {
      patchbay::wrap_host(values->data(), DType::f32, a.shape()).copy_from(a);
    };
  }
  return network_row(kind, n, device);
}

/// Nanoseconds a call, with one wait at the end of as many calls as take some 20 ms; the median of
/// seven.
double nanoseconds(const std::function<void()>& call, const Device& device) {
  const auto run = [&](int times) {
    const Watch watch;
    for (int i = 0; i < times; ++i) call();
    device.synchronize();
    return watch.milliseconds() * 1e6;
  };
  run(2);
  int times = 1;
  while (run(times) < 20e6 && times < (1 << 16)) times *= 2;
  std::vector<double> all;
  for (int i = 0; i < 7; ++i) all.push_back(run(times) / times);
  std::nth_element(all.begin(), all.begin() + 3, all.end());
  return all[3];
}

}  // namespace

/// Reads names of rows from standard input and answers each, so that another program's turn can
/// come between.
int rows(const Target& target) {
  const Device device(target.device);
  print({{"device", device.properties().name}});
  std::string wanted;
  while (std::getline(std::cin, wanted)) {
    const auto call = row(wanted, device);
    if (call == nullptr) {
      print({{"row", wanted}, {"error", "there is no such row"}});
      continue;
    }
    print({{"row", wanted}, {"nanoseconds", nanoseconds(call, device)}});
  }
  return 0;
}

/// Each kind of kernel a few times, for a profiler that watches from outside.
int profile(const Target& target) {
  const Device device(target.device);
  for (const char* kind : {"sum/16777216", "sum-rows/4096", "sum-columns/4096", "add/16777216",
                           "transpose/4096", "gather/262144"}) {
    const auto call = row(kind, device);
    for (int i = 0; i < 3; ++i) call();
    device.synchronize();
    print({{"profiled", kind}});
  }
  return 0;
}

}  // namespace probe
