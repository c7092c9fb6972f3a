#include "daemons/wmasterd/rim/real_env.h"

#include <malloc.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <set>
#include <thread>
#include <utility>

#include "daemons/wmasterd/rim/suggesters.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/conf/groups.h"
#include "libwm/conf/load.h"
#include "libwm/proc/process.h"
#include "libwm/store/core/committer.h"
#include "libwm/wire/spec_signature.h"

namespace wm::master {
namespace {

constexpr Duration kGroupsLimit = std::chrono::seconds(5);

template <class Array>
Array to_array(const std::string& bytes) {
  Array out{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), out.size()), out.begin());
  return out;
}

store::EventRow to_row(const Event& event) {
  return {event.seq, event.time, static_cast<std::uint16_t>(event.body.index() + 1), 1,
          codec::encode(event.body)};
}

store::Batch to_batch(const Commit& commit, WallTime now) {
  store::Batch batch;
  for (const auto& event : commit.events) batch.events.push_back(to_row(event));
  for (const auto& blob : commit.blobs)
    batch.blobs.push_back({to_array<store::Hash>(blob.hash), blob.bytes});
  for (const auto& reply : commit.replies) batch.replies.push_back({reply.key, now, reply.reply});
  return batch;
}

// Where this program lies, and those that belong to it.
std::string own_folder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

// The snapshot, then what it makes unnecessary.
Result<void> write_image(store::CoreDb& db, Seq seq, Image image) {
  WM_TRY(db.write_snapshot({seq, std::exchange(image.bytes, {})}));
  WM_TRY(db.archive_events(seq));
  std::set<store::Hash> keep;
  for (const auto& hash : image.blobs) keep.insert(to_array<store::Hash>(hash));
  WM_TRY(db.drop_blobs(keep, seq));
  return {};
}

// When the disk fills up, and when there is room again; `told`: what was said last.
void tell_space(const store::CoreDb& db, bool& told) {
  if (db.low_space() == told) return;
  told = !told;
  if (told) log::error("store_low_space", {{"so", "submissions are refused until there is room"}});
  else log::info("store_has_space");
}

// `bytes` grows by what they take up in the store.
Result<std::vector<Event>> events_after(store::CoreDb& db, Seq seq, std::uint64_t& bytes) {
  std::vector<Event> events;
  for (Seq from{seq.value + 1};;) {
    auto rows = db.read_events(from);
    if (!rows) return rows.error();
    if (rows->empty()) return events;
    for (const auto& row : *rows) {
      bytes += row.payload.size();
      WM_TRY(EventBody body, codec::decode<EventBody>(row.payload));
      events.push_back({row.seq, row.time, std::move(body)});
    }
    from = Seq{rows->back().seq.value + 1};
  }
}

// Searches that are thought about at a time: as many as there are cores, and never one alone, which
// might keep all others waiting.
std::size_t searches_at_once() { return std::max(2u, std::thread::hardware_concurrency()); }

}  // namespace

struct RealEnv::Loop {
  Loop(boost::asio::io_context& io, const std::string& suggester)
      : io(io),
        urgent(2),
        passes(1),
        answers(2),
        store(2),
        chores(1),
        outside(2),
        proofs(2),
        commands(4),
        suggestions(searches_at_once()),
        suggesters(suggester.empty() ? own_folder() + "/wsuggest" : suggester) {}
  /// `job` in the pool, then `done` on the loop.
  void run(boost::asio::thread_pool& pool, std::function<void()> job, std::function<void()> done);
  using Links = std::map<PeerId, std::unique_ptr<wire::Link>>;
  void hold(const Links& links, const std::set<PeerId>& clients, Bytes limit);

