#include "daemons/wmasterd/rim/real_world.h"

#include <malloc.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <set>
#include <utility>

#include "daemons/wmasterd/rim/suggester.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/conf/groups.h"
#include "libwm/conf/load.h"
#include "libwm/proc/process.h"
#include "libwm/store/core/committer.h"

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

}  // namespace

struct RealWorld::Loop {
  explicit Loop(boost::asio::io_context& io)
      : io(io),
        work(2),
        answers(2),
        looks(2),
        names(2),
        chores(1),
        commands(4),
        suggester(own_folder() + "/wsuggest") {}
  /// `job` in the pool, then `done` on the loop.
  void run(boost::asio::thread_pool& pool, std::function<void()> job, std::function<void()> done);

  boost::asio::io_context& io;
  boost::asio::thread_pool work, answers, looks;
  boost::asio::thread_pool names;     // wait for the name service
  boost::asio::thread_pool chores;    // the store's third side, one at a time
  boost::asio::thread_pool commands;  // wait for programs that may take long
  boost::asio::thread_pool suggestions{1};
  Suggester suggester;  // used there only
  std::unique_ptr<store::Committer> committer;
};

RealWorld::RealWorld(boost::asio::io_context& loop, RealWorldOptions options)
    : options_(std::move(options)), loop_(std::make_unique<Loop>(loop)) {}

RealWorld::~RealWorld() { stop(); }

Result<std::unique_ptr<RealWorld>> RealWorld::make(boost::asio::io_context& loop,
                                                   RealWorldOptions options) {
  std::unique_ptr<RealWorld> world(new RealWorld(loop, std::move(options)));
  store::CoreOptions core;
  core.dir = world->options_.state_dir;
  core.reserve = world->options_.store_reserve;
  WM_TRY(world->db_, store::CoreDb::open(core));
  world->loop_->committer = std::make_unique<store::Committer>(
      *world->db_, [&loop](std::function<void()> act) { boost::asio::post(loop, std::move(act)); });
  return world;
}

void RealWorld::stop() {
  if (!loop_) return;
  loop_->committer.reset();
  loop_->work.join();
  loop_->answers.join();
  loop_->looks.join();
  loop_->names.join();
  loop_->chores.join();
  loop_->commands.stop();  // what has not begun never does; one under way ends by its limit
  loop_->commands.join();
  loop_->suggestions.stop();
  loop_->suggestions.join();
  loop_.reset();
}

PeerId RealWorld::adopt(std::unique_ptr<wire::Link> link,
                        std::function<void(PeerId, std::uint16_t, const std::string&)> on_frame,
                        std::function<void(PeerId)> on_left, bool is_client) {
  PeerId id{++last_peer_.value};
  auto* raw = link.get();
  links_[id] = std::move(link);
  if (is_client) clients_.insert(id);
  if (is_client && holding_) raw->read_no_more();
  raw->start([id, on_frame](wire::Frame frame) { on_frame(id, frame.type, frame.payload); },
             [this, id, on_left](const Error& error) {
               log::debug("peer_left", {{"peer", id.value}, {"why", error.text}});
               links_.erase(id);
               clients_.erase(id);
               on_left(id);
             });
  return id;
}

WallTime RealWorld::wall() { return wall_now(); }
TimePoint RealWorld::mono() { return boot_now(); }

void RealWorld::after(Duration delay, std::function<void()> act) {
  if (delay <= Duration{}) return boost::asio::post(loop_->io, std::move(act));
  auto timer = std::make_shared<boost::asio::steady_timer>(loop_->io, delay);
  timer->async_wait([timer, act = std::move(act)](const boost::system::error_code& ec) {
    if (!ec) act();
  });
}

void RealWorld::Loop::run(boost::asio::thread_pool& pool, std::function<void()> job,
                          std::function<void()> done) {
  boost::asio::post(pool, [this, job = std::move(job), done = std::move(done)]() mutable {
    job();
    boost::asio::post(io, std::move(done));
  });
}

void RealWorld::work(std::function<void()> job, std::function<void()> done) {
  loop_->run(loop_->work, std::move(job), std::move(done));
}

void RealWorld::answer(std::function<void()> job, std::function<void()> done) {
  loop_->run(loop_->answers, std::move(job), std::move(done));
}

void RealWorld::look(std::function<void()> job, std::function<void()> done) {
  loop_->run(loop_->looks, std::move(job), std::move(done));
}

std::string RealWorld::random(std::size_t n) { return random_bytes(n); }

void RealWorld::send(PeerId peer, std::uint16_t type, std::string payload) {
  auto it = links_.find(peer);
  if (it == links_.end()) return;
  if (auto sent = it->second->send(type, std::move(payload)); !sent)
    log::warn("send_failed", {{"peer", peer.value}, {"type", type}, {"why", sent.error().text}});
}

