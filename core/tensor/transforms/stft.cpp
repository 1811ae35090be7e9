// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Short-time transforms, composed of frames, and windows.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "patchbay/complex.h"
#include "patchbay/concat.h"
#include "patchbay/copy.h"
#include "patchbay/elementwise.h"
#include "patchbay/fft.h"
#include "patchbay/indexing.h"
#include "patchbay/ops.h"

#include "core/base/error.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/print/fetch.h"
#include "core/tensor/transforms/transform.h"

namespace patchbay::fft {
namespace {

using tensor::check_length;
using tensor::check_transformed;
using tensor::describe;
using tensor::NamedOperand;

/// A call whose options were checked.
struct Frames {
  const char* operation;
  const Tensor& x;
  std::int64_t n, hop, around;  // around: the elements that `center` adds before and after
  Tensor window;                // [n]
  FftOptions transform;
};

/// [n]: the window between zeros.
Tensor window_of(const char* operation, const Tensor& x, std::int64_t n, const Tensor& given) {
  const DType dtype = is_complex(x.dtype()) ? real_dtype(x.dtype()) : x.dtype();
  if (!given.defined()) return x.new_ones({n}, dtype);
  const NamedOperand window{"window", tensor::operand_of(operation, given, "window")};
  tensor::check_same_device(operation, {"x", *x.impl()}, window);
  if (given.dtype() != dtype) {
    base::raise(ErrorCode::kDtypeMismatch,
                "[{}] the window is {}: expected {}, the parts of x ({}). {}.", operation,
                patchbay::to_string(given.dtype()), patchbay::to_string(dtype), describe(window),
                is_complex(given.dtype()) ? "Take real" : "Cast it");
  }
  if (given.rank() != 1 || given.size(0) > n || given.size(0) == 0) {
    base::raise(ErrorCode::kShapeMismatch,
                "[{}] a bad window: expected [1] to [{}], got {} ({}). Choose a longer frame or "
                "another window.",
                operation, n, to_string(given.shape()), describe(window));
  }
  const std::int64_t rest = n - given.size(0);
  return rest == 0 ? given : pad(given, {{rest / 2, rest - rest / 2}});
}

Frames frames_of(const char* operation, const Tensor& x, std::int64_t n,
                 const StftOptions& options) {
  check_length(operation, x, n);
  Frames frames{operation,
                x,
                n,
                options.hop_length.value_or(std::max<std::int64_t>(n / 4, 1)),
                options.center ? n / 2 : 0,
                window_of(operation, x, n, options.window),
                {.norm = options.normalized ? FftNorm::kOrtho : FftNorm::kBackward}};
  if (frames.hop < 1) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] a bad hop_length: expected 1 or more, got {} ({}). Choose another.",
                operation, frames.hop, describe({"x", *x.impl()}));
  }
  return frames;
}

/// [frames, n]: which elements of the signal they have, mirrored at its ends.
Tensor places_of(const Frames& frames, std::int64_t length, std::int64_t count) {
  const Tensor starts = tensor::counted(count, frames.x) * frames.hop;
  const Tensor places = starts.unsqueeze(1) + tensor::counted(frames.n, frames.x);
  if (frames.around == 0) return places;
  const Tensor from_begin = abs(places - frames.around);
  return (length - 1) - abs((length - 1) - from_begin);
}

/// The sum of frames, [..., frames, n], each `hop` elements after the one before.
Tensor added_up(const Frames& frames, const Tensor& x) {
  const std::int64_t count = x.size(-2), parts = (frames.n + frames.hop - 1) / frames.hop;
  std::vector<Padding> whole(static_cast<std::size_t>(x.rank()));
  whole.back().after = parts * frames.hop - frames.n;
  const Tensor padded = whole.back().after == 0 ? x : pad(x, whole);
  Tensor sum;
  for (std::int64_t part = 0; part < parts; ++part) {
    std::vector<Padding> shift(static_cast<std::size_t>(x.rank()));
    shift[shift.size() - 2] = {part, parts - 1 - part};
    const Tensor piece = pad(padded.slice(-1, part * frames.hop, (part + 1) * frames.hop), shift);
    sum = sum.defined() ? sum + piece : piece;
  }
  Shape shape;
  for (int i = 0; i + 2 < x.rank(); ++i) shape.push_back(x.size(i));
  shape.push_back((count + parts - 1) * frames.hop);
  return sum.reshape(shape).slice(-1, 0, frames.n + (count - 1) * frames.hop);
}

