// Role: reads job lists, and the live state of a cluster. One file a format (read_<format>.cc);
// texts in, a Workload out, every error with its line and field. Nothing is opened here: the rim
// brings the texts.
//
//   swf       Standard Workload Format, rigid CPU jobs
//   pollux    name,time,application,num_replicas,batch_size; tables of step times and gradients
//   sia       the same with tables per GPU type
//   philly    timestamp,duration,num_gpus,…      tiresias  job_id,num_gpu,submit_time,…
//   snapshot  what badmin snapshot saves: hosts and configuration too (read_snapshot)
//   gavel     tab separated, steps; a table of steps/s   alibaba  pods with parts of GPUs
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "libwm/base/result.h"
#include "libwm/model/config/config.h"
#include "libwm/replay/run.h"
#include "libwm/replay/trace.h"

namespace wm::replay {

/// What a list is read for. @units GPUs per host, of the whole cluster
struct ReadOptions {
  std::uint32_t gpus = 0;  ///< of the cluster: bounds elastic ranges
  std::string gpu_type;    ///< the type that the times are of; empty: aws (sia), v100 (gavel)
};

/// The list in `text`. `tables`: what --tables holds, for pollux, sia and gavel.
/// @errors BadArgument: "line 7: field 2 (time): …"; NotFound: a table that is needed
/// @cost O(bytes log jobs)   @thread any
Result<Workload> read_workload(Format format, std::string_view text, const TableTexts& tables,
                               const ReadOptions& options);

/// A live state, made a list to run on a cluster like it.
struct Saved {
  Workload workload;  ///< what runs, from 0 on, with what is left of its run limit; then what waits
  Setup setup;        ///< its open hosts
  std::shared_ptr<const Config> config;
};
/// Reads what badmin snapshot saved. Run times are run limits, an hour where none is stated; held
/// jobs are left out, dependencies are taken to be met.
/// @errors Damaged, BadArgument: not a state, no open host, no job   @cost O(bytes + elements)
Result<Saved> read_snapshot(std::string_view bytes);

/// Where services are when no configuration says otherwise: it owns what they want at their most.
inline constexpr std::string_view kPlanOfServices = "/services";
/// Services: lines name,low,high,period_s below that heading, kernels of one GPU.
/// @errors BadArgument: "line 2: field 3 (high): …"   @cost O(bytes)
Result<std::vector<TraceJob>> read_services(std::string_view text);

/// The format of that name. @errors BadArgument: none has it; names all
Result<Format> format_of(std::string_view name);

// One format each; read_workload() sorts what they return.
/// @errors as read_workload()   @cost as read_workload()
Result<Workload> read_swf(std::string_view text);
/// @errors as read_workload()   @cost as read_workload()
Result<Workload> read_pollux(std::string_view text, const TableTexts& tables,
                             const ReadOptions& options, bool per_gpu_type);
/// @errors as read_workload()   @cost as read_workload()
Result<Workload> read_philly(std::string_view text);
/// @errors as read_workload()   @cost as read_workload()
Result<Workload> read_gavel(std::string_view text, const TableTexts& tables,
                            const ReadOptions& options);
/// @errors as read_workload()   @cost as read_workload()
Result<Workload> read_alibaba(std::string_view text);
/// @errors as read_workload()   @cost as read_workload()
Result<Workload> read_tiresias(std::string_view text);

/// Makes a share of the rigid jobs malleable: 1/4 … 2 times what they ask for, linear.
/// Which ones follows from `seed`. `most`: slots of the cluster.
/// @cost O(jobs)
void make_malleable(Workload& workload, double fraction, std::uint64_t seed, std::uint32_t most);

}  // namespace wm::replay