  boost::asio::io_context& io;
  // Named by what must not wait behind the others.
  boost::asio::thread_pool urgent;    // request keys, the files of orders: short reads, no others
  boost::asio::thread_pool passes;    // of the scheduler
  boost::asio::thread_pool answers;   // made of a published state
  boost::asio::thread_pool store;     // accounting and history, read for as long as it takes
  boost::asio::thread_pool chores;    // of the store, one at a time
  boost::asio::thread_pool outside;   // the name service, which may hang
  boost::asio::thread_pool proofs;    // munged, which may hang, too
  boost::asio::thread_pool commands;  // wait for programs that may take long
  boost::asio::thread_pool suggestions;  // wait for the arithmetic of one search each
  Suggesters suggesters;
  std::unique_ptr<store::Committer> committer;
  bool holding = false;  // clients are not read from
};

RealEnv::RealEnv(boost::asio::io_context& loop, RealEnvOptions options)
    : options_(std::move(options)), loop_(std::make_unique<Loop>(loop, options_.suggester)) {}

RealEnv::~RealEnv() { stop(); }

Result<std::unique_ptr<RealEnv>> RealEnv::make(boost::asio::io_context& loop,
                                               RealEnvOptions options) {
  std::unique_ptr<RealEnv> env(new RealEnv(loop, std::move(options)));
  store::CoreOptions core;
  core.dir = env->options_.state_dir;
  core.reserve = env->options_.store_reserve;
  WM_TRY(env->db_, store::CoreDb::open(core));
  env->loop_->committer = std::make_unique<store::Committer>(
      *env->db_, [&loop](std::function<void()> act) { boost::asio::post(loop, std::move(act)); });
  return env;
}

void RealEnv::stop() {
  if (!loop_) return;
  loop_->committer.reset();
  loop_->urgent.join();
  loop_->passes.join();
  loop_->answers.join();
  loop_->store.join();
  loop_->outside.join();
  loop_->proofs.join();
  loop_->chores.join();
  loop_->commands.stop();  // what has not begun never does; one under way ends by its limit
  loop_->commands.join();
  loop_->suggestions.stop();
  loop_->suggestions.join();
  loop_.reset();
}

PeerId RealEnv::adopt(std::unique_ptr<wire::Link> link,
                      std::function<void(PeerId, std::uint16_t, const std::string&)> on_frame,
                      std::function<void(PeerId)> on_left, bool is_client) {
  PeerId id{++last_peer_.value};
  auto* raw = link.get();
  links_[id] = std::move(link);
  if (is_client) clients_.insert(id);
  if (is_client && loop_->holding) raw->read_no_more();
  raw->start([id, on_frame](wire::Frame frame) { on_frame(id, frame.type, frame.payload); },
             [this, id, on_left](const Error& error) {
               log::debug("peer_left", {{"peer", id.value}, {"why", error.text}});
               links_.erase(id);
               clients_.erase(id);
               on_left(id);
             });
  return id;
}

WallTime RealEnv::wall() { return wall_now(); }
TimePoint RealEnv::mono() { return boot_now(); }

void RealEnv::after(Duration delay, std::function<void()> act) {
  if (delay <= Duration{}) return boost::asio::post(loop_->io, std::move(act));
  auto timer = std::make_shared<boost::asio::steady_timer>(loop_->io, delay);
  timer->async_wait([timer, act = std::move(act)](const boost::system::error_code& ec) {
    if (!ec) act();
  });
}

void RealEnv::Loop::run(boost::asio::thread_pool& pool, std::function<void()> job,
                        std::function<void()> done) {
  boost::asio::post(pool, [this, job = std::move(job), done = std::move(done)]() mutable {
    job();
    boost::asio::post(io, std::move(done));
  });
}

void RealEnv::work(std::function<void()> job, std::function<void()> done) {
  loop_->run(loop_->passes, std::move(job), std::move(done));
}

void RealEnv::answer(std::function<void()> job, std::function<void()> done) {
  loop_->run(loop_->answers, std::move(job), std::move(done));
}

void RealEnv::urgent(std::function<void()> job, std::function<void()> done) {
  loop_->run(loop_->urgent, std::move(job), std::move(done));
}

