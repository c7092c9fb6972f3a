// Role: the container of the published state: objects by dense number in chunks of 256.
// Copying a Table copies one pointer a chunk, so a query or a scheduling pass keeps the
// whole state of an instant for the price of a pointer. The one writer copies a chunk, and an
// object, at its first change between two freezes; from then on it is edited in place.
//
//   Table<Job> t;  t.set(7, job);  auto published = t.freeze();  t.edit(7).state = …;
//
// Invariants: a frozen copy never changes; numbers start at 1. Used by model/cluster.h.
// @source persistent array with path copying: Driscoll et al., JCSS 38(1), 1989
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <vector>

#include "libwm/base/result.h"

namespace wm {

/// Objects of type T by number. @thread one writer; frozen copies: any
template <class T>
class Table {
 public:
  static constexpr std::uint32_t kChunk = 256;

  /// The object, or null. @cost O(1)   @owns valid until this table's next set or edit of it
  const T* find(std::uint64_t number) const {
    auto* chunk = chunk_of(number);
    return chunk ? chunk->slots[number % kChunk].get() : nullptr;
  }

  /// Places or replaces an object. @cost O(1); O(256) for a chunk's first change after freeze
  void set(std::uint64_t number, T value) {
    auto& chunk = writable(number);
    chunk.slots[number % kChunk] = std::make_shared<T>(std::move(value));
    chunk.fresh.set(number % kChunk);
    if (number > last_) last_ = number;
  }

  /// The object to change in place; it must exist. @cost as set; a copy of the object at its first
  /// change after freeze
  T& edit(std::uint64_t number) {
    auto& chunk = writable(number);
    auto& slot = chunk.slots[number % kChunk];
    WM_CHECK(slot != nullptr);
    // A fresh one no reader has; but a plain copy of this table may.
    if (!chunk.fresh.test(number % kChunk) || slot.use_count() != 1) {
      slot = std::make_shared<T>(*slot);
      chunk.fresh.set(number % kChunk);
    }
    return const_cast<T&>(*slot);
  }

  /// Removes an object; none there is fine. A chunk left empty is dropped, so that a
  /// table does not grow for ever when its old objects are purged. @cost as set
  void erase(std::uint64_t number) {
    if (!find(number)) return;
    auto& chunk = writable(number);
    chunk.slots[number % kChunk] = nullptr;
    for (const auto& slot : chunk.slots)
      if (slot) return;
    chunks_[number / kChunk - first_] = nullptr;
    trim();
  }

  /// The table as it is now, for readers; later changes here do not show in it.
  /// @cost O(chunks)
  Table freeze() {
    ++generation_;
    return *this;
  }

  /// Highest number ever set, 0 = none.
  std::uint64_t last() const { return last_; }

  /// Visits (number, object) in rising order. @cost O(objects + chunks)
  template <class Visit>
  void each(Visit visit) const {
    each_from(first_ * kChunk, [&](std::uint64_t number, const T& value) {
      visit(number, value);
      return true;
    });
  }

  /// The same from `number` on, until a visit returns false. Were all visited?
  /// @shape bool visit(std::uint64_t, const T&)
  /// @cost O(objects + chunks) from there on
  template <class Visit>
  bool each_from(std::uint64_t number, Visit visit) const {
    auto begin = number / kChunk;
    for (std::uint64_t c = begin > first_ ? begin - first_ : 0; c < chunks_.size(); ++c) {
      if (!chunks_[c]) continue;
      for (std::uint64_t i = first_ + c == begin ? number % kChunk : 0; i < kChunk; ++i)
        if (const auto& slot = chunks_[c]->slots[i])
          if (!visit((first_ + c) * kChunk + i, *slot)) return false;
    }
    return true;
  }

 private:
  struct Chunk {
    std::uint64_t generation = 0;
    std::bitset<kChunk> fresh;  // made since that generation began
    std::array<std::shared_ptr<const T>, kChunk> slots;
  };

  const Chunk* chunk_of(std::uint64_t number) const {
    auto c = number / kChunk;
    return c >= first_ && c - first_ < chunks_.size() ? chunks_[c - first_].get() : nullptr;
  }

  Chunk& writable(std::uint64_t number) {
    auto c = number / kChunk;
    if (chunks_.empty()) first_ = c;
    if (c < first_) {
      chunks_.insert(chunks_.begin(), first_ - c, nullptr);
      first_ = c;
    }
    if (c - first_ >= chunks_.size()) chunks_.resize(c - first_ + 1);
    auto& chunk = chunks_[c - first_];
    if (!chunk) chunk = std::make_shared<Chunk>();
    else if (chunk->generation != generation_ || chunk.use_count() != 1)
      chunk = std::make_shared<Chunk>(*chunk);
    auto& mine = const_cast<Chunk&>(*chunk);  // made by us since the last freeze: unshared
    if (mine.generation != generation_) mine.fresh.reset();
    mine.generation = generation_;
    return mine;
  }

  // Drops empty chunks at the front once they are many.
  void trim() {
    std::uint64_t empty = 0;
    while (empty < chunks_.size() && !chunks_[empty]) ++empty;
    if (empty < 64 && empty < chunks_.size()) return;
    chunks_.erase(chunks_.begin(), chunks_.begin() + empty);
    first_ += empty;
  }

  std::vector<std::shared_ptr<const Chunk>> chunks_;  // of numbers from first_ * kChunk
  std::uint64_t first_ = 0;
  std::uint64_t generation_ = 1;
  std::uint64_t last_ = 0;
};

}  // namespace wm
