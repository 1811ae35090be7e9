// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/files/source.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>

namespace patchbay::nn::files {

Source::~Source() = default;

void Source::read_all(void* to, std::size_t size_bytes, const char* what) {
  const std::size_t got = read(to, size_bytes);
  if (got < size_bytes) {
    subject_.fail("it ends within {}: expected {} bytes, got {}", what, size_bytes, got);
  }
}

void Source::check_end(std::uint64_t expected, const char* what) {
  char more = 0;
  if (read(&more, 1) != 0) subject_.fail("expected {} {}, got more", expected, what);
}

std::size_t FileSource::read(void* to, std::size_t size_bytes) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(size_bytes, end_ - next_));
  file_.read(next_, to, size);
  next_ += size;
  return size;
}

// ---------------------------------------------------------------------------------- inflating ---

struct InflatedSource::Stream {
  z_stream state = {};
  std::array<Bytef, 16384> input;
};

InflatedSource::InflatedSource(Subject subject, const ReadFile& file, std::uint64_t begin,
                               std::uint64_t end, Compression compression)
    : Source(subject),
      compressed_(std::move(subject), file, begin, end),
      compression_(compression),
      stream_(std::make_unique<Stream>()) {
  // Negative: without a header. 16 more: a header and a trailer of gzip.
  const int window_bits = compression == Compression::kGzip ? MAX_WBITS + 16 : -MAX_WBITS;
  const int code = inflateInit2(&stream_->state, window_bits);
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  if (code != Z_OK) base::raise(ErrorCode::kInternal, "[inflate] zlib refuses: {}", code);
}

InflatedSource::~InflatedSource() { inflateEnd(&stream_->state); }

/// Whether compressed bytes are there.
bool InflatedSource::refill() {
  z_stream& state = stream_->state;
  if (state.avail_in > 0) return true;
  state.next_in = stream_->input.data();
  state.avail_in =
      static_cast<uInt>(compressed_.read(stream_->input.data(), stream_->input.size()));
  return state.avail_in > 0;
}

std::size_t InflatedSource::read(void* to, std::size_t size_bytes) {
  z_stream& state = stream_->state;
  std::size_t done = 0;
  while (done < size_bytes && !is_ended_) {
    const bool has_input = refill();
    const std::size_t room =
        std::min<std::size_t>(size_bytes - done, std::numeric_limits<uInt>::max());
    state.next_out = static_cast<Bytef*>(to) + done;
    state.avail_out = static_cast<uInt>(room);
    const int code = inflate(&state, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    // Only now: zlib may have the last bits, and with them the end, already.
    if (code == Z_BUF_ERROR && !has_input) subject().fail("its compressed data is cut off");
    if (code != Z_OK && code != Z_STREAM_END) {
      subject().fail("its compressed data is damaged ({})",
                     state.msg != nullptr ? state.msg : "zlib can't go on");
    }
    done += room - state.avail_out;
    if (code != Z_STREAM_END) continue;
    is_ended_ = !refill();
    if (is_ended_) break;
    if (compression_ == Compression::kDeflate) subject().fail("bytes behind its compressed data");
    inflateReset(&state);  // another member
  }
  return done;
}

// ---------------------------------------------------------------------------------- checksums ---

CheckedSource::CheckedSource(Source& source, std::uint64_t size_bytes, std::uint32_t crc)
    : Source(source.subject()), source_(source), size_bytes_(size_bytes), expected_(crc) {}

std::size_t CheckedSource::read(void* to, std::size_t size_bytes) {
  const std::size_t got = source_.read(to, size_bytes);
  done_ += got;
  if (got > 0) crc_ = static_cast<std::uint32_t>(crc32_z(crc_, static_cast<const Bytef*>(to), got));
  if (done_ > size_bytes_) subject().fail("more bytes than the {} that are stated", size_bytes_);
  if (got == size_bytes) return got;
  if (done_ < size_bytes_) {
    subject().fail("expected the {} bytes that are stated, got {}", size_bytes_, done_);
  }
  if (crc_ != expected_) {
    subject().fail("a wrong checksum: expected {:08x}, got {:08x}", expected_, crc_);
  }
  return got;
}

}  // namespace patchbay::nn::files
