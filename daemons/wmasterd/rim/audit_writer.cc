#include "daemons/wmasterd/rim/audit_writer.h"

#include <utility>

#include "libwm/base/log.h"

namespace wm::master {
namespace {

constexpr auto kRetry = std::chrono::seconds(1);
// Acts that wait for a disk: an administrator's script makes thousands, never millions.
constexpr std::size_t kMostWaiting = 100'000;

}  // namespace

Result<std::unique_ptr<AuditWriter>> AuditWriter::open(const std::string& folder, Post post) {
  WM_TRY(auto audit, Audit::open(folder));
  return std::unique_ptr<AuditWriter>(new AuditWriter(std::move(audit), std::move(post)));
}

AuditWriter::AuditWriter(Audit audit, Post post)
    : audit_(std::move(audit)), post_(std::move(post)), thread_([this] { run(); }) {}

AuditWriter::~AuditWriter() {
  *alive_ = false;
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void AuditWriter::keep(AuditEntry entry) {
  ++kept_;
  std::lock_guard lock(mutex_);
  ++queued_;
  if (queue_.size() < kMostWaiting) queue_.push_back(std::move(entry));
  else log::error("audit_lost", {{"act", entry.act}, {"by", entry.by}});
  wake_.notify_one();
}

std::size_t AuditWriter::waiting() const {
  std::lock_guard lock(mutex_);
  return queue_.size();
}

// True: it is on disk, and out of the queue.
bool AuditWriter::write_first() {
  AuditEntry entry;
  {
    std::lock_guard lock(mutex_);
    entry = queue_.front();
  }
  auto done = audit_.append(entry);
  if (!done) log::error("audit_waits", {{"act", entry.act}, {"why", done.error().text}});
  std::lock_guard lock(mutex_);
  if (done) queue_.pop_front();
  return done.has_value();
}

void AuditWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    lock.unlock();
    bool written = write_first();
    lock.lock();
    if (!written && ending_) return;
    if (written && !queue_.empty()) continue;
    post_([this, alive = alive_, upto = queued_] {
      if (*alive) settle(upto);
    });
    if (!written) wake_.wait_for(lock, kRetry, [this] { return ending_; });
  }
}

void AuditWriter::settle(std::uint64_t upto) {
  settled_ = std::max(settled_, upto);
  if (on_settled_) on_settled_();
}

GatedPeers::GatedPeers(Peers& peers, AuditWriter& audit) : peers_(peers), audit_(audit) {
  audit_.on_settled([this] { let_go(); });
}

void GatedPeers::send(PeerId peer, std::uint16_t type, std::string payload) {
  if (is_open()) return peers_.send(peer, type, std::move(payload));
  held_.push_back({audit_.kept(), peer, type, std::move(payload)});
}

std::size_t GatedPeers::unsent(PeerId peer) {
  auto bytes = peers_.unsent(peer);
  for (const auto& held : held_)
    if (held.peer == peer) bytes += held.payload.size();
  return bytes;
}

void GatedPeers::close(PeerId peer) {
  if (is_open()) return peers_.close(peer);
  held_.push_back({audit_.kept(), peer, 0, {}});
}

void GatedPeers::let_go() {
  while (!held_.empty() && held_.front().until <= audit_.settled()) {
    auto held = std::move(held_.front());
    held_.pop_front();
    if (held.type == 0) peers_.close(held.peer);
    else peers_.send(held.peer, held.type, std::move(held.payload));
  }
}

}  // namespace wm::master
