// Role: the C interface over Link, Records and libwm/elastic: converts values, turns errors
// into -1 and a text per thread. No exception crosses it; nothing here decides anything.
#include "libwm/trainer/wmtrainer.h"

#include <sodium/crypto_auth_hmacsha256.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "libwm/elastic/batch.h"
#include "libwm/elastic/ledger.h"
#include "libwm/trainer/link.h"
#include "libwm/trainer/records.h"

struct wm_trainer {
  std::unique_ptr<wm::trainer::Link> link;
  wm::ToWorker heard;  // what the newest wm_event points into
  std::vector<std::uint32_t> members;
  wm::Duration exchange = wm::Duration(-1);  // for the next report
  wm::BatchRange batch;
  std::uint32_t trainings = 0;  // its program went through before
};
struct wm_records {
  std::unique_ptr<wm::trainer::Records> files;
};

namespace {

using namespace wm;

thread_local std::string last_error;  // errno's like: the ABI's only state outside a handle

int failed(std::string text) {
  last_error = std::move(text);
  return -1;
}

int say(wm_trainer* t, FromWorker words) {
  if (t) t->link->say(std::move(words));
  return 0;
}

std::string text_of(const char* text) { return text ? text : ""; }

Duration seconds(double s) { return Duration(std::llround(s * 1e6)); }

void fill(wm_event& e, wm_trainer& t, const EpochPlan& plan) {
  for (auto task : plan.members) t.members.push_back(task.value);
  e.kind = WM_EVENT_PLAN;
  e.epoch = plan.epoch.value;
  e.lead = plan.lead.value;
  e.survivors = plan.survivors;
  e.emergency = plan.emergency;
  e.member_count = static_cast<std::uint32_t>(t.members.size());
  e.members = t.members.data();
  e.rendezvous = plan.rendezvous.c_str();
  e.reason = plan.reason.c_str();
}
void fill(wm_event& e, wm_trainer&, const EpochWithdrawn& words) {
  e.kind = WM_EVENT_WITHDRAWN;
  e.epoch = words.epoch.value;
  e.reason = words.reason.c_str();
}
void fill(wm_event& e, wm_trainer&, const EpochBroken& words) {
  e.kind = WM_EVENT_BROKEN;
  e.epoch = words.epoch.value;
  e.reason = words.reason.c_str();
}
void fill(wm_event& e, wm_trainer& t, const WorkerLeave& words) {
  e.kind = WM_EVENT_LEAVE;
  e.flag = words.trainings > t.trainings;
  e.reason = words.reason.c_str();
}
void fill(wm_event& e, wm_trainer&, const WorkerStand& words) {
  e.kind = WM_EVENT_STAND;
  e.flag = words.stand;
}
void fill(wm_event& e, wm_trainer&, const WorkerCheckpoint& words) {
  e.kind = WM_EVENT_CHECKPOINT;
  e.reason = words.reason.c_str();
}

}  // namespace

