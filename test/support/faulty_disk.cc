// Role: see faulty_disk.h: a SQLite VFS over images in memory.
#include "test/support/faulty_disk.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace wm::test {
namespace {

// SQLite allocates szOsFile bytes: ours, then the real file (locks, shared memory).
struct File {
  sqlite3_file base;
  FaultyDisk* disk;
  std::string* path;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  FaultyDisk::Image& image() { return disk->image(*path); }
};
File* ours(sqlite3_file* f) { return reinterpret_cast<File*>(f); }
sqlite3_file* real(sqlite3_file* f) { return ours(f)->real(); }

int code_of(FaultyDisk::Refusal refusal, int io_code) {
  if (refusal == FaultyDisk::Refusal::None) return SQLITE_OK;
  return refusal == FaultyDisk::Refusal::Full ? SQLITE_FULL : io_code;
}

int x_close(sqlite3_file* f) {
  delete ours(f)->path;
  return real(f)->pMethods ? real(f)->pMethods->xClose(real(f)) : SQLITE_OK;
}
int x_read(sqlite3_file* f, void* to, int amount, sqlite3_int64 offset) {
  const auto& bytes = ours(f)->image().current;
  auto at = std::min(static_cast<std::size_t>(offset), bytes.size());
  auto n = std::min(static_cast<std::size_t>(amount), bytes.size() - at);
  std::memcpy(to, bytes.data() + at, n);
  std::memset(static_cast<char*>(to) + n, 0, static_cast<std::size_t>(amount) - n);
  return n == static_cast<std::size_t>(amount) ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}
int change(sqlite3_file* f, FaultyDisk::Change change) {
  auto& image = ours(f)->image();
  perform(image.current, change);
  image.pending.push_back(std::move(change));
  return SQLITE_OK;
}
int x_write(sqlite3_file* f, const void* from, int amount, sqlite3_int64 offset) {
  int refused = code_of(ours(f)->disk->on_write(), SQLITE_IOERR_WRITE);
  if (refused) return refused;
  std::string bytes(static_cast<const char*>(from), static_cast<std::size_t>(amount));
  return change(f, {static_cast<std::size_t>(offset), std::move(bytes), false});
}
int x_truncate(sqlite3_file* f, sqlite3_int64 size) {
  int refused = code_of(ours(f)->disk->on_change(), SQLITE_IOERR_TRUNCATE);
  return refused ? refused : change(f, {static_cast<std::size_t>(size), "", true});
}
int x_sync(sqlite3_file* f, int) {
  auto refused = ours(f)->disk->on_sync();
  auto& image = ours(f)->image();
  if (refused == FaultyDisk::Refusal::None)
    for (const auto& c : image.pending) perform(image.durable, c);
  if (refused != FaultyDisk::Refusal::Crash) image.pending.clear();
  return code_of(refused, SQLITE_IOERR_FSYNC);
}
int x_file_size(sqlite3_file* f, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(ours(f)->image().current.size());
  return SQLITE_OK;
}
int x_lock(sqlite3_file* f, int level) { return real(f)->pMethods->xLock(real(f), level); }
int x_unlock(sqlite3_file* f, int level) { return real(f)->pMethods->xUnlock(real(f), level); }
int x_reserved(sqlite3_file* f, int* out) {
  return real(f)->pMethods->xCheckReservedLock(real(f), out);
}
int x_control(sqlite3_file* f, int op, void* arg) {
  if (op == SQLITE_FCNTL_SIZE_HINT || op == SQLITE_FCNTL_CHUNK_SIZE) return SQLITE_NOTFOUND;
  return real(f)->pMethods->xFileControl(real(f), op, arg);
}
int x_sector(sqlite3_file*) { return 4096; }
int x_device(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }
int x_shm_map(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
  return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
}
int x_shm_lock(sqlite3_file* f, int offset, int n, int flags) {
  return real(f)->pMethods->xShmLock(real(f), offset, n, flags);
}
void x_shm_barrier(sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); }
int x_shm_unmap(sqlite3_file* f, int drop) { return real(f)->pMethods->xShmUnmap(real(f), drop); }

constexpr sqlite3_io_methods kMethods = {
    2,          x_close,       x_read,      x_write,   x_truncate, x_sync,   x_file_size,
    x_lock,     x_unlock,      x_reserved,  x_control, x_sector,   x_device, x_shm_map,
    x_shm_lock, x_shm_barrier, x_shm_unmap, nullptr,   nullptr};

