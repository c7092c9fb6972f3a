#include "daemons/wnoded/attempts/signed_order.h"

#include <tuple>

#include "libwm/base/hash.h"
#include "libwm/codec/codec.h"
#include "libwm/model/cluster.h"

namespace wm::node {
namespace {

bool matches(const std::string& hash, const std::string& bytes) {
  return bytes.empty() || hash == hash_of(bytes);
}

// A field by which a host acts as the user. What is not listed the master may fill in: names of
// queue, profile, plan and job, sizes, requirements, limits, dates.
struct Signed {
  const char* name;
  bool (*same)(const JobSpec&, const JobSpec&);
};
// A member, or one of its members.
template <auto Member, auto... Inner>
bool same(const JobSpec& a, const JobSpec& b) {
  return ((a.*Member).*....*Inner) == ((b.*Member).*....*Inner);
}

constexpr Signed kSigned[] = {
    {"command", same<&JobSpec::program, &Program::command>},
    {"script", same<&JobSpec::program, &Program::script_hash>},
    {"arguments of the script", same<&JobSpec::program, &Program::spooled>},
    {"environment", same<&JobSpec::program, &Program::env_hash>},
    {"working directory", same<&JobSpec::program, &Program::cwd>},
    {"home", same<&JobSpec::program, &Program::home>},
    {"shell", same<&JobSpec::program, &Program::shell>},
    {"umask", same<&JobSpec::program, &Program::umask>},
    {"submission host", same<&JobSpec::program, &Program::submit_host>},
    {"input file", same<&JobSpec::files, &Files::in>},
    {"output file", same<&JobSpec::files, &Files::out>},
    {"error file", same<&JobSpec::files, &Files::err>},
    {"output overwritten", same<&JobSpec::files, &Files::out_overwrite>},
    {"errors overwritten", same<&JobSpec::files, &Files::err_overwrite>},
    {"input spooled", same<&JobSpec::files, &Files::in_spooled>},
    {"file copies", same<&JobSpec::files, &Files::copies>},
    {"output directory", same<&JobSpec::files, &Files::outdir>},
    {"streams", same<&JobSpec::console, &Console::streams>},
    {"pre-execution command", same<&JobSpec::side, &SideCommands::pre>},
    {"post-execution command", same<&JobSpec::side, &SideCommands::post>},
    {"warning action", same<&JobSpec::side, &SideCommands::warn_action>},
    {"notification command", same<&JobSpec::side, &SideCommands::notify>},
    {"checkpoints", same<&JobSpec::checkpoint>},
    {"MPI launch", same<&JobSpec::mpi>},
    {"mail", same<&JobSpec::mail>},
    {"execution", same<&JobSpec::exec>},
    {"tagged output", same<&JobSpec::files, &Files::tag>},
};

// The first field that is not as signed; null: none.
const char* changed_field(const JobSpec& own, const JobSpec& ordered) {
  for (const auto& row : kSigned)
    if (!row.same(own, ordered)) return row.name;
  return nullptr;
}

Error changed(const HostOrder& order, const char* field) {
  return fail(Code::Denied, "job " + to_string(order.job) + ": the order's " + field +
                                " differs from what its owner signed");
}

}  // namespace

Result<void> check_as_signed(const HostOrder& order) {
  WM_TRY(auto own, codec::decode<JobSpec>(order.sealed.spec));
  if (!own.groups.empty()) {
    if (order.job.index == 0 || order.job.index > own.groups.size()) return changed(order, "group");
    own = group_spec(own, order.job.index);
  }
  if (const char* field = changed_field(own, order.resolved)) return changed(order, field);
  if (!matches(own.program.script_hash, order.blobs.script)) return changed(order, "script");
  if (!matches(own.program.env_hash, order.blobs.env)) return changed(order, "environment");
  if (!own.side.notify.empty() && !order.change.command.empty() &&
      order.change.command != own.side.notify)
    return changed(order, "notification command");
  return {};
}

bool same_signature(const HostOrder& a, const HostOrder& b) {
  return a.sealed.spec == b.sealed.spec && a.sealed.credential == b.sealed.credential &&
         a.sealed.request_key == b.sealed.request_key && a.resolved.owner == b.resolved.owner;
}

Result<OwnCommands> own_commands(const Config& config, const JobSpec& job) {
  const AppConf* app = config.app(job.app);
  if (!app)
    return fail(Code::Version,
                "profile '" + job.app + "' is not in apps.conf on this host: copy the master's");
  const QueueConf* queue = config.queue(job.queue);
  if (!queue)
    return fail(Code::Version,
                "queue '" + job.queue + "' is not in queues.conf on this host: copy the master's");
  return OwnCommands{*app,
                     side_commands_of(*queue),
                     queue->controls,
                     config.cluster.dirs,
                     config.cluster.scripts,
                     config.cluster.lost_output_fails,
                     config.cluster.folder_limit};
}

void put_own(HostOrder& order, const OwnCommands& own) {
  order.app.env = own.app.env;
  order.app.pre_exec = own.app.pre_exec;
  order.app.post_exec = own.app.post_exec;
  order.app.resize_command = own.app.resize_command;
  order.app.warm_imports = own.app.warm_imports;
  order.app.container = own.app.container;
  order.app.command = own.app.command;
  order.app.idle = own.app.idle;
  order.queue_side = own.queue_side;
  order.app.controls = own.app.controls;
  order.queue_controls = own.queue_controls;
  if (!order.change.command.empty() && order.resolved.side.notify.empty())
    order.change.command = own.app.resize_command;
}

}  // namespace wm::node
