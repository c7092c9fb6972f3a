#include "libwm/trainer/groups/membership.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace wm::groups {

struct Membership::Connecting {
  Plan plan;
  std::atomic<bool> cancelled{false};
};

struct Membership::State {
  std::mutex lock;
  std::condition_variable changed;
  wm_trainer* link = nullptr;  // null once the Membership has ended
  std::uint32_t task = 0;
  std::shared_ptr<Backend> backend;
  std::optional<Pending> pending;
  std::shared_ptr<Connecting> connecting;
  std::shared_ptr<Group> current;  // in use by the training thread: here for aborting it
  std::uint32_t broken = 0, withdrawn = 0, answered = 0;
  bool leave = false, stand = false, checkpoint = false;
  bool has_key = false;
  int threads = 0;  // in the background

  void cancel_connecting() {
    if (connecting) connecting->cancelled = true;
    connecting = nullptr;
  }
};

namespace {

constexpr int kKeyMs = 10'000;  // for the agent to come up and give the job's key

Plan plan_of(const wm_event& event, std::uint32_t task) {
  const auto* end = event.members + event.member_count;
  const auto* own = std::find(event.members, end, task);
  return {.epoch = event.epoch,
          .lead = event.lead,
          .survivors = event.survivors,
          .rank = own == end ? -1 : static_cast<int>(own - event.members),
          .world = static_cast<int>(event.member_count),
          .rendezvous = event.rendezvous,
          .reason = event.reason};
}

}  // namespace

Membership::Membership(wm_trainer* link, std::uint32_t task, std::shared_ptr<Backend> backend,
                       std::shared_ptr<Group> world)
    : state_(std::make_shared<State>()) {
  state_->link = link;
  state_->task = task;
  state_->backend = std::move(backend);
  if (!state_->backend) {
    if (!world) world = std::make_shared<Solo>(Plan{});
    state_->pending = Pending{world->plan, world};
    return;
  }
  state_->has_key = pass_key(*state_, kKeyMs);
  hearing_ = std::thread([link, state = state_] {
    for (wm_event event{}; wm_trainer_wait(link, -1, &event) == 0 && event.kind != WM_EVENT_CLOSED;)
      hear(*state, event, state);
  });
  wm_trainer_ready(link, state_->backend->rendezvous().c_str());
}

