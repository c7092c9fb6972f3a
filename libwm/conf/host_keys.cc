// Keys of hosts.conf.
#include "libwm/conf/keys.h"

namespace wm::conf {
namespace {

using H = HostConf;

constexpr Key<H> kHostKeys[] = {
    {"address", [](H& h) -> Field { return &h.address; }, kAny, Effect::Restart,
     "Address that other hosts reach it at: a number, or a name that wnoded looks up when it "
     "starts "
     "and twice a minute. Empty: its own name. A name that means its loopback only, as Debian's "
     "/etc/hosts has it, gives the address from which it reaches the master."},
    {"slots",
     [](H& h) -> Field { return &h.slots; },
     {0, 100000},
     Effect::Reconfig,
     "Tasks that it may hold. 0: one per core."},
    {"cpus",
     [](H& h) -> Field { return &h.cpus; },
     {0, 100000},
     Effect::Reconfig,
     "Cores that tasks may use. 0: all that the host finds."},
    {"mem",
     [](H& h) -> Field { return &h.mem; },
     {0, 1LL << 50},
     Effect::Reconfig,
     "Memory that tasks may use. 0: all that the host finds."},
    {"gpus",
     [](H& h) -> Field { return &h.gpus; },
     {0, 1024},
     Effect::Reconfig,
     "GPUs that tasks may use; declared GPUs without a device are counters. none: what the "
     "host finds."},
    {"gpu_model", [](H& h) -> Field { return &h.gpu_model; }, kAny, Effect::Reconfig,
     "Model of declared GPUs, for gmodel= of -gpu."},
    {"gpu_mem",
     [](H& h) -> Field { return &h.gpu_mem; },
     {0, 1LL << 50},
     Effect::Reconfig,
     "Memory of each declared GPU, for gmem= of -gpu."},
    {"groups", [](H& h) -> Field { return &h.groups; }, kAny, Effect::Reconfig,
     "Host groups that it belongs to; queues and -m may name them."},
    {"resources", [](H& h) -> Field { return &h.resources; }, kAny, Effect::Reconfig,
     "The site's own resources, for select[]: names, or NAME=value."},
    {"switches", [](H& h) -> Field { return &h.switches; }, kAny, Effect::Reconfig,
     "Switches above it, from the top of the tree down to its own, separated by /: "
     "core1/row2/leaf7. Hosts with the same last part are a compute unit."},
    {"load", [](H& h) -> Field { return &h.load; }, kAny, Effect::Reconfig,
     "Its load beyond which no job starts there, and after a slash beyond which those that run are "
     "stopped, as load of queues.conf says it, for jobs of every queue. A queue's own limits hold, "
     "too."},
    {"dispatch_window", [](H& h) -> Field { return &h.dispatch_window; }, kAny, Effect::Reconfig,
     "When jobs start there, at the time of the master's machine; what runs goes on. Empty: "
     "always."},
};

}  // namespace

std::span<const Key<HostConf>> host_keys() { return kHostKeys; }

}  // namespace wm::conf
