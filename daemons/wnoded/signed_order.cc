#include "daemons/wnoded/signed_order.h"

#include <sodium.h>

#include <tuple>

#include "libwm/codec/codec.h"

namespace wm::node {
namespace {

std::string blake2b(const std::string& bytes) {
  std::string hash(32, '\0');
  crypto_generichash(reinterpret_cast<unsigned char*>(hash.data()), hash.size(),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr,
                     0);
  return hash;
}

bool matches(const std::string& hash, const std::string& bytes) {
  return bytes.empty() || hash == blake2b(bytes);
}

// A field by which a host acts as the user. What is not listed the master may fill in: names of
// queue, profile, plan and job, sizes, requirements, limits, dates.
template <class Field>
struct Signed {
  const char* name;
  Field JobSpec::*field;
};
template <class Field>
Signed(const char*, Field JobSpec::*) -> Signed<Field>;

constexpr std::tuple kSigned = {Signed{"command", &JobSpec::command},
                                Signed{"script", &JobSpec::script_hash},
                                Signed{"environment", &JobSpec::env_hash},
                                Signed{"working directory", &JobSpec::cwd},
                                Signed{"home", &JobSpec::home},
                                Signed{"shell", &JobSpec::shell},
                                Signed{"umask", &JobSpec::umask},
                                Signed{"submission host", &JobSpec::submit_host},
                                Signed{"input file", &JobSpec::in_file},
                                Signed{"output file", &JobSpec::out_file},
                                Signed{"error file", &JobSpec::err_file},
                                Signed{"output overwritten", &JobSpec::out_overwrite},
                                Signed{"errors overwritten", &JobSpec::err_overwrite},
                                Signed{"input spooled", &JobSpec::in_spooled},
                                Signed{"file copies", &JobSpec::copies},
                                Signed{"streams", &JobSpec::streams},
                                Signed{"pre-execution command", &JobSpec::pre_exec},
                                Signed{"post-execution command", &JobSpec::post_exec},
                                Signed{"warning action", &JobSpec::warn_action},
                                Signed{"notification command", &JobSpec::notify_command},
                                Signed{"MPI launch", &JobSpec::mpi},
                                Signed{"mail", &JobSpec::mail},
                                Signed{"execution", &JobSpec::exec},
                                Signed{"tagged output", &JobSpec::tag}};

// The first field that is not as signed; null: none.
const char* changed_field(const JobSpec& own, const JobSpec& ordered) {
  const char* name = nullptr;
  std::apply(
      [&](const auto&... row) {
        ((name = name || own.*row.field == ordered.*row.field ? name : row.name), ...);
      },
      kSigned);
  return name;
}

Error changed(const HostOrder& order, const char* field) {
  return fail(Code::Denied, "job " + to_string(order.job) + ": the order's " + field +
                                " differs from what its owner signed");
}

}  // namespace

Result<void> check_as_signed(const HostOrder& order) {
  WM_TRY(auto own, codec::decode<JobSpec>(order.spec));
  if (!own.groups.empty()) {
    if (order.job.index == 0 || order.job.index > own.groups.size()) return changed(order, "group");
    own = group_spec(own, order.job.index);
  }
  if (const char* field = changed_field(own, order.resolved)) return changed(order, field);
  if (!matches(own.script_hash, order.script)) return changed(order, "script");
  if (!matches(own.env_hash, order.env)) return changed(order, "environment");
  if (!own.notify_command.empty() && !order.notice_command.empty() &&
      order.notice_command != own.notify_command)
    return changed(order, "notification command");
  return {};
}

bool same_signature(const HostOrder& a, const HostOrder& b) {
  return a.spec == b.spec && a.credential == b.credential && a.request_key == b.request_key &&
         a.resolved.owner == b.resolved.owner;
}

Result<OwnCommands> own_commands(const Config& config, const JobSpec& job) {
  const AppConf* app = config.app(job.app);
  if (!app)
    return fail(Code::NotFound,
                "profile '" + job.app + "' is not in apps.conf on this host: copy the master's");
  const QueueConf* queue = config.queue(job.queue);
  if (!queue)
    return fail(Code::NotFound,
                "queue '" + job.queue + "' is not in queues.conf on this host: copy the master's");
  return OwnCommands{*app, queue->pre_exec, queue->post_exec};
}

void put_own(HostOrder& order, const OwnCommands& own) {
  order.app.env = own.app.env;
  order.app.pre_exec = own.app.pre_exec;
  order.app.post_exec = own.app.post_exec;
  order.app.resize_command = own.app.resize_command;
  order.app.warm_imports = own.app.warm_imports;
  order.app.container = own.app.container;
  order.queue_pre_exec = own.queue_pre_exec;
  order.queue_post_exec = own.queue_post_exec;
  if (!order.notice_command.empty() && order.resolved.notify_command.empty())
    order.notice_command = own.app.resize_command;
}

}  // namespace wm::node