bool Membership::pass_key(State& state, int limit_ms) {
  std::string key(32, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(key.data());
  if (wm_trainer_key(state.link, limit_ms, bytes) != 0) return false;
  state.backend->use_key(key);
  return true;
}

Membership::~Membership() {
  {
    std::lock_guard hold(state_->lock);
    state_->cancel_connecting();
  }
  wm_trainer_stop(state_->link);
  if (hearing_.joinable()) hearing_.join();
  std::unique_lock hold(state_->lock);
  state_->changed.wait_for(hold, kLeaveLimit + std::chrono::seconds(1),
                           [this] { return state_->threads == 0; });
  state_->link = nullptr;
}

std::uint32_t Membership::ready_epoch() {
  std::lock_guard hold(state_->lock);
  return state_->pending && !state_->pending->withdrawn ? state_->pending->plan.epoch : 0;
}

std::optional<Pending> Membership::take(std::uint32_t epoch) {
  std::lock_guard hold(state_->lock);
  if (!state_->pending || state_->pending->plan.epoch != epoch) return std::nullopt;
  auto taken = std::exchange(state_->pending, std::nullopt);
  if (taken->group) {
    taken->group->joined = true;  // decided: no withdrawal stops it any more
    state_->current = taken->group;
  }
  return taken;
}

void Membership::drop_withdrawn() {
  std::optional<Pending> dropped;  // closed after the lock
  std::lock_guard hold(state_->lock);
  if (state_->pending && state_->pending->withdrawn) dropped.swap(state_->pending);
}

Heard Membership::next(std::chrono::milliseconds limit) {
  std::unique_lock hold(state_->lock);
  state_->changed.wait_for(hold, limit, [this] {
    return state_->leave || state_->broken > state_->answered || state_->pending;
  });
  if (state_->leave) return {.left = true};
  if (state_->broken > state_->answered) return {.broken = state_->answered = state_->broken};
  auto found = std::exchange(state_->pending, std::nullopt);
  if (!found || !found->group || found->withdrawn) return {};
  state_->current = found->group;
  return {.group = std::move(found->group)};
}

bool Membership::left() {
  std::lock_guard hold(state_->lock);
  return state_->leave;
}

bool Membership::stands(std::chrono::milliseconds limit) {
  std::unique_lock hold(state_->lock);
  auto over = [this] {
    return !state_->stand || state_->leave || (state_->current && state_->current->dead());
  };
  return !state_->changed.wait_for(hold, limit, over);
}

void Membership::forget_current() {
  std::shared_ptr<Group> current;
  std::optional<Pending> behind;
  {
    std::lock_guard hold(state_->lock);
    current.swap(state_->current);
    behind.swap(state_->pending);
    state_->cancel_connecting();
  }
  if (current) current->abort();
  if (behind && behind->group) behind->group->abort();
}

void Membership::retire(std::shared_ptr<Group> group) {
  std::lock_guard hold(state_->lock);
  ++state_->threads;
  std::thread([state = state_, group = std::move(group)]() mutable {
    group->leave();
    group = nullptr;
    std::lock_guard over(state->lock);
    --state->threads;
    state->changed.notify_all();
  }).detach();
}

bool Membership::was_withdrawn(std::uint32_t epoch) {
  std::lock_guard hold(state_->lock);
  return epoch <= state_->withdrawn && epoch > state_->broken;
}

bool Membership::checkpoint_wanted() {
  std::lock_guard hold(state_->lock);
  return state_->checkpoint;
}

void Membership::checkpoint_taken() {
  std::lock_guard hold(state_->lock);
  state_->checkpoint = false;
}

// ---- the hearing thread --------------------------------------------------------------

void Membership::hear(State& state, const wm_event& event, const std::shared_ptr<State>& shared) {
  if (event.kind == WM_EVENT_PLAN) return on_plan(shared, event);
  std::optional<Pending> dropped;  // ends after the lock
  std::lock_guard hold(state.lock);
  if (event.kind == WM_EVENT_WITHDRAWN) on_withdrawn(state, event.epoch);
  if (event.kind == WM_EVENT_BROKEN) on_broken(state, event.epoch, dropped);
  if (event.kind == WM_EVENT_STAND) state.stand = event.flag != 0;
  if (event.kind == WM_EVENT_CHECKPOINT) state.checkpoint = true;
  if (event.kind == WM_EVENT_LEAVE) {
    state.leave = true;
    // A newcomer may wait inside its first collective, which nobody else will enter.
    if (state.current && !state.current->joined) state.current->abort();
  }
  state.changed.notify_all();
}

void Membership::on_plan(const std::shared_ptr<State>& state, const wm_event& event) {
  auto plan = plan_of(event, state->task);
  if (plan.rank < 0) return pend(*state, {plan, nullptr});    // a leaver has nothing to connect
  if (!state->has_key) state->has_key = pass_key(*state, 0);  // the agent was slow: it speaks now
  auto connecting = std::make_shared<Connecting>();
  connecting->plan = std::move(plan);
  std::lock_guard hold(state->lock);
  state->cancel_connecting();
  state->connecting = connecting;
  ++state->threads;
  std::thread([state, connecting] {
    connect(*state, *connecting);
    std::lock_guard over(state->lock);
    --state->threads;
    state->changed.notify_all();
  }).detach();
}

void Membership::connect(State& state, Connecting& connecting) {
  std::string why;
  auto group = state.backend->connect(connecting.plan, connecting.cancelled, why);
  {
    std::lock_guard hold(state.lock);
    if (connecting.cancelled || !state.link) return;
    state.connecting = nullptr;
    if (!group) {
      wm_trainer_connect_failed(state.link, connecting.plan.epoch, why.c_str());
      return;
    }
  }
  pend(state, {connecting.plan, std::move(group)});
}

void Membership::pend(State& state, Pending pending) {
  std::optional<Pending> standing = std::move(pending);  // then the one before: ends after the lock
  std::lock_guard hold(state.lock);
  auto dead = std::max(state.broken, state.withdrawn);  // told meanwhile. W-3
  if (!state.link || standing->plan.epoch <= dead) return;
  wm_trainer_connected(state.link, standing->plan.epoch);
  state.pending.swap(standing);
  state.changed.notify_all();
}

// All groups up to `epoch` are dead. W-8
void Membership::on_broken(State& state, std::uint32_t epoch, std::optional<Pending>& dropped) {
  state.broken = std::max(state.broken, epoch);
  if (state.connecting && state.connecting->plan.epoch <= epoch) state.cancel_connecting();
  if (state.current && state.current->plan.epoch <= epoch) state.current->abort();
  if (!state.pending || state.pending->plan.epoch > epoch) return;
  if (state.pending->group) state.pending->group->abort();
  dropped.swap(state.pending);
}

void Membership::on_withdrawn(State& state, std::uint32_t epoch) {
  state.withdrawn = std::max(state.withdrawn, epoch);
  if (state.connecting && state.connecting->plan.epoch == epoch) state.cancel_connecting();
  if (state.pending && state.pending->plan.epoch == epoch) state.pending->withdrawn = true;
  // A newcomer may be waiting inside that group already; survivors are never.
  if (state.current && state.current->plan.epoch == epoch && !state.current->joined)
    state.current->abort();
}

}  // namespace wm::groups