extern "C" {

int wm_trainer_open(const char* socket_path, uint32_t task, uint32_t max_tasks, wm_trainer** out) {
  return wm_trainer_open_again(socket_path, task, max_tasks, 0, out);
}

int wm_trainer_open_again(const char* socket_path, uint32_t task, uint32_t max_tasks,
                          uint32_t trainings, wm_trainer** out) {
  WorkerHello hello{1, TaskNumber{task}, ::getpid(), max_tasks, trainings};
  auto link = trainer::Link::open(text_of(socket_path), hello);
  if (!link) return failed(link.error().text);
  *out = new wm_trainer{std::move(*link), {}, {}};
  (*out)->trainings = trainings;
  return 0;
}

void wm_trainer_close(wm_trainer* t) { delete t; }

void wm_trainer_stop(wm_trainer* t) {
  if (t) t->link->stop();
}

int wm_trainer_wait(wm_trainer* t, int32_t timeout_ms, wm_event* event) {
  *event = wm_event{};
  event->rendezvous = event->reason = "";
  if (!t) return 0;
  auto words = t->link->wait(std::chrono::milliseconds(timeout_ms));
  if (!words) {
    event->kind = t->link->stopped() ? WM_EVENT_CLOSED : WM_EVENT_NONE;
    return 0;
  }
  t->heard = std::move(*words);
  t->members.clear();
  std::visit([&](const auto& w) { fill(*event, *t, w); }, t->heard);
  return 0;
}

int wm_trainer_key(wm_trainer* t, int32_t timeout_ms, unsigned char* key) {
  auto found = t ? t->link->key(std::chrono::milliseconds(timeout_ms)) : std::nullopt;
  if (!found) return failed("the agent has given no key");
  std::copy(found->begin(), found->end(), key);
  return 0;
}

void wm_trainer_mac(const unsigned char* key, const void* bytes, size_t size, unsigned char* mac) {
  static_assert(crypto_auth_hmacsha256_KEYBYTES == 32 && crypto_auth_hmacsha256_BYTES == 32);
  crypto_auth_hmacsha256(mac, static_cast<const unsigned char*>(bytes), size, key);
}

int wm_trainer_ready(wm_trainer* t, const char* rendezvous) {
  return say(t, WorkerReady{text_of(rendezvous)});
}

int wm_trainer_connected(wm_trainer* t, uint32_t epoch) {
  return say(t, WorkerConnected{EpochNumber{epoch}});
}

int wm_trainer_connect_failed(wm_trainer* t, uint32_t epoch, const char* text) {
  return say(t, WorkerConnectFailed{EpochNumber{epoch}, text_of(text)});
}

int wm_trainer_switched(wm_trainer* t, uint32_t epoch, uint64_t step, int64_t pause_ns) {
  WorkerSwitched words{EpochNumber{epoch}, step, Duration(0), pause_ns >= 0};
  if (pause_ns >= 0) words.pause = Duration(pause_ns / 1000);
  return say(t, words);
}

int wm_trainer_faulted(wm_trainer* t, uint32_t epoch, uint64_t step, const char* text) {
  return say(t, WorkerFaulted{EpochNumber{epoch}, step, text_of(text)});
}

int wm_trainer_left(wm_trainer* t, uint32_t epoch) {
  return say(t, WorkerLeft{EpochNumber{epoch}});
}

int wm_trainer_done(wm_trainer* t, uint64_t step) {
  return say(t, WorkerDone{step, t ? t->trainings : 0});
}

int wm_trainer_progress(wm_trainer* t, const wm_progress* p) {
  if (!t) return 0;
  WorkerProgress progress;
  progress.epoch = EpochNumber{p->epoch};
  progress.step = p->step;
  progress.samples = p->samples;
  progress.data_epoch = p->data_epoch;
  progress.loss = p->loss;
  progress.accuracy = p->accuracy;
  progress.step_time = seconds(p->step_time_s);
  progress.samples_per_s = p->samples_per_s;
  progress.noise = p->noise;
  progress.exchange = t->exchange;
  progress.batch = t->batch;
  t->link->set_progress(progress);
  return 0;
}

int wm_trainer_exchange(wm_trainer* t, double exchange_s) {
  if (t) t->exchange = exchange_s < 0 ? Duration(-1) : seconds(exchange_s);
  return 0;
}

int wm_trainer_batch_range(wm_trainer* t, uint64_t initial, uint64_t most, uint64_t at_once) {
  if (t) t->batch = {initial, most, at_once};
  return 0;
}

void wm_trainer_in_collective(wm_trainer* t, int32_t inside) {
  if (t) t->link->set_in_collective(inside != 0);
}

const char* wm_trainer_error(void) { return last_error.c_str(); }

int wm_records_open(const char* log_dir, wm_records** out) {
  auto files = trainer::Records::open(text_of(log_dir));
  if (!files) return failed(files.error().text);
  *out = new wm_records{std::move(*files)};
  return 0;
}

int wm_records_step(wm_records* r, const wm_step* step, int64_t* pause_ns) {
  if (pause_ns) *pause_ns = -1;
  if (!r) return 0;
  auto pause = r->files->write(*step);
  if (!pause) return failed(pause.error().text);
  if (pause_ns) *pause_ns = pause->value_or(-1);
  return 0;
}

void wm_records_close(wm_records* r) { delete r; }

int wm_ledger_samples(const wm_ledger* ledger, uint64_t data_epoch, uint64_t begin, uint64_t count,
                      uint64_t* out, uint64_t* seeds) {
  if (begin > ledger->samples || count > ledger->samples - begin)
    return failed("ledger: positions " + std::to_string(begin) + "+" + std::to_string(count) +
                  " of " + std::to_string(ledger->samples));
  elastic::Ledger order{ledger->samples, ledger->seed, ledger->shuffle != 0};
  for (std::uint64_t i = 0; i < count; ++i) {
    out[i] = elastic::sample(order, data_epoch, begin + i);
    if (seeds) seeds[i] = elastic::augmentation_seed(order, data_epoch, out[i]);
  }
  return 0;
}

int wm_part(uint64_t whole, uint64_t parts, uint64_t index, uint64_t* first, uint64_t* count) {
  if (index >= parts)
    return failed("part " + std::to_string(index) + " of " + std::to_string(parts));
  auto part = elastic::part(whole, parts, index);
  *first = part.first;
  *count = part.count;
  return 0;
}

}  // extern "C"
