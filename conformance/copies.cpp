// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Chapter copies: bytes arrive intact, by the planned route, and are counted.
#include <algorithm>

#include "conformance/chapters.h"
#include "conformance/support/bytes.h"
#include "conformance/support/expect.h"

namespace patchbay::conformance {
namespace {

/// Copies a range from the middle of one block to the middle of another, in many sizes.
void copy_between(const Device& from, const Device& to, bool non_blocking) {
  for (const std::size_t size : kSizes) {
    const std::string what = fmt::format("{} bytes from {} to {}", size, from.name(), to.name());
    const Buffer source = upload(from, pattern(size + 11, size));
    const Buffer target = upload(to, pattern(size + 9, 1));
    copy({target, 5, size}, {source, 7, size}, non_blocking);
    Bytes expected = pattern(size + 9, 1);
    const Bytes sent = pattern(size + 11, size);
    std::copy_n(sent.begin() + 7, size, expected.begin() + 5);
    expect_same(read(target), expected, what);
    expect_same(read(source), sent, what + ", the source");
  }
}

Device other_device(Context& context) {
  const std::vector<Device> devices = context.devices();
  if (devices.size() < 2) throw Waiver("the backend has one device");
  return devices[1];
}

Device cpu_device(Context& context) {
  const std::vector<Device> found = devices_of(context.runtime(), "cpu");
  if (found.empty()) throw Waiver("no device cpu:0 in this runtime");
  if (context.subject().backend == "cpu") throw Waiver("the device is cpu:0 itself");
  return found.front();
}

void round_trips_through_the_host(Context& context) {
  for (const std::size_t size : kSizes) {
    for (const std::size_t offset : {0u, 1u, 3u, 64u, 4097u}) {
      const Buffer buffer = Buffer::allocate(context.device(), size + offset);
      write(buffer, pattern(size, offset), offset);
      expect_same(read(buffer, offset, size), pattern(size, offset),
                  fmt::format("{} bytes at {}", size, offset));
    }
  }
}

void host_memory_may_be_reused_at_once(Context& context) {
  const std::size_t size = std::size_t{4} << 20;
  const Buffer buffer = Buffer::allocate(context.device(), size);
  Bytes bytes = pattern(size, 1);
  copy_from_host({buffer, 0, size}, bytes.data());
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
  expect_same(read(buffer), pattern(size, 1), "what was copied before the host wrote again");
}

void within_one_device(Context& context) {
  copy_between(context.device(), context.device(), false);
  copy_between(context.device(), context.device(), true);
}

void within_one_block(Context& context) {
  const Buffer buffer = upload(context.device(), pattern(3000, 1));
  copy({buffer, 2000, 1000}, {buffer, 1, 1000});
  expect_same(read(buffer, 2000, 1000), read(buffer, 1, 1000), "two parts of one block");
}

void between_two_devices(Context& context) {
  const Device other = other_device(context);
  for (const bool non_blocking : {false, true}) {
    copy_between(context.device(), other, non_blocking);
    copy_between(other, context.device(), non_blocking);
  }
}

void to_and_from_the_cpu(Context& context) {
  const Device cpu = cpu_device(context);
  for (const bool non_blocking : {false, true}) {
    copy_between(context.device(), cpu, non_blocking);
    copy_between(cpu, context.device(), non_blocking);
  }
}

/// Larger than any chunk, so that a staged copy needs several.
void many_chunks(Context& context) {
  const std::size_t size = (std::size_t{40} << 20) + 13;
  const std::vector<Device> devices = context.devices();
  const Buffer source = upload(devices.front(), pattern(size, 1));
  for (const bool non_blocking : {false, true}) {
    const Buffer target = Buffer::allocate(devices.back(), size);
    copy({target, 0, size}, {source, 0, size}, non_blocking);
    expect_same(read(target), pattern(size, 1), "40 MiB and 13 bytes");
  }
}

void the_source_may_be_dropped_at_once(Context& context) {
  const std::size_t size = std::size_t{1} << 20;
  for (const Device& to : context.devices()) {
    const Buffer target = Buffer::allocate(to, size);
    {
      const Buffer source = upload(context.device(), pattern(size, 5));
      copy({target, 0, size}, {source, 0, size}, true);
    }
    // A new block in the memory of the freed one must not change the copy.
    const Buffer successor = upload(context.device(), pattern(size, 6));
    expect_same(read(target), pattern(size, 5), "a copy whose source was dropped");
  }
}

void the_source_may_be_overwritten_after_a_copy(Context& context) {
  const Buffer source = upload(context.device(), pattern(100000, 1));
  const Buffer target = Buffer::allocate(context.device(), 100000);
  copy({target, 0, 100000}, {source, 0, 100000}, true);
  write(source, pattern(100000, 2));
  expect_same(read(target), pattern(100000, 1), "a copy whose source was written afterwards");
  expect_same(read(source), pattern(100000, 2), "the source");
}

void chains_keep_their_order(Context& context) {
  const std::vector<Device> devices = context.devices();
  std::vector<Buffer> stations;
  for (std::size_t i = 0; i < 6; ++i) {
    stations.push_back(Buffer::allocate(devices[i % devices.size()], 50000));
  }
  write(stations[0], pattern(50000, 4));
  for (std::size_t i = 1; i < stations.size(); ++i) {
    copy({stations[i], 0, 50000}, {stations[i - 1], 0, 50000}, true);
  }
  expect_same(read(stations.back()), pattern(50000, 4), "the end of a chain of copies");
}

void ranges_are_checked(Context& context) {
  const Buffer a = upload(context.device(), pattern(100, 1));
  const Buffer b = upload(context.device(), pattern(100, 2));
  const auto refused = [&](std::string_view what, const BufferRange& to, const BufferRange& from) {
    expect_error(ErrorCode::kInvalidArgument, what, [&] { copy(to, from); });
  };
  refused("ranges of different sizes", {a, 0, 10}, {b, 0, 11});
  refused("a target beyond the end", {a, 91, 10}, {b, 0, 10});
  refused("a source beyond the end", {a, 0, 10}, {b, 91, 10});
  refused("an offset that wraps around", {a, SIZE_MAX - 4, 10}, {b, 0, 10});
  refused("ranges that overlap", {a, 0, 10}, {a, 5, 10});
  Bytes host(200);
  expect_error(ErrorCode::kInvalidArgument, "a read beyond the end", [&] {
    copy_to_host(host.data(), {a, 0, 101});
  });
  expect_error(ErrorCode::kInvalidArgument, "a write beyond the end", [&] {
    copy_from_host({a, 1, 100}, host.data());
  });
  expect_same(read(a), pattern(100, 1), "the target after refused copies");
  expect_same(read(b), pattern(100, 2), "the source after refused copies");
}

void expect_counted(const Runtime& runtime, const CopyPlan& plan, const std::string& from,
                    const std::string& to, std::uint64_t bytes) {
  const std::vector<LedgerEntry> entries = runtime.ledger().entries();
  const std::string what = fmt::format("the ledger after one copy from {} to {}", from, to);
  expect_equal(entries.size(), 1u, what + ", entries");
  expect_equal(entries[0].from, from, what + ", from");
  expect_equal(entries[0].to, to, what + ", to");
  expect_equal(to_string(entries[0].route), to_string(plan.route), what + ", route as planned");
  expect_equal(entries[0].copies, 1u, what + ", copies");
  expect_equal(entries[0].bytes, bytes, what + ", bytes");
  expect(!plan.legs.empty(), "{}: the plan has no legs", what);
  expect_equal(plan.legs.front().from, from, what + ", start of the first leg");
  expect_equal(plan.legs.back().to, to, what + ", end of the last leg");
}

/// If the host can address the memory, the runtime does not call these entries, but they must work.
void the_entries_copy_what_the_host_could(Context& context) {
  const Runtime runtime = context.new_runtime({{"host_access", "off"}});
  const Device device = runtime.device(context.subject().backend);
  for (const std::size_t size : kSizes) {
    const Buffer buffer = upload(device, pattern(size + 5, size));
    expect_same(read(buffer), pattern(size + 5, size), fmt::format("{} bytes", size + 5));
    write(buffer, pattern(size, 1), 5);
    expect_same(read(buffer, 5, size), pattern(size, 1), fmt::format("{} bytes at 5", size));
  }
  copy_between(device, device, false);
}

void the_ledger_counts_what_was_planned(Context& context) {
  const Runtime runtime = context.runtime();
  std::vector<Device> places = context.devices();
  const std::vector<Device> cpus = devices_of(runtime, "cpu");
  places.insert(places.end(), cpus.begin(), cpus.end());
  const Buffer source = upload(context.device(), pattern(777, 1));
  for (const Device& place : places) {
    const Buffer target = Buffer::allocate(place, 777);
    runtime.ledger().reset();
    copy({target, 0, 777}, {source, 0, 777});
    const CopyPlan plan = plan_copy(context.device(), place, 777);
    expect_counted(runtime, plan, context.device().name(), place.name(), 777);
  }
}

void the_ledger_counts_the_host(Context& context) {
  const Runtime runtime = context.runtime();
  const std::string name = context.device().name();
  const Buffer buffer = Buffer::allocate(context.device(), 777);
  runtime.ledger().reset();
  write(buffer, pattern(777, 1));
  expect_counted(runtime, plan_copy(Endpoint::host(), context.device(), 777), "host", name, 777);
  runtime.ledger().reset();
  (void)read(buffer);
  expect_counted(runtime, plan_copy(context.device(), Endpoint::host(), 777), name, "host", 777);
}

void the_ledger_keeps_tags_apart(Context& context) {
  const Runtime runtime = context.runtime();
  const Buffer buffer = Buffer::allocate(context.device(), 10);
  runtime.ledger().reset();
  {
    const CopyTag tag("conformance");
    write(buffer, pattern(10, 1));
  }
  write(buffer, pattern(10, 2));
  const std::vector<LedgerEntry> entries = runtime.ledger().entries();
  expect_equal(entries.size(), 2u, "entries of the ledger");
  expect_equal(entries[0].tag, "", "tag of the first entry");
  expect_equal(entries[1].tag, "conformance", "tag of the second entry");
}

void plans_follow_what_memory_can_do(Context& context) {
  const Device device = context.device();
  const Endpoint place(device), host = Endpoint::host();
  expect(plan_copy(place, place, 10).route == Route::kSameDevice, "d to d is not 'same device'");
  expect(plan_copy(place, host, 0).route == Route::kNone, "0 bytes are not 'none'");
  const bool addressable = device.properties().host_addressable;
  expect_equal(to_string(plan_copy(host, place, 10).route),
               to_string(addressable ? Route::kHostToHost : Route::kHostToDevice),
               "route from the host");
  expect_equal(to_string(plan_copy(place, host, 10).route),
               to_string(addressable ? Route::kHostToHost : Route::kDeviceToHost),
               "route to the host");
  const CopyPlan large = plan_copy(place, host, std::size_t{1} << 30);
  expect_equal(large.size_bytes, std::size_t{1} << 30, "size in the plan");
  expect(large.chunks > 0 && large.chunks * large.chunk_bytes >= large.size_bytes,
         "{} chunks of {} bytes do not make {}", large.chunks, large.chunk_bytes, large.size_bytes);
}

void a_guard_refuses_movement(Context& context) {
  const Buffer a = upload(context.device(), pattern(64, 1));
  const Buffer b = upload(context.device(), pattern(64, 2));
  Bytes host(64);
  {
    const CopyGuard guard;
    expect_error(ErrorCode::kCopyForbidden, "a copy to the host inside a guard", [&] {
      copy_to_host(host.data(), {a, 0, 64});
    });
    expect_error(ErrorCode::kCopyForbidden, "a copy from the host inside a guard", [&] {
      copy_from_host({a, 0, 64}, host.data());
    });
    copy({b, 0, 64}, {a, 0, 64});  // within one device no bytes are transferred
  }
  expect_same(read(a), pattern(64, 1), "what a refused copy was to write");
  expect_same(read(b), pattern(64, 1), "a copy within one device inside a guard");
}

void threads_copy_at_once(Context& context) {
  const std::vector<Device> devices = context.devices();
  run_threads(4, [&](int thread) {
    for (std::uint64_t i = 0; i < 20; ++i) {
      const std::uint64_t seed = 1000 * static_cast<std::uint64_t>(thread) + i;
      const Buffer source = upload(devices.front(), pattern(20000, seed));
      const Buffer target = Buffer::allocate(devices[i % devices.size()], 20000);
      copy({target, 0, 20000}, {source, 0, 20000}, i % 2 == 0);
      expect_same(read(target), pattern(20000, seed), fmt::format("thread {}", thread));
    }
  });
}

}  // namespace

std::vector<Check> copies_checks() {
  return {
      {"copies", "round_trips_through_the_host", round_trips_through_the_host},
      {"copies", "host_memory_may_be_reused_at_once", host_memory_may_be_reused_at_once},
      {"copies", "within_one_device", within_one_device},
      {"copies", "within_one_block", within_one_block},
      {"copies", "between_two_devices", between_two_devices},
      {"copies", "to_and_from_the_cpu", to_and_from_the_cpu},
      {"copies", "many_chunks", many_chunks},
      {"copies", "the_source_may_be_dropped_at_once", the_source_may_be_dropped_at_once},
      {"copies", "the_source_may_be_overwritten_after_a_copy",
       the_source_may_be_overwritten_after_a_copy},
      {"copies", "chains_keep_their_order", chains_keep_their_order},
      {"copies", "ranges_are_checked", ranges_are_checked},
      {"copies", "the_entries_copy_what_the_host_could", the_entries_copy_what_the_host_could},
      {"copies", "the_ledger_counts_what_was_planned", the_ledger_counts_what_was_planned},
      {"copies", "the_ledger_counts_the_host", the_ledger_counts_the_host},
      {"copies", "the_ledger_keeps_tags_apart", the_ledger_keeps_tags_apart},
      {"copies", "plans_follow_what_memory_can_do", plans_follow_what_memory_can_do},
      {"copies", "a_guard_refuses_movement", a_guard_refuses_movement},
      {"copies", "threads_copy_at_once", threads_copy_at_once},
  };
}

}  // namespace patchbay::conformance
