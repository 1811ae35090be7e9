// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "schedules/actor.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace patchbay::schedules {
namespace {

constexpr std::size_t kMostItems = 12;

std::size_t bytes_of(std::size_t num_elements) { return num_elements * sizeof(std::int32_t); }

std::int64_t extent(std::size_t size) { return static_cast<std::int64_t>(size); }

Argument argument(const Tensor& tensor, std::size_t size, Access access) {
  return Argument::tensor(tensor.buffer(), DType::i32, {extent(size)}, access);
}

/// A number from -3 to 3: products stay interesting.
std::int32_t small(Random& random) { return static_cast<std::int32_t>(random.below(7)) - 3; }

Values some_values(Random& random, std::size_t size) {
  Values values(size);
  for (auto& value : values) value = small(random);
  return values;
}

}  // namespace

struct Actor::Action {
  std::size_t weight;
  void (Actor::*run)();
};

Actor::Actor(const Stage& stage, std::uint64_t seed)
    : stage_(stage), random_(seed), streams_(stage.devices.size()) {
  make();
}

void Actor::step() {
  static constexpr std::array kActions = {Action{4, &Actor::make},
                                          Action{1, &Actor::lend},
                                          Action{4, &Actor::drop},
                                          Action{4, &Actor::calculate},
                                          Action{5, &Actor::calculate_in_place},
                                          Action{3, &Actor::calculate_with_constant},
                                          Action{2, &Actor::fill},
                                          Action{6, &Actor::move},
                                          Action{6, &Actor::copy_into},
                                          Action{3, &Actor::copy_range},
                                          Action{3, &Actor::change_slice},
                                          Action{2, &Actor::pack},
                                          Action{2, &Actor::sum_up},
                                          Action{3, &Actor::check},
                                          Action{2, &Actor::look},
                                          Action{2, &Actor::wait},
                                          Action{1, &Actor::trim},
                                          Action{6, &Actor::launch},
                                          Action{3, &Actor::relay},
                                          Action{3, &Actor::reuse}};
  if (items_.empty()) return make();
  if (items_.size() > kMostItems) return drop();
  std::size_t total = 0;
  for (const Action& action : kActions) total += action.weight;
  std::size_t drawn = random_.below(total);
  for (const Action& action : kActions) {
    if (drawn < action.weight) return (this->*action.run)();
    drawn -= action.weight;
  }
}

void Actor::finish() {
  for (const Item& item : items_) {
    expect_equal("at the end", item.tensor.to_vector<std::int32_t>(), item.values);
    count(item.device(), "host", bytes_of(item.size()));
  }
  items_.clear();
  streams_.clear();
}

