// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/convolution/blocked_convolution.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

namespace patchbay::cpu {
namespace {

using dnnl::LayoutAddress;

constexpr std::size_t kMostPlans = 128;           // that a kernel keeps
constexpr std::int64_t kMostUnits = 8;            // into which gradients of weights are divided
constexpr std::int64_t kLeastUnits = 4;           // for fewer our own loops divide the work better
constexpr std::int64_t kPartialBytes = 32 << 20;  // of all partial gradients of a weight
constexpr std::int64_t kBatchPlaces = 2048;       // windows of a filter before a gradient is added
constexpr std::int64_t kBandPlaces = 4096;        // at most: the library adds them one by one
constexpr std::int64_t kLeastWork = 4 << 20;      // products of a call that pay for the library
// Of so many filters own loops read the images where they lie, and are faster with stride 1.
constexpr std::int64_t kLeastWidth = 8, kMostWidth = 32, kMostWeightWidth = 64;
constexpr std::int64_t kMostSize = 0x7fffffff;  // what the library counts in 32 bits
constexpr std::int64_t kFloatBytes = 4;

/// Strides of a contiguous tensor.
std::vector<std::int64_t> packed(std::span<const std::int64_t> dims) {
  std::vector<std::int64_t> strides(dims.size());
  std::int64_t step = 1;
  for (std::size_t d = dims.size(); d-- > 0; step *= dims[d]) strides[d] = step;
  return strides;
}

/// The gradient of the windows in `rows` rows from `row` of one image: a convolution of the rows of
/// the image that these read, the first of which is `first`. None of them may be in the image.
Convolution band_of(const Convolution& whole, std::int64_t row, std::int64_t rows,
                    std::int64_t& first) {
  Convolution band = whole;
  band.images = 1;
  band.h.windows = rows;
  const std::int64_t from = row * whole.h.stride - whole.h.padding;
  const std::int64_t to =
      from + (rows - 1) * whole.h.stride + whole.h.dilation * (whole.h.kernel - 1) + 1;
  first = std::max<std::int64_t>(from, 0);
  band.h.padding = first - from;
  band.h.extent = std::min(to, whole.h.extent) - first;
  return band;
}

/// The largest divisor of n up to `most`.
std::int64_t divisor_up_to(std::int64_t n, std::int64_t most) {
  std::int64_t found = 1;
  for (std::int64_t d = 2; d <= std::min(n, most); ++d) {
    if (n % d == 0) found = d;
  }
  return found;
}

/// An operand of the primitive: as it lies in the tensor, and as the library wants it.
struct Side {
  OneDnn::Layout plain;
  LayoutAddress blocked = nullptr;
  OneDnn::Primitive reorder;  // empty if both are the same
  std::int64_t blocked_bytes = 0;

  bool moves() const { return static_cast<bool>(reorder); }
  std::int64_t room_bytes() const { return moves() ? whole_lines(blocked_bytes) : 0; }

  /// The elements of a tensor as the library wants them: those of the tensor, or a copy in `room`.
  /// Null if the library fails.
  const void* taken(const OneDnn::Session& session, const void* tensor, void* room,
                    void* scratch) const noexcept {
    if (!moves()) return tensor;
    const bool is_done = session.run(
        reorder, {{dnnl::kSource, plain.get(), tensor}, {dnnl::kResult, blocked, room}}, scratch);
    return is_done ? room : nullptr;
  }
  /// Brings a result back that is not in the tensor yet. Returns false if the library fails.
  bool give_back(const OneDnn::Session& session, const void* made, void* tensor,
                 void* scratch) const noexcept {
    return !moves() ||
           session.run(reorder,
                       {{dnnl::kSource, blocked, made}, {dnnl::kResult, plain.get(), tensor}},
                       scratch);
  }
};

bool same_sizes(const Convolution& a, const Convolution& b) {
  const auto axis = [](const WindowAxis& x, const WindowAxis& y) {
    return x.extent == y.extent && x.windows == y.windows && x.kernel == y.kernel &&
           x.stride == y.stride && x.padding == y.padding && x.dilation == y.dilation;
  };
  return a.images == b.images && a.channels == b.channels && a.filters == b.filters &&
         a.groups == b.groups && axis(a.h, b.h) && axis(a.w, b.w);
}

}  // namespace

/// Made once for the sizes of a convolution.
struct BlockedConvolution::Plan {
  /// `whole`: what lies in the tensors, if `of` is a part of it.
  Plan(const OneDnn& library, ConvolutionPart part, const Convolution& of,
       const Convolution& whole);

