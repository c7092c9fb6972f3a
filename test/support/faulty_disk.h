// Role: a disk for SQLite that fails on demand and loses what was not synced, so that tests
// can crash the store at every write. Contents live in memory; locks and shared memory are
// the real ones of empty files of the same names.
//
//   write → seen by readers at once, kept over power_cycle() only when synced; of what was
//   not synced, a part chosen by the seed is kept, in any order (as a disk cache does)
//   a failed sync forgets what it should have written, as Linux does
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace wm::test {

/// @thread any one at a time per file; close all connections before it goes
class FaultyDisk {
 public:
  FaultyDisk();
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  /// The name under which SQLite knows it.
  const std::string& vfs() const { return name_; }
  /// Writes, truncates, syncs and deletes so far.
  int operations() const { return operations_; }

  /// From the n-th operation from now on nothing changes any more and everything fails.
  void crash_at(int n) { crash_at_ = operations_ + n; }
  bool crashed() const { return crash_at_ != 0 && operations_ >= crash_at_; }
  /// The n-th sync from now fails with EIO; its writes are lost.
  void fail_sync(int n) { fail_sync_in_ = n; }
  /// The n-th write from now fails with EIO.
  void fail_write(int n) { fail_write_in_ = n; }
  /// Every write is refused with "disk full" while this real file exists; empty: never.
  void full_while_exists(std::string path) { full_while_ = std::move(path); }
  /// Ends a crash: what was synced is there, and a part of the rest.
  void power_cycle(std::uint32_t seed);
  /// Overwrites stored bytes behind SQLite's back.
  void scribble(const std::string& path, std::size_t offset, const std::string& bytes);

  struct Change {
    std::size_t offset = 0;
    std::string bytes;
    bool truncate = false;
  };
  struct Image {
    std::string current, durable;
    std::vector<Change> pending;
  };
  enum class Refusal { None, Crash, Io, Full };
  // What the file layer asks before each operation.
  Refusal on_write();
  Refusal on_sync();
  Refusal on_change();
  Image& image(const std::string& path) { return images_[path]; }
  Image* find(const std::string& path);
  void forget(const std::string& path) { images_.erase(path); }

 private:
  struct Layer;
  std::string name_;
  std::unique_ptr<Layer> layer_;
  std::map<std::string, Image> images_;
  std::string full_while_;
  int operations_ = 0, crash_at_ = 0, fail_sync_in_ = 0, fail_write_in_ = 0;
};

/// Performs one change on a file's bytes.
void perform(std::string& bytes, const FaultyDisk::Change& change);

}  // namespace wm::test
