// Role: how an epoch's NCCL communicator is made, decided alike on all members from what each of
// them says it brings. Values in, a decision out; nccl/nccl_group.cc does it.
//
//   planned resize   Fresh, in the background beside the one in use, which is swapped at a step
//                    boundary. Shrink, Split and Grow want the old communicator idle, so training
//                    would stand while they work: hidden work is better than quick work.
//   after a failure  nobody trains. Survivors of one revoked communicator Shrink it, without a new
//                    rendezvous; in every other case the broken one is aborted and a Fresh made.
//
// Invariant: a communicator is brought once: a Shrink that fails is followed by a Fresh one.
// @source NCCL 2.28, nccl.h: ncclCommRevoke, ncclCommShrink
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wm::groups {

/// What a member has from before: the communicator that was broken, if it can still be shrunk.
struct Bringing {
  std::uint64_t key = 0;  ///< of its epoch (lead and number); 0: brings none
  int rank = -1;          ///< of this member in it
  int world = 0;          ///< its size
  bool operator==(const Bringing&) const = default;
};

/// How all members make the communicator.
struct Making {
  bool shrink = false;        ///< else a fresh one
  std::vector<int> excluded;  ///< @shape ranks of the brought one that are left out, rising
  bool operator==(const Making&) const = default;
};

/// @shape all: by rank in the new epoch   @cost O(world of the brought one)
/// A shrink keeps the order of ranks, so the members must be in that order; and it must leave
/// somebody out: where all are still there a link is broken, which a shrink would keep.
Making choose_making(std::span<const Bringing> all);

/// As it lies in the epoch's store. unpack(pack(x)) is x. @errors empty: not this form
std::string pack(const Bringing& bringing);
std::optional<Bringing> unpack_bringing(std::string_view text);

/// What a program may still hear of a communicator that waits.
enum class Answer : std::uint8_t { Working, Ready, Broken };
/// What to make of the library's answer. @param done the device has finished what was asked
/// @param state as ncclCommGetAsyncError says it: 0 fine, 7 in progress, else an error
Answer answer_of(int state, bool done);

}  // namespace wm::groups
