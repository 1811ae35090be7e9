// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms: docs/fft.md. Names and arguments are those of the Python array API
// standard.
#ifndef PATCHBAY_FFT_H_
#define PATCHBAY_FFT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "patchbay/export.h"
#include "patchbay/ops.h"
#include "patchbay/shape.h"
#include "patchbay/tensor.h"

namespace patchbay {

/// What a transform of n elements is multiplied with, forward and back: 1 and 1 / n, 1 / sqrt(n)
/// both, 1 / n and 1.
enum class FftNorm : std::uint8_t { kBackward, kOrtho, kForward };

struct FftOptions {
  /// The length along `dim`: the input is cut, or zeros are added at its end. Left out: that of the
  /// input; for irfft and hfft 2 (m - 1) of an input of length m.
  std::optional<std::int64_t> n = {};
  int dim = -1;
  FftNorm norm = FftNorm::kBackward;
};

struct FftnOptions {
  /// Lengths along `dims`, or along the last ones. Empty: those of the input.
  std::vector<std::int64_t> sizes = {};
  /// Empty: as many of the last as `sizes` has, or all.
  Axes dims = {};
  FftNorm norm = FftNorm::kBackward;
};

/// Which elements of a convolution of m and n: all m + n - 1, the middle max(m, n), or those for
/// which the shorter operand lies within the longer one, as in NumPy.
enum class ConvolvePart : std::uint8_t { kFull, kSame, kValid };

/// What a short-time transform is made of. The names are PyTorch's.
struct StftOptions {
  /// From one frame to the next. Left out: a quarter of a frame.
  std::optional<std::int64_t> hop_length = {};
  /// What frames are multiplied with: one dimension, at most as long as a frame, and then in its
  /// middle. Left out: 1.
  Tensor window = {};
  /// Frame t is around element t hop_length: the signal is mirrored at its ends.
  bool center = true;
  /// Divided by the square root of the length of a frame.
  bool normalized = false;
  /// Only the first n / 2 + 1 frequencies. A complex signal has all of them.
  bool onesided = true;
  /// Of the result of istft. Left out: all that the frames cover, without what `center` added.
  std::optional<std::int64_t> length = {};
};

namespace fft {

// All lengths; the other dimensions are a batch. Queued; new contiguous tensors. Dtypes: f32, f64,
// c64, c128; the result has the same parts. Gradients flow, and can be differentiated again.
// Errors: kDtypeMismatch; kInvalidArgument for a length below 1, or a dimension that is out of
// range.

/// y[k] = sum over j of x[j] exp(-2 pi i j k / n).
[[nodiscard]] PATCHBAY_API Tensor fft(const Tensor& x, const FftOptions& options = {});
/// The inverse: exp(+2 pi i j k / n), divided by n.
[[nodiscard]] PATCHBAY_API Tensor ifft(const Tensor& x, const FftOptions& options = {});
/// The first n / 2 + 1 results of a real input; the others are their conjugates.
[[nodiscard]] PATCHBAY_API Tensor rfft(const Tensor& x, const FftOptions& options = {});
/// The inverse of rfft, which is real. The imaginary part of the first element, and of the last if
/// n is even, has no effect.
[[nodiscard]] PATCHBAY_API Tensor irfft(const Tensor& x, const FftOptions& options = {});
/// The real transform of an input whose second half is the conjugate of the first: irfft of the
/// conjugate, times n.
[[nodiscard]] PATCHBAY_API Tensor hfft(const Tensor& x, const FftOptions& options = {});
/// The inverse of hfft: the conjugate of rfft, divided by n.
[[nodiscard]] PATCHBAY_API Tensor ihfft(const Tensor& x, const FftOptions& options = {});

/// Along several dimensions, one after another, the last first. Errors: also kInvalidArgument
/// unless there are as many sizes as dims.
[[nodiscard]] PATCHBAY_API Tensor fftn(const Tensor& x, const FftnOptions& options = {});
/// The inverse of fftn: ifft along each of the dimensions.
[[nodiscard]] PATCHBAY_API Tensor ifftn(const Tensor& x, const FftnOptions& options = {});
/// rfft along the last of the dimensions, fft along the others.
[[nodiscard]] PATCHBAY_API Tensor rfftn(const Tensor& x, const FftnOptions& options = {});
/// The inverse of rfftn.
[[nodiscard]] PATCHBAY_API Tensor irfftn(const Tensor& x, const FftnOptions& options = {});
/// fft along the dimensions but the last, then hfft along that.
[[nodiscard]] PATCHBAY_API Tensor hfftn(const Tensor& x, const FftnOptions& options = {});
/// The inverse of hfftn: ihfft along the last of the dimensions, then ifft along the others.
[[nodiscard]] PATCHBAY_API Tensor ihfftn(const Tensor& x, const FftnOptions& options = {});

/// The frequencies of the results of fft: 0, 1, ..., -2, -1 divided by n and the spacing. f32 or
/// f64.
[[nodiscard]] PATCHBAY_API Tensor fftfreq(Index n, double spacing = 1,
                                          const TensorOptions& options = {});
/// Those of rfft: 0 to n / 2.
[[nodiscard]] PATCHBAY_API Tensor rfftfreq(Index n, double spacing = 1,
                                           const TensorOptions& options = {});
/// Moves frequency 0 to the middle, along `dims` (empty: all).
[[nodiscard]] PATCHBAY_API Tensor fftshift(const Tensor& x, const Axes& dims = {});
/// Moves frequency 0 back to the beginning.
[[nodiscard]] PATCHBAY_API Tensor ifftshift(const Tensor& x, const Axes& dims = {});

/// The convolution along the last dimension, sum over j of a[j] b[i - j], by transforms: for long
/// operands much less work than conv1d, which sums products of b turned around. The other
/// dimensions broadcast. The error is a few units of epsilon of the largest result, not of each.
/// Errors: also kDeviceMismatch; kInvalidArgument if an operand has no elements along it.
[[nodiscard]] PATCHBAY_API Tensor convolve(const Tensor& a, const Tensor& b,
                                           ConvolvePart part = ConvolvePart::kFull);

/// The transforms of frames of n elements of a signal, [..., length]: [..., frequencies, frames].
/// Errors: also kInvalidArgument for options that do not fit, and for a signal that is shorter than
/// a frame or, with `center`, than what is mirrored.
[[nodiscard]] PATCHBAY_API Tensor stft(const Tensor& x, Index n, const StftOptions& options = {});
/// The signal with these transforms, or the nearest one: the sum of the frames times the window,
/// divided by the sum of the squares of the windows (Griffin and Lim, Signal estimation from
/// modified short-time Fourier transform, 1984). Fetches a status: kInvalidArgument if that sum is
/// 0 somewhere.
[[nodiscard]] PATCHBAY_API Tensor istft(const Tensor& x, Index n, const StftOptions& options = {});

/// The window of Hann, (1 - cos(2 pi k / n)) / 2, for spectra. With `periodic` false n - 1 stands
/// for n, and the window is symmetric. f32 or f64.
[[nodiscard]] PATCHBAY_API Tensor hann_window(Index n, bool periodic = true,
                                              const TensorOptions& options = {});

}  // namespace fft

}  // namespace patchbay

#endif  // PATCHBAY_FFT_H_
