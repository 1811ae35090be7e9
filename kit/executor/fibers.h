// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* Barriers on one thread: each work-item of a group has a stack, and a barrier switches to the next
 * work-item, from the last one to the first. Follows work_items.h; never included. */
#if PATCHBAY_HAS_BARRIERS

/* Saves the callee-saved registers, stores the stack pointer in *from and switches to `to`. */
extern "C" __attribute__((visibility("hidden"))) void patchbay_switch(void** from, void* to);
/* The first return address of a new stack. */
extern "C" __attribute__((visibility("hidden"))) void patchbay_start();

#if defined(__x86_64__)
asm(R"(.text
.globl patchbay_switch
.hidden patchbay_switch
.type patchbay_switch, @function
patchbay_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.globl patchbay_start
.hidden patchbay_start
.type patchbay_start, @function
patchbay_start:
  movq %rbx, %rdi
  callq *%r12
  ud2
)");
inline void* patchbay_new_stack(char* top, void (*body)(patchbay_group*), patchbay_group* group) {
  void** stack = reinterpret_cast<void**>(top);
  *--stack = nullptr; /* aligns patchbay_start's stack to 16 bytes */
  *--stack = nullptr;
  *--stack = reinterpret_cast<void*>(patchbay_start);
  *--stack = nullptr;                       /* rbp */
  *--stack = group;                         /* rbx */
  *--stack = reinterpret_cast<void*>(body); /* r12 */
  for (int i = 0; i < 3; ++i) *--stack = nullptr;
  return stack;
}
#elif defined(__aarch64__)
asm(R"(.text
.globl patchbay_switch
.hidden patchbay_switch
.type patchbay_switch, %function
patchbay_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.globl patchbay_start
.hidden patchbay_start
.type patchbay_start, %function
patchbay_start:
  mov x0, x19
  blr x20
  brk #0
)");
inline void* patchbay_new_stack(char* top, void (*body)(patchbay_group*), patchbay_group* group) {
  void** stack = reinterpret_cast<void**>(top) - 20;
  for (int i = 0; i < 20; ++i) stack[i] = nullptr;
  stack[0] = group;                                    /* x19 */
  stack[1] = reinterpret_cast<void*>(body);            /* x20 */
  stack[11] = reinterpret_cast<void*>(patchbay_start); /* x30 */
  return stack;
}
#else
#error "kernels with barriers run on x86-64 and arm64 processors"
#endif

/* The work-items of a running group and their stacks. */
struct patchbay_group {
  void* caller = nullptr;
  void** stacks = nullptr; /* of each work-item that is not running */
  i32 size = 0, current = 0, num_done = 0;
  bool in_loop = false, uneven = false, shares_too_much = false;
  char* shared = nullptr; /* memory of the group */
  i64 shared_bytes = 0;
  using slot = i64; /* for a value of any type of the dialect */
  slot slots[2][PATCHBAY_MAX_GROUP_SIZE];
  i32 exchange = 0; /* which slots are in use */

  /* The first work-item of a group begins each exchange. */
  slot* slots_of_exchange() {
    if (current == 0) exchange = 1 - exchange;
    return slots[exchange];
  }
  void go_to(i32 next) {
    void** const from = &stacks[current];
    current = next;
    patchbay_switch(from, stacks[next]);
  }
  void leave() {
    void* abandoned;
    patchbay_switch(&abandoned, caller);
  }
  void wait() {
    if (in_loop) {
      uneven = true;
    } else if (current + 1 < size) {
      go_to(current + 1);
    } else if (num_done != 0) { /* some have finished while others wait */
      uneven = true;
      leave();
    } else if (size > 1) {
      go_to(0);
    }
  }
  /* Called when the running work-item has finished. */
  void finish() {
    ++num_done;
    const bool first_met_no_barrier = current == 0 && size > 1 && started == 1;
    if (first_met_no_barrier || current + 1 == size) {
      uneven = uneven || (!first_met_no_barrier && num_done != size);
      leave();
    }
    go_to(current + 1);
  }
  i32 started = 0; /* number of work-items */
};

