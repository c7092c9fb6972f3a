// Role: inference services of one user: what lies on disk of each, and whether its job is there.
//
//   <results>/<user>/services/<name>/          0700; of one service
//     service.json                             its record: version, job, times
//     profile.json  key                        0600
//     <name>-YYYYmmdd-HHMMSS/                  the package
//     router  router.sock  log/                of its job
// Callers: the dlim_*.cc of this folder, and the rows about executions, models and services.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemons/wuserd/files/body.h"
#include "daemons/wuserd/site/site.h"
#include "libwm/serve/model.h"
#include "libwm/serve/profile.h"
#include "libwm/serve/versions.h"

namespace wm::user {

/// What service.json says.
struct ServiceRecord {
  std::string uid;                                     ///< a UUID
  serve::Versions versions;                            ///< folders of its packages
  JobId job;                                           ///< 0: never started
  std::int64_t created = 0, updated = 0, started = 0;  ///< @units s
  std::string space, model;  ///< that it was deployed from; empty: from a package
};

/// A service that was deployed.
struct DlimService {
  std::string name;
  std::string folder;
  ServiceRecord record;
  serve::Model model;
  std::string package() const { return folder + "/" + record.versions.present; }
};

/// @errors NotFound: none of that name; Damaged
Result<DlimService> find_service(Site& site, const std::string& name);
/// All, by name. Those that do not read are left out.
std::vector<DlimService> all_services(Site& site);
/// Does its job run, or wait to? The job, if so; one that is held is stopped. @errors as
/// Master::jobs
Result<std::optional<JobView>> service_job(Site& site, const DlimService& service);

/// A service's job that is there: its groups, by their numbers.
struct ServiceJob {
  JobId job;
  std::string owner;
  std::vector<JobView> groups;
  bool is_held() const;  ///< as a whole: stopped
};
/// That of a number, with groups that are not over. @errors as Master::jobs
Result<std::optional<ServiceJob>> job_there(Site& site, JobId job);
/// Those of other users that the caller may see into, who is an administrator then. @cost O(jobs)
/// @errors as Master::jobs
Result<std::map<std::string, ServiceJob>> others_services(Site& site);
/// Why it has no kernel, or no more, as bwhy says; empty: nothing keeps them. @errors as
/// Master::jobs
Result<std::string> kernels_wait_for(Site& site, const DlimService& service);
/// @errors System
Result<void> keep_record(const std::string& folder, const ServiceRecord& record);
/// The profile that it has. @errors NotFound; as serve::read_profile
Result<serve::Profile> profile_of(Site& site, const DlimService& service);

/// A folder for what becomes a package, `path`/package; it goes away with this.
struct Scratch {
  explicit Scratch(const Site& site);
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();
  std::string path;
};

/// A package on disk, and what is to become of it.
struct Placing {
  std::string package;       ///< its folder, which is moved
  std::string next_of;       ///< the service that it is the next version of; empty: a new one
  std::string profile;       ///< of a new one, JSON; empty: the package's own, if any
  std::string space, model;  ///< as in ServiceRecord
};
/// kernel_warm of a profile that does not say it. @cost reads the kernel
std::uint32_t default_warm(const std::string& package, const serve::Model& model);
/// @errors BadArgument: no package; Conflict: there is one, or it is started
Result<DlimService> place_package(Site& site, const Placing& placing);

/// The body of the exchange becomes a file. @errors BadArgument: there is none; Limit; System
Result<void> receive_package(http::Exchange& exchange, const std::string& path);
/// Takes the body of the exchange as the package of a new service, or, with a name, as the next of
/// that one. @errors as unpack; BadArgument: no package; Conflict: there is one, or it is started
Result<DlimService> deploy_service(Call& call, const std::string& name);
/// Makes a service of a folder on this host, which model.json's text names as its model_path: it is
/// copied. @errors BadArgument: what is missing there; Conflict: there is one of that name
Result<DlimService> register_service(Site& site, const std::string& text);
/// Takes it away. @errors Conflict: it is started
Result<void> undeploy_service(Site& site, const DlimService& service);
/// Where its job writes what its groups say. @cost O(1)
std::string log_folder(const DlimService& service, const serve::Profile& profile);
/// Releases its job, or submits a new one where what its owner signed has changed; another's is
/// released for an administrator. @errors Conflict: it is started, or its name is taken; as
/// find_service, bsub
Result<void> start_service(Site& site, const std::string& name);
/// Queues its job again, held, if it runs. @errors as start_service
Result<void> stop_service(Site& site, const std::string& name);
/// Gives it another profile; of one that is started what may change then. A router that is being
/// started again is waited for.
/// @errors BadArgument, Conflict: as serve::read_profile, serve::check_live; Unavailable: kept, and
/// no router has taken it yet
Result<void> change_profile(Site& site, const DlimService& service, const std::string& text);
/// The version before the newest is the newest again. @errors Conflict: it is started; NotFound:
/// there is none before
Result<void> roll_back(Site& site, DlimService service);

/// What its routers say of themselves, as one JSON object; nothing: there is none now.
std::optional<std::string> router_state(const DlimService& service);
/// The same of its figures over the last `seconds`.
std::optional<std::string> router_series(const DlimService& service, std::int64_t seconds);
/// Of a service's requests so many go to another one: the next version, on trial.
struct Canary {
  std::string service;
  unsigned percent = 0;  ///< 1 to 100
};
/// Nothing: all are its own. @cost a look at the disk
std::optional<Canary> canary_of(const Site& site, const std::string& name);
/// With 0 % there is none any more. @errors BadArgument: more than 100, or of itself; NotFound:
/// there is no such service; System
Result<void> set_canary(Site& site, const DlimService& service, const Canary& canary);

/// Has its routers take no more requests, or take some again. Those on other hosts are not reached.
void close_routers(const DlimService& service, bool closed);
/// Has those of its routers read its profile again that answer now, on this host; the others see by
/// themselves that it has changed. False: none answers. @errors Unavailable: one does not take it
Result<bool> router_rereads(const DlimService& service, std::uint32_t routers);
/// Is there such a service, as far as was known 2 s ago? Asked before a request's body is taken.
/// @errors as find_service
Result<void> check_service(Site& site, const std::string& name);
/// Passes a request on to its router, waits for the answer. Those of one `group` of streams, a
/// number in hexadecimal digits, all go to the same one; empty: of none. Once the peer of the
/// socket `asker` has left, the router is told so, which forgets the request. @errors as
/// check_service
Result<http::Reply> infer(Site& site, const std::string& name, Body body, const std::string& group,
                          int asker);

/// Held while services are added, removed, started or stopped.
/// @cost as its other holders
std::unique_lock<std::mutex> hold_services();

}  // namespace wm::user
