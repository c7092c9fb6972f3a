// Role: the middle of a router: one thread that owns desk and scale, listens for kernels, passes
// requests in and answers out.
//
//   HTTP threads ──ask()──► loop: RequestQueue ──Batch──► kernels' links
//                 ◄─answer──      │  ◄──Answers──
//                                 └─ Scale ──► wants(n)
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "daemons/wrouter/wishes.h"
#include "libwm/serve/meter.h"
#include "libwm/serve/peers.h"
#include "libwm/serve/request_queue.h"
#include "libwm/serve/scale.h"
#include "libwm/wire/shared_key.h"
#include "libwm/wire/transport.h"

namespace wm::router {

/// What a client is told.
struct Answer {
  int status = 200;
  std::string body;
  int retry_after = 0;  ///< @units s; 0: not said
};

/// How a kernel ended that had not served yet; no words: none has.
struct KernelFailure {
  WallTime at{};
  std::string why;
};

/// Where routers of one service leave word for each other, and kernels for them. @thread the loop's
struct Notes {
  std::uint32_t rank = 0, routers = 1;
  std::function<void(const std::string& note)> leave;
  std::function<std::string(std::uint32_t rank)> read;  ///< empty: there is none
  std::function<KernelFailure()> failed = {};           ///< the newest; null: never any
};

/// See above. ask() and state() are for other threads, everything else for the loop's.
class Router {
 public:
  /// Told how many kernels there should be and which are there: at first, whenever that changes,
  /// and each schedule_interval; `again`: whatever was said before, by whomever.
  using Wants = std::function<void(Wish, bool again)>;

  Router(serve::Profile profile, const wire::SharedKey& key, Wants wants, Notes notes);

  /// Listens for kernels. @errors as wire::Transport::listen
  Result<std::string> listen(const wire::Endpoint& at);
  /// Works until the process ends, or stop().
  void run();
  /// run() returns soon; requests that wait are not answered. @thread any
  void stop() { loop_.stop(); }

  /// Another router is the service's: requests that wait are told to come again, run() returns
  /// once they had a moment to be told. @thread any
  void give_way();

  /// Whether who asked has left; looked at a few times a second.
  using Left = std::function<bool()>;
  /// Passes a request in and waits for its answer. @thread any but the loop's
  /// `group`: of the stream that it is of; 0: none. Once `left` says so, what is not with a kernel
  /// yet goes to none, and the answer is 499.
  Answer ask(std::string body, std::uint64_t group = 0, const Left& left = nullptr);
  /// Works by this profile from now on. @thread as ask
  void adopt(serve::Profile profile);
  /// Takes no more requests, or does again; those that it has are answered. @thread as ask
  void close(bool closed);
  /// What it does, as JSON. @thread as ask
  std::string state();
  /// Its figures of the last `seconds`, as JSON (serve/meter.h). @thread as ask
  std::string series(std::int64_t seconds);

 private:
  struct Guest {
    std::unique_ptr<wire::Link> link;
    bool joined = false;
  };
  using Done = std::function<void(Answer)>;

  void admit(std::unique_ptr<wire::Link> link);
  void take(std::uint64_t guest, const wire::Frame& frame);
  void greet(std::uint64_t guest, const wire::Frame& frame);
  void lose(std::uint64_t guest, const std::string& why);
  void expel_guest(const serve::Expel& expel);
  void obey(serve::QueueActions actions);
  void tick();
  void look(TimePoint now);
  void hear_of_failures();
  void want(std::uint32_t kernels, bool again = false);
  std::vector<TaskNumber> serving() const;
  void wake();
  serve::Load whole(TimePoint time);
  void settle(serve::Reply& reply);
  void forget(std::uint64_t task);
  std::string state_json() const;

  serve::Profile profile_;
  wire::LinkOptions link_options_;
  Wants wants_;
  Notes notes_;
  boost::asio::io_context loop_;
  wire::Transport transport_;
  boost::asio::steady_timer timer_, gives_way_;
  std::unique_ptr<wire::Listener> listener_;
  serve::RequestQueue queue_;
  serve::Scale scale_;
  serve::Meter meter_;
  serve::Peers peers_;
  std::uint64_t turn_ = 0;  // of its notes
  bool decides_ = false;
  std::map<std::uint64_t, Guest> guests_;
  std::unordered_map<std::uint64_t, Done> waiting_;
  std::uint64_t next_guest_ = 1;
  TimePoint next_look_{}, began_{};
  WallTime awaited_{};       // since when a kernel is wanted, or the last one came
  std::uint64_t next_task_;  // unlike those of the other routers
  TimePoint rated_{};
  serve::QueueCounts counted_;  // at rated_
  double requests_per_s_ = 0, bytes_per_s_ = 0;
  std::uint32_t told_ = UINT32_MAX;
};

}  // namespace wm::router
