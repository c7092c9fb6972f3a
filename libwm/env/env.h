// Role: everything a daemon's core may ask of the outside, in parts of few methods: time, peers,
// the store, work off the loop, programs, secrets. The core calls nothing else, so the same core
// runs on a real loop (daemons/*/real_env) and on the simulated one (test/support/sim_env).
// Each part of the core is given those that it needs, and no other.
//
// Threads: every call and every callback on the loop thread; `work` runs elsewhere.
// Invariant: a callback never runs inside the call that registered it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/model/event.h"

namespace wm {

/// A connection to somebody, as the core names it; never reused.
using PeerId = Id<struct PeerTag, std::uint64_t>;

/// A script or environment to keep under its hash.
struct Blob {
  std::string hash;  ///< BLAKE2b-256, 32 raw bytes
  std::string bytes;
};
/// The reply to a request, to be given again when the request is repeated.
struct KeptReply {
  std::string key;    ///< 4 bytes of the uid that asked, then the 16 raw bytes that it chose
  std::string reply;  ///< 2 bytes frame type (little-endian), then the payload
};
/// What becomes durable together or not at all.
struct Commit {
  std::vector<Event> events;
  std::vector<Blob> blobs;
  std::vector<KeptReply> replies;
  bool empty() const { return events.empty() && blobs.empty() && replies.empty(); }
};
/// What a start finds: the newest snapshot (empty: none), and every event after it.
struct Loaded {
  std::string store;  ///< its id, as EventStore::store_id
  std::string snapshot;
  std::vector<Event> events;
  std::uint64_t bytes = 0;  ///< of those events
};

/// A state as it is kept, and the blobs that it refers to: all others may be dropped.
struct Image {
  std::string bytes;
  std::vector<std::string> blobs;  ///< hashes
};

/// Time. @thread the loop's
class Clock {
 public:
  virtual ~Clock() = default;
  /// Of the wall, for events.
  virtual WallTime wall() = 0;
  /// Monotonic, and goes on while the machine sleeps: for everything that is measured, and what the
  /// wall clock is compared with.
  virtual TimePoint mono() = 0;
  /// Runs `act` once after `delay`. It cannot be taken back: `act` looks whether it is
  /// still wanted.
  virtual void after(Duration delay, std::function<void()> act) = 0;
};

/// Who is connected: hosts and clients. @thread the loop's
class Peers {
 public:
  virtual ~Peers() = default;
  /// Queues a frame to a peer; to one that is gone it is dropped. Order is kept per peer.
  virtual void send(PeerId peer, std::uint16_t type, std::string payload) = 0;
  /// Bytes that wait to be sent to a peer: beyond a limit of its connection it is given up, so what
  /// is large waits for those before it. 0 of one that is gone. @cost O(1)
  virtual std::size_t unsent(PeerId peer) = 0;
  /// Ends a connection; its closing is not reported back.
  virtual void close(PeerId peer) = 0;
};

/// What is on disk: events, blobs, kept replies, snapshots, the configuration's files.
/// @thread the loop's, except where it says otherwise
class Store {
 public:
  virtual ~Store() = default;
  /// Makes a batch durable, then tells. Batches become durable in the order given. Returns the
  /// bytes of its events.
  /// @errors (to done) Store: nothing of it is durable, nor of any batch after it
  virtual std::uint64_t commit(Commit batch, std::function<void(Result<void>)> done) = 0;
  /// Closes and opens the store again and proves that it works; then `done`.
  virtual void probe_store(std::function<void(Result<void>)> done) = 0;
  /// True while only ends and kills should be written: the disk is full.
  virtual bool low_space() = 0;
  /// Everything that is durable, for a start. @errors Store, Damaged   @cost O(events)
  virtual Result<Loaded> load() = 0;
  /// @errors NotFound: no such blob; Store   @cost one read   @thread any
  virtual Result<std::string> blob(const std::string& hash) = 0;
  /// Looks for the reply kept under a request key, off the loop. @errors (to done) Store
  virtual void kept_reply(std::string key,
                          std::function<void(Result<std::optional<std::string>>)> done) = 0;
  /// Keeps what `make` yields (on a worker) as the snapshot of the state after `seq`, then tells.
  /// The caller waits for that before the next.
  virtual void keep_snapshot(Seq seq, std::function<Image()> make, std::function<void()> done) = 0;
  /// Chores of the store, on a worker: forgets replies, and files of history, older than these,
  /// makes the reserve again when there is room. A time of 0: none of them.
  virtual void tidy_store(WallTime replies, WallTime history) = 0;
  /// A fresh configuration from the files. @errors as libwm/conf: all of them in the text
  virtual Result<Config> read_config() = 0;
};

/// Work off the loop, by what must not wait behind what: each kind has workers of its own in the
/// real env, which a simulated one need not have. @thread the loop's
class Workers {
 public:
  using Job = std::function<void()>;
  virtual ~Workers() = default;
  /// Runs `job`, a pass of the scheduler, on a worker, then `done` on the loop.
  virtual void work(Job job, Job done) = 0;
  /// The same for answers made of a state that is at hand, however many ask.
  virtual void answer(Job job, Job done) { work(std::move(job), std::move(done)); }
  /// The same for what is short and cannot wait: a look for a request key, the files of an order.
  virtual void urgent(Job job, Job done) { work(std::move(job), std::move(done)); }
  /// The same for answers that read accounting, history or other files, for as long as that takes.
  virtual void read_store(Job job, Job done) { work(std::move(job), std::move(done)); }
};

/// Programs beside the daemon. @thread the loop's
class Processes {
 public:
  virtual ~Processes() = default;
  /// Runs a program, found in PATH, with these words on a worker; `done` gets the last line
  /// that it printed. One that outlives `limit` is killed with all it started.
  /// @errors (to done) System: it cannot be started, or ended with another status than 0;
  ///         Timeout
  virtual void run(std::vector<std::string> words, Duration limit,
                   std::function<void(Result<std::string>)> done) = 0;
  /// Asks the suggester of searches: one line of JSON, without its end; `done` gets the answer's.
  /// One question at a time, in order; an answer that takes longer than `limit` never comes.
  /// @errors (to done) System: it does not run; Timeout
  virtual void suggest(std::string line, Duration limit,
                       std::function<void(Result<std::string>)> done) = 0;
};

/// Secrets and signatures. @thread the loop's
class Keys {
 public:
  virtual ~Keys() = default;
  /// Who signed `payload` with `credential`; also an old or already seen one counts.
  /// @errors (to done) Denied: it is not a valid credential over that payload; Timeout: the
  /// identity
  ///         service does not answer
  virtual void verify(std::string credential, std::string payload,
                      std::function<void(Result<Identity>)> done) = 0;
  /// BLAKE2b-256 of some bytes. @cost O(bytes)
  virtual std::string hash(const std::string& bytes) = 0;
  /// n bytes nobody can guess.
  virtual std::string random(std::size_t n) = 0;
};

/// The outside of a core, in parts: who needs one takes that one. A value. @owns nothing
struct Env {
  Clock& clock;
  Peers& peers;
  Store& store;
  Workers& workers;
  Processes& processes;
  Keys& keys;
};

/// All of them in one object: the real env, the simulated one.
class WholeEnv : public Clock,
                 public Peers,
                 public Store,
                 public Workers,
                 public Processes,
                 public Keys {
 public:
  operator Env() { return {*this, *this, *this, *this, *this, *this}; }
};

}  // namespace wm
