// Role: the command line by which a task runs inside the container of its application profile,
// and the look for the image before it. Pure, but for gpu_files.
//
//   before the tasks: image_check, as the user on each host; then each task: contained(argv);
//   what a task launches on other hosts (blaunch, mpirun): container_of_part + argv
//
// Invariants: what a driver starts stays below the task's process and in the attempt's cgroup;
// the environment is the task's own; its folders have the paths that they have outside.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/launch/launch_env.h"

namespace wm::launch {

/// A path of the host that is seen inside.
struct Bind {
  std::string from, to;
  bool operator==(const Bind&) const = default;
};

/// What is seen inside: the job's folder, the attempt's (sockets, script), its results, those of
/// its service, our programs and configuration, the driver of its GPUs, and what the profile names.
/// A path below another one of the list is left out. @cost O(binds²)
std::vector<Bind> binds_of(const HostOrder& order, const HostFacts& host, const OrderedTask& task);

/// What makes the container that its tasks run in; "none": they run outside, as do those of a
/// profile without an image that name none, and routers of services. @cost O(1)
const std::string& container_driver(const HostOrder& order);

/// The execution's own, else the profile's with the job's $LSB_CONTAINER_IMAGE filled in; empty:
/// none. @cost O(environment)
std::string image_of(const HostOrder& order);

/// Set inside containers only, to the driver's name.
inline constexpr std::string_view kInsideVariable = "WM_CONTAINER";

/// `argv` as the profile's driver runs it inside; itself when the profile names none.
/// @source charliecloud 0.31 ch-run; podman 4.3 run; apptainer 1.1 exec
std::vector<std::string> contained(const HostOrder& order, const HostFacts& host,
                                   const OrderedTask& task, std::vector<std::string> argv);

/// The words that go before a command that belongs to no task, to run it inside on this host:
/// with what all tasks here see. Empty: no container. @cost O(tasks + binds²)
std::vector<std::string> container_of_part(const HostOrder& order, const HostFacts& host);

/// Fails when there is no image; podman fetches it, when and as the job says, and so does apptainer
/// what names a registry, into ~/.cache/wm/images. Makes the mount points that a folder for
/// charliecloud lacks, which ch-run cannot. Empty: no container.
std::optional<SideCommand> image_check(const HostOrder& order, const HostFacts& host);

/// Device nodes and libraries that programs need to use this machine's GPUs. Empty: none.
/// @cost a look at a few folders   @thread any
std::vector<std::string> gpu_files();

}  // namespace wm::launch
