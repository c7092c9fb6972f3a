#include "daemons/wnoded/orders.h"

#include <memory>
#include <utility>

#include "daemons/wnoded/attempts/term.h"
#include "daemons/wnoded/web_port.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"

namespace wm::node {
namespace {

using Stage = LocalAttempt::Stage;

void log_refused(const launch::AttemptKey& key, const std::string& why) {
  log::warn("order_refused", {{"attempt", to_string(key)}, {"why", why}});
}

/// What is not sent again for an order that is known: the signature, and the files.
void keep_known(const HostOrder& known, HostOrder& order) {
  if (order.sealed.spec.empty()) {
    order.sealed.spec = known.sealed.spec;
    order.sealed.credential = known.sealed.credential;
    order.sealed.request_key = known.sealed.request_key;
  }
}

void keep_files(HostOrder& known, HostOrder& order) {
  if (order.blobs.env.empty()) order.blobs.env = std::move(known.blobs.env);
  if (order.blobs.script.empty()) order.blobs.script = std::move(known.blobs.script);
  if (order.blobs.data.empty()) order.blobs.data = std::move(known.blobs.data);
}

}  // namespace

void Orders::on_order(HostOrder order) {
  launch::AttemptKey key{order.job, order.attempt};
  if (attempts_.is_stale(key)) return log_refused(key, "a newer attempt is known");
  if (attempts_.is_next(key)) on_forget({key.job, Attempt{key.attempt.value - 1}});
  attempts_.note(key);
  auto* attempt = attempts_.find(key);
  if (!attempt) return take_up(attempts_.add(key), std::move(order));
  const auto& known = attempt->order;
  if (order.generation < known.generation) return;
  bool both_signed = !known.sealed.spec.empty() && !order.sealed.spec.empty();
  if (both_signed && !same_signature(order, known))
    return authorise_anew(*attempt, std::move(order));
  take_over(*attempt, std::move(order));
}

void Orders::take_up(LocalAttempt& attempt, HostOrder order) {
  attempt.order = std::move(order);
  host_.env.authorise(attempt.order, [this, key = attempt.key](const Result<Authorised>& permit) {
    auto* asked = attempts_.find(key);
    if (asked && asked->stage == Stage::Authorising) on_authorised(*asked, permit);
  });
}

void Orders::on_authorised(LocalAttempt& attempt, const Result<Authorised>& permit) {
  auto key = attempt.key;
  attempt.stage = Stage::Over;
  if (permit) {
    grant(attempt, *permit);
    steering_.bring_in_line(attempt);
  } else {
    log::warn("attempt_refused", {{"attempt", to_string(key)}, {"why", permit.error().text}});
    steering_.never_started(attempt, term_of(permit.error()), permit.error().text);
  }
  attempts_.drop_if_done(key);
}

void Orders::grant(LocalAttempt& attempt, const Authorised& permit) {
  attempt.account = permit.account;
  attempt.own = permit.own;
  put_own(attempt.order, *attempt.own);
  host_.facts.dirs = permit.own.dirs;
  host_.facts.scripts = permit.own.scripts;
  host_.facts.lost_output_fails = permit.own.lost_output_fails;
  host_.facts.folder_limit = permit.own.folder_limit;
}

void Orders::authorise_adopted(const LocalAttempt& attempt) {
  host_.env.authorise(attempt.order, [this, key = attempt.key](const Result<Authorised>& permit) {
    auto* asked = attempts_.find(key);
    if (!asked || !permit) return;
    grant(*asked, *permit);
    owns_web_port(host_.env, key, asked->order, permit->account);
  });
}

// Its owner signed something else meanwhile: until that is proven the order before it holds.
void Orders::authorise_anew(const LocalAttempt& attempt, HostOrder order) {
  auto asked = std::make_shared<HostOrder>(std::move(order));
  host_.env.authorise(*asked, [this, key = attempt.key, asked](const Result<Authorised>& permit) {
    auto* known = attempts_.find(key);
    if (!known || asked->generation < known->order.generation) return;
    bool same_owner = asked->resolved.owner == known->order.resolved.owner;
    if (permit && same_owner) return take_over(*known, std::move(*asked));
    log_refused(key, permit ? "of another owner" : permit.error().text);
  });
}

void Orders::take_over(LocalAttempt& attempt, HostOrder order) {
  auto key = attempt.key;
  auto& known = attempt.order;
  keep_known(known, order);
  auto as_signed = order.sealed.spec.empty() ? Result<void>{} : check_as_signed(order);
  if (!as_signed) return log_refused(key, as_signed.error().text);
  if (attempt.own) put_own(order, *attempt.own);
  keep_files(known, order);
  // The host that has leased it knows it first.
  bool ours = serves_port(order, host_.facts) && known.team.port != 0;
  if (order.team.port == 0 || ours) order.team.port = known.team.port;
  order.team.in_place |= known.team.in_place;  // the master may not have heard of it yet
  known = std::move(order);
  attempt.forgotten = false;
  if (attempt.stage == Stage::Up || attempt.stage == Stage::Over) steering_.bring_in_line(attempt);
  attempts_.drop_if_done(key);
}

void Orders::on_forget(const HostForget& words) {
  if (!words.why.empty())
    log::warn("unknown_job_ended", {{"job", to_string(words.job)}, {"why", words.why}});
  std::vector<launch::AttemptKey> over;
  for (auto& [key, attempt] : attempts_.all()) {
    if (key.job != words.job || (words.attempt && key.attempt > words.attempt)) continue;
    attempt.forgotten = true;
    attempt.waits = false;
    session_.facts().forget(key);
    gpus_.forget(key);
    if (attempt.stage == Stage::Up)
      host_.env.launcher().tell(
          key, launch::Finish{words.why.empty() ? "not wanted any more" : words.why});
    if (attempt.stage == Stage::Authorising) attempt.stage = Stage::Over;
    over.push_back(key);
  }
  for (const auto& key : over) attempts_.drop_if_done(key);
}

void Orders::on_signal(const HostSignal& words) {
  host_.env.launcher().tell({words.job, words.attempt}, launch::SignalTasks{{}, words.signal});
}

void Orders::on_recall(const HostRecall& asked) {
  HostRecalled said{asked.job, {}};
  const auto* attempt = attempts_.find({asked.job, asked.attempt});
  if (attempt && attempt->stage == Stage::Up) {
    said.order = attempt->order;
    said.order.blobs = {};
  }
  host_.env.send(NodeVerb::Recalled, codec::encode(said));
}

}  // namespace wm::node