inline void patchbay_work_item::patchbay_barrier() {
  asm volatile("" ::: "memory");
  patchbay_of->wait();
  asm volatile("" ::: "memory");
}

/* Not thread-local variables, for which the system ends the process if there is no memory. The
 * first work-item of a group never declares more than there is: it leaves the group instead. */
inline char* patchbay_work_item::patchbay_share(i64 bytes) {
  const i64 at = patchbay_shared_bytes;
  patchbay_shared_bytes += (bytes + 63) / 64 * 64;
  if (patchbay_shared_bytes <= patchbay_of->shared_bytes) return patchbay_of->shared + at;
  patchbay_of->shares_too_much = true;
  patchbay_of->leave();
  return nullptr;
}

/* The work-items of a group run one after the other, so a barrier separates writes from reads. One
 * barrier is enough, because the next exchange uses other slots, and the one after that begins when
 * all have read. */
template <class T>
inline T patchbay_work_item::patchbay_shuffle_down(T value, i32 reach, i32 width) {
  static_assert(sizeof(T) <= sizeof(patchbay_group::slot));
  const i32 me = patchbay_local_id[0] +
                 patchbay_group_size[0] *
                     (patchbay_local_id[1] + patchbay_group_size[1] * patchbay_local_id[2]);
  patchbay_group::slot* const slots = patchbay_of->slots_of_exchange();
  __builtin_memcpy(&slots[me], &value, sizeof(T));
  patchbay_barrier();
  const bool is_there = me % width + reach < width && me + reach < patchbay_of->size;
  if (is_there) __builtin_memcpy(&value, &slots[me + reach], sizeof(T));
  return value;
}

template <class Item, class Body>
struct patchbay_run_of : patchbay_group {
  patchbay_run_of(const Item& like, Body function) : like_(like), body_(function) {}

  static void run_item(patchbay_group* group) {
    auto& self = *static_cast<patchbay_run_of*>(group);
    Item item = self.like_;
    i32 place = self.current;
    for (int axis = 0; axis < 3; ++axis) {
      item.patchbay_local_id[axis] = place % item.patchbay_group_size[axis];
      place /= item.patchbay_group_size[axis];
    }
    ++self.started;
    self.body_(item);
    self.finish();
  }

  const Item like_;
  const Body body_;
};

/* If the first work-item of a group reaches no barrier, the others run as a loop. */
template <class Item, class Body>
inline void patchbay_run_groups(patchbay_launch& launch, Body body) {
  Item like{};
  patchbay_set_group(like, launch, launch.begin);
  const i32 size = launch.group_size[0] * launch.group_size[1] * launch.group_size[2];
  void** const stacks = reinterpret_cast<void**>(launch.stacks);
  char* const lowest = launch.stacks + (size * static_cast<i64>(sizeof(void*)) + 63) / 64 * 64;
  for (i64 index = launch.begin; index < launch.end; ++index) {
    patchbay_set_group(like, launch, index);
    patchbay_run_of<Item, Body> group(like, body);
    const_cast<Item&>(group.like_).patchbay_of = &group;
    group.stacks = stacks;
    group.size = size;
    group.shared = launch.shared;
    group.shared_bytes = launch.shared_bytes;
    for (i32 i = 0; i < size; ++i) {
      stacks[i] = patchbay_new_stack(lowest + (i + 1) * launch.stack_bytes, group.run_item, &group);
    }
    patchbay_switch(&group.caller, stacks[0]);
    if (group.shares_too_much) {
      launch.failure = PATCHBAY_TOO_MUCH_SHARED;
      return;
    }
    if (group.num_done == 1 && size > 1) {
      group.in_loop = true;
      patchbay_loop(group.like_, 1, body);
    }
    if (group.uneven) {
      launch.failure = PATCHBAY_UNEVEN_BARRIER;
      return;
    }
  }
}
#endif