std::vector<Item> Actor::give_away() {
  std::vector<Item> given;
  for (std::size_t i = items_.size(); i-- > 0;) {
    if (!random_.one_in(3)) continue;
    given.push_back(std::move(items_[i]));
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  note("give away " + std::to_string(given.size()));
  return given;
}

void Actor::adopt(std::vector<Item> items) {
  note("adopt " + std::to_string(items.size()));
  std::move(items.begin(), items.end(), std::back_inserter(items_));
}

// ------------------------------------------------------------------------------- helpers

Item* Actor::partner(const Item& item, bool anywhere) {
  std::vector<Item*> found;
  for (Item& other : items_) {
    if (&other == &item || other.size() != item.size()) continue;
    if (anywhere || other.tensor.device() == item.tensor.device()) found.push_back(&other);
  }
  return found.empty() ? nullptr : found[random_.below(found.size())];
}

std::size_t Actor::index_of(const Item& item) const {
  const auto& devices = stage_.devices;
  return static_cast<std::size_t>(std::find(devices.begin(), devices.end(), item.tensor.device()) -
                                  devices.begin());
}

const Stream& Actor::any_stream(std::size_t device) {
  auto& streams = streams_[device];
  if (streams.empty() || (streams.size() < 2 && random_.one_in(4))) {
    streams.emplace_back(stage_.devices[device]);
  }
  return streams[random_.below(streams.size())];
}

void Actor::count(const std::string& from, const std::string& to, std::size_t size_bytes) {
  if (from != to) traffic_[{from, to}] += size_bytes;
}

void Actor::note(const std::string& what) { history_ += "  " + what + "\n"; }

void Actor::note_foreign(Item& to, Item& from, bool non_blocking) {
  if (!non_blocking || to.tensor.device() == from.tensor.device()) return;
  to.is_foreign = true;
  from.is_foreign = true;
}

/// The waits that a launch by hand on `stream` calls for.
void Actor::order(const Stream& stream, Item& item) {
  if (item.is_foreign || random_.one_in(8)) {
    item.tensor.buffer().wait();
    item.is_foreign = false;
    item.used_by.clear();
    return;
  }
  stream.wait(item.tensor.device().default_stream().record());
  for (const Stream& other : item.used_by) {
    if (!(other == stream)) stream.wait(other.record());
  }
}

// ------------------------------------------------------------------------------- actions

void Actor::make() {
  const Device& device = stage_.devices[random_.below(stage_.devices.size())];
  Values values = some_values(random_, kSizes[random_.below(std::size(kSizes))]);
  note("make " + std::to_string(values.size()) + " on " + device.name());
  Tensor tensor = from_host(values, {extent(values.size())}, device);
  count("host", device.name(), bytes_of(values.size()));
  items_.push_back({std::move(tensor), std::move(values)});
}

/// A tensor in the program's own memory, on a CPU device.
void Actor::lend() {
  const std::size_t device = random_.below(stage_.devices.size());
  if (!stage_.devices[device].properties().host_addressable) return;
  Values values = some_values(random_, kSizes[random_.below(std::size(kSizes))]);
  note("lend " + std::to_string(values.size()) + " to " + stage_.devices[device].name());
  auto lent = std::make_shared<Values>(values);
  Tensor tensor = wrap_host(lent->data(), DType::i32, {extent(values.size())},
                            stage_.devices[device], [lent] {});
  items_.push_back({std::move(tensor), std::move(values), {}, false, std::move(lent)});
}

void Actor::drop() {
  const std::size_t i = random_.below(items_.size());
  note("drop " + std::to_string(i) + " of " + items_[i].device());
  items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(i));
}

void Actor::calculate() {
  Item& a = any();
  Item* const b = partner(a, /*anywhere=*/false);
  if (b == nullptr) return;
  const Op op = static_cast<Op>(random_.below(kNumOps));
  note(std::string(name_of(op)) + " on " + a.device());
  Item result{run(op, a.tensor, b->tensor), Values(a.size())};
  for (std::size_t i = 0; i < a.size(); ++i) {
    result.values[i] = apply(op, a.values[i], b->values[i]);
  }
  items_.push_back(std::move(result));
}

void Actor::calculate_in_place() {
  Item& a = any();
  Item* const found = partner(a, /*anywhere=*/false);
  Item& b = found != nullptr ? *found : a;
  const Op op = static_cast<Op>(random_.below(kNumOps));
  note(std::string(name_of(op)) + "_out on " + a.device());
  run_out(op, a.tensor, a.tensor, b.tensor);
  for (std::size_t i = 0; i < a.size(); ++i) a.values[i] = apply(op, a.values[i], b.values[i]);
}

/// With an operand that other threads read at the same time.
void Actor::calculate_with_constant() {
  Item& a = any();
  note("add the constant on " + a.device());
  const Tensor constant = stage_.constants[index_of(a)].slice(0, 0, extent(a.size()));
  add_out(a.tensor, a.tensor, constant);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a.values[i] = apply(Op::kAdd, a.values[i], stage_.constant_values[i]);
  }
}

void Actor::fill() {
  Item& item = any();
  const std::int32_t value = small(random_);
  note("fill on " + item.device());
  item.tensor.fill_(value);
  std::fill(item.values.begin(), item.values.end(), value);
}

void Actor::move() {
  Item& from = any();
  const Device& device = stage_.devices[random_.below(stage_.devices.size())];
  const bool non_blocking = !random_.one_in(3);
  note("to(" + device.name() + (non_blocking ? ", non-blocking" : "") + ") from " + from.device());
  Item result{from.tensor.to(device, {.copy = true, .non_blocking = non_blocking}), from.values};
  count(from.device(), device.name(), bytes_of(from.size()));
  note_foreign(result, from, non_blocking);
  items_.push_back(std::move(result));
}

