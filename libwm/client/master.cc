#include "libwm/client/master.h"

#include <sodium.h>
#include <unistd.h>

#include "libwm/base/hash.h"
#include "libwm/client/connection.h"
#include "libwm/client/names.h"
#include "libwm/codec/packed.h"
#include "libwm/wire/munge.h"
#include "libwm/wire/pack_signature.h"
#include "libwm/wire/spec_signature.h"

namespace wm::client {
namespace {

constexpr Duration kPackTtl = std::chrono::seconds(300);  // as spec_signature has it
constexpr Bytes kLargestState{1 << 30};  // unpacked: what bwhatif may take of this machine

Result<std::uint32_t> uid_of(const std::string& user) {
  if (user.empty()) return ::getuid();
  auto account = find_account(user);
  if (!account) return account.error().within("wm.conf: master_user");
  return account->uid;
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

Result<std::string> Master::call(Verb verb, const std::string& request,
                                 std::optional<Duration> timeout) {
  auto answer = parts_->connection.call(static_cast<std::uint16_t>(verb), request, timeout);
  if (!answer && answer.error().code == Code::NotFound)
    return answer.error().within("wm.conf: master_host");
  WM_TRY(auto frame, std::move(answer));
  if (frame.type == static_cast<std::uint16_t>(Verb::Failed)) {
    WM_TRY(auto error, codec::decode<VerbError>(frame.payload));
    return fail(static_cast<Code>(error.code), error.text);
  }
  if (frame.type != static_cast<std::uint16_t>(verb))
    return fail(Code::Version, "the master answered with frame type " + std::to_string(frame.type));
  return std::move(frame.payload);
}

Result<SubmitReply> Master::submit(JobSpec spec, const std::string& script, const std::string& env,
                                   PolicyRound round) {
  spec.program.script_hash = script.empty() ? "" : hash_of(script);
  spec.program.env_hash = hash_of(env);
  SubmitRequest request;
  request.request_key = random_bytes(kKeySize);
  request.spec = codec::encode(spec);
  request.script = script;
  request.env = env;
  request.round = round;
  // The first request of a session is signed by the session's own proof: one credential less.
  if (!parts_->connection.also_sign(wire::spec_digest(request.spec, request.request_key))) {
    WM_TRY(request.credential,
           wire::sign_spec(*parts_->credentials, request.spec, request.request_key));
  }
  auto reply = ask_once(request);
  parts_->connection.also_sign("");
  return reply;
}

Result<PackReply> Master::pack(std::vector<PackJob> jobs, const std::string& env,
                               PolicyRound round) {
  PackRequest request{random_bytes(kKeySize), "", env, {}, round};
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
  return ask_once(request);
}

void Master::greet() { parts_->connection.greet(); }

Result<std::string> Master::state() {
  WM_TRY(auto reply, ask(StateRequest{}));
  return codec::unpacked(reply.packed, kLargestState);
}

Result<OutcomeReply> Master::modify(JobId job, std::uint32_t revision, const JobSpec& spec,
                                    PolicyRound round) {
  ModifyRequest request{random_bytes(kKeySize), job, revision, codec::encode(spec), "", round};
  WM_TRY(request.credential,
         wire::sign_spec(*parts_->credentials, request.spec, request.request_key));
  return ask_once(request);
}

Result<std::shared_ptr<const Config>> Master::conf() {
  WM_TRY(auto reply, ask(ConfRequest{}));
  if (reply.config) return reply.config;
  return fail(Code::Version, "the master does not tell its configuration");
}

}  // namespace wm::client
