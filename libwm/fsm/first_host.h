// Role: what a job's other hosts wait for on its first one: they start their tasks only after the
// first task runs, and give room back only when nothing can use it any more. Asked by the task
// machine and by the writer of orders to hosts.
#pragma once

#include "libwm/model/cluster.h"

namespace wm::fsm {

/// Are its processes told of a port to meet at (MASTER_PORT) that its first host leases before
/// anything starts elsewhere? @cost O(command)
bool needs_port(const Config& config, const JobSpec& spec);

/// Does the master choose that port? Of an elastic job that is started task by task, which may not
/// wait for its first host: tasks that never meet have nothing to wait for. @cost O(command)
bool gets_port(const Config& config, const JobSpec& spec);

/// The other hosts wait: for the pre-execution command on the first, or for the port that the
/// first one leases. @cost O(1)
bool first_host_goes_first(const Config& config, const JobSpec& spec);

/// True when the job's only process, on another host, starts again for the new size. Until that
/// process is gone it may have commands in the leaving slot (mpirun's daemons, blaunch), and saves
/// its work with them. @cost O(tasks)
bool room_is_in_use(const Config& config, const Job& job, const Task& task);

}  // namespace wm::fsm
