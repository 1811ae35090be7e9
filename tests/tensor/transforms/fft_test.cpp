// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fourier transforms on every device, beside sums of long double.
#include <cmath>
#include <complex>
#include <functional>
#include <map>
#include <random>

#include <patchbay/complex.h>
#include <patchbay/fft.h>
#include <patchbay/gradcheck.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

using C = std::complex<float>;
using Z = std::complex<double>;
using L = std::complex<long double>;

template <class T>
std::vector<std::complex<T>> random_numbers(std::size_t count) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<T> even(-1, 1);
  std::vector<std::complex<T>> values(count);
  for (auto& each : values) each = {even(engine), even(engine)};
  return values;
}

/// sum over j of x[j] exp(sign 2 pi i j k / n), for all k.
template <class T>
std::vector<L> transformed(const std::vector<std::complex<T>>& x, int sign) {
  const std::size_t n = x.size();
  std::vector<L> turns(n), y(n);
  for (std::size_t k = 0; k < n; ++k) {
    const long double angle = 2 * 3.14159265358979323846264338327950288L *
                              static_cast<long double>(k) / static_cast<long double>(n);
    turns[k] = {std::cos(angle), static_cast<long double>(sign) * std::sin(angle)};
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < n; ++j) y[k] += L(x[j]) * turns[j * k % n];
  }
  return y;
}

template <class T>
double norm_of(const std::vector<std::complex<T>>& y) {
  long double sum = 0;
  for (const auto& each : y) sum += std::norm(L(each));
  return static_cast<double>(std::sqrt(sum));
}

/// Root mean square, relative to the result, in units of epsilon.
template <class T>
double error_of(const std::vector<std::complex<T>>& got, const std::vector<L>& expected) {
  EXPECT_EQ(got.size(), expected.size());
  std::vector<L> rest(expected);
  for (std::size_t i = 0; i < rest.size() && i < got.size(); ++i) rest[i] -= L(got[i]);
  return norm_of(rest) / norm_of(expected) / std::numeric_limits<T>::epsilon();
}

class FftTest : public DeviceTest {
 protected:
  template <class T>
  Tensor tensor(const std::vector<std::complex<T>>& values) const {
    return from_host(values, {static_cast<std::int64_t>(values.size())}, device_);
  }
  bool has_f64() const { return device_.properties().f64; }
};
PATCHBAY_ON_EACH_DEVICE(FftTest);

constexpr std::size_t kLengths[] = {1,   2,   3,   4,   5,   6,    7,    8,    9,    11,   12,  13,
                                    14,  16,  17,  27,  31,  36,   49,   64,   77,   81,   97,  100,
                                    121, 143, 169, 243, 256, 1000, 1001, 1009, 1024, 2187, 4096};

TEST_P(FftTest, EveryLength) {
  for (const std::size_t n : kLengths) {
    const std::vector<C> x = random_numbers<float>(n);
    EXPECT_LE(error_of(fft::fft(tensor(x)).to_vector<C>(), transformed(x, -1)), 3) << n;
    EXPECT_LE(error_of(fft::ifft(tensor(x), {.norm = FftNorm::kForward}).to_vector<C>(),
                       transformed(x, 1)),
              3)
        << n;
    if (!has_f64()) continue;
    const std::vector<Z> wide = random_numbers<double>(n);
    EXPECT_LE(error_of(fft::fft(tensor(wide)).to_vector<Z>(), transformed(wide, -1)), 3) << n;
  }
}

TEST_P(FftTest, EqualBitsOnEveryDevice) {
  for (const std::int64_t n : {8, 36, 77, 100, 1009, 1024, 5000}) {
    for (const std::int64_t rows : {1, 20}) {
      const std::vector<C> x = random_numbers<float>(static_cast<std::size_t>(rows * n));
      const auto run = [&](const Device& device, int dim, const Shape& shape) {
        const Tensor a = from_host(x, shape, device);
        std::vector<C> both = fft::fft(a, {.dim = dim}).to_vector<C>();
        const std::vector<C> back = fft::ifft(a, {.dim = dim}).to_vector<C>();
        both.insert(both.end(), back.begin(), back.end());
        return both;
      };
      const Device cpu = test_device("cpu:0");
      EXPECT_EQ(run(device_, 1, {rows, n}), run(cpu, 1, {rows, n})) << rows << " x " << n;
      EXPECT_EQ(run(device_, 0, {n, rows}), run(cpu, 0, {n, rows})) << n << " x " << rows;
    }
  }
}

