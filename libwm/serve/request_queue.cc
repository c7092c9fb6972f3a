#include "libwm/serve/request_queue.h"

#include <algorithm>
#include <utility>

namespace wm::serve {
namespace {

constexpr double kSmooth = 0.1;  // weight of the newest batch in the cost of a task
constexpr int kRetryAfter = 1;   // s
constexpr int kPatience = 2;     // a batch that takes so many time-outs has hung its kernel
constexpr double kSure = 0.9;    // part of its time that a request may be expected to wait
constexpr double kMargin = 1.5;  // a batch may take so much longer than they did
constexpr Duration kGroupKept = std::chrono::minutes(10);  // after its last task

std::string unavailable(const std::string& model) {
  return "Inference service for model <" + model + "> is currently unavailable.";
}

double seconds_of(Duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace

RequestQueue::RequestQueue(std::string model, const Profile& profile, QueueLimits limits)
    : model_(std::move(model)),
      policy_(profile.policy),
      connection_timeout_(profile.connection_timeout),
      limits_(limits) {}

// Those that came without a limit keep none.
void RequestQueue::adopt(const Profile& profile) {
  policy_ = profile.policy;
  connection_timeout_ = profile.connection_timeout;
}

QueueActions RequestQueue::request(std::uint64_t task, std::string body, TimePoint now,
                                   std::uint64_t group) {
  QueueActions actions;
  ++counts_.arrived;
  counts_.bytes += body.size();
  if (closed_) {
    ++counts_.failed;
    actions.push_back(Reply{task, 503, unavailable(model_), kRetryAfter, now});
    return actions;
  }
  bool full =
      queued_ >= limits_.tasks || held_bytes_ + body.size() > limits_.bytes || waits_too_long();
  if (full) {
    ++counts_.failed;
    auto why = "Too many requests wait for model " + model_ + ".";
    actions.push_back(Reply{task, 429, std::move(why), kRetryAfter, now});
    return actions;
  }
  held_bytes_ += body.size();
  if (kernels_.empty() && queued_ == 0) alone_since_ = now;
  tasks_.emplace(task, Task{.body = std::move(body), .arrived = now, .group = group});
  queue_.push_back(task);
  if (policy_.execution_timeout > Duration::zero()) order_.push_back(task);
  ++queued_;
  hand_out(now, actions);
  return actions;
}

QueueActions RequestQueue::forget(std::uint64_t task, int status) {
  QueueActions actions;
  reply(task, status, status == 503 ? unavailable(model_) : "", actions);
  return actions;
}

// Answers a task that is not answered yet, and takes it out wherever it is.
void RequestQueue::reply(std::uint64_t task, int status, std::string body, QueueActions& actions) {
  auto found = tasks_.find(task);
  if (found == tasks_.end()) return;
  held_bytes_ -= found->second.body.size();
  if (found->second.queued) --queued_;
  auto [arrived, handed] = std::pair(found->second.arrived, found->second.handed);
  tasks_.erase(found);
  counts_.bytes += body.size();
  ++(status == 200 ? counts_.finished : counts_.failed);
  int retry_after = status == 503 ? kRetryAfter : 0;
  actions.push_back(Reply{task, status, std::move(body), retry_after, arrived, handed});
}

// Would one more wait longer than it may, if as many kernels again came at once?
bool RequestQueue::waits_too_long() const {
  bool limited = policy_.execution_timeout > Duration::zero();
  if (!limited || cost_ <= 0 || kernels_.empty()) return false;
  auto soon = std::min<std::size_t>(policy_.kernel_max, 2 * kernels_.size());
  auto workers = std::max(soon, kernels_.size()) * policy_.parallel_size;
  double wait = static_cast<double>(tasks_.size()) * cost_ / static_cast<double>(workers);
  return wait > kSure * seconds_of(policy_.execution_timeout);
}

// What has waited so long that no kernel could answer it in time is answered now: the next one can
// still be. The first in the queue has waited longest.
void RequestQueue::drop_late(TimePoint now, QueueActions& actions) {
  if (policy_.execution_timeout <= Duration::zero()) return;
  double takes = kMargin * cost_ * policy_.batch_size;
  while (!queue_.empty()) {
    auto found = tasks_.find(queue_.front());
    bool waits = found != tasks_.end() && found->second.queued;
    if (waits &&
        seconds_of(now - found->second.arrived) + takes < seconds_of(policy_.execution_timeout))
      return;
    auto task = queue_.front();
    queue_.pop_front();
    if (waits) reply_late(task, actions);
  }
}

void RequestQueue::reply_late(std::uint64_t task, QueueActions& actions) {
  reply(task, 504, "Inference service for model " + model_ + ": task_execution_timeout passed.",
        actions);
}

RequestQueue::Kernel* RequestQueue::least_loaded() {
  Kernel* best = nullptr;
  std::size_t room = std::size_t{policy_.pipe_size} * policy_.parallel_size;
  for (auto& [id, kernel] : kernels_) {
    if (!kernel.stays() || kernel.passed || kernel.batches.size() >= room) continue;
    if (best == nullptr || kernel.batches.size() < best->batches.size()) best = &kernel;
  }
  return best;
}

void RequestQueue::hand_out(TimePoint now, QueueActions& actions) {
  while (queued_ > 0) {
    Kernel* kernel = least_loaded();
    if (kernel == nullptr) break;
    drop_late(now, actions);
    if (queued_ == 0) break;
    kernel->passed = !hand(kernel->view.id, *kernel, now, actions);
  }
  if (groups_.empty()) return;
  for (auto& [id, kernel] : kernels_) kernel.passed = false;
}

// The kernel that has the fewest, so that those which begin one after another are spread.
std::uint64_t RequestQueue::with_fewest_groups() const {
  std::map<std::uint64_t, std::size_t> groups;
  for (const auto& [id, kernel] : kernels_)
    if (kernel.stays()) groups[id] = 0;
  for (const auto& [group, has] : groups_)
    if (auto found = groups.find(has.kernel); found != groups.end()) ++found->second;
  auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::min_element(groups.begin(), groups.end(), fewer)->first;
}

bool RequestQueue::is_for(const Task& task, std::uint64_t kernel, TimePoint now) {
  if (task.group == 0) return true;
  auto& group = groups_[task.group];
  group.used = now;
  auto has = kernels_.find(group.kernel);
  if (has == kernels_.end() || !has->second.stays()) group.kernel = with_fewest_groups();
  return group.kernel == kernel;
}

// False: nothing that waits is for this kernel.
bool RequestQueue::hand(std::uint64_t id, Kernel& kernel, TimePoint now, QueueActions& actions) {
  Hand given{id, {next_batch_, {}}};
  Given kept{.at = now};
  for (auto at = queue_.begin(); at != queue_.end() && kept.tasks.size() < policy_.batch_size;) {
    auto found = tasks_.find(*at);
    if (found != tasks_.end() && !is_for(found->second, id, now)) {
      ++at;
      continue;
    }
    auto task = *at;
    at = queue_.erase(at);
    if (found == tasks_.end()) continue;  // answered while it waited
    found->second.queued = false;
    found->second.handed = now;
    --queued_;
    kept.tasks.push_back(task);
    given.batch.tasks.push_back({task, found->second.body});
  }
  if (kept.tasks.empty()) return false;
  kept.size = kept.tasks.size();
  kernel.view.running += kept.size;
  kernel.batches[next_batch_++] = std::move(kept);
  actions.push_back(std::move(given));
  return true;
}

QueueActions RequestQueue::joined(std::uint64_t id, const KernelHello& hello, TimePoint now) {
  QueueActions actions;
  Kernel& kernel = kernels_[id];
  kernel.view.id = id;
  kernel.view.instance = hello.instance;
  kernel.view.host = hello.host;
  hand_out(now, actions);
  return actions;
}

void RequestQueue::leaving(std::uint64_t kernel) {
  auto found = kernels_.find(kernel);
  if (found != kernels_.end()) found->second.view.leaving = true;
}

// A task that lost its kernel goes to another, once: the task may be what kills kernels.
void RequestQueue::put_back(std::uint64_t task, QueueActions& actions) {
  auto found = tasks_.find(task);
  if (found == tasks_.end()) return;
  if (found->second.again || policy_.once) {
    auto why = policy_.once ? " Its kernel ended." : " Its kernel ended twice.";
    reply(task, 503, unavailable(model_) + why, actions);
    return;
  }
  found->second.again = found->second.queued = true;
  queue_.push_front(task);
  ++queued_;
}

QueueActions RequestQueue::lost(std::uint64_t id, TimePoint now) {
  QueueActions actions;
  auto found = kernels_.find(id);
  if (found == kernels_.end()) return actions;
  auto batches = std::move(found->second.batches);
  kernels_.erase(found);
  if (kernels_.empty()) alone_since_ = now;
  for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch)
    for (auto task = batch->second.tasks.rbegin(); task != batch->second.tasks.rend(); ++task)
      put_back(*task, actions);
  hand_out(now, actions);
  return actions;
}

QueueActions RequestQueue::kernels_fail(const std::string& why) {
  QueueActions actions;
  if (!kernels_.empty()) return actions;
  for (auto task : std::exchange(queue_, {}))
    reply(task, 503, unavailable(model_) + " Its kernel ended: " + why, actions);
  return actions;
}

void RequestQueue::learn_cost(const Answers& answers, std::size_t tasks) {
  if (tasks == 0) return;
  double cost = static_cast<double>(answers.busy_us) / 1e6 / static_cast<double>(tasks);
  cost_ = cost_ == 0 ? cost : cost_ + kSmooth * (cost - cost_);
}

QueueActions RequestQueue::answered(std::uint64_t id, Answers answers, TimePoint now) {
  QueueActions actions;
  auto found = kernels_.find(id);
  if (found == kernels_.end()) return actions;
  Kernel& kernel = found->second;
  auto expel = [&] {
    kernel.expelled = true;
    actions.push_back(Expel{id, "it answered what it was not asked"});
    return actions;
  };
  auto batch = kernel.batches.find(answers.batch);
  if (batch == kernel.batches.end()) return expel();
  for (auto& task : answers.tasks) {
    if (std::erase(batch->second.tasks, task.id) == 0) return expel();
    --kernel.view.running;
    ++(task.fine ? kernel.view.finished : kernel.view.failed);
    reply(task.id, task.fine ? 200 : 500, std::move(task.data), actions);
  }
  if (!answers.last) return actions;
  for (auto task : batch->second.tasks) {
    --kernel.view.running;
    ++kernel.view.failed;
    reply(task, 500, "a task without output", actions);
  }
  learn_cost(answers, batch->second.size);
  kernel.batches.erase(batch);
  hand_out(now, actions);
  return actions;
}

// All have one time-out, so that the first to come is the first to be late.
void RequestQueue::time_out(TimePoint now, QueueActions& actions) {
  bool unlimited = policy_.execution_timeout <= Duration::zero();
  while (!order_.empty()) {
    auto found = tasks_.find(order_.front());
    bool in_time = found != tasks_.end() &&
                   (unlimited || now - found->second.arrived < policy_.execution_timeout);
    if (in_time) return;
    reply_late(order_.front(), actions);
    order_.pop_front();
  }
}

QueueActions RequestQueue::tick(TimePoint now) {
  QueueActions actions;
  time_out(now, actions);
  // Without a kernel for so long nobody who waits is kept longer.
  if (kernels_.empty() && queued_ > 0 && now - alone_since_ >= connection_timeout_) {
    for (auto task : queue_) reply(task, 503, unavailable(model_), actions);
    queue_.clear();
    alone_since_ = now;
  }
  for (auto& [id, kernel] : kernels_) {
    bool hangs = policy_.execution_timeout > Duration::zero() && !kernel.batches.empty() &&
                 now - kernel.batches.begin()->second.at >= kPatience * policy_.execution_timeout;
    if (!hangs || kernel.expelled) continue;
    kernel.expelled = true;
    actions.push_back(Expel{id, "it does not answer"});
  }
  std::erase_if(groups_, [&](const auto& group) { return now - group.second.used > kGroupKept; });
  hand_out(now, actions);  // what was for a kernel that leaves
  return actions;
}

Load RequestQueue::load(TimePoint now) const {
  Load load;
  load.arrived = counts_.arrived;
  load.queued = queued_;
  load.in_flight = tasks_.size() - queued_;
  load.kernels = static_cast<std::uint32_t>(kernels_.size());
  load.task_cost = Duration(static_cast<std::int64_t>(cost_ * 1e6));
  for (auto task : queue_) {
    auto found = tasks_.find(task);
    if (found == tasks_.end()) continue;
    load.oldest = now - found->second.arrived;
    break;
  }
  return load;
}

std::vector<KernelView> RequestQueue::kernels() const {
  std::vector<KernelView> views;
  for (const auto& [id, kernel] : kernels_) views.push_back(kernel.view);
  return views;
}

}  // namespace wm::serve
