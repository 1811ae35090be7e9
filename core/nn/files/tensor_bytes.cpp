// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/files/tensor_bytes.h"

#include <cstring>
#include <vector>

#include "patchbay/copy.h"
#include "patchbay/ops.h"

namespace patchbay::nn::files {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 18;

std::byte* host_bytes(const Tensor& tensor) {
  return static_cast<std::byte*>(tensor.buffer().host_pointer()) + tensor.offset_bytes();
}

/// Reads what nobody knows to be there, before memory is allocated for all of it.
std::vector<Staging> read_chunks(Source& source, std::uint64_t size) {
  std::vector<Staging> chunks;
  for (std::uint64_t done = 0; done < size; done += chunks.back().size()) {
    const Staging& chunk = chunks.emplace_back(std::min<std::uint64_t>(kChunkBytes, size - done));
    const std::size_t got = source.read(chunk.data(), chunk.size());
    if (got < chunk.size()) {
      source.subject().fail("expected {} bytes of elements, got {}", size, done + got);
    }
  }
  source.check_end(size, "bytes of elements");
  return chunks;
}

void read_into(std::byte* to, Source& source, std::uint64_t size) {
  const std::size_t got = source.read(to, size);
  if (got < size) source.subject().fail("expected {} bytes of elements, got {}", size, got);
  source.check_end(size, "bytes of elements");
}

void swap_bytes(std::byte* bytes, std::size_t size, std::size_t width) {
  for (std::size_t i = 0; i < size; i += width) std::reverse(bytes + i, bytes + i + width);
}

/// The extents from the last to the first.
Tensor reversed(Tensor tensor) {
  const int last = tensor.rank() - 1;
  for (int i = 0; i < last - i; ++i) tensor = tensor.transpose(i, last - i);
  return tensor;
}

}  // namespace

std::optional<std::uint64_t> size_of_elements(DType dtype, const Shape& shape) {
  auto bytes = static_cast<std::int64_t>(size_bytes(dtype));
  bool is_empty = false;
  for (const std::int64_t extent : shape) {
    is_empty = is_empty || extent == 0;
    if (extent != 0 && __builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return is_empty ? 0 : static_cast<std::uint64_t>(bytes);
}

namespace {

/// first_cpu() for an operation, which its error names.
Device first_cpu_for(std::string_view operation) {
  try {
    return first_cpu();
  } catch (const Error& error) {
    const std::string_view text = error.what();
    const std::size_t begin = text.find("] ");  // behind "[Device]"
    if (error.code() != ErrorCode::kUnknownDevice || begin == text.npos) throw;
    base::raise(error.code(), "[{}{}", operation, text.substr(begin));
  }
}

}  // namespace

Device host_device(const std::optional<Device>& device, std::string_view operation) {
  Device result = device ? *device : first_cpu_for(operation);
  if (!result.properties().host_addressable) {
    base::raise(ErrorCode::kUnsupported,
                "[{}] the host can't address the memory of {}: expected a CPU device. Bring the "
                "tensor there: tensor.to(\"{}\").",
                operation, result.name(), result.name());
  }
  return result;
}

Tensor read_elements(Source& source, const Elements& elements, std::uint64_t most_bytes,
                     const Device& device) {
  const std::optional<std::uint64_t> left = source.left();
  const std::optional<std::uint64_t> needed = size_of_elements(elements.dtype, elements.shape);
  if (!needed) {
    source.subject().fail("shape {} has more than 2^63 - 1 bytes",
                          patchbay::to_string(elements.shape));
  }
  const std::uint64_t size = *needed;
  if (left && *left != size) {
    source.subject().fail("expected {} bytes of elements for {} {}, got {}", size,
                          patchbay::to_string(elements.dtype), patchbay::to_string(elements.shape),
                          *left);
  }
  if (!left && size > most_bytes) {
    source.subject().fail("{} {} has {} bytes: expected at most {}. Raise the option most_bytes.",
                          patchbay::to_string(elements.dtype), patchbay::to_string(elements.shape),
                          size, most_bytes);
  }
  std::vector<Staging> chunks;
  if (!left) chunks = read_chunks(source, size);
  Shape stored = elements.shape;
  if (elements.is_reversed) {
    for (int i = 0; i < stored.rank(); ++i) stored[i] = elements.shape[stored.rank() - 1 - i];
  }
  const Tensor result = empty(stored, {elements.dtype, device});
  std::byte* const bytes = host_bytes(result);
  if (left) {
    read_into(bytes, source, size);
  } else {
    std::byte* to = bytes;
    for (Staging& chunk : chunks) {
      std::memcpy(to, chunk.data(), chunk.size());
      to += chunk.size();
      chunk = Staging(0);
    }
  }
  if (elements.is_big_endian) swap_bytes(bytes, size, size_bytes(real_dtype(elements.dtype)));
  if (elements.dtype == DType::boolean) {
    if (const std::optional<int> wrong = wrong_bool(bytes, size)) {
      source.subject().fail("a wrong bool: expected 0 or 1, got {}", *wrong);
    }
  }
  return elements.is_reversed ? reversed(result).contiguous() : result;
}

Tensor tensor_of_bytes(const void* bytes, DType dtype, const Shape& shape, const Device& device) {
  Tensor result = empty(shape, {dtype, device});
  if (result.size_bytes() > 0) std::memcpy(host_bytes(result), bytes, result.size_bytes());
  return result;
}

void write_tensor(AtomicFile& file, const Tensor& tensor) {
  const Tensor whole = tensor.detach().contiguous();
  const std::size_t all = whole.size_bytes();
  if (all == 0) return;
  const Staging staging(all);
  for (std::size_t done = 0; done < all;) {
    const std::size_t size = std::min(staging.size(), all - done);
    copy_to_host(staging.data(), {whole.buffer(), whole.offset_bytes() + done, size});
    file.write(staging.data(), size);
    done += size;
  }
}

std::optional<int> wrong_bool(const std::byte* values, std::size_t size) {
  const auto* const wrong =
      std::find_if(values, values + size, [](std::byte value) { return value > std::byte{1}; });
  if (wrong == values + size) return std::nullopt;
  return std::to_integer<int>(*wrong);
}

}  // namespace patchbay::nn::files