/// Longer than what is one transform of the device: rows, several rows, and columns.
TEST_P(FftTest, LongOnes) {
  for (const std::int64_t n : {8192, 15000, 10007}) {
    for (const std::int64_t rows : {1, 3, 9}) {
      for (const int dim : {0, 1}) {
        const std::vector<C> x = random_numbers<float>(static_cast<std::size_t>(rows * n));
        const Tensor a = from_host(x, dim == 1 ? Shape{rows, n} : Shape{n, rows}, device_);
        const Tensor y = fft::fft(a, {.dim = dim});
        const Tensor row = y.select(1 - dim, rows - 1), from = a.select(1 - dim, rows - 1);
        const std::vector<C> got = row.to_vector<C>(), values = from.to_vector<C>();
        for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, n / 3, n - 1}) {
          L sum = 0;
          for (std::int64_t j = 0; j < n; ++j) {
            const long double angle = -2 * 3.14159265358979323846264338327950288L *
                                      static_cast<long double>(j * k % n) /
                                      static_cast<long double>(n);
            sum += L(values[static_cast<std::size_t>(j)]) * L(std::cos(angle), std::sin(angle));
          }
          const L other = L(got[static_cast<std::size_t>(k)]);
          EXPECT_LE(static_cast<double>(std::abs(sum - other)),
                    4e-7 * std::sqrt(static_cast<double>(n)))
              << n << ' ' << rows << ' ' << dim << ' ' << k;
        }
        EXPECT_LE(max(abs(fft::ifft(y, {.dim = dim}) - a)).item<float>(), 2e-6) << n;
      }
    }
  }
}

/// Only the result may be too large, whatever the length is.
TEST_P(FftTest, LargeNumbers) {
  for (const std::int64_t n : {16, 17, 97, 1009, 2053}) {
    const Tensor x = full({n}, C(1e37F / static_cast<float>(n), 0), {DType::c64, device_});
    const C sum = fft::fft(x)[0].item<C>();
    EXPECT_NEAR(sum.real(), 1e37F, 1e32) << n;
  }
}

TEST_P(FftTest, NormsAndLengths) {
  const std::vector<C> x = random_numbers<float>(12);
  const Tensor a = tensor(x);
  for (const FftNorm norm : {FftNorm::kBackward, FftNorm::kOrtho, FftNorm::kForward}) {
    const Tensor back = fft::ifft(fft::fft(a, {.norm = norm}), {.norm = norm});
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_LE(std::abs(back.to_vector<C>()[i] - x[i]), 1e-6F);
    }
  }
  EXPECT_NEAR(norm(fft::fft(a, {.norm = FftNorm::kOrtho})).item<float>(), norm(a).item<float>(),
              1e-5);
  std::vector<C> cut(x.begin(), x.begin() + 7), longer(x);
  longer.resize(20);
  EXPECT_LE(error_of(fft::fft(a, {.n = 7}).to_vector<C>(), transformed(cut, -1)), 3);
  EXPECT_LE(error_of(fft::fft(a, {.n = 20}).to_vector<C>(), transformed(longer, -1)), 3);
}