sqlite3_vfs* base() { return sqlite3_vfs_find(nullptr); }
FaultyDisk* disk_of(sqlite3_vfs* vfs) { return static_cast<FaultyDisk*>(vfs->pAppData); }

int x_open(sqlite3_vfs* vfs, const char* name, sqlite3_file* f, int flags, int* out) {
  auto* file = ours(f);
  file->base.pMethods = nullptr;
  if (disk_of(vfs)->crashed()) return SQLITE_CANTOPEN;
  int code = base()->xOpen(base(), name, file->real(), flags, out);
  if (code != SQLITE_OK) return code;
  file->disk = disk_of(vfs);
  file->path = new std::string(name ? name : "unnamed");
  file->image();
  file->base.pMethods = &kMethods;
  return SQLITE_OK;
}
int x_delete(sqlite3_vfs* vfs, const char* name, int sync_dir) {
  int refused = code_of(disk_of(vfs)->on_change(), SQLITE_IOERR_DELETE);
  if (refused) return refused;
  disk_of(vfs)->forget(name);
  return base()->xDelete(base(), name, sync_dir);
}
int x_access(sqlite3_vfs* vfs, const char* name, int flags, int* out) {
  auto* image = disk_of(vfs)->find(name);
  *out = image && (flags != SQLITE_ACCESS_EXISTS || !image->current.empty());
  return SQLITE_OK;
}

}  // namespace

struct FaultyDisk::Layer {
  sqlite3_vfs vfs;
};

void perform(std::string& bytes, const FaultyDisk::Change& change) {
  if (change.truncate) {
    if (bytes.size() > change.offset) bytes.resize(change.offset);
    return;
  }
  if (bytes.size() < change.offset + change.bytes.size())
    bytes.resize(change.offset + change.bytes.size());
  bytes.replace(change.offset, change.bytes.size(), change.bytes);
}

FaultyDisk::FaultyDisk() : layer_(std::make_unique<Layer>()) {
  char name[64];
  std::snprintf(name, sizeof name, "faulty-%p", static_cast<void*>(this));
  name_ = name;
  layer_->vfs = *base();
  auto& vfs = layer_->vfs;
  vfs.szOsFile = static_cast<int>(sizeof(File)) + base()->szOsFile;
  vfs.zName = name_.c_str();
  vfs.pAppData = this;
  vfs.pNext = nullptr;
  vfs.xOpen = x_open;
  vfs.xDelete = x_delete;
  vfs.xAccess = x_access;
  sqlite3_vfs_register(&vfs, 0);
}

FaultyDisk::~FaultyDisk() { sqlite3_vfs_unregister(&layer_->vfs); }

FaultyDisk::Refusal FaultyDisk::on_change() {
  ++operations_;
  return crashed() ? Refusal::Crash : Refusal::None;
}

FaultyDisk::Refusal FaultyDisk::on_write() {
  if (on_change() == Refusal::Crash) return Refusal::Crash;
  if (fail_write_in_ > 0 && --fail_write_in_ == 0) return Refusal::Io;
  bool full = !full_while_.empty() && ::access(full_while_.c_str(), F_OK) == 0;
  return full ? Refusal::Full : Refusal::None;
}

FaultyDisk::Refusal FaultyDisk::on_sync() {
  if (on_change() == Refusal::Crash) return Refusal::Crash;
  return fail_sync_in_ > 0 && --fail_sync_in_ == 0 ? Refusal::Io : Refusal::None;
}

FaultyDisk::Image* FaultyDisk::find(const std::string& path) {
  auto found = images_.find(path);
  return found == images_.end() ? nullptr : &found->second;
}

void FaultyDisk::power_cycle(std::uint32_t seed) {
  std::mt19937 coin(seed);
  for (auto& [path, image] : images_) {
    for (const auto& change : image.pending)
      if (coin() % 2 == 0) perform(image.durable, change);
    image.pending.clear();
    image.current = image.durable;
  }
  crash_at_ = 0;
}

void FaultyDisk::scribble(const std::string& path, std::size_t offset, const std::string& bytes) {
  perform(image(path).current, {offset, bytes, false});
  perform(image(path).durable, {offset, bytes, false});
}

}  // namespace wm::test
