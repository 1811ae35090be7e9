// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The rows that torch_peer.py measures too, and the kernels that a profiler looks at.
#include <map>
#include <memory>
#include <utility>

#include "probe.h"

namespace probe {
namespace {

using patchbay::Device;
using patchbay::DType;
using patchbay::Tensor;

/// The device of a runtime of its own with one setting.
Device with_setting(const Device& like, const std::string& name, const std::string& value) {
  static std::map<std::pair<std::string, std::string>, patchbay::Runtime> runtimes;
  const auto found = runtimes.find({name, value});
  if (found != runtimes.end()) return found->second.device(like.name());
  patchbay::RuntimeOptions options;
  options.settings[name] = value;
  return runtimes.emplace(std::pair{name, value}, patchbay::Runtime(options))
      .first->second.device(like.name());
}

/// What a row does once; empty if there is no such row.
Row row(const std::string& kind, std::int64_t n, const Device& device) {
  // A kind may name the choice among algorithms: conv:own/64.
  if (const std::size_t colon = kind.find(':'); colon != std::string::npos) {
    return row(kind.substr(0, colon), n,
               with_setting(device, "cuda_convolutions", kind.substr(colon + 1)));
  }
  if (kind == "gemm-tf32") return row("gemm", n, with_setting(device, "cuda_tf32", "1"));
  if (kind == "gemm-lt") return row("gemm", n, device);
  if (kind == "gemm-bf16-lt") return row("gemm-bf16", n, device);
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
  if (kind == "launch") {
    return [a = filled({64}, device), b = filled({64}, device)] { maximum_out(a, a, b); };
  }
  if (kind == "graph") {  // that many launches of the row above
    const Tensor a = filled({64}, device), b = filled({64}, device);
    const patchbay::Graph graph = patchbay::record_graph([&] {
      for (std::int64_t i = 0; i < n; ++i) maximum_out(a, a, b);
    });
    return [graph] { graph.replay(); };
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
    return [a = filled({n, 64}, device), index = from_host(places(n, n), {n}, device),
            out = zeros({n, 64}, device)] { index_select_out(out, a, 0, index); };
  }
  if (kind == "to-device" || kind == "queued-to-device") {
    return [values = whole_numbers(n), out = zeros({n}, device),
            non_blocking = kind == "queued-to-device"] {
      auto* const host = const_cast<float*>(values.data());
      out.copy_from(patchbay::wrap_host(host, DType::f32, out.shape()), non_blocking);
    };
  }
  if (kind == "copy") {
    return [a = filled({n}, device), out = zeros({n}, device)] { out.copy_from(a); };
  }
  if (kind == "pinned-to-device" || kind == "device-to-pinned") {
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(float);
    const patchbay::BufferRange host{
        patchbay::Buffer::allocate(device, bytes, patchbay::MemoryKind::kPinned), 0, bytes};
    const patchbay::BufferRange there{patchbay::Buffer::allocate(device, bytes), 0, bytes};
    const bool is_up = kind == "pinned-to-device";
    return [to = is_up ? there : host, from = is_up ? host : there] {
      patchbay::copy(to, from, /*non_blocking=*/true);
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

}  // namespace

void answer_rows(const std::function<Row(const std::string& kind, std::int64_t n)>& make,
                 const std::function<void()>& wait) {
  bench::answer([&](const std::string& row) -> bench::Subject {
    const std::size_t slash = row.find('/');
    const Row call = make(row.substr(0, slash),
                          slash == std::string::npos ? 0 : std::stoll(row.substr(slash + 1)));
    if (!call) return {};
    return {bench::repeat(call), wait};
  });
}

int rows(const Target& target) {
  const Device device(target.device);
  print({{"device", device.properties().name}});
  answer_rows([&](const std::string& kind, std::int64_t n) { return row(kind, n, device); },
              [&] { device.synchronize(); });
  return 0;
}

/// Each kind of kernel a few times, for a profiler that watches from outside.
int profile(const Target& target) {
  const Device device(target.device);
  for (const char* kind : {"sum/16777216", "sum-rows/4096", "sum-columns/4096", "add/16777216",
                           "transpose/4096", "gather/262144"}) {
    const std::string name = kind;
    const std::size_t slash = name.find('/');
    const Row call = row(name.substr(0, slash), std::stoll(name.substr(slash + 1)), device);
    for (int i = 0; i < 3; ++i) call();
    device.synchronize();
    print({{"profiled", kind}});
  }
  return 0;
}

}  // namespace probe