TEST_P(FftTest, OfRealNumbers) {
  for (const std::int64_t n : {1, 2, 5, 8, 9, 30}) {
    std::vector<C> x = random_numbers<float>(static_cast<std::size_t>(n));
    std::vector<float> re;
    for (C& each : x) {
      each = each.real();
      re.push_back(each.real());
    }
    const Tensor a = from_host(re, {n}, device_), half = fft::rfft(a);
    EXPECT_EQ(half.shape(), (Shape{n / 2 + 1}));
    std::vector<L> expected = transformed(x, -1);
    expected.resize(static_cast<std::size_t>(n / 2 + 1));
    EXPECT_LE(error_of(half.to_vector<C>(), expected), 4) << n;
    const std::vector<float> back = fft::irfft(half, {.n = n}).to_vector<float>();
    for (std::size_t i = 0; i < re.size(); ++i) EXPECT_NEAR(back[i], re[i], 1e-6) << n;
    const std::vector<float> spectrum = fft::hfft(fft::ihfft(a), {.n = n}).to_vector<float>();
    for (std::size_t i = 0; i < re.size(); ++i) EXPECT_NEAR(spectrum[i], re[i], 2e-6) << n;
  }
  // numpy.fft.hfft([1, 2, 3]) and numpy.fft.ihfft([1, 2, 3, 4])
  EXPECT_EQ(fft::hfft(from_host<float>({1, 2, 3}, {3}, device_)).to_vector<float>(),
            (std::vector<float>{8, -2, 0, -2}));
  EXPECT_EQ(fft::ihfft(from_host<float>({1, 2, 3, 4}, {4}, device_)).to_vector<C>(),
            (std::vector<C>{{2.5F, 0}, {-0.5F, -0.5F}, {-0.5F, 0}}));
}

TEST_P(FftTest, AlongDimensions) {
  const std::vector<C> values = random_numbers<float>(2 * 3 * 4);
  const Tensor a = from_host(values, {2, 3, 4}, device_);
  const Tensor along = fft::fft(a, {.dim = 1});
  EXPECT_TRUE(along.is_contiguous());
  const Tensor one = fft::fft(a.select(0, 1).select(1, 2).contiguous());
  EXPECT_EQ(along.select(0, 1).select(1, 2).to_vector<C>(), one.to_vector<C>());
  const std::vector<C> all = fft::fftn(a).to_vector<C>();
  C sum = 0;
  for (const C& each : values) sum += each;
  EXPECT_LE(std::abs(all[0] - sum), 1e-5F);
  const std::vector<C> back = fft::ifftn(fft::fftn(a)).to_vector<C>();
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_LE(std::abs(back[i] - values[i]), 1e-6F);
  EXPECT_EQ(fft::fftn(a, {.sizes = {5, 6}}).shape(), (Shape{2, 5, 6}));
  EXPECT_EQ(fft::fftn(a, {.dims = {-1}}).to_vector<C>(), fft::fft(a).to_vector<C>());
  const Tensor re = real(a).contiguous();
  EXPECT_EQ(fft::rfftn(re).shape(), (Shape{2, 3, 3}));
  const std::vector<float> again = fft::irfftn(fft::rfftn(re)).to_vector<float>();
  for (std::size_t i = 0; i < again.size(); ++i) EXPECT_NEAR(again[i], values[i].real(), 1e-6);
  // Along one dimension they are hfft and ihfft; of real numbers the transform, which is even.
  const FftnOptions one_dim{.dims = {1}};
  EXPECT_EQ(fft::hfftn(a, one_dim).to_vector<float>(), fft::hfft(a, {.dim = 1}).to_vector<float>());
  EXPECT_EQ(fft::ihfftn(re, one_dim).to_vector<C>(), fft::ihfft(re, {.dim = 1}).to_vector<C>());
  const Tensor spectrum = fft::ihfftn(re, {.norm = FftNorm::kOrtho});
  EXPECT_EQ(spectrum.shape(), (Shape{2, 3, 3}));
  const std::vector<float> same =
      fft::hfftn(spectrum, {.norm = FftNorm::kOrtho}).to_vector<float>();
  for (std::size_t i = 0; i < same.size(); ++i) EXPECT_NEAR(same[i], values[i].real(), 1e-6);
  const std::vector<C> forward = conj(fft::rfftn(re)).to_vector<C>();
  const std::vector<C> turned = (fft::ihfftn(re, {.norm = FftNorm::kForward})).to_vector<C>();
  for (std::size_t i = 0; i < forward.size(); ++i) {
    EXPECT_LE(std::abs(turned[i] - forward[i]), 1e-5F) << i;
  }
  EXPECT_EQ(fft::fft(zeros({0, 4}, {DType::c64, device_})).shape(), (Shape{0, 4}));
}