void Actor::copy_into() {
  Item& to = any();
  Item* const from = partner(to, /*anywhere=*/true);
  if (from == nullptr) return;
  const bool non_blocking = !random_.one_in(3);
  note("copy_from" + std::string(non_blocking ? ", non-blocking, " : " ") + from->device() +
       " to " + to.device());
  to.tensor.copy_from(from->tensor, non_blocking);
  to.values = from->values;
  count(from->device(), to.device(), bytes_of(to.size()));
  note_foreign(to, *from, non_blocking);
}

void Actor::copy_range() {
  Item& to = any();
  Item& from = any();
  if (&to == &from) return;
  const std::size_t size = 1 + random_.below(std::min(to.size(), from.size()));
  const std::size_t to_at = random_.below(to.size() - size + 1);
  const std::size_t from_at = random_.below(from.size() - size + 1);
  const bool non_blocking = !random_.one_in(3);
  note("copy " + std::to_string(size) + (non_blocking ? ", non-blocking, " : " ") + from.device() +
       " to " + to.device());
  copy({to.tensor.buffer(), bytes_of(to_at), bytes_of(size)},
       {from.tensor.buffer(), bytes_of(from_at), bytes_of(size)}, non_blocking);
  std::copy_n(from.values.begin() + extent(from_at), size, to.values.begin() + extent(to_at));
  count(from.device(), to.device(), bytes_of(size));
  note_foreign(to, from, non_blocking);
}

void Actor::change_slice() {
  Item& item = any();
  const std::size_t begin = random_.below(item.size());
  const std::size_t end = begin + 1 + random_.below(item.size() - begin);
  const std::size_t step = 1 + random_.below(3);
  note("slice += 2 on " + item.device());
  item.tensor.slice(0, extent(begin), extent(end), extent(step)) += 2;
  for (std::size_t i = begin; i < end; i += step) {
    item.values[i] = apply(Op::kAdd, item.values[i], 2);
  }
}

/// Every other element, which a kernel packs before they travel.
void Actor::pack() {
  Item& from = any();
  const Device& device = stage_.devices[random_.below(stage_.devices.size())];
  const bool non_blocking = random_.one_in(2);
  note("pack to " + device.name() + (non_blocking ? ", non-blocking" : "") + " from " +
       from.device());
  const Tensor sparse = from.tensor.slice(0, 0, INT64_MAX, 2);
  Item result{sparse.to(device, {.copy = true, .non_blocking = non_blocking}), {}};
  for (std::size_t i = 0; i < from.size(); i += 2) result.values.push_back(from.values[i]);
  count(from.device(), device.name(), bytes_of(result.size()));
  note_foreign(result, from, non_blocking);
  items_.push_back(std::move(result));
}

void Actor::sum_up() {
  Item& item = any();
  note("sum on " + item.device());
  const auto got = sum(item.tensor).item<std::int64_t>();
  count(item.device(), "host", sizeof(std::int64_t));
  const auto expected = std::accumulate(item.values.begin(), item.values.end(), std::int64_t{0});
  if (got == expected) return;
  throw std::runtime_error("sum is " + std::to_string(got) + ", expected " +
                           std::to_string(expected));
}

void Actor::check() {
  const Item& item = any();
  note("to_vector from " + item.device());
  expect_equal("to_vector", item.tensor.to_vector<std::int32_t>(), item.values);
  count(item.device(), "host", bytes_of(item.size()));
}

/// Where the host can address the memory it reads in place, its own memory too.
void Actor::look() {
  Item& item = any();
  if (!item.tensor.buffer().is_host_addressable()) return;
  note("look on " + item.device());
  const std::int32_t* const data = item.tensor.data<std::int32_t>();
  expect_equal("in place", Values(data, data + item.size()), item.values);
  if (!item.lent) return;
  item.tensor.buffer().wait();
  expect_equal("lent memory", *item.lent, item.values);
}

