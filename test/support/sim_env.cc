#include "test/support/sim_env.h"

#include <functional>

#include "test/support/builders.h"

namespace wm::test {

// About what an event takes; encoding each would take simulations' time.
constexpr std::uint64_t kEventBytes = 200;

void SimDisk::append(const Commit& commit) {
  events.insert(events.end(), commit.events.begin(), commit.events.end());
  for (const auto& blob : commit.blobs) blobs.emplace(blob.hash, blob.bytes);
  for (const auto& reply : commit.replies) replies.emplace(reply.key, reply.reply);
}

SimEnv::SimEnv(Sim& sim, SimDisk& disk, Config config)
    : sim_(sim), disk_(disk), config_(std::move(config)) {}

SimEnv::~SimEnv() {
  *alive_ = false;
  auto peers = std::move(peers_);
  for (auto& [id, line] : peers) line.peer->on_closed();
}

void SimEnv::called() {
  ++calls_;
  if (on_call) on_call(calls_);
}

void SimEnv::later(Duration delay, std::function<void()> act) {
  sim_.after(delay, [this, alive = alive_, act = std::move(act)]() mutable {
    if (*alive) when_running(std::move(act));
  });
}

void SimEnv::when_running(std::function<void()> act) {
  if (sim_.now() >= stalled_until_) return act();
  sim_.after(stalled_until_ - sim_.now(), [alive = alive_, act = std::move(act)] {
    if (*alive) act();
  });
}

PeerId SimEnv::connect(SimPeer& peer) {
  PeerId id{++last_peer_.value};
  peers_[id] = {&peer, sim_.now()};
  return id;
}

void SimEnv::cut(PeerId peer) {
  auto it = peers_.find(peer);
  if (it == peers_.end()) return;
  auto* other = it->second.peer;
  peers_.erase(it);
  other->on_closed();
}

WallTime SimEnv::wall() {
  return test::at(0) + sim_.now() + disk_.clock_set + (walked_ += wall_step);
}
TimePoint SimEnv::mono() { return TimePoint(sim_.now() + walked_); }

void SimEnv::after(Duration delay, std::function<void()> act) {
  called();
  later(delay, std::move(act));
}

void SimEnv::work(std::function<void()> job, std::function<void()> done) {
  called();
  later(sim_.between(0, 3), [this, job = std::move(job), done = std::move(done)]() mutable {
    job();
    later(sim_.between(0, 3), std::move(done));
  });
}

std::string SimEnv::random(std::size_t n) {
  std::string bytes(n, '\0');
  for (auto& c : bytes) c = static_cast<char>(sim_.pick(256));
  return bytes;
}

void SimEnv::send(PeerId peer, std::uint16_t type, std::string payload) {
  called();
  auto it = peers_.find(peer);
  if (it == peers_.end()) return;
  it->second.last = std::max(it->second.last, sim_.now() + sim_.between(0, 5));
  later(it->second.last - sim_.now(), [this, peer, type, payload = std::move(payload)] {
    auto line = peers_.find(peer);
    if (line != peers_.end()) line->second.peer->on_frame(type, payload);
  });
}

void SimEnv::close(PeerId peer) {
  called();
  later(Duration{}, [this, peer] { cut(peer); });
}

std::uint64_t SimEnv::commit(Commit batch, std::function<void(Result<void>)> done) {
  called();
  const auto bytes = batch.events.size() * kEventBytes;
  last_commit_ = std::max(last_commit_, sim_.now() + sim_.between(0, 8));
  // The disk has it at some instant before we hear of it; a crash between leaves it there.
  // By then this life may be over, and this object gone.
  auto& sim = sim_;
  auto& disk = disk_;
  sim_.after(
      last_commit_ - sim_.now(), [this, &sim, &disk, alive = alive_, batch = std::move(batch),
                                  done = std::move(done)]() mutable {
        bool ours = *alive;
        if (!ours && !sim.once_in(2)) return;
        if (!ours && (disk.events.empty() ? 0 : disk.events.back().seq.value) + 1 !=
                         (batch.events.empty() ? 0 : batch.events.front().seq.value))
          return;  // the next life has written meanwhile: the old one's write never got through
        if (ours && (disk.failing || broken_)) {
          broken_ = true;
          return later(Duration(1), [done] { done(fail(Code::Store, "injected fault")); });
        }
        disk.append(batch);
        if (ours) later(sim.between(0, 2), [done] { done({}); });
      });
  return bytes;
}

void SimEnv::probe_store(std::function<void(Result<void>)> done) {
  called();
  later(sim_.between(1, 5), [this, done = std::move(done)] {
    if (disk_.failing) return done(fail(Code::Store, "injected fault"));
    broken_ = false;
    done({});
  });
}

Result<Loaded> SimEnv::load() {
  Loaded loaded{"00000000000000aa", disk_.snapshot, {}};
  for (const auto& event : disk_.events)
    if (event.seq > disk_.snapshot_seq) loaded.events.push_back(event);
  return loaded;
}

Result<std::string> SimEnv::blob(const std::string& hash) {
  auto it = disk_.blobs.find(hash);
  if (it == disk_.blobs.end()) return fail(Code::NotFound, "no such blob");
  return it->second;
}

void SimEnv::kept_reply(std::string key,
                        std::function<void(Result<std::optional<std::string>>)> done) {
  auto found = std::make_shared<std::optional<std::string>>();
  urgent(
      [this, found, key = std::move(key)] {
        auto it = disk_.replies.find(key);
        if (it != disk_.replies.end()) *found = it->second;
      },
      [found, done = std::move(done)] { done(std::move(*found)); });
}

void SimEnv::keep_snapshot(Seq seq, std::function<Image()> make, std::function<void()> done) {
  called();
  ++snapshots_under_way;
  later(sim_.between(1, 20), [this, seq, make = std::move(make), done = std::move(done)]() mutable {
    disk_.snapshot = make().bytes;
    disk_.snapshot_seq = seq;
    --snapshots_under_way;
    later(sim_.between(0, 2), std::move(done));
  });
}

void SimEnv::verify(std::string credential, std::string,
                    std::function<void(Result<Identity>)> done) {
  called();
  auto uid = static_cast<std::uint32_t>(std::stoul(credential));
  later(sim_.between(0, 2), [uid, done = std::move(done)] {
    done(Identity{uid, uid, "u" + std::to_string(uid)});
  });
}

void SimEnv::run(std::vector<std::string> words, Duration limit,
                 std::function<void(Result<std::string>)> done) {
  called();
  auto took = std::min<Duration>(limit, sim_.between(1, 2000));
  later(took, [this, words = std::move(words), done = std::move(done)] {
    done(on_command ? on_command(words) : fail(Code::System, "no such command"));
  });
}

void SimEnv::suggest(std::string line, Duration limit,
                     std::function<void(Result<std::string>)> done) {
  called();
  auto took = std::min<Duration>(limit, sim_.between(1, 20));
  later(took, [this, line = std::move(line), done = std::move(done)] {
    done(on_suggest ? on_suggest(line) : fail(Code::System, "no suggester"));
  });
}

std::string SimEnv::hash(const std::string& bytes) {
  auto h = std::to_string(std::hash<std::string>()(bytes));
  h.resize(32, '.');
  return h;
}

}  // namespace wm::test