TEST_P(FftTest, FrequenciesAndShifts) {
  const TensorOptions options{DType::f32, device_};
  EXPECT_EQ(fft::fftfreq(4, 0.5, options).to_vector<float>(),
            (std::vector<float>{0, 0.5F, -1, -0.5F}));
  EXPECT_EQ(fft::fftfreq(5, 0.2, options).to_vector<float>(),
            (std::vector<float>{0, 1, 2, -2, -1}));
  EXPECT_EQ(fft::rfftfreq(4, 0.25, options).to_vector<float>(), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(fft::rfftfreq(2, 1, options).to_vector<float>(), (std::vector<float>{0, 0.5F}));
  const Tensor a = arange(0, 5, 1, options);
  EXPECT_EQ(fft::fftshift(a).to_vector<float>(), (std::vector<float>{3, 4, 0, 1, 2}));
  EXPECT_EQ(fft::ifftshift(fft::fftshift(a)).to_vector<float>(), a.to_vector<float>());
  EXPECT_EQ(fft::fftshift(arange(0, 4, 1, options).reshape({2, 2}), {0}).to_vector<float>(),
            (std::vector<float>{2, 3, 0, 1}));
}

/// Along a dimension with many neighbours, and with few.
TEST_P(FftTest, InnerDimensions) {
  for (const std::int64_t n : {96, 100}) {
    for (const std::int64_t neighbours : {3, 40}) {
      const std::vector<C> values =
          random_numbers<float>(static_cast<std::size_t>(2 * n * neighbours));
      const Tensor x = from_host(values, {2, n, neighbours}, device_);
      const Tensor y = fft::fft(x, {.dim = 1});
      EXPECT_TRUE(y.is_contiguous());
      const std::vector<C> got = y.to_vector<C>();
      const auto stride = static_cast<std::size_t>(neighbours);
      std::vector<C> column, transform;
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        const std::size_t at = (static_cast<std::size_t>(n) + i) * stride + 2;
        column.push_back(values[at]);
        transform.push_back(got[at]);
      }
      EXPECT_LE(error_of(transform, transformed(column, -1)), 3) << n << ", " << neighbours;
    }
  }
}

TEST_P(FftTest, Errors) {
  const Tensor a = ones({3, 4}, {DType::c64, device_});
  EXPECT_ERROR(fft::fft(a, {.n = 0}), kInvalidArgument,
               "[fft] a bad length: expected 1 or more, got 0");
  EXPECT_ERROR(fft::fft(a, {.dim = 2}), kInvalidArgument, "[fft]");
  EXPECT_ERROR(fft::fft(arange(0, 3, 1, {DType::i64, device_})), kDtypeMismatch, "[fft]");
  EXPECT_ERROR(fft::rfft(a), kDtypeMismatch, "[rfft] complex input: expected f32 or f64, got c64",
               "Use fft,");
  EXPECT_ERROR(fft::ihfft(a), kDtypeMismatch, "[ihfft] complex input", "Use ifft,");
  EXPECT_ERROR(fft::irfft(ones({1}, {DType::c64, device_})), kInvalidArgument,
               "[irfft] a bad length: expected 1 or more, got 0, which is 2 (m - 1)", "Give n.");
  EXPECT_ERROR(fft::fft(ones({}, {DType::c64, device_})), kInvalidArgument,
               "[fft] a tensor of rank 0 has no dimension to transform");
  for (const auto many : {fft::fftn, fft::ifftn, fft::irfftn, fft::hfftn}) {
    EXPECT_ERROR(many(ones({}, {DType::c64, device_}), {}), kInvalidArgument,
                 "a tensor of rank 0 has no dimension to transform");
  }
  EXPECT_ERROR(fft::rfftn(ones({}, device_)), kInvalidArgument,
               "[rfftn] a tensor of rank 0 has no dimension to transform");
  EXPECT_ERROR(fft::fftn(a, {.sizes = {2}, .dims = {0, 1}}), kInvalidArgument,
               "[fftn] 1 sizes for 2 dimensions");
  EXPECT_ERROR(fft::fftn(a, {.dims = {0, -2}}), kInvalidArgument,
               "[fftn] dimension 0 is named twice");
  EXPECT_ERROR(fft::fftfreq(0), kInvalidArgument, "[fftfreq] a bad length or spacing: 0 and 1");
}

