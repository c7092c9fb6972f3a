#include "libwm/client/master.h"

#include <sodium.h>
#include <unistd.h>

#include <iterator>

#include "libwm/base/hash.h"
#include "libwm/client/connection.h"
#include "libwm/client/names.h"
#include "libwm/codec/codec.h"
#include "libwm/codec/packed.h"
#include "libwm/wire/munge.h"
#include "libwm/wire/pack_signature.h"
#include "libwm/wire/spec_signature.h"

namespace wm::client {
namespace {

constexpr std::size_t kKeySize = 16;
constexpr Duration kPackTtl = std::chrono::seconds(300);  // as spec_signature has it
constexpr Duration kAnswers = std::chrono::seconds(60);
constexpr Bytes kLargestState{1 << 30};  // unpacked: what bwhatif may take of this machine

Result<std::uint32_t> uid_of(const std::string& user) {
  if (user.empty()) return ::getuid();
  auto account = find_account(user);
  if (!account) return account.error().within("wm.conf: master_user");
  return account->uid;
}

// Makes the request for what the answer before had no room for.
template <class Request>
void go_on(Request& request, JobSelection rest) {
  request.jobs = std::move(rest);
}
void go_on(HostsRequest& request, HostsRequest rest) { request = std::move(rest); }

template <class List>
void append(List& list, List& more) {
  list.insert(list.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}
template <class Reply>
void append_reply(Reply& all, Reply& more) {
  if constexpr (requires { all.hosts; }) append(all.hosts, more.hosts);
  else append(all.jobs, more.jobs);
  if constexpr (requires { all.missing; }) append(all.missing, more.missing);
  if constexpr (requires { all.strangers; }) append(all.strangers, more.strangers);
  if constexpr (requires { all.sums; }) append(all.sums, more.sums);
}

}  // namespace

struct Master::Parts {
  std::shared_ptr<wire::Credentials> credentials;
  Connection connection;
};

Master::Master(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Master::Master(Master&&) noexcept = default;
Master::~Master() = default;

Result<Master> Master::of(const ClusterConf& conf, std::optional<Duration> give_up_after) {
  if (sodium_init() < 0) return fail(Code::System, "libsodium does not start");
  WM_TRY(auto master_uid, uid_of(conf.master_user));
  ConnectionOptions options;
  options.to = {conf.master_host, static_cast<std::uint16_t>(conf.master_port), ""};
  options.session.role = wire::Role::Client;
  options.session.peers = {{wire::Role::Master, master_uid}};
  options.credentials = wire::munge_credentials(conf.munge_socket);
  options.retry.give_up_after = give_up_after;
  if (!give_up_after) options.notice = notice_on_stderr;
  auto credentials = options.credentials;
  return Master(std::unique_ptr<Parts>(new Parts{credentials, Connection(std::move(options))}));
}

template <class Reply, class Request>
Result<Reply> Master::ask(Verb verb, const Request& request, std::optional<Duration> timeout) {
  auto answer =
      parts_->connection.call(static_cast<std::uint16_t>(verb), codec::encode(request), timeout);
  if (!answer && answer.error().code == Code::NotFound)
    return answer.error().within("wm.conf: master_host");
  WM_TRY(auto frame, std::move(answer));
  if (frame.type == static_cast<std::uint16_t>(Verb::Failed)) {
    WM_TRY(auto error, codec::decode<VerbError>(frame.payload));
    return fail(static_cast<Code>(error.code), error.text);
  }
  if (frame.type != static_cast<std::uint16_t>(verb))
    return fail(Code::Version, "the master answered with frame type " + std::to_string(frame.type));
  return codec::decode<Reply>(frame.payload);
}

Result<SubmitReply> Master::submit(JobSpec spec, const std::string& script,
                                   const std::string& env) {
  spec.program.script_hash = script.empty() ? "" : hash_of(script);
  spec.program.env_hash = hash_of(env);
  SubmitRequest request;
  request.request_key = random_bytes(kKeySize);
  request.spec = codec::encode(spec);
  request.script = script;
  request.env = env;
  // The first request of a session is signed by the session's own proof: one credential less.
  if (!parts_->connection.also_sign(wire::spec_digest(request.spec, request.request_key))) {
    WM_TRY(request.credential,
           wire::sign_spec(*parts_->credentials, request.spec, request.request_key));
  }
  auto reply = ask<SubmitReply>(Verb::Submit, request);
  parts_->connection.also_sign("");
  return reply;
}

Result<PackReply> Master::pack(std::vector<PackJob> jobs, const std::string& env) {
  PackRequest request{random_bytes(kKeySize), "", env, {}};
  std::vector<std::string> digests;
  request.items.reserve(jobs.size());
  digests.reserve(jobs.size());
  const auto env_hash = hash_of(env);
  for (auto& job : jobs) {
    job.spec.program.script_hash = job.script.empty() ? "" : hash_of(job.script);
    job.spec.program.env_hash = env_hash;
    request.items.push_back({codec::encode(job.spec), std::move(job.script)});
    auto place = static_cast<std::uint32_t>(digests.size());
    digests.push_back(wire::spec_digest(request.items.back().spec,
                                        wire::pack_item_key(request.request_key, place)));
  }
  if (digests.empty()) return PackReply{};
  WM_TRY(request.credential,
         parts_->credentials->encode(wire::PackTree(std::move(digests)).root(), kPackTtl));
  return ask<PackReply>(Verb::Pack, request);
}

void Master::greet() { parts_->connection.greet(); }

template <class Reply, class Request>
Result<Reply> Master::ask_all(Verb verb, Request request) {
  Reply all;
  for (;;) {
    if constexpr (requires { request.request_key; }) request.request_key = random_bytes(kKeySize);
    WM_TRY(auto part, ask<Reply>(verb, request));
    append_reply(all, part);
    if (!part.rest) return all;
    go_on(request, std::move(*part.rest));
  }
}

Result<OutcomeReply> Master::kill(KillRequest request) {
  return ask_all<OutcomeReply>(Verb::Kill, std::move(request));
}
Result<OutcomeReply> Master::release(ReleaseRequest request) {
  return ask_all<OutcomeReply>(Verb::Release, std::move(request));
}
Result<ResizeReply> Master::resize(ResizeRequest request) {
  request.request_key = random_bytes(kKeySize);
  return ask<ResizeReply>(Verb::Resize, request);
}
Result<JobsReply> Master::jobs(const JobsRequest& r) { return ask_all<JobsReply>(Verb::Jobs, r); }
Result<QueuesReply> Master::queues(const QueuesRequest& r) {
  return ask<QueuesReply>(Verb::Queues, r);
}
Result<HostsReply> Master::hosts(const HostsRequest& r) {
  return ask_all<HostsReply>(Verb::Hosts, r);
}
Result<PlansReply> Master::plans(const PlansRequest& r) { return ask<PlansReply>(Verb::Plans, r); }
Result<BudgetsReply> Master::budgets() {
  return ask<BudgetsReply>(Verb::Budgets, BudgetsRequest{});
}
Result<BudgetsReply> Master::cost_of(const JobSpec& spec) {
  return ask<BudgetsReply>(Verb::Budgets, BudgetsRequest{codec::encode(spec)});
}
Result<HistoryReply> Master::history(const AcctRequest& r) {
  return ask_all<HistoryReply>(Verb::History, r);
}
Result<AcctReply> Master::account(const AcctRequest& r) {
  return ask_all<AcctReply>(Verb::Account, r);
}
Result<ClientPeekReply> Master::peek(const ClientPeek& r) {
  return ask<ClientPeekReply>(Verb::Peek, r);
}
Result<AdminReply> Master::admin(AdminRequest request) {
  request.request_key = random_bytes(kKeySize);
  return ask<AdminReply>(Verb::Admin, request);
}
Result<AuditReply> Master::audit(AuditRequest request) {
  AuditReply all;
  for (;;) {
    WM_TRY(auto part, ask<AuditReply>(Verb::Audit, request));
    append(all.entries, part.entries);
    all.checked = part.checked;
    all.broken = std::move(part.broken);
    if (!part.more || all.entries.empty()) return all;
    request.after = all.entries.back().number;
  }
}
Result<std::string> Master::state() {
  WM_TRY(auto reply, ask<StateReply>(Verb::State, StateRequest{}));
  return codec::unpacked(reply.packed, kLargestState);
}

Result<OutcomeReply> Master::move(MoveRequest request) {
  request.request_key = random_bytes(kKeySize);
  return ask<OutcomeReply>(Verb::Move, request);
}

Result<OutcomeReply> Master::switch_queue(SwitchRequest request) {
  return ask_all<OutcomeReply>(Verb::Switch, std::move(request));
}

Result<OutcomeReply> Master::limit_run(LimitRequest request) {
  return ask_all<OutcomeReply>(Verb::Limit, std::move(request));
}

Result<OutcomeReply> Master::requeue(RequeueRequest request) {
  return ask_all<OutcomeReply>(Verb::Requeue, std::move(request));
}

Result<GiveReply> Master::give(GiveRequest request) {
  request.request_key = random_bytes(kKeySize);
  return ask<GiveReply>(Verb::Give, request);
}

Result<SpecReply> Master::spec(JobId job) { return ask<SpecReply>(Verb::Spec, SpecRequest{job}); }

Result<OutcomeReply> Master::modify(JobId job, std::uint32_t revision, const JobSpec& spec) {
  ModifyRequest request{random_bytes(kKeySize), job, revision, codec::encode(spec), ""};
  WM_TRY(request.credential,
         wire::sign_spec(*parts_->credentials, request.spec, request.request_key));
  return ask<OutcomeReply>(Verb::Modify, request);
}

Result<PingReply> Master::ping() { return ask<PingReply>(Verb::Ping, PingRequest{}); }
Result<AttachReply> Master::attach(const AttachRequest& r) {
  return ask<AttachReply>(Verb::Attach, r);
}
Result<WaitReply> Master::wait(const WaitRequest& r) {
  return ask<WaitReply>(Verb::Wait, r, std::chrono::hours(24 * 365));
}
// An answer comes when patience ends; one that does not was lost.
Result<WatchReply> Master::watch(const WatchRequest& r) {
  return ask<WatchReply>(Verb::Watch, r, r.patience + kAnswers);
}
Result<AwaitReply> Master::await(const AwaitRequest& r) {
  return ask<AwaitReply>(Verb::Await, r, r.patience + kAnswers);
}
Result<RevokeReply> Master::revoke(RevokeRequest request) {
  request.request_key = random_bytes(kKeySize);
  return ask<RevokeReply>(Verb::Revoke, request);
}
Result<RevokedReply> Master::revoked(const RevokedRequest& r) {
  return ask<RevokedReply>(Verb::Revoked, r, r.patience + kAnswers);
}
Result<NoteReply> Master::note(NoteRequest request) {
  request.request_key = random_bytes(kKeySize);
  return ask<NoteReply>(Verb::Note, request);
}

Result<ReserveReply> Master::reserve(ReserveRequest request) {
  request.request_key = random_bytes(kKeySize);
  return ask<ReserveReply>(Verb::Reserve, request);
}
Result<ReservationsReply> Master::reservations(const ReservationsRequest& request) {
  return ask<ReservationsReply>(Verb::Reservations, request);
}
Result<GroupReply> Master::group(GroupRequest request) {
  request.request_key = random_bytes(kKeySize);
  return ask<GroupReply>(Verb::Group, request);
}
Result<GroupsReply> Master::groups() { return ask<GroupsReply>(Verb::Groups, GroupsRequest{}); }
Result<PostReply> Master::post(PostRequest request) {
  request.request_key = random_bytes(kKeySize);
  return ask<PostReply>(Verb::Post, request);
}
Result<NotesReply> Master::notes(JobId job) {
  return ask<NotesReply>(Verb::Notes, NotesRequest{job});
}
Result<RunNowReply> Master::run_now(RunNowRequest request) {
  request.request_key = random_bytes(kKeySize);
  return ask<RunNowReply>(Verb::RunNow, request);
}
Result<OutcomeReply> Master::migrate(MigrateRequest request) {
  return ask_all<OutcomeReply>(Verb::Migrate, std::move(request));
}
Result<std::shared_ptr<const Config>> Master::conf() {
  WM_TRY(auto reply, ask<ConfReply>(Verb::Conf, ConfRequest{}));
  if (reply.config) return reply.config;
  return fail(Code::Version, "the master does not tell its configuration");
}
Result<PerfmonReply> Master::perfmon(const PerfmonRequest& request) {
  return ask<PerfmonReply>(Verb::Perfmon, request);
}

}  // namespace wm::client