void Actor::wait() {
  Item& item = any();
  switch (random_.below(4)) {
    case 0:
      note("synchronize " + item.device());
      item.tensor.device().synchronize();
      return;
    case 1:
      note("synchronize " + item.device() + ", with a deadline");
      return wait_briefly(item.tensor.device());
    default:
      note("wait for a buffer of " + item.device());
      item.tensor.buffer().wait();
      item.used_by.clear();
      item.is_foreign = false;
  }
}

/// A deadline that passes loses nothing.
void Actor::wait_briefly(const Device& device) {
  const Event event = device.default_stream().record();
  static_cast<void>(event.is_done());
  try {
    device.synchronize(std::chrono::microseconds(1));
    event.wait(std::chrono::nanoseconds(1));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kTimedOut) throw;
  }
}

void Actor::trim() {
  const Device& device = stage_.devices[random_.below(stage_.devices.size())];
  note("trim " + device.name());
  device.trim_memory();
}

/// Launches by hand on a stream of one's own, with the waits that they call for.
void Actor::launch() {
  Item& a = any();
  Item* const b = partner(a, /*anywhere=*/false);
  if (b == nullptr) return;
  const std::size_t device = index_of(a);
  const Stream stream = any_stream(device);
  note("launch on a stream of " + a.device());
  const Tensor constant = stage_.constants[device];
  order(stream, a);
  order(stream, *b);
  const bool with_constant = random_.one_in(2);
  // a = b + a, or a = b + constant.
  stage_.add[device].launch(
      stream, std::array{argument(a.tensor, a.size(), Access::kWrite),
                         argument(b->tensor, a.size(), Access::kRead),
                         argument(with_constant ? constant : a.tensor, a.size(), Access::kRead)});
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::int32_t added = with_constant ? stage_.constant_values[i] : a.values[i];
    a.values[i] = apply(Op::kAdd, b->values[i], added);
  }
  a.used_by.push_back(stream);
  b->used_by.push_back(stream);
}

/// A result goes from stream to stream, by events alone; it has memory of its own.
void Actor::relay() {
  Item& source = any();
  const std::size_t device = index_of(source), size = source.size();
  note("relay on " + source.device());
  Item result{empty({extent(size)}, {DType::i32, stage_.devices[device]}), source.values};
  const Tensor first = source.tensor;
  std::optional<Event> before;
  for (int hop = 0; hop < 3; ++hop) {
    const Stream stream = any_stream(device);
    if (before) {
      stream.wait(*before);
    } else {
      order(stream, source);
      source.used_by.push_back(stream);
    }
    stage_.add[device].launch(
        stream, std::array{argument(result.tensor, size, Access::kWrite),
                           argument(before ? result.tensor : first, size, Access::kRead),
                           argument(stage_.constants[device], size, Access::kRead)});
    before = stream.record();
    result.used_by.push_back(stream);
    for (std::size_t i = 0; i < size; ++i) {
      result.values[i] = apply(Op::kAdd, result.values[i], stage_.constant_values[i]);
    }
  }
  items_.push_back(std::move(result));
}

/// Memory that one stream still writes is given back, and taken for another stream's launch.
void Actor::reuse() {
  Item& source = any();
  const std::size_t device = index_of(source), size = source.size();
  note("reuse on " + source.device());
  const Stream first = any_stream(device), second = any_stream(device);
  order(second, source);
  const Argument constant = argument(stage_.constants[device], size, Access::kRead);
  const auto fresh = [&] { return empty({extent(size)}, {DType::i32, stage_.devices[device]}); };
  {
    const Tensor dropped = fresh();
    stage_.add[device].launch(
        first, std::array{argument(dropped, size, Access::kWrite), constant, constant});
  }
  Item result{fresh(), source.values};
  stage_.add[device].launch(second,
                            std::array{argument(result.tensor, size, Access::kWrite),
                                       argument(source.tensor, size, Access::kRead), constant});
  for (std::size_t i = 0; i < size; ++i) {
    result.values[i] = apply(Op::kAdd, result.values[i], stage_.constant_values[i]);
  }
  source.used_by.push_back(second);
  result.used_by.push_back(second);
  items_.push_back(std::move(result));
}

}  // namespace patchbay::schedules
