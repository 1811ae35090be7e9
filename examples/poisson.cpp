// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Solves a Poisson equation, -(u_xx + u_yy) = f on a square with u = 0 around it, three ways: by
// Fourier transforms, by Cholesky factors of the whole matrix, and by conjugate gradients with a
// kernel of its own. f is a warm spot and a cold one. The picture is an SVG.
//   poisson [DEVICE [POINTS [PICTURE]]]     POINTS of a side, 31 if left out
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <patchbay/patchbay.h>

using namespace patchbay;

namespace {

/// [n, n]: f at the points inside of the square, which are 1 / (n + 1) apart.
Tensor right_side(std::int64_t n, const Device& device) {
  const double step = 1 / static_cast<double>(n + 1);
  const Tensor at = (arange(1, n + 1, 1, {DType::f32, device}) * step);
  const auto spot = [&](double x, double y) {
    const Tensor distance =
        square(at - x).unsqueeze(0) + square(at - y).unsqueeze(1);  // broadcast: [n, n]
    return exp(distance * -80.0);
  };
  return 100 * (spot(0.3, 0.35) - spot(0.65, 0.7));
}

// ----------------------------------------------------------------------------- transforms ---

/// Waves sin(pi j x) sin(pi k y) are eigenvectors. A signal that is mirrored with the other sign
/// has only sines, so its Fourier transform gives them.
Tensor odd(const Tensor& f, int dim) {
  const std::int64_t n = f.size(dim);
  const Tensor back = index_select(f, dim, n - 1 - arange(0, n, 1, {DType::i64, f.device()}));
  Shape line = f.shape();
  line[dim] = 1;
  const Tensor zero = f.new_zeros(line);
  return concat({zero, f, zero, -back}, dim);
}

Tensor by_transforms(const Tensor& f) {
  const std::int64_t n = f.size(0), period = 2 * (n + 1);
  const Tensor spectrum = fft::fftn(odd(odd(f, 0), 1));
  const Tensor k = arange(0, period, 1, {DType::f32, f.device()});
  const auto points = static_cast<double>(n + 1);
  const Tensor values = 2 * points * points * (1 - cos(k * (std::numbers::pi / points)));
  const Tensor both = values.unsqueeze(0) + values.unsqueeze(1);
  const Tensor inverse = where(eq(both, 0), 0, 1 / both);  // the mean of f is 0
  const Tensor u = real(fft::ifftn(spectrum * inverse.cast(spectrum.dtype())));
  return u.slice(0, 1, n + 1).slice(1, 1, n + 1).contiguous();
}

// -------------------------------------------------------------------------------- Cholesky ---

/// The matrix of all points, [n n, n n], is the sum of those along x and along y.
Tensor by_cholesky(const Tensor& f) {
  const std::int64_t n = f.size(0);
  const Device device = f.device();
  const Tensor one = eye(n, device);
  Tensor line = 2 * one;
  line.diagonal(1).fill_(-1);
  line.diagonal(-1).fill_(-1);
  const auto kronecker = [n](const Tensor& a, const Tensor& b) {
    return linalg::tensordot(a, b, 0).permute({0, 2, 1, 3}).reshape({n * n, n * n});
  };
  const auto points = static_cast<double>(n + 1);
  const Tensor matrix = (kronecker(line, one) + kronecker(one, line)) * (points * points);
  const Tensor factor = linalg::cholesky(matrix);
  return linalg::cholesky_solve(f.reshape({n * n, 1}), factor).reshape({n, n});
}

// -------------------------------------------------------------------- conjugate gradients ---

constexpr const char* kStencil = R"(
// out = the matrix times u: four times a point less its neighbours, over the squared step.
PATCHBAY_KERNEL(stencil)(PATCHBAY_INPUT(f32, u), PATCHBAY_OUTPUT(f32, out), PATCHBAY_VALUE(f32, by),
                         PATCHBAY_VALUE(i64, n)) {
  PATCHBAY_BIND_INPUT(f32, u);
  PATCHBAY_BIND(f32, out);
  const i64 i = PATCHBAY_GLOBAL_ID64(0);
  if (i >= n * n) return;
  const i64 x = i % n, y = i / n;
  f32 sum = 4 * u[i];
  if (x > 0) sum -= u[i - 1];
  if (x + 1 < n) sum -= u[i + 1];
  if (y > 0) sum -= u[i - n];
  if (y + 1 < n) sum -= u[i + n];
  out[i] = sum * by;
}
)";