  Convolution sizes;
  const std::int64_t number = next_number();  // no other plan has it
  std::int64_t batch = 1;                     // images of a primitive
  std::int64_t units = 0;                     // batches
  OneDnn::Primitive work;
  Side images, weight, windows;
  std::int64_t scratch_bytes = 0;
  bool is_usable = false;

 private:
  static std::int64_t next_number() {
    static std::atomic<std::int64_t> num_plans{0};
    return num_plans.fetch_add(1, std::memory_order_relaxed);
  }
  /// `from_tensor`: whether it is brought to the library or back.
  bool set(Side& side, const OneDnn& library, std::span<const std::int64_t> dims,
           std::span<const std::int64_t> strides, int query, bool from_tensor);
};

bool BlockedConvolution::Plan::set(Side& side, const OneDnn& library,
                                   std::span<const std::int64_t> dims,
                                   std::span<const std::int64_t> strides, int query,
                                   bool from_tensor) {
  side.plain = library.strided(dims, strides);
  side.blocked = work.layout(query);
  if (side.plain == nullptr || side.blocked == nullptr) return false;
  side.blocked_bytes = library.size_bytes(side.blocked);
  if (library.equal(side.plain.get(), side.blocked)) return true;
  side.reorder = from_tensor ? library.reorder(side.plain.get(), side.blocked)
                             : library.reorder(side.blocked, side.plain.get());
  scratch_bytes = std::max(scratch_bytes, side.reorder.scratch_bytes());
  return side.moves();
}

BlockedConvolution::Plan::Plan(const OneDnn& library, ConvolutionPart part, const Convolution& of,
                               const Convolution& whole)
    : sizes(of) {
  const bool of_weight = part == ConvolutionPart::kWeight;
  if (of_weight) {
    const std::int64_t places = std::max<std::int64_t>(of.places(), 1);
    batch = divisor_up_to(of.images,
                          std::min((kBatchPlaces + places - 1) / places, of.images / kLeastUnits));
  }
  units = of.images / batch;
  const bool has_groups = of.groups > 1;
  DnnlConvolution one{};
  one.part = part;
  one.weight_rank = has_groups ? 5 : 4;
  std::copy_n(std::array{batch, of.channels, of.h.extent, of.w.extent}.data(), 4, one.images);
  std::copy_n(std::array{batch, of.filters, of.h.windows, of.w.windows}.data(), 4, one.windows);
  const std::array grouped{of.groups, of.group_filters(), of.group_channels(), of.h.kernel,
                           of.w.kernel};
  std::copy_n(grouped.data() + (has_groups ? 0 : 1), one.weight_rank, one.weight);
  const WindowAxis* const axes[] = {&of.h, &of.w};
  for (int i = 0; i < 2; ++i) {
    const WindowAxis& axis = *axes[i];
    const std::int64_t reach = (axis.windows - 1) * axis.stride + axis.dilation * (axis.kernel - 1);
    one.strides[i] = axis.stride;
    one.dilations[i] = axis.dilation - 1;
    one.before[i] = axis.padding;
    one.after[i] = reach + 1 - axis.extent - axis.padding;
  }
  const OneDnn::Session session(library);
  work = library.convolution(one);
  if (!work) return;
  scratch_bytes = work.scratch_bytes();
  const bool of_input = part == ConvolutionPart::kInput;
  const auto weights = std::span(one.weight).first(static_cast<std::size_t>(one.weight_rank));
  const std::array image_strides{whole.channels * whole.pixels(), whole.pixels(), whole.w.extent,
                                 std::int64_t{1}};
  const std::array window_strides{whole.filters * whole.places(), whole.places(), whole.w.windows,
                                  std::int64_t{1}};
  is_usable =
      set(images, library, one.images, image_strides,
          of_input ? dnnl::kQuerySourceGradient : dnnl::kQuerySource, !of_input) &&
      set(weight, library, weights, packed(weights),
          of_weight ? dnnl::kQueryWeightGradient : dnnl::kQueryWeight, !of_weight) &&
      set(windows, library, one.windows, window_strides,
          part == ConvolutionPart::kForward ? dnnl::kQueryResult : dnnl::kQueryResultGradient,
          part != ConvolutionPart::kForward);
}

/// The rows of docs/performance.md were measured with both.
bool BlockedConvolution::is_faster(const Convolution& sizes) const noexcept {
  const bool is_point = sizes.kernel() == 1;
  const bool is_dense = sizes.h.stride == 1 && sizes.w.stride == 1;
  const std::int64_t work = sizes.images * sizes.filters * sizes.places() * sizes.depth();
  if (work < kLeastWork || sizes.images < kLeastUnits) return false;
  if (is_dense && !is_point) {
    const std::int64_t width =
        part_ == ConvolutionPart::kInput ? sizes.group_channels() : sizes.group_filters();
    const std::int64_t most = part_ == ConvolutionPart::kWeight ? kMostWeightWidth : kMostWidth;
    if (width >= kLeastWidth && width <= most) return false;
  }
  switch (part_) {
    case ConvolutionPart::kForward:
      // Such a kernel multiplies each element a few times only, so that a change of the layout
      // costs more than oneDNN gains.
      return !(is_point && is_dense && sizes.places() >= 1024);
    case ConvolutionPart::kInput: return is_dense || sizes.group_channels() >= 16;
    case ConvolutionPart::kWeight: return !is_point;
  }
  return false;
}

std::shared_ptr<const BlockedConvolution::Plan> BlockedConvolution::plan_for(
    const Convolution& sizes, const Convolution& whole) const {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const KeptPlan& kept) {
      return same_sizes(kept.sizes, sizes) && same_sizes(kept.whole, whole);
    });
    if (found != plans_.end()) {
      plans_.splice(plans_.begin(), plans_, found);
      return found->plan;
    }
  }
  auto plan = std::make_shared<const Plan>(library_, part_, sizes, whole);
  if (!plan->is_usable) plan = nullptr;
  const std::lock_guard lock(mutex_);
  plans_.push_front({sizes, whole, plan});
  if (plans_.size() > kMostPlans) plans_.pop_back();
  return plan;
}

