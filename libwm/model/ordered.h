// Role: an ordered set in leaves that copies share: an index of a million objects that is published
// with every group of events. A change copies the leaf it falls into, once between two freezes.
//
//   Ordered<JobKey> jobs;  jobs.insert({uid, 7});  jobs.each_from({uid, 0}, visit);
//
// Invariants: as Table. Entries rise, leaves are not empty; a leaf never has more than kLeaf.
// @source B+ tree of two levels: Comer, ACM Computing Surveys 11(2), 1979
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace wm {

/// Entries in the order of their <; one that is neither less nor greater is the same. @thread as
/// Table
template <class Entry>
class Ordered {
 public:
  static constexpr std::size_t kLeaf = 512;

  std::size_t size() const { return size_; }

  /// The entry that is the same, or null. @cost O(log entries)
  const Entry* find(const Entry& entry) const {
    auto leaf = leaf_of(entry);
    if (leaf == leaves_.size()) return nullptr;
    const auto& entries = leaves_[leaf]->entries;
    auto at = std::lower_bound(entries.begin(), entries.end(), entry);
    return at != entries.end() && !(entry < *at) ? &*at : nullptr;
  }

  /// Puts it in, or in the place of the one that is the same. @cost O(log entries + kLeaf);
  /// O(leaves) when a leaf is divided
  void insert(Entry entry) {
    if (leaves_.empty()) return begin(std::move(entry));
    auto leaf = std::min(leaf_of(entry), leaves_.size() - 1);
    auto* entries = &writable(leaf);
    if (entries->size() == kLeaf) {
      divide(leaf, entry);
      leaf = leaf_of(entry);
      entries = &writable(std::min(leaf, leaves_.size() - 1));
    }
    auto at = std::lower_bound(entries->begin(), entries->end(), entry);
    bool known = at != entries->end() && !(entry < *at);
    if (known) *at = std::move(entry);
    else entries->insert(at, std::move(entry)), ++size_;
  }

  /// None there is fine. @cost as insert
  void erase(const Entry& entry) {
    if (!find(entry)) return;
    auto leaf = leaf_of(entry);
    auto& entries = writable(leaf);
    entries.erase(std::lower_bound(entries.begin(), entries.end(), entry));
    --size_;
    if (entries.empty()) leaves_.erase(leaves_.begin() + static_cast<std::ptrdiff_t>(leaf));
  }

  /// Visits entries from `first` on, rising, until a visit returns false. Were all visited?
  /// @shape bool visit(const Entry&)   @cost O(log entries + visited)
  template <class Visit>
  bool each_from(const Entry& first, Visit visit) const {
    auto leaf = leaf_of(first);
    for (bool begun = false; leaf < leaves_.size(); ++leaf, begun = true) {
      const auto& entries = leaves_[leaf]->entries;
      auto at = begun ? entries.begin() : std::lower_bound(entries.begin(), entries.end(), first);
      for (; at != entries.end(); ++at)
        if (!visit(*at)) return false;
    }
    return true;
  }

  /// As it is now, for readers. @cost O(leaves)
  Ordered freeze() {
    ++generation_;
    return *this;
  }

 private:
  struct Leaf {
    std::uint64_t generation = 0;
    std::vector<Entry> entries;
  };

  void begin(Entry entry) {
    auto leaf = std::make_shared<Leaf>();
    leaf->generation = generation_;
    leaf->entries.push_back(std::move(entry));
    leaves_.push_back(std::move(leaf));
    size_ = 1;
  }

  // The first leaf that ends at the entry or behind it.
  std::size_t leaf_of(const Entry& entry) const {
    auto at =
        std::lower_bound(leaves_.begin(), leaves_.end(), entry,
                         [](const auto& leaf, const Entry& e) { return leaf->entries.back() < e; });
    return static_cast<std::size_t>(at - leaves_.begin());
  }

  std::vector<Entry>& writable(std::size_t at) {
    auto& leaf = leaves_[at];
    if (leaf->generation != generation_ || leaf.use_count() != 1)
      leaf = std::make_shared<Leaf>(*leaf);
    auto& mine = const_cast<Leaf&>(*leaf);  // made by us since the last freeze: unshared
    mine.generation = generation_;
    return mine.entries;
  }

  // In the middle, or before an entry that comes behind all: what is put in in order fills leaves.
  void divide(std::size_t leaf, const Entry& entry) {
    auto& entries = writable(leaf);
    bool last = leaf + 1 == leaves_.size() && entries.back() < entry;
    auto from = entries.begin() + static_cast<std::ptrdiff_t>(last ? kLeaf - 1 : kLeaf / 2);
    auto next = std::make_shared<Leaf>();
    next->generation = generation_;
    next->entries.assign(from, entries.end());
    entries.erase(from, entries.end());
    leaves_.insert(leaves_.begin() + static_cast<std::ptrdiff_t>(leaf) + 1, std::move(next));
  }

  std::vector<std::shared_ptr<const Leaf>> leaves_;
  std::uint64_t generation_ = 1;
  std::size_t size_ = 0;
};

}  // namespace wm
