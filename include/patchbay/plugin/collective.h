// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* Operations between processes. A library such as MPI or NCCL carries them out; a plugin calls it.
 *
 * Such a plugin's note has the kind PATCHBAY_KIND_COLLECTIVE. Its patchbay_plugin needs `open`,
 * `close` and `get_extension`, and leaves out what is for devices. `get_extension` gives the table
 * below under the name PATCHBAY_EXTENSION_COLLECTIVE, version 1 (since 1.2).
 *
 * Ranks are numbers from 0. Members of a group start the same calls in the same order. Unless
 * stated otherwise, any thread may call an entry, but calls on one group never overlap, except for
 * test, wait, health and abort. No entry blocks longer than its deadline.
 *
 * Once a call of a group has failed, all later ones do, with the same status. The `native_code` of
 * a status is 1 + the rank of the member that is lost or late, where that is why. */
#ifndef PATCHBAY_PLUGIN_COLLECTIVE_H_
#define PATCHBAY_PLUGIN_COLLECTIVE_H_

#include "patchbay/plugin/tables.h"

typedef struct patchbay_group patchbay_group; /* this process's side of a group */
typedef struct patchbay_work patchbay_work;   /* a call that was started */

/* patchbay_collective_kind: what one transfer of a call does. `from` is read and `to` is written;
 * `count` is in elements. */
enum {
  /* The join of all members' `count` elements, to each member. May be in place. */
  PATCHBAY_ALL_REDUCE = 1,
  /* `from` has size() * count elements: the join of part i of all members, to member i. */
  PATCHBAY_REDUCE_SCATTER = 2,
  /* `to` has size() * count elements: part i is member i's `from`, which may be there already. */
  PATCHBAY_ALL_GATHER = 3,
  /* The `count` elements of member `peer`, to the `to` of all others. */
  PATCHBAY_BROADCAST = 4,
  /* Both have size() * count elements: part i of `from` goes to member i, part i of `to` comes
   * from member i. Not in place. */
  PATCHBAY_ALL_TO_ALL = 5,
  PATCHBAY_SEND = 6,    /* `count` elements to member `peer`, which receives as many */
  PATCHBAY_RECEIVE = 7, /* from member `peer` */
  PATCHBAY_BARRIER = 8  /* done when all members have started it */
};

/* patchbay_reduction */
enum { PATCHBAY_SUM = 1, PATCHBAY_MAX = 2, PATCHBAY_MIN = 3 };

/* One operation of a call. Frozen: 64 bytes. */
typedef struct patchbay_transfer {
  uint8_t kind;
  uint8_t dtype;
  uint8_t reduction; /* of all_reduce and reduce_scatter */
  uint8_t reserved0;
  uint32_t peer; /* the root, or the other side of send and receive */
  uint64_t count;
  patchbay_memory from, to; /* on the host: base + offset_bytes is the address */
  uint64_t reserved1, reserved2;
} patchbay_transfer;

/* What a member asks for at once. */
typedef struct patchbay_call {
  uint64_t size; /* of this struct, in bytes */
  const patchbay_transfer* transfers;
  uint32_t num_transfers;
  uint32_t reserved;
  /* What all members ask for, at most 120 bytes: "all_reduce (sum) of f32 [3]". Different texts on
   * two members are an error; an engine that can't compare them does not. */
  patchbay_string text;
  uint64_t deadline_ns;
  /* Of an engine that orders calls on a stream: the vendor's handle, as native_handle gives it. */
  uint64_t native_stream;
} patchbay_call;

/* patchbay_collective_capabilities, bits */
enum {
  /* A call is a position on a stream: `start` queues it, and the memory is the device's. Without
   * this bit the memory is the host's, and a call is done when `test` says so. */
  PATCHBAY_COLLECTIVE_ON_STREAM = 1,
  /* `join` needs the bytes of `make_id` of one member. */
  PATCHBAY_COLLECTIVE_NEEDS_ID = 2,
  /* `health` tells which members are lost or late. */
  PATCHBAY_COLLECTIVE_SEES_LOSS = 4,
  /* `shrink` makes a group of the members that are left. */
  PATCHBAY_COLLECTIVE_SHRINKS = 8
};