struct Iterated {
  Tensor u;
  int steps;
};

/// Hestenes and Stiefel, Methods of conjugate gradients for solving linear systems, 1952. A step
/// fetches one number, the length of the rest, to know when to end.
Iterated by_conjugate_gradients(const Tensor& f) {
  constexpr std::int64_t kGroup = 64;
  const std::int64_t n = f.size(0);
  const KernelModule module = KernelModule::from_source(f.device(), kStencil);
  const auto kernel = module.kernel("stencil");
  const double by = static_cast<double>((n + 1) * (n + 1));
  const auto times_matrix = [&](const Tensor& u) {
    const Tensor out = u.new_empty(u.shape());
    kernel.launch({.groups = {(n * n + kGroup - 1) / kGroup}, .group_size = {kGroup}},
                  {u, out, by, n});
    return out;
  };
  Tensor u = f.new_zeros(f.shape()), rest = f.clone(), direction = f.clone();
  Tensor square_of_rest = sum(square(rest));
  const double wanted = 1e-10 * square_of_rest.item<double>();
  for (int step = 1; step <= 10 * n; ++step) {
    const Tensor image = times_matrix(direction);
    const Tensor length = square_of_rest / sum(direction * image);
    u = u + length * direction;
    rest = rest - length * image;
    const Tensor after = sum(square(rest));
    if (after.item<double>() <= wanted) return {u, step};
    direction = rest + (after / square_of_rest) * direction;
    square_of_rest = after;
  }
  throw std::runtime_error("conjugate gradients did not converge");
}

// --------------------------------------------------------------------------------- picture ---

/// From blue over white to red.
std::string color_of(float value) {
  const auto faded = static_cast<int>(std::lround(255 * (1 - std::fabs(value))));
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", value > 0 ? 255 : faded, faded,
                value < 0 ? 255 : faded);
  return text;
}

void draw(const std::string& path, const Tensor& u) {
  constexpr int kPixels = 8;
  const auto n = static_cast<int>(u.size(0));
  const std::vector<float> values = u.to_vector<float>();
  const float most = max(abs(u)).item<float>();
  std::ofstream file(path);
  file << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << n * kPixels << "\" height=\""
       << n * kPixels << "\" shape-rendering=\"crispEdges\">\n";
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      file << "<rect x=\"" << x * kPixels << "\" y=\"" << y * kPixels << "\" width=\"" << kPixels
           << "\" height=\"" << kPixels << "\" fill=\""
           << color_of(values[static_cast<std::size_t>(y * n + x)] / most) << "\"/>\n";
    }
  }
  file << "</svg>\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

float distance(const Tensor& a, const Tensor& b) {
  return (max(abs(a - b)) / max(abs(b))).item<float>();
}

}  // namespace

int main(int argc, char** argv) try {
  const Device device(argc > 1 ? argv[1] : "cpu:0");
  const std::int64_t n = argc > 2 ? std::atoll(argv[2]) : 31;
  if (n < 1 || n > 60) throw std::invalid_argument("POINTS has to be a number from 1 to 60");
  const Tensor f = right_side(n, device);
  const Tensor u = by_transforms(f), solved = by_cholesky(f);
  const auto [iterated, steps] = by_conjugate_gradients(f);
  std::printf("%lld x %lld points on %s: u is %.4f to %.4f\n", static_cast<long long>(n),
              static_cast<long long>(n), device.name().c_str(), min(u).item<double>(),
              max(u).item<double>());
  std::printf("Cholesky differs by %.1e, conjugate gradients after %d steps by %.1e\n",
              static_cast<double>(distance(solved, u)), steps,
              static_cast<double>(distance(iterated, u)));
  if (argc > 3) draw(argv[3], u);
} catch (const std::exception& error) {
  std::fprintf(stderr, "poisson: %s\n", error.what());
  return 1;
}