void RealEnv::read_store(std::function<void()> job, std::function<void()> done) {
  loop_->run(loop_->store, std::move(job), std::move(done));
}

std::string RealEnv::random(std::size_t n) { return random_bytes(n); }

void RealEnv::send(PeerId peer, std::uint16_t type, std::string payload) {
  auto it = links_.find(peer);
  if (it == links_.end()) return;
  if (auto sent = it->second->send(type, std::move(payload)); !sent)
    log::warn("send_failed", {{"peer", peer.value}, {"type", type}, {"why", sent.error().text}});
}

std::size_t RealEnv::unsent(PeerId peer) {
  auto it = links_.find(peer);
  return it == links_.end() ? 0 : it->second->outbound_bytes();
}

// Destroyed from the loop's next turn: the call may come from the link's own handler.
void RealEnv::close(PeerId peer) {
  auto it = links_.find(peer);
  if (it == links_.end()) return;
  std::shared_ptr<wire::Link> link = std::move(it->second);
  links_.erase(it);
  clients_.erase(peer);
  link->close();
  boost::asio::post(loop_->io, [link] {});
}

std::uint64_t RealEnv::commit(Commit batch, std::function<void(Result<void>)> done) {
  auto rows = to_batch(batch, wall());
  std::uint64_t bytes = 0;
  for (const auto& event : rows.events) bytes += event.payload.size();
  loop_->committer->submit(std::move(rows),
                           [this, done = std::move(done)](const Result<void>& result) {
                             done(result);
                             if (loop_) loop_->hold(links_, clients_, options_.store_queue);
                             if (db_) tell_space(*db_, low_told_);
                           });
  loop_->hold(links_, clients_, options_.store_queue);
  return bytes;
}

// The store is behind: clients wait in their sockets, not in our memory.
// While more than `limit` bytes wait to become durable, no client is read from.
void RealEnv::Loop::hold(const Links& links, const std::set<PeerId>& clients, Bytes limit) {
  if (!committer) return;
  auto queued = static_cast<std::int64_t>(committer->queued_bytes());
  bool hold = queued > (holding ? limit.value / 2 : limit.value);
  if (hold == holding) return;
  holding = hold;
  log::info(hold ? "clients_held" : "clients_read_again", {{"queued_bytes", queued}});
  for (auto id : clients) {
    auto& link = *links.at(id);
    if (hold) link.read_no_more();
    else link.read_on();
  }
}

void RealEnv::probe_store(std::function<void(Result<void>)> done) {
  loop_->committer->probe(std::move(done));
}

bool RealEnv::low_space() { return db_->low_space(); }

Result<Loaded> RealEnv::load() {
  Loaded loaded;
  WM_TRY(loaded.store, db_->store_id());
  WM_TRY(auto snapshot, db_->latest_snapshot());
  Seq after;
  if (snapshot) {
    loaded.snapshot = std::move(snapshot->bytes);
    after = snapshot->seq;
  }
  WM_TRY(loaded.events, events_after(*db_, after, loaded.bytes));
  return loaded;
}

Result<std::string> RealEnv::blob(const std::string& hash) {
  return db_->blob(to_array<store::Hash>(hash));
}

void RealEnv::kept_reply(std::string key,
                         std::function<void(Result<std::optional<std::string>>)> done) {
  auto found = std::make_shared<Result<std::optional<std::string>>>(std::nullopt);
  urgent([this, found, key = std::move(key)] { *found = db_->reply(key); },
         [found, done = std::move(done)] { done(std::move(*found)); });
}

void RealEnv::name_of(std::uint32_t uid, std::function<void(const std::string&)> done) {
  if (auto known = names_.known(uid, mono())) return done(*known);
  auto name = std::make_shared<std::string>();
  loop_->run(
      loop_->outside, [this, uid, name] { *name = names_.of(uid, mono()); },
      [name, done = std::move(done)] { done(*name); });
}

