// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Short-time transforms on every device: frames are those of fft, and signals come back.
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include <patchbay/complex.h>
#include <patchbay/copy.h>
#include <patchbay/fft.h>
#include <patchbay/gradcheck.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

using C = std::complex<float>;

class StftTest : public DeviceTest {
 protected:
  Tensor signal(std::int64_t n) const {
    return sin(arange(0, n, 1, {DType::f32, device_}) * 0.9F) + 0.25F;
  }
};
PATCHBAY_ON_EACH_DEVICE(StftTest);

void expect_near(const Tensor& got, const Tensor& expected, float room = 2e-6F) {
  ASSERT_EQ(got.shape(), expected.shape());
  EXPECT_EQ(got.dtype(), expected.dtype());
  if (got.num_elements() == 0) return;
  EXPECT_LE(max(abs(got - expected)).item<float>(), room);
}

TEST_P(StftTest, FramesAreTransforms) {
  const Tensor x = signal(11), window = fft::hann_window(4, true, device_);
  const Tensor y = fft::stft(x, 4, {.hop_length = 3, .window = window, .center = false});
  EXPECT_EQ(y.shape(), (Shape{3, 3}));
  EXPECT_TRUE(y.is_contiguous());
  for (const std::int64_t t : {0, 1, 2}) {
    expect_near(y.select(1, t), fft::rfft(x.slice(0, 3 * t, 3 * t + 4) * window));
  }
  const Tensor whole = fft::stft(x, 4, {.center = false, .onesided = false});
  EXPECT_EQ(whole.shape(), (Shape{4, 8}));  // one element after another
  expect_near(whole.select(1, 5), fft::fft(x.slice(0, 5, 9)));
  const Tensor ortho = fft::stft(x, 4, {.center = false, .normalized = true});
  expect_near(ortho.select(1, 5) * 2, fft::rfft(x.slice(0, 5, 9)));
}

TEST_P(StftTest, CentersMirrorTheSignal) {
  const Tensor x = from_host<float>({1, 2, 3, 4, 5}, {5}, device_);
  const Tensor y = fft::stft(x, 4, {.hop_length = 2});
  EXPECT_EQ(y.shape(), (Shape{3, 3}));
  const auto frame = [&](const std::vector<float>& values) {
    return fft::rfft(from_host(values, {4}, device_));
  };
  expect_near(y.select(1, 0), frame({3, 2, 1, 2}));
  expect_near(y.select(1, 1), frame({1, 2, 3, 4}));
  expect_near(y.select(1, 2), frame({3, 4, 5, 4}));
  const Tensor batch = stack({x, x * 2}, 0);
  expect_near(fft::stft(batch, 4, {.hop_length = 2}).select(0, 1), y * 2);
}

/// A window that is shorter than a frame is in its middle.
TEST_P(StftTest, ShortWindows) {
  const Tensor x = signal(20), window = from_host<float>({1, 2, 1}, {3}, device_);
  const Tensor padded = from_host<float>({0, 1, 2, 1, 0, 0}, {6}, device_);
  expect_near(fft::stft(x, 6, {.window = window}), fft::stft(x, 6, {.window = padded}));
}

TEST_P(StftTest, SignalsComeBack) {
  for (const std::int64_t n : {1, 4, 5, 8}) {
    for (const bool center : {false, true}) {
      StftOptions options{.hop_length = std::max<std::int64_t>(n / 4, 1), .center = center};
      if (center) options.window = fft::hann_window(n, true, device_);
      if (n == 1) options.window = {};
      const Tensor x = stack({signal(32), signal(32) * -1}, 0);
      const Tensor spectra = fft::stft(x, n, options);
      options.length = 32;
      expect_near(fft::istft(spectra, n, options), x);
      options.onesided = false;
      const Tensor turned = complex(x, x * 0.5F);
      expect_near(fft::istft(fft::stft(turned, n, options), n, options), turned);
    }
  }
  const Tensor x = signal(10);
  const StftOptions plain{.hop_length = 2, .center = false};
  const Tensor spectra = fft::stft(x, 4, plain);
  expect_near(fft::istft(spectra, 4, plain), x);
  StftOptions shorter = plain;
  shorter.length = 7;
  expect_near(fft::istft(spectra, 4, shorter), x.slice(0, 0, 7));
  shorter.length = 13;
  expect_near(fft::istft(spectra, 4, shorter), concat({x, zeros({3}, device_)}));
}