TEST_P(FftTest, Convolutions) {
  const auto real_of = [&](std::vector<float> values) {
    const auto n = static_cast<std::int64_t>(values.size());
    return from_host(values, {n}, device_);
  };
  const auto expect = [](const Tensor& got, const std::vector<float>& expected) {
    const std::vector<float> values = got.to_vector<float>();
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 2e-6);
  };
  // numpy.convolve, and its other modes
  const Tensor a = real_of({1, 2, 3, 4}), b = real_of({0, 1, 0.5F});
  expect(fft::convolve(a, b), {0, 1, 2.5F, 4, 5.5F, 2});
  expect(fft::convolve(a, b, ConvolvePart::kSame), {1, 2.5F, 4, 5.5F});
  expect(fft::convolve(a, b, ConvolvePart::kValid), {2.5F, 4});
  expect(fft::convolve(b, a, ConvolvePart::kValid), {2.5F, 4});
  expect(fft::convolve(real_of({2}), real_of({3})), {6});
  expect(fft::convolve(real_of({1, 2}), real_of({0, 1, 0.5F, 2, 1}), ConvolvePart::kSame),
         {0, 1, 2.5F, 3, 5});
  EXPECT_ERROR(fft::convolve(ones({2, 4}, device_), ones({3, 4}, device_)), kShapeMismatch,
               "[convolve] shapes [2] and [3] do not broadcast");
  const std::vector<C> x = random_numbers<float>(40), y(x.begin(), x.begin() + 7);
  const std::vector<C> got = fft::convolve(tensor(x), tensor(y)).to_vector<C>();
  for (std::size_t i = 0; i < got.size(); ++i) {
    C sum = 0;
    for (std::size_t j = 0; j < y.size(); ++j) {
      if (i >= j && i - j < x.size()) sum += y[j] * x[i - j];
    }
    EXPECT_LE(std::abs(got[i] - sum), 5e-6F) << i;
  }
  EXPECT_EQ(fft::convolve(ones({3, 1, 8}, device_), ones({2, 5}, device_)).shape(),
            (Shape{3, 2, 12}));
  EXPECT_ERROR(fft::convolve(a, ones({0}, device_)), kInvalidArgument,
               "[convolve] b has no elements along its last dimension");
  EXPECT_ERROR(fft::convolve(a, ones({2}, {DType::i32, device_})), kDtypeMismatch, "[convolve]");
  EXPECT_ERROR(fft::convolve(a, ones({2}, other_)), kDeviceMismatch, "[convolve]");
}

TEST(FftGradients, AgreeWithDifferences) {
  const Device cpu = test_device("cpu:0");
  const std::map<std::string, std::function<Tensor(const Tensor&)>> functions = {
      {"fft", [](const Tensor& z) { return fft::fft(z); }},
      {"ifft", [](const Tensor& z) { return fft::ifft(z, {.n = 7, .dim = 0}); }},
      {"rfft", [](const Tensor& z) { return fft::rfft(real(z), {.norm = FftNorm::kOrtho}); }},
      {"irfft", [](const Tensor& z) { return fft::irfft(z, {.n = 5}); }},
      {"hfft", [](const Tensor& z) { return fft::hfft(z); }},
      {"ihfft", [](const Tensor& z) { return fft::ihfft(imag(z)); }},
      {"fftn", [](const Tensor& z) { return fft::fftn(z); }},
      {"convolve", [](const Tensor& z) { return fft::convolve(z, z[1], ConvolvePart::kSame); }},
      {"fftshift", [](const Tensor& z) { return fft::fftshift(z); }},
  };
  const auto part = [&](double from) {
    return (arange(0, 12, 1, {DType::f64, cpu}) * 0.37 + from)
        .reshape({3, 4})
        .detach()
        .requires_grad_();
  };
  for (const auto& [name, function] : functions) {
    const GradcheckResult result = gradcheck(
        [&function = function](const std::vector<Tensor>& in) {
          const Tensor y = function(complex(in[0], sin(in[1])));
          if (!is_complex(y.dtype())) return std::vector<Tensor>{y};
          return std::vector<Tensor>{real(y), imag(y)};
        },
        {part(-1), part(0.5)});
    EXPECT_TRUE(result.passed) << name << ": " << result.message;
  }
}

}  // namespace
}  // namespace patchbay::test
