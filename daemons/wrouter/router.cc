#include "daemons/wrouter/router.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <future>
#include <nlohmann/json.hpp>
#include <utility>

#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "libwm/base/log.h"

namespace wm::router {
namespace {

using namespace std::chrono_literals;
constexpr auto kTick = 100ms;
constexpr auto kBetweenLooks = 250ms;  // at whether who asked is there still
constexpr auto kFarewell = 500ms;      // for answers on their way
constexpr auto kKernelSilence = 3s;    // a kernel is lost once its host has said nothing so long
constexpr std::size_t kLongestFrame = 64 << 20;

wire::LinkOptions options_of(const wire::SharedKey& key) {
  wire::LinkOptions options;
  options.session.role = wire::Role::Agent;
  options.session.method = wire::Method::SharedKey;
  options.session.peers = {{wire::Role::Client, std::nullopt}};
  options.session.frame_limit = kLongestFrame;
  options.credentials = wire::shared_key_credentials(key);
  options.outbound_limit = 256 << 20;
  options.silence = kKernelSilence;
  return options;
}

constexpr std::uint16_t type_of(serve::Word word) { return static_cast<std::uint16_t>(word); }

// Another router that has told nothing for so long is gone.
Duration silence(const serve::Policy& policy) { return 3 * policy.schedule_interval + 2s; }

// 50, 95 and 99 % of each stage since it began.
Json latency_json(const serve::Meter& meter) {
  auto shares = [&](serve::Stage stage) {
    Json list = Json::array();
    for (double q : {0.5, 0.95, 0.99})
      list.push_back(static_cast<double>(meter.all(stage).quantile(q).count()) / 1000);
    return list;
  };
  return {{"queue", shares(serve::Stage::Queue)},
          {"kernel", shares(serve::Stage::Kernel)},
          {"total", shares(serve::Stage::Total)}};
}

}  // namespace

Router::Router(serve::Profile profile, const wire::SharedKey& key, Wants wants, Notes notes)
    : profile_(std::move(profile)),
      link_options_(options_of(key)),
      wants_(std::move(wants)),
      notes_(std::move(notes)),
      transport_(loop_, 1),
      timer_(loop_),
      gives_way_(loop_),
      queue_(profile_.name, profile_),
      scale_(profile_.policy, profile_.connection_timeout),
      peers_(notes_.rank),
      began_(steady_now()),
      next_task_((std::uint64_t{notes_.rank} << 48) + 1),
      rated_(began_) {}

Result<std::string> Router::listen(const wire::Endpoint& at) {
  wire::ListenOptions options;
  options.link = link_options_;
  WM_TRY(listener_,
         transport_.listen(at, std::move(options), [this](auto link) { admit(std::move(link)); }));
  return wire::to_string(listener_->endpoint());
}

void Router::run() {
  peers_.adopt(silence(profile_.policy));
  awaited_ = wall_now() - 1min;  // kernels begin when we do
  if (notes_.rank == 0) want(scale_.wanted());
  tick();
  loop_.run();
}

Answer Router::ask(std::string body, std::uint64_t group, const Left& left) {
  auto promise = std::make_shared<std::promise<Answer>>();
  auto number = std::make_shared<std::uint64_t>(0);  // the loop's
  auto answer = promise->get_future();
  boost::asio::post(loop_, [this, promise, number, body = std::move(body), group]() mutable {
    auto task = *number = next_task_++;
    waiting_.emplace(task, [promise](Answer a) { promise->set_value(std::move(a)); });
    obey(queue_.request(task, std::move(body), steady_now(), group));
    if (scale_.wanted() == 0) wake();
  });
  if (!left) return answer.get();
  while (answer.wait_for(kBetweenLooks) != std::future_status::ready) {
    if (!left()) continue;
    boost::asio::post(loop_, [this, number] { forget(*number); });
    return {499, "", 0};
  }
  return answer.get();
}

// A kernel that has it already answers nobody.
void Router::forget(std::uint64_t task) {
  waiting_.erase(task);
  obey(queue_.forget(task));
}

// They come again, and find the one that is there now.
void Router::give_way() {
  boost::asio::post(loop_, [this] {
    log::warn("router_replaced", {{"waiting", waiting_.size()}});
    queue_.close(true);
    std::vector<std::uint64_t> tasks;
    for (const auto& [task, done] : waiting_) tasks.push_back(task);
    for (auto task : tasks) obey(queue_.forget(task, 503));
    gives_way_.expires_after(kFarewell);
    gives_way_.async_wait([this](const boost::system::error_code&) { loop_.stop(); });
  });
}

std::string Router::state() {
  std::promise<std::string> promise;
  auto text = promise.get_future();
  boost::asio::post(loop_, [this, &promise] { promise.set_value(state_json()); });
  return text.get();
}

void Router::adopt(serve::Profile profile) {
  boost::asio::post(loop_, [this, profile = std::move(profile)]() mutable {
    profile_ = std::move(profile);
    queue_.adopt(profile_);
    scale_.adopt(profile_.policy, profile_.connection_timeout);
    peers_.adopt(silence(profile_.policy));
    log::info("profile_changed", {{"kernel_min", profile_.policy.kernel_min},
                                  {"kernel_max", profile_.policy.kernel_max}});
    look(steady_now());
  });
}

void Router::close(bool closed) {
  std::promise<void> done;
  auto taken = done.get_future();
  boost::asio::post(loop_, [this, &done, closed] {
    queue_.close(closed);
    log::info(closed ? "closed" : "opened", {{"queued", queue_.load(steady_now()).queued}});
    done.set_value();
  });
  taken.get();
}

std::string Router::series(std::int64_t seconds) {
  std::promise<std::string> promise;
  auto text = promise.get_future();
  boost::asio::post(loop_, [this, &promise, seconds] {
    promise.set_value(serve::series_json(meter_, wall_now() - std::chrono::seconds(seconds)));
  });
  return text.get();
}

void Router::admit(std::unique_ptr<wire::Link> link) {
  auto number = next_guest_++;
  Guest& guest = guests_[number];
  guest.link = std::move(link);
  guest.link->start([this, number](wire::Frame frame) { take(number, frame); },
                    [this, number](const Error& why) { lose(number, why.text); });
}

void Router::take(std::uint64_t number, const wire::Frame& frame) {
  if (frame.type == type_of(serve::Word::Hello)) return greet(number, frame);
  auto& guest = guests_.at(number);
  if (guest.joined && frame.type == type_of(serve::Word::Leaving)) {
    queue_.leaving(number);
    (void)guest.link->send(type_of(serve::Word::Leaving), "");
    return;
  }
  auto answers = serve::read_answers(frame.payload);
  if (!guest.joined || frame.type != type_of(serve::Word::Answers) || !answers)
    return lose(number, "it says what is no word");
  obey(queue_.answered(number, std::move(*answers), steady_now()));
}

void Router::greet(std::uint64_t number, const wire::Frame& frame) {
  auto hello = serve::read_hello(frame.payload);
  auto& guest = guests_.at(number);
  if (!hello || guest.joined) return lose(number, "it greets wrongly");
  guest.joined = true;
  log::info("kernel_up", {{"kernel", number}, {"instance", hello->instance}});
  (void)guest.link->send(type_of(serve::Word::Welcome),
                         serve::to_bytes(serve::KernelWelcome{profile_.policy.parallel_size}));
  awaited_ = wall_now();
  obey(queue_.joined(number, *hello, steady_now()));
}

void Router::lose(std::uint64_t number, const std::string& why) {
  auto found = guests_.find(number);
  if (found == guests_.end()) return;
  bool joined = found->second.joined;
  guests_.erase(found);
  if (!joined) return;
  log::info("kernel_gone", {{"kernel", number}, {"why", why}});
  obey(queue_.lost(number, steady_now()));
}

// Its process may hang in what it does: it is told to end, so that it is started anew.
void Router::expel_guest(const serve::Expel& expel) {
  auto guest = guests_.find(expel.kernel);
  if (guest == guests_.end()) return;
  (void)guest->second.link->send(type_of(serve::Word::Leaving), expel.why);
  lose(expel.kernel, expel.why);
}

void Router::settle(serve::Reply& reply) {
  meter_.answered(reply.arrived, reply.handed, steady_now(), reply.status);
  auto waiting = waiting_.find(reply.task);
  if (waiting == waiting_.end()) return;
  auto done = std::move(waiting->second);
  waiting_.erase(waiting);
  done({reply.status, std::move(reply.body), reply.retry_after});
}

void Router::obey(serve::QueueActions actions) {
  for (auto& action : actions) {
    if (auto* hand = std::get_if<serve::Hand>(&action)) {
      auto guest = guests_.find(hand->kernel);  // a lost link tells of itself
      if (guest != guests_.end())
        (void)guest->second.link->send(type_of(serve::Word::Batch), serve::to_bytes(hand->batch));
    } else if (auto* reply = std::get_if<serve::Reply>(&action)) {
      settle(*reply);
    } else if (auto* expel = std::get_if<serve::Expel>(&action)) {
      boost::asio::post(loop_, [this, one = *expel] { expel_guest(one); });
    }
  }
}

void Router::tick() {
  auto time = steady_now();
  obey(queue_.tick(time));
  hear_of_failures();
  if (time >= next_look_) look(time);
  if (time >= meter_.due()) meter_.close(queue_.load(time), scale_.wanted(), time, wall_now());
  timer_.expires_after(kTick);
  timer_.async_wait([this](const boost::system::error_code& ec) {
    if (!ec) tick();
  });
}

// A kernel that ends before it serves will do so again: nobody waits for the next one. What an
// earlier one left counts no more once a kernel was there.
void Router::hear_of_failures() {
  auto load = queue_.load(steady_now());
  if (!notes_.failed || load.kernels > 0 || load.queued == 0) return;
  auto failure = notes_.failed();
  if (!failure.why.empty() && failure.at > awaited_) obey(queue_.kernels_fail(failure.why));
}

void Router::look(TimePoint time) {
  next_look_ = time + profile_.policy.schedule_interval;
  auto passed = std::chrono::duration<double>(time - rated_).count();
  if (passed > 0) {
    const auto& counts = queue_.counts();
    requests_per_s_ = static_cast<double>(counts.arrived - counted_.arrived) / passed;
    bytes_per_s_ = static_cast<double>(counts.bytes - counted_.bytes) / passed;
    counted_ = counts;
    rated_ = time;
  }
  auto kernels = scale_.look(whole(time), time);
  // One that has just begun does not know yet who else is there, the first is asked by all.
  bool knows = notes_.rank == 0 || time - began_ > silence(profile_.policy);
  bool decided = std::exchange(decides_, knows && peers_.decides(time));
  if (decides_) want(kernels, !decided);
}

// What all routers see; what this one sees is told to the others.
serve::Load Router::whole(TimePoint time) {
  auto own = queue_.load(time);
  if (notes_.routers == 1) return own;
  notes_.leave(serve::note_text(own, ++turn_));
  for (std::uint32_t rank = 0; rank < notes_.routers; ++rank)
    if (rank != notes_.rank) peers_.heard(rank, notes_.read(rank), time);
  return peers_.whole(own, time);
}

// At zero kernels the router that has the first request says so, and does not wait for the one that
// decides.
void Router::wake() {
  auto kernels = scale_.wake(queue_.load(steady_now()), steady_now());
  if (kernels == 0) return;
  want(kernels, true);
  (void)whole(steady_now());
}

void Router::want(std::uint32_t kernels, bool again) {
  if (kernels != told_) log::info("kernels_wanted", {{"kernels", kernels}});
  if (told_ == 0 && kernels > 0) awaited_ = wall_now();
  told_ = kernels;
  wants_({kernels, serving()}, again);
}

// Those that leave serve nobody else any more.
std::vector<TaskNumber> Router::serving() const {
  std::vector<TaskNumber> tasks;
  for (const auto& kernel : queue_.kernels())
    if (auto task = serve::task_of(kernel.instance); task && !kernel.leaving)
      tasks.push_back(*task);
  std::sort(tasks.begin(), tasks.end());
  return tasks;
}

std::string Router::state_json() const {
  auto load = queue_.load(steady_now());
  const auto& counts = queue_.counts();
  Json json{{"arrived", counts.arrived},
            {"finished", counts.finished},
            {"failed", counts.failed},
            {"queued", load.queued},
            {"in_flight", load.in_flight},
            {"oldest_ms", load.oldest.count() / 1000},
            {"task_us", load.task_cost.count()},
            {"wanted", scale_.wanted()},
            {"requests_per_s", requests_per_s_},
            {"bytes_per_s", bytes_per_s_},
            {"latency_ms", latency_json(meter_)},
            {"kernels", Json::array()}};
  for (const auto& kernel : queue_.kernels())
    json["kernels"].push_back({{"instance", kernel.instance},
                               {"host", kernel.host},
                               {"running", kernel.running},
                               {"finished", kernel.finished},
                               {"failed", kernel.failed},
                               {"leaving", kernel.leaving}});
  return to_text(json);
}

}  // namespace wm::router
