// Role: the tasks of a job's attempt, in chunks that copies of the job share: an event about one
// task of ten thousand copies the chunk that holds it, not the job. Values.
//
//   job.tasks.edit(i).pid = 4711;   // one chunk is copied if a published state still holds it
//
// Invariants: every chunk but the last is full; a chunk that more than one Tasks holds never
// changes. Numbers rise, as the master gives them; where they do not, a look-up walks. Changed by
// libwm/fsm only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/model/reason.h"

namespace wm {

enum class TaskState : std::uint8_t {
  Starting = 0,  ///< ordered, not yet reported as started
  Running = 1,
  Leaving = 2,  ///< asked to leave (elastic shrink); its exit is not the job's exit
  Gone = 3,     ///< its processes are proven gone
  Stuck = 4,    ///< not proven gone kill_grace after SIGKILL: the slot is out of capacity
};

/// One task: a slot on a host, with its GPUs, and the process in it. For an application
/// that starts its command once (batch), the tasks after the first are slots only.
struct Task {
  TaskNumber number;
  HostId host;
  std::vector<std::uint16_t> gpus;  ///< indexes on the host
  TaskState state = TaskState::Starting;
  bool has_process = true;
  bool kill = false;  ///< to be ended by force (reclaim_grace over, hung …)
  std::int32_t pid = 0;
  std::int32_t status = 0;  ///< wait status once gone
  Term term = Term::None;
  WallTime since{};     ///< dispatched
  WallTime leave_by{};  ///< leaving: killed after this
  WallTime ended{};
  bool mem_elsewhere = false;  ///< of memory per host: another task of the job there holds it
  std::uint16_t port = 0;      ///< of its host, for the job's groups to meet; 0: none
  bool moves = false;   ///< its host is drained: it goes on until another has taken its place
  bool serves = false;  ///< a kernel that its service's router says is there
  bool holds_slot() const { return state != TaskState::Gone; }
  bool operator==(const Task&) const = default;
};

/// Reads like a vector of const Task. @thread one writer; copies: any
class Tasks {
 public:
  static constexpr std::size_t kChunk = 64;

  /// Walks them in order; valid until the next change of them. @cost O(1) a step
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = Task;
    using difference_type = std::ptrdiff_t;
    using pointer = const Task*;
    using reference = const Task&;
    Iterator() = default;
    Iterator(const Tasks* of, std::size_t at) : of_(of), at_(at) {}
    reference operator*() const { return (*of_)[at_]; }
    pointer operator->() const { return &(*of_)[at_]; }
    reference operator[](difference_type n) const { return *(*this + n); }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this += -1; }
    Iterator operator++(int) { return std::exchange(*this, *this + 1); }
    Iterator operator--(int) { return std::exchange(*this, *this - 1); }
    Iterator& operator+=(difference_type n) {
      at_ += static_cast<std::size_t>(n);
      return *this;
    }
    Iterator& operator-=(difference_type n) { return *this += -n; }
    friend Iterator operator+(Iterator it, difference_type n) { return it += n; }
    friend Iterator operator+(difference_type n, Iterator it) { return it += n; }
    friend Iterator operator-(Iterator it, difference_type n) { return it -= n; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) {
      return static_cast<difference_type>(a.at_) - static_cast<difference_type>(b.at_);
    }
    bool operator==(const Iterator& o) const { return at_ == o.at_; }
    auto operator<=>(const Iterator& o) const { return at_ <=> o.at_; }

   private:
    const Tasks* of_ = nullptr;
    std::size_t at_ = 0;
  };
  using value_type = Task;
  using const_iterator = Iterator;

  Tasks() = default;
  Tasks(std::initializer_list<Task> tasks) {
    for (const Task& task : tasks) push_back(task);
  }

  std::size_t size() const {
    return chunks_.empty() ? 0 : (chunks_.size() - 1) * kChunk + chunks_.back()->size();
  }
  bool empty() const { return chunks_.empty(); }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }
  const Task& operator[](std::size_t i) const { return (*chunks_[i / kChunk])[i % kChunk]; }
  const Task& front() const { return (*this)[0]; }
  const Task& back() const { return chunks_.back()->back(); }

  /// The position of the task with that number; size(): none. @cost O(log tasks)
  std::size_t position(TaskNumber number) const;

  /// The task to change in place; not its number. Valid until the tasks are copied, added to or
  /// removed. @cost O(kChunk) for a chunk's first change after a copy, else O(1)
  Task& edit(std::size_t i) { return chunks_[i / kChunk].own()[i % kChunk]; }
  /// @cost as edit
  void push_back(Task task);
  void clear() { *this = {}; }
  /// Removes those of which `gone` is true, asked in order. @cost O(tasks)
  template <class Gone>
  void remove_if(Gone gone) {
    Tasks kept;
    for (const Task& task : *this)
      if (!gone(task)) kept.push_back(task);
    *this = std::move(kept);
  }

  bool operator==(const Tasks& o) const;

 private:
  // A chunk and how many hold it: an own count, since the last other holder may let go on another
  // thread, and what that thread has read comes before what is written here.
  class Chunk {
   public:
    Chunk() : held_(new Held) {}
    Chunk(const Chunk& o) noexcept : held_(o.held_) {
      held_->by.fetch_add(1, std::memory_order_relaxed);
    }
    Chunk(Chunk&& o) noexcept : held_(std::exchange(o.held_, nullptr)) {}
    Chunk& operator=(Chunk o) noexcept {
      std::swap(held_, o.held_);
      return *this;
    }
    ~Chunk() {
      if (held_ && held_->by.fetch_sub(1, std::memory_order_acq_rel) == 1) delete held_;
    }
    const std::vector<Task>& operator*() const { return held_->tasks; }
    const std::vector<Task>* operator->() const { return &held_->tasks; }
    bool operator==(const Chunk& o) const {
      return held_ == o.held_ || held_->tasks == o.held_->tasks;
    }
    std::vector<Task>& own() {
      if (held_->by.load(std::memory_order_acquire) != 1) {
        Chunk mine;
        mine.held_->tasks = held_->tasks;
        *this = std::move(mine);
      }
      return held_->tasks;
    }

   private:
    struct Held {
      std::atomic<std::uint32_t> by{1};
      std::vector<Task> tasks;
    };
    Held* held_;
  };

  std::vector<Chunk> chunks_;  // none is empty
  bool rising_ = true;         // their numbers
};

}  // namespace wm
