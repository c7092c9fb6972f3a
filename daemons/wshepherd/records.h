// Role: exit records on their way to disk, and only then to wnoded.
//
//   add ──► kept in memory ──one append_exits a turn──► on disk ──► TaskEnded, AttemptEnded said
//                └──── the disk refuses: tried again at the next turn ────┘
#pragma once

#include <deque>

#include "daemons/wshepherd/attempt.h"

namespace wm::shepherd {

/// See the head of this file.
class Records {
 public:
  explicit Records(Attempt& attempt) : attempt_(attempt) {}
  /// `delivers`: of a task, as TaskEnded has it.
  void add(launch::ExitRecord record, bool delivers = false) {
    unwritten_.push_back({std::move(record), delivers});
  }
  bool empty() const { return unwritten_.empty(); }
  /// Makes durable what was added, then says it.
  void write_and_tell();

 private:
  Attempt& attempt_;
  std::deque<launch::TaskEnded> unwritten_;
};

}  // namespace wm::shepherd
