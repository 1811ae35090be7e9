// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A program that uses a BLAS library of its own beside Patchbay: blas_program <way> <library>.
//   shared   the library, with two threads, before, while and after Patchbay multiplies
//   global   the library's functions are those of the whole process, as if it were linked
//   alone    none: what Patchbay multiplies with is what <library> is about
//   factors  none: LAPACK, if <library> is opened, computes eigenvalues
//   limited  little address space is left: products that need more say so, others go on
// Ends with 0, or with 1 after a line that says what went wrong.
#include <dlfcn.h>
#include <sys/resource.h>

#include <atomic>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <patchbay/patchbay.h>

namespace {

using patchbay::Tensor;

constexpr int kSize = 300;

[[noreturn]] void fail(const std::string& what) {
  std::printf("%s\n", what.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}

/// The program's library.
class Blas {
 public:
  Blas(const char* path, int flags) : library_(dlopen(path, RTLD_NOW | flags)) {
    if (library_ == nullptr) fail(dlerror());
    gemm_ = find<Gemm>("cblas_dgemm");
  }
  int num_threads() const { return find<int (*)()>("openblas_get_num_threads")(); }
  void set_num_threads(int n) const { find<void (*)(int)>("openblas_set_num_threads")(n); }

  /// The square of a matrix of which the bits are known to repeat.
  std::vector<double> square(const std::vector<double>& a) const {
    std::vector<double> out(a.size());
    constexpr int kRowMajor = 101, kPlain = 111;
    gemm_(kRowMajor, kPlain, kPlain, kSize, kSize, kSize, 1.0, a.data(), kSize, a.data(), kSize,
          0.0, out.data(), kSize);
    return out;
  }

 private:
  using Gemm = void (*)(int, int, int, int, int, int, double, const double*, int, const double*,
                        int, double, double*, int);
  template <class Function>
  Function find(const char* name) const {
    void* const symbol = dlsym(library_, name);
    if (symbol == nullptr) fail(std::string("no symbol ") + name);
    return reinterpret_cast<Function>(symbol);
  }
  void* library_;
  Gemm gemm_ = nullptr;
};

std::vector<double> rough_matrix() {
  std::vector<double> values(kSize * kSize);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(i * 7919 % 1009) / 1009.0 - 0.4;
  }
  return values;
}

void multiply_here() {
  const Tensor a = patchbay::full({200, 200}, 3, patchbay::DType::f64);
  for (int i = 0; i < 20; ++i) {
    if (matmul(a, a).to_vector<double>() != std::vector<double>(200 * 200, 1800)) {
      fail("Patchbay's product is wrong");
    }
  }
}

void check_same(const std::vector<double>& got, const std::vector<double>& expected,
                const char* when) {
  if (got != expected) fail(std::string("the library's product differs ") + when);
}

void share(const char* path) {
  const Blas blas(path, RTLD_LOCAL);
  blas.set_num_threads(2);
  const std::vector<double> a = rough_matrix(), expected = blas.square(a);
  multiply_here();
  check_same(blas.square(a), expected, "after Patchbay's");
  std::atomic<bool> ends{false};
  std::thread other([&] {
    while (!ends.load()) check_same(blas.square(a), expected, "beside Patchbay's");
  });
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) callers.emplace_back(multiply_here);
  for (std::thread& caller : callers) caller.join();
  ends.store(true);
  other.join();
  check_same(blas.square(a), expected, "in the end");
  if (blas.num_threads() != 2) {
    fail("the library has " + std::to_string(blas.num_threads()) + " threads, and not 2");
  }
}

void show_products() {
  std::printf("%s\n", patchbay::Device("cpu").properties().driver_version.c_str());
}

void use_globally(const char* path) {
  const Blas blas(path, RTLD_GLOBAL);
  const std::vector<double> a = rough_matrix(), expected = blas.square(a);
  multiply_here();
  check_same(blas.square(a), expected, "after Patchbay's");
  show_products();
}

void multiply_alone() {
  multiply_here();
  show_products();
}

/// A matrix of ones has one value that is not 0. Prints whether `file` has been opened.
void factor_alone(const std::string& file) {
  using namespace patchbay;
  constexpr std::int64_t kN = 260;
  const Tensor a = ones({3, kN, kN}, {DType::f64, Device("cpu")});
  int num_large = 0;
  for (const std::complex<double> value : linalg::eigvals(a).to_vector<std::complex<double>>()) {
    const bool is_large = std::abs(value - double{kN}) < 1e-9;
    if (!is_large && std::abs(value) > 1e-9) fail("a wrong eigenvalue");
    num_large += is_large ? 1 : 0;
  }
  if (num_large != 3) fail("not one large eigenvalue of each matrix");
  std::ifstream maps("/proc/self/maps");
  bool is_open = false;
  for (std::string line; std::getline(maps, line);) {
    is_open = is_open || line.find("/lapack/" + file) != std::string::npos;
  }
  show_products();
  std::printf("%s\n", is_open ? "opened" : "not opened");
}

std::uint64_t address_space_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages;
  return pages * 4096;
}

void limit_memory() {
  const patchbay::Device cpu("cpu");
  const Tensor a = patchbay::ones({1500, 1500}, cpu), out = patchbay::empty_like(a);
  const Tensor small = patchbay::ones({64, 64}, cpu), small_out = patchbay::empty_like(small);
  matmul_out(small_out, small, small);  // starts the threads
  const rlimit limit{address_space_bytes() + (256 << 10), RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &limit) != 0) fail("setrlimit");
  try {
    matmul_out(out, a, a);
    fail("a product of 1500 rows was packed into 256 KiB");
  } catch (const patchbay::Error& error) {
    if (error.code() != patchbay::ErrorCode::kOutOfMemory) fail(error.what());
    std::printf("%s\n", error.what());
  }
  matmul_out(small_out, small, small);
  const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &none) != 0) fail("setrlimit");
  matmul_out(out, a, a);
  if (out.to_vector<float>() != std::vector<float>(1500 * 1500, 1500)) fail("a wrong product");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    if (std::strcmp(argv[1], "shared") == 0) share(argv[2]);
    if (std::strcmp(argv[1], "global") == 0) use_globally(argv[2]);
    if (std::strcmp(argv[1], "alone") == 0) multiply_alone();
    if (std::strcmp(argv[1], "factors") == 0) factor_alone(argv[2]);
    if (std::strcmp(argv[1], "limited") == 0) limit_memory();
  } catch (const std::exception& error) {
    fail(error.what());
  }
  return 0;
}
