// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Factors all matrices of an npz file, and transforms its vectors, for compare.py:
// patchbay-accuracy IN.npz OUT DEVICE. Each result is a line of its name, dtype, shape and size,
// and then its bytes.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <patchbay/nn/arrays.h>
#include <patchbay/patchbay.h>

namespace {

using patchbay::Tensor;
namespace linalg = patchbay::linalg;

Tensor hermitian(const Tensor& a) { return (a + conj(a).transpose(-2, -1)) * 0.5; }

void factor(const std::string& name, const Tensor& a, std::map<std::string, Tensor>& results) {
  const auto keep = [&](const char* what, const Tensor& result) {
    results[name + '.' + what] = result;
  };
  if (a.rank() == 1) {
    keep("fft", patchbay::fft::fft(a));
    return;
  }
  const patchbay::LuMatrices lu = linalg::lu(a);
  keep("p", lu.p);
  keep("l", lu.l);
  keep("u", lu.u);
  const patchbay::Qr qr = linalg::qr(a);
  keep("q", qr.q);
  keep("r", qr.r);
  const patchbay::Svd svd = linalg::svd(a);
  keep("su", svd.u);
  keep("ss", svd.s);
  keep("svh", svd.vh);
  if (a.size(0) != a.size(1)) return;
  keep("x", linalg::solve_ex(a, a.new_ones({a.size(0), 1})).result);
  const patchbay::Eigh eigh = linalg::eigh(hermitian(a));
  keep("ew", eigh.eigenvalues);
  keep("ev", eigh.eigenvectors);
  const patchbay::Eig eig = linalg::eig(a);
  keep("gw", eig.eigenvalues);
  keep("gv", eig.eigenvectors);
}

void write(const std::string& name, const Tensor& tensor, std::ofstream& file) {
  const Tensor values = tensor.contiguous();
  std::vector<char> bytes(values.size_bytes());
  patchbay::copy_to_host(bytes.data(),
                         {values.buffer(), values.offset_bytes(), values.size_bytes()});
  file << name << ' ' << to_string(values.dtype()) << ' ';
  for (const std::int64_t extent : values.shape()) file << extent << ',';
  file << ' ' << bytes.size() << '\n';
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: patchbay-accuracy IN.npz OUT DEVICE\n";
    return 2;
  }
  try {
    std::map<std::string, Tensor> results;
    for (const auto& [name, a] : patchbay::nn::read_npz(argv[1])) {
      factor(name, a.to(argv[3]), results);
    }
    std::ofstream file(argv[2], std::ios::binary);
    for (const auto& [name, result] : results) write(name, result, file);
    return file.flush() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