typedef struct patchbay_collective_properties {
  uint64_t size;
  uint64_t capabilities;
  uint64_t kinds;      /* a bit for each kind of transfer */
  uint64_t reductions; /* dtypes that it joins itself, a bit for each dtype's number */
  /* What the library's launcher has told this process; a size of 0 if none has started it. */
  uint32_t launched_rank, launched_size;
  patchbay_string library; /* "Open MPI 4.1.4, libmpi.so.40"; valid until close */
  patchbay_string backend; /* whose device memory it takes: "cuda"; empty for host memory */
} patchbay_collective_properties;

typedef struct patchbay_join {
  uint64_t size;
  uint32_t rank, num_members;
  const void* id; /* the bytes that one member's `make_id` gave; null without NEEDS_ID */
  uint64_t id_bytes;
  uint64_t native_device; /* of an engine for device memory, as native_handle gives it */
  uint64_t deadline_ns;
} patchbay_join;

/* patchbay_member_state */
enum {
  PATCHBAY_MEMBER_WELL = 0,
  PATCHBAY_MEMBER_LOST = 1, /* its process ended, was stopped, left, or can't be reached */
  PATCHBAY_MEMBER_LATE = 2  /* it answers, and has not started the call that failed */
};

typedef struct patchbay_member_info {
  uint64_t size;
  uint32_t rank;
  uint32_t state;
  uint64_t num_calls;     /* that it has started, as far as is known */
  patchbay_string reason; /* of a lost member; valid during the call */
} patchbay_member_info;

/* (R) describe, join, leave, start, test, wait, release, abort. */
typedef struct patchbay_collective_table {
  uint64_t size;
  patchbay_status* (*describe)(patchbay_driver*, patchbay_collective_properties*);
  /* With NEEDS_ID: passes bytes that all members give to `join`. */
  patchbay_status* (*make_id)(patchbay_driver*, patchbay_bytes_callback, void* user);
  /* Blocks until all members have come. PATCHBAY_UNSUPPORTED says why no group is possible;
   * PATCHBAY_TIMED_OUT, how many members are missing. */
  patchbay_status* (*join)(patchbay_driver*, const patchbay_join*, patchbay_group**);
  /* A group of some members, in the order given, that has the same engine. All of them call it;
   * `ranks` are of the group. May be called for a group that has failed, by those who are left. */
  patchbay_status* (*split)(patchbay_group*, const uint32_t* ranks, uint32_t num_ranks,
                            uint64_t deadline_ns, patchbay_group**);
  /* Tells the other members the reason, if it can, and ends the handle. Calls of this member that
   * have not ended fail, and their handles stay valid. */
  void (*leave)(patchbay_group*, patchbay_string reason);

  /* Starts a call; it may read and write the memory until `test` says that it is done. */
  patchbay_status* (*start)(patchbay_group*, const patchbay_call*, patchbay_work**);
  /* Sets `done` to 1 once the memory is not used any more, whether the call succeeded or failed.
   * Never blocks. The status is that of the call, which may fail before it is done. */
  patchbay_status* (*test)(patchbay_work*, uint32_t* done);
  /* Returns when the call has succeeded, has failed, or the deadline has passed: after
   * PATCHBAY_TIMED_OUT with the flag RETRYABLE it goes on. */
  patchbay_status* (*wait)(patchbay_work*, uint64_t deadline_ns);
  /* Ends the handle of a call that is done. */
  void (*release)(patchbay_work*);

  /* Fails the calls of this member, now and from now on, and tells the others if it can. */
  void (*abort)(patchbay_group*, patchbay_string reason);
  /* Calls `found` for each member. */
  patchbay_status* (*health)(patchbay_group*,
                             void (*found)(void* user, const patchbay_member_info*), void* user);
  /* With SHRINKS: the group of the members that are left, which all call it. */
  patchbay_status* (*shrink)(patchbay_group*, uint64_t deadline_ns, patchbay_group**);
} patchbay_collective_table;

#endif /* PATCHBAY_PLUGIN_COLLECTIVE_H_ */