bool BlockedConvolution::compute(const Convolution& sizes, const Operands& in) const {
  for (const std::int64_t size : {sizes.images, sizes.channels, sizes.filters, sizes.h.extent,
                                  sizes.w.extent, sizes.h.windows, sizes.w.windows}) {
    if (size < 1 || size > kMostSize) return false;
  }
  for (const WindowAxis* axis : {&sizes.h, &sizes.w}) {
    for (const std::int64_t size : {axis->kernel, axis->stride, axis->padding, axis->dilation}) {
      if (size > kMostSize) return false;
    }
  }
  // A fault of the library: it writes past the gradient of such a weight if there are few channels.
  const bool is_faulty = part_ == ConvolutionPart::kWeight && sizes.kernel() == 1 &&
                         (sizes.h.stride > 1 || sizes.w.stride > 1);
  if (is_faulty || !(always_ || is_faster(sizes))) return false;
  if (part_ == ConvolutionPart::kWeight && sizes.places() > kBandPlaces) {
    return compute_bands(sizes, in);
  }
  const std::shared_ptr<const Plan> plan = plan_for(sizes, sizes);
  if (plan == nullptr) return false;
  return part_ == ConvolutionPart::kWeight ? compute_weight(*plan, in) : compute_images(*plan, in);
}