TEST_P(StftTest, HannWindows) {
  const auto expect = [](const Tensor& window, const std::vector<float>& expected) {
    const std::vector<float> values = window.to_vector<float>();
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-6);
  };
  expect(fft::hann_window(4, true, device_), {0, 0.5F, 1, 0.5F});
  expect(fft::hann_window(5, false, device_), {0, 0.5F, 1, 0.5F, 0});
  expect(fft::hann_window(1, true, device_), {1});
  expect(fft::hann_window(1, false, device_), {1});
  EXPECT_ERROR(fft::hann_window(0), kInvalidArgument, "[hann_window] a bad length");
  EXPECT_ERROR(fft::hann_window(4, true, DType::i32), kDtypeMismatch, "[hann_window]");
}

TEST_P(StftTest, Errors) {
  const Tensor x = signal(8);
  EXPECT_ERROR(fft::stft(x, 0), kInvalidArgument, "[stft] a bad length: expected 1 or more, got 0");
  EXPECT_ERROR(fft::stft(x, 4, {.hop_length = 0}), kInvalidArgument,
               "[stft] a bad hop_length: expected 1 or more, got 0");
  EXPECT_ERROR(fft::stft(x, 9, {.center = false}), kInvalidArgument,
               "[stft] the signal is too short: expected 9 elements or more, got 8");
  EXPECT_ERROR(fft::stft(x, 16), kInvalidArgument,
               "[stft] the signal is too short: expected 9 elements or more, got 8");
  EXPECT_ERROR(fft::stft(x, 4, {.window = ones({5}, device_)}), kShapeMismatch,
               "[stft] a bad window: expected [1] to [4], got [5]");
  EXPECT_ERROR(fft::stft(x, 4, {.window = ones({4}, {DType::i32, device_})}), kDtypeMismatch,
               "[stft] the window is i32: expected f32");
  EXPECT_ERROR(fft::stft(x, 4, {.window = ones({4}, other_)}), kDeviceMismatch, "[stft]");
  EXPECT_ERROR(fft::stft(ones({4}, {DType::i32, device_}), 4), kDtypeMismatch, "[stft]");
  EXPECT_ERROR(fft::istft(x, 4), kDtypeMismatch, "[istft]", "got f32");
  EXPECT_ERROR(fft::istft(zeros({4, 2}, {DType::c64, device_}), 4), kShapeMismatch,
               "[istft] bad spectra: expected [..., 3, frames], got [4, 2]");
  const Tensor spectra = fft::stft(x, 4, {.hop_length = 4, .center = false});
  const StftOptions gaps{
      .hop_length = 4, .window = fft::hann_window(4, true, device_), .center = false};
  EXPECT_ERROR(fft::istft(spectra, 4, gaps), kInvalidArgument,
               "[istft] some elements of the signal are in no frame");
  const CopyGuard guard;
  EXPECT_ERROR(fft::istft(spectra, 4, {.hop_length = 4, .center = false}), kCopyForbidden,
               "inside a CopyGuard");
}

TEST(StftGradients, AgreeWithDifferences) {
  const Device cpu = test_device("cpu:0");
  const Tensor window = fft::hann_window(4, true, {DType::f64, cpu});
  const StftOptions options{.hop_length = 1, .window = window};
  const Tensor x = sin(arange(0, 9, 1, {DType::f64, cpu})).detach().requires_grad_();
  const GradcheckResult result = gradcheck(
      [&](const std::vector<Tensor>& in) {
        const Tensor y = fft::stft(in[0] * in[0], 4, options);
        return std::vector{real(y), imag(y), fft::istft(y * y, 4, options)};
      },
      {x});
  EXPECT_TRUE(result.passed) << result.message;
}

}  // namespace
}  // namespace patchbay::test