// Destroyed from the loop's next turn: the call may come from the link's own handler.
void RealWorld::close(PeerId peer) {
  auto it = links_.find(peer);
  if (it == links_.end()) return;
  std::shared_ptr<wire::Link> link = std::move(it->second);
  links_.erase(it);
  clients_.erase(peer);
  link->close();
  boost::asio::post(loop_->io, [link] {});
}

std::uint64_t RealWorld::commit(Commit batch, std::function<void(Result<void>)> done) {
  auto rows = to_batch(batch, wall());
  std::uint64_t bytes = 0;
  for (const auto& event : rows.events) bytes += event.payload.size();
  loop_->committer->submit(std::move(rows),
                           [this, done = std::move(done)](const Result<void>& result) {
                             done(result);
                             hold_clients();
                             if (db_) tell_space(*db_, low_told_);
                           });
  hold_clients();
  return bytes;
}

// The store is behind: clients wait in their sockets, not in our memory.
void RealWorld::hold_clients() {
  if (!loop_ || !loop_->committer) return;
  auto queued = static_cast<std::int64_t>(loop_->committer->queued_bytes());
  auto limit = options_.store_queue.value;
  bool hold = queued > (holding_ ? limit / 2 : limit);
  if (hold == holding_) return;
  holding_ = hold;
  log::info(hold ? "clients_held" : "clients_read_again", {{"queued_bytes", queued}});
  for (auto id : clients_) {
    auto& link = *links_.at(id);
    if (hold) link.read_no_more();
    else link.read_on();
  }
}

void RealWorld::probe_store(std::function<void(Result<void>)> done) {
  loop_->committer->probe(std::move(done));
}

bool RealWorld::low_space() { return db_->low_space(); }

Result<Loaded> RealWorld::load() {
  Loaded loaded;
  WM_TRY(loaded.store, db_->store_id());
  WM_TRY(auto snapshot, db_->latest_snapshot());
  Seq after;
  if (snapshot) {
    loaded.snapshot = std::move(snapshot->bytes);
    after = snapshot->seq;
  }
  WM_TRY(loaded.events, events_after(after, loaded.bytes));
  return loaded;
}

Result<std::vector<Event>> RealWorld::events_after(Seq seq, std::uint64_t& bytes) {
  std::vector<Event> events;
  for (Seq from{seq.value + 1};;) {
    auto rows = db_->read_events(from);
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

Result<std::string> RealWorld::blob(const std::string& hash) {
  return db_->blob(to_array<store::Hash>(hash));
}

void RealWorld::kept_reply(std::string key,
                           std::function<void(Result<std::optional<std::string>>)> done) {
  auto found = std::make_shared<Result<std::optional<std::string>>>(std::nullopt);
  look([this, found, key = std::move(key)] { *found = db_->reply(key); },
       [found, done = std::move(done)] { done(std::move(*found)); });
}

void RealWorld::name_of(std::uint32_t uid, std::function<void(const std::string&)> done) {
  if (auto known = names_.known(uid, mono())) return done(*known);
  auto name = std::make_shared<std::string>();
  loop_->run(
      loop_->names, [this, uid, name] { *name = names_.of(uid, mono()); },
      [name, done = std::move(done)] { done(*name); });
}

void RealWorld::keep_snapshot(Seq seq, std::function<Image()> make, std::function<void()> done) {
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

void RealWorld::tidy_store(WallTime replies, WallTime history) {
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

void RealWorld::verify(std::string credential, std::string payload,
                       std::function<void(Result<Identity>)> done) {
  auto result = std::make_shared<Result<wire::Signed>>(wire::Signed{});
  work(
      [this, result, credential = std::move(credential)] {
        *result = options_.credentials->verify_signature(credential);
      },
      [this, result, payload = std::move(payload), done = std::move(done)] {
        if (!*result) return done(result->error());
        const wire::Signed& found = **result;
        if (!found.uid || found.payload != payload)
          return done(fail(Code::Denied, "the credential does not sign this job"));
        name_of(*found.uid,
                [done, uid = *found.uid, gid = found.gid.value_or(0)](const std::string& name) {
                  done(Identity{uid, gid, name});
                });
      });
}

void RealWorld::run(std::vector<std::string> words, Duration limit,
                    std::function<void(Result<std::string>)> done) {
  boost::asio::post(loop_->commands,
                    [this, words = std::move(words), limit, done = std::move(done)] {
                      auto said = proc::run_command(words, limit);
                      if (said) said = proc::last_line(*said);
                      boost::asio::post(loop_->io, [done, said] { done(said); });
                    });
}

void RealWorld::suggest(std::string line, Duration limit,
                        std::function<void(Result<std::string>)> done) {
  boost::asio::post(loop_->suggestions,
                    [this, line = std::move(line), limit, done = std::move(done)] {
                      auto answer = loop_->suggester.ask(line, limit);
                      boost::asio::post(loop_->io, [done, answer] { done(answer); });
                    });
}

std::string RealWorld::hash(const std::string& bytes) {
  auto hash = store::blob_hash(bytes);
  return {hash.begin(), hash.end()};
}

Result<Config> RealWorld::read_config() {
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