/// The weight in the library's layout; null if it is not kept.
PackedCache::Block BlockedConvolution::kept_weight(const Plan& plan, const Operands& in,
                                                   char* scratch) const {
  if (in.weight_contents == 0 || !plan.weight.moves()) return nullptr;
  const PackedCache::Key key{in.weight_contents, in.weight, {-1, plan.number}};
  return kept_.find(key, plan.weight.blocked_bytes, kept_.next_launch(), [&](char* to) {
    const OneDnn::Session session(library_);
    return plan.weight.taken(session, in.weight, to, scratch) != nullptr;
  });
}

/// Forward, and the gradient of the images: a unit is a batch of images.
bool BlockedConvolution::compute_images(const Plan& plan, const Operands& in) const {
  const bool is_forward = part_ == ConvolutionPart::kForward;
  const Side &from = is_forward ? plan.images : plan.windows,
             &to = is_forward ? plan.windows : plan.images;
  const float* const source = is_forward ? in.images : in.windows;
  float* const result = is_forward ? in.windows : in.images;
  const std::int64_t image = plan.batch * plan.sizes.channels * plan.sizes.pixels(),
                     window = plan.batch * plan.sizes.filters * plan.sizes.places();
  const std::int64_t source_step = is_forward ? image : window,
                     result_step = is_forward ? window : image;
  const int source_number = is_forward ? dnnl::kSource : dnnl::kResultGradient,
            result_number = is_forward ? dnnl::kResult : dnnl::kSourceGradient;
  const std::int64_t from_bytes = from.room_bytes(), to_bytes = to.room_bytes();
  const int parts = static_cast<int>(std::min<std::int64_t>(plan.units, workers_.num_threads()));
  const ScratchRooms rooms(scratch_, from_bytes + to_bytes + plan.scratch_bytes, parts);
  const PackedCache::Block kept = kept_weight(plan, in, rooms.of(0));
  const bool is_new = kept == nullptr;
  const ScratchPool::Lease lease =
      scratch_.take(static_cast<std::size_t>(is_new ? plan.weight.room_bytes() : 0));
  const void* weight = kept.get();
  if (is_new) {
    const OneDnn::Session session(library_);
    weight = plan.weight.taken(session, in.weight, lease.data(), rooms.of(0));
  }
  if (weight == nullptr) return false;
  std::atomic<bool> fails{false};
  std::atomic<std::int64_t> next{0};
  workers_.parallel_for(parts, [&](int part) {
    const OneDnn::Session session(library_);
    char* const moved = rooms.of(part);
    char* const made = moved + from_bytes;
    char* const scratch = made + to_bytes;
    for (;;) {
      const std::int64_t unit = next.fetch_add(1, std::memory_order_relaxed);
      if (unit >= plan.units || fails.load(std::memory_order_relaxed)) return;
      float* const out = result + unit * result_step;
      void* const given = to.moves() ? static_cast<void*>(made) : out;
      const void* const taken = from.taken(session, source + unit * source_step, moved, scratch);
      const bool is_done = taken != nullptr &&
                           session.run(plan.work,
                                       {{source_number, from.blocked, taken},
                                        {dnnl::kWeight, plan.weight.blocked, weight},
                                        {result_number, to.blocked, given}},
                                       scratch) &&
                           to.give_back(session, given, out, scratch);
      if (!is_done) fails.store(true, std::memory_order_relaxed);
    }
  });
  return !fails.load();
}