/// Errors: kInvalidArgument if the sum of squared windows is 0 somewhere.
void check_covered(const Frames& frames, const Tensor& squares) {
  if (squares.num_elements() == 0) return;
  constexpr double kLeast = 1e-11;
  const tensor::Recording recording(false);
  const CopyTag tag(frames.operation);
  bool is_open = false;
  tensor::fetch(frames.operation, any(lt(squares, kLeast)), &is_open);
  if (!is_open) return;
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] some elements of the signal are in no frame, or where its window is 0 ({}). "
              "Choose a smaller hop_length or another window.",
              frames.operation, describe({"x", *frames.x.impl()}));
}

}  // namespace

Tensor stft(const Tensor& x, Index n, const StftOptions& options) {
  constexpr const char* kName = "stft";
  check_transformed(kName, x, -1);
  const Frames frames = frames_of(kName, x, n, options);
  const std::int64_t length = x.size(-1);
  const bool fits = frames.around == 0 ? length >= n : length > frames.around;
  if (!fits) {
    base::raise(ErrorCode::kInvalidArgument,
                "[stft] the signal is too short: expected {} elements or more, got {} ({}). Choose "
                "shorter frames, or pad it.",
                frames.around == 0 ? frames.n : frames.around + 1, length,
                describe({"x", *x.impl()}));
  }
  const std::int64_t count = 1 + (length + 2 * frames.around - n) / frames.hop;
  Shape shape = x.shape();
  shape[shape.rank() - 1] = count;
  shape.push_back(n);
  const Tensor places = places_of(frames, length, count).reshape({count * n});
  const Tensor signal = index_select(x, -1, places).reshape(shape) * frames.window.cast(x.dtype());
  const bool is_half = options.onesided && !is_complex(x.dtype());
  const Tensor spectra = is_half ? rfft(signal, frames.transform) : fft(signal, frames.transform);
  return spectra.transpose(-1, -2).contiguous();
}

Tensor istft(const Tensor& x, Index n, const StftOptions& options) {
  constexpr const char* kName = "istft";
  const NamedOperand named{"x", tensor::operand_of(kName, x, "x")};
  tensor::check_dtype_allowed(kName, tensor::kComplex, named);
  const std::int64_t expected = options.onesided ? n / 2 + 1 : std::int64_t{n};
  if (x.rank() < 2 || x.size(-2) != expected || x.size(-1) == 0) {
    base::raise(
        ErrorCode::kShapeMismatch,
        "[istft] bad spectra: expected [..., {}, frames], got {} ({}). Pass what stft gives "
        "for the same n and options; of complex signals without onesided.",
        expected, to_string(x.shape()), describe(named));
  }
  FftOptions transform{.n = std::int64_t{n}};
  const Frames frames = frames_of(kName, x, n, options);
  transform.norm = frames.transform.norm;
  const Tensor spectra = x.transpose(-1, -2);
  const Tensor pieces = options.onesided ? irfft(spectra, transform) : ifft(spectra, transform);
  const Tensor sum = added_up(frames, pieces * frames.window.cast(pieces.dtype()));
  const Tensor squares =
      added_up(frames, square(frames.window).expand({x.size(-1), frames.n}).contiguous());
  const std::int64_t whole = sum.size(-1) - 2 * frames.around;
  const std::int64_t wanted = options.length.value_or(std::max<std::int64_t>(whole, 0));
  if (wanted < 0) {
    base::raise(ErrorCode::kInvalidArgument,
                "[istft] a bad length: expected 0 or more, got {} ({}). Choose another.", wanted,
                describe(named));
  }
  const std::int64_t end = std::min(frames.around + wanted, sum.size(-1));
  const Tensor divisor = squares.slice(-1, frames.around, end);
  check_covered(frames, divisor);
  const Tensor signal = sum.slice(-1, frames.around, end) / divisor.cast(sum.dtype());
  return tensor::with_length(signal, signal.rank() - 1, wanted);
}

Tensor hann_window(Index n, bool periodic, const TensorOptions& options) {
  const DType dtype = options.dtype.value_or(DType::f32);
  if (n < 1) {
    base::raise(ErrorCode::kInvalidArgument,
                "[hann_window] a bad length: expected 1 or more, got {}. Choose another n.",
                std::int64_t{n});
  }
  if (!tensor::contains(tensor::kParts, dtype)) {
    base::raise(ErrorCode::kDtypeMismatch,
                "[hann_window] is not defined for {}. Choose f32 or f64.",
                patchbay::to_string(dtype));
  }
  const std::int64_t steps = periodic ? std::int64_t{n} : n - 1;
  if (n == 1) return ones({1}, options);
  TensorOptions whole = options;
  whole.dtype = dtype;
  const Tensor k = arange(0, std::int64_t{n}, 1, whole);
  return square(sin(k * (std::numbers::pi / static_cast<double>(steps))));
}

}  // namespace patchbay::fft
