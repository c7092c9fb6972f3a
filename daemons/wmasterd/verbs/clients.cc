#include "daemons/wmasterd/verbs/clients.h"

#include "daemons/wmasterd/verbs/table.h"

namespace wm::master {

void Clients::on_frame(PeerId peer, const Caller& caller, std::uint16_t type,
                       const std::string& payload) {
  const VerbRow* row = find_verb(type);
  Call call(service_.env.peers, peer, static_cast<Verb>(type), row ? row->may : May::Admin, caller);
  if (row) {
    auto begun = service_.env.clock.mono();
    row->serve(service_, call, payload);
    worked_.add(std::chrono::duration<double>(service_.env.clock.mono() - begun).count());
    ++asked_[std::string(row->name)];
    service_.perfmon.on_request(row->name, service_.env.clock.wall());
    return;
  }
  call.refuse(
      fail(Code::Version, "request " + std::to_string(type) + " is not known to this master"));
}

void Clients::on_left(PeerId peer) {
  service_.waiters.on_left(peer);
  service_.watchers.on_left(peer);
}

void Clients::set_accounting(AcctRebuilder rebuild, AcctReading<AcctReply> account) {
  service_.rebuild_acct = std::move(rebuild);
  service_.account = std::move(account);
}

void Clients::set_audit(AuditTrail audit) { service_.audit = std::move(audit); }

void Clients::on_published(const Journal::Published& published) {
  service_.watchers.on_published(published);
  service_.perfmon.on_published(published, service_.journal.published(), service_.env.clock.wall());
  service_.waiters.on_jobs_changed(service_.journal.published(), published.touched.jobs);
}

}  // namespace wm::master