/// A unit adds the gradients of some batches; then the sums of the units are added in order.
bool BlockedConvolution::compute_weight(const Plan& plan, const Operands& in) const {
  const std::int64_t bytes = whole_lines(plan.weight.blocked_bytes), floats = bytes / kFloatBytes,
                     count = plan.weight.blocked_bytes / kFloatBytes;
  const std::int64_t sums =
      std::min({plan.units, kMostUnits, std::max<std::int64_t>(kPartialBytes / bytes, 2)});
  const std::int64_t image_bytes = plan.images.room_bytes(),
                     window_bytes = plan.windows.room_bytes();
  const std::int64_t image = plan.batch * plan.sizes.channels * plan.sizes.pixels(),
                     window = plan.batch * plan.sizes.filters * plan.sizes.places();
  const int parts = static_cast<int>(std::min<std::int64_t>(sums, workers_.num_threads()));
  const ScratchRooms rooms(scratch_, image_bytes + window_bytes + bytes + plan.scratch_bytes,
                           parts);
  const ScratchPool::Lease lease = scratch_.take(static_cast<std::size_t>(sums * bytes));
  std::atomic<bool> fails{false};
  std::atomic<std::int64_t> next{0};
  const auto add = [&](const OneDnn::Session& session, std::int64_t unit, char* room, float* sum,
                       bool is_first) {
    char* const moved_windows = room + image_bytes;
    char* const gradient = moved_windows + window_bytes;
    char* const scratch = gradient + bytes;
    const void* const images = plan.images.taken(session, in.images + unit * image, room, scratch);
    if (images == nullptr) return false;
    const void* const windows =
        plan.windows.taken(session, in.windows + unit * window, moved_windows, scratch);
    if (windows == nullptr) return false;
    float* const to = is_first ? sum : reinterpret_cast<float*>(gradient);
    if (!session.run(plan.work,
                     {{dnnl::kSource, plan.images.blocked, images},
                      {dnnl::kResultGradient, plan.windows.blocked, windows},
                      {dnnl::kWeightGradient, plan.weight.blocked, to}},
                     scratch)) {
      return false;
    }
    if (is_first) return true;
    for (std::int64_t i = 0; i < count; ++i) sum[i] += to[i];
    return true;
  };
  float* const all = reinterpret_cast<float*>(lease.data());
  workers_.parallel_for(parts, [&](int part) {
    const OneDnn::Session session(library_);
    for (;;) {
      const std::int64_t number = next.fetch_add(1, std::memory_order_relaxed);
      if (number >= sums) return;
      const std::int64_t first = number * plan.units / sums,
                         last = (number + 1) * plan.units / sums;
      for (std::int64_t unit = first; unit < last; ++unit) {
        if (!add(session, unit, rooms.of(part), all + number * floats, unit == first)) {
          return fails.store(true, std::memory_order_relaxed);
        }
      }
    }
  });
  if (fails.load()) return false;
  workers_.split(count, 1024, count * kFloatBytes * sums,
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t number = 1; number < sums; ++number) {
                     const float* const other = all + number * floats;
                     for (std::int64_t i = begin; i < end; ++i) all[i] += other[i];
                   }
                 });
  if (!plan.weight.moves()) {
    std::copy_n(all, count, in.weight);
    return true;
  }
  const OneDnn::Session session(library_);
  return plan.weight.give_back(session, all, in.weight, rooms.of(0));
}