void RealEnv::keep_snapshot(Seq seq, std::function<Image()> make, std::function<void()> done) {
  loop_->run(
      loop_->chores,
      [this, seq, make = std::move(make)]() mutable {
        auto kept = write_image(*db_, seq, make());
        make = nullptr;  // and with it the state
        if (!kept) log::error("snapshot_failed", {{"seq", seq.value}, {"why", kept.error().text}});
        else log::info("snapshot_kept", {{"seq", seq.value}});
        ::malloc_trim(0);
      },
      std::move(done));
}

void RealEnv::tidy_store(WallTime replies, WallTime history) {
  boost::asio::post(loop_->chores, [this, replies, history] {
    if (auto dropped = db_->drop_replies(replies); !dropped)
      log::warn("replies_not_dropped", {{"why", dropped.error().text}});
    if (auto dropped = db_->drop_history(history); !dropped)
      log::warn("history_not_dropped", {{"why", dropped.error().text}});
    if (!db_->low_space()) return;
    if (auto made = db_->make_reserve(); !made)
      log::warn("reserve_not_made", {{"why", made.error().text}});
  });
}

// A munged that hangs keeps its own workers alone; who waits for it is told.
void RealEnv::verify(std::string credential, std::string payload,
                     std::function<void(Result<Identity>)> done) {
  constexpr Duration kLimit = std::chrono::seconds(10);
  using Done = std::function<void(Result<Identity>)>;
  auto waits = std::make_shared<Done>(std::move(done));
  auto tell = [waits](Result<Identity> who) {
    if (*waits) std::exchange(*waits, nullptr)(std::move(who));
  };
  after(kLimit, [tell] {
    tell(fail(Code::Timeout, "munged has not answered the master for 10 s: is it running?"));
  });
  auto result = std::make_shared<Result<wire::Signed>>(wire::Signed{});
  loop_->run(
      loop_->proofs,
      [this, result, credential = std::move(credential)] {
        *result = options_.credentials->verify_signature(credential);
      },
      [this, result, payload = std::move(payload), tell] {
        if (!*result) return tell(result->error());
        const wire::Signed& found = **result;
        if (!found.uid || !wire::signs(found.payload, payload))
          return tell(fail(Code::Denied, "the credential does not sign this job"));
        name_of(*found.uid,
                [tell, uid = *found.uid, gid = found.gid.value_or(0)](const std::string& name) {
                  tell(Identity{uid, gid, name});
                });
      });
}

void RealEnv::run(std::vector<std::string> words, Duration limit,
                  std::function<void(Result<std::string>)> done) {
  boost::asio::post(loop_->commands,
                    [this, words = std::move(words), limit, done = std::move(done)] {
                      auto said = proc::run_command(words, limit);
                      if (said) said = proc::last_line(*said);
                      boost::asio::post(loop_->io, [done, said] { done(said); });
                    });
}

void RealEnv::suggest(std::string line, Duration limit,
                      std::function<void(Result<std::string>)> done) {
  boost::asio::post(loop_->suggestions,
                    [this, line = std::move(line), limit, done = std::move(done)] {
                      auto answer = loop_->suggesters.ask(line, limit);
                      boost::asio::post(loop_->io, [done, answer] { done(answer); });
                    });
}

std::string RealEnv::hash(const std::string& bytes) {
  auto hash = store::blob_hash(bytes);
  return {hash.begin(), hash.end()};
}

Result<Config> RealEnv::read_config() {
  WM_TRY(auto config, conf::load(options_.conf_dir, conf::this_host()));
  if (config.cluster.scripts.groups.empty()) return config;
  auto told = proc::run_command({"/bin/sh", "-c", config.cluster.scripts.groups}, kGroupsLimit);
  auto added = told ? conf::add_groups(config, *told) : Result<void>(told.error());
  if (added) groups_told_ = std::move(*told);
  else log::warn("groups_command_failed", {{"why", added.error().text}});
  if (!added && !groups_told_.empty()) WM_TRY(conf::add_groups(config, groups_told_));
  return config;
}

}  // namespace wm::master