/// A weight's gradient whose images are too large for one sum: bands of rows are computed each by
/// itself. A unit adds the gradients of neighbouring bands; then the sums of the units are added.
bool BlockedConvolution::compute_bands(const Convolution& sizes, const Operands& in) const {
  struct Band {
    std::shared_ptr<const Plan> plan;
    std::int64_t image_at, window_at;  // elements from the start of an image
  };
  const std::int64_t rows = kBandPlaces / sizes.w.windows;
  if (rows == 0) return false;
  std::vector<Band> bands;
  std::int64_t image_bytes = 0, window_bytes = 0, blocked_bytes = 0, scratch_bytes = 0;
  for (std::int64_t row = 0; row < sizes.h.windows; row += rows) {
    std::int64_t first = 0;
    const Convolution band = band_of(sizes, row, std::min(rows, sizes.h.windows - row), first);
    if (band.h.extent < 1) continue;  // all of it is padding
    const std::shared_ptr<const Plan> plan = plan_for(band, sizes);
    if (plan == nullptr) return false;
    image_bytes = std::max(image_bytes, plan->images.room_bytes());
    window_bytes = std::max(window_bytes, plan->windows.room_bytes());
    blocked_bytes = std::max(blocked_bytes, whole_lines(plan->weight.blocked_bytes));
    scratch_bytes = std::max(scratch_bytes, plan->scratch_bytes);
    bands.push_back({plan, first * sizes.w.extent, row * sizes.w.windows});
  }
  if (bands.empty()) return false;
  const std::int64_t count = sizes.filters * sizes.depth(),
                     bytes = whole_lines(count * kFloatBytes), floats = bytes / kFloatBytes;
  const auto per_image = static_cast<std::int64_t>(bands.size());
  const std::int64_t jobs = sizes.images * per_image;
  const std::int64_t sums =
      std::min({jobs, kMostUnits, std::max<std::int64_t>(kPartialBytes / bytes, 2)});
  const int parts = static_cast<int>(std::min<std::int64_t>(sums, workers_.num_threads()));
  const ScratchRooms rooms(
      scratch_, image_bytes + window_bytes + blocked_bytes + bytes + scratch_bytes, parts);
  const ScratchPool::Lease lease = scratch_.take(static_cast<std::size_t>(sums * bytes));
  float* const all = reinterpret_cast<float*>(lease.data());
  std::fill_n(all, sums * floats, 0.0F);
  std::atomic<bool> fails{false};
  std::atomic<std::int64_t> next{0};
  const auto add = [&](const OneDnn::Session& session, std::int64_t job, char* room, float* sum) {
    const Band& band = bands[static_cast<std::size_t>(job % per_image)];
    const Plan& plan = *band.plan;
    const std::int64_t number = job / per_image;
    char* const moved_windows = room + image_bytes;
    char* const blocked = moved_windows + window_bytes;
    char* const plain = blocked + blocked_bytes;
    char* const scratch = plain + bytes;
    const void* const images = plan.images.taken(
        session, in.images + number * sizes.channels * sizes.pixels() + band.image_at, room,
        scratch);
    if (images == nullptr) return false;
    const void* const windows = plan.windows.taken(
        session, in.windows + number * sizes.filters * sizes.places() + band.window_at,
        moved_windows, scratch);
    if (windows == nullptr) return false;
    void* const made = plan.weight.moves() ? blocked : plain;
    if (!session.run(plan.work,
                     {{dnnl::kSource, plan.images.blocked, images},
                      {dnnl::kResultGradient, plan.windows.blocked, windows},
                      {dnnl::kWeightGradient, plan.weight.blocked, made}},
                     scratch) ||
        !plan.weight.give_back(session, made, plain, scratch)) {
      return false;
    }
    const float* const gradient = reinterpret_cast<const float*>(plain);
    for (std::int64_t i = 0; i < count; ++i) sum[i] += gradient[i];
    return true;
  };
  workers_.parallel_for(parts, [&](int part) {
    const OneDnn::Session session(library_);
    for (;;) {
      const std::int64_t number = next.fetch_add(1, std::memory_order_relaxed);
      if (number >= sums) return;
      const std::int64_t last = (number + 1) * jobs / sums;
      for (std::int64_t job = number * jobs / sums; job < last; ++job) {
        if (!add(session, job, rooms.of(part), all + number * floats)) {
          return fails.store(true, std::memory_order_relaxed);
        }
      }
    }
  });
  if (fails.load()) return false;
  for (std::int64_t number = 1; number < sums; ++number) {
    for (std::int64_t i = 0; i < count; ++i) all[i] += all[number * floats + i];
  }
  std::copy_n(all, count, in.weight);
  return true;
}

}  // namespace patchbay::cpu
