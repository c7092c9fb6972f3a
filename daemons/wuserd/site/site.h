// Role: what every answer of wuserd is made from: the cluster, the one user, the pool of
// conversations with the master; and the shape of a route.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemons/wuserd/files/records.h"
#include "daemons/wuserd/files/refused.h"
#include "daemons/wuserd/files/results_use.h"
#include "daemons/wuserd/master/hub.h"
#include "daemons/wuserd/master/masters.h"
#include "daemons/wuserd/master/revoked.h"
#include "daemons/wuserd/site/open_requests.h"
#include "libwm/base/clock.h"
#include "libwm/http/server.h"
#include "libwm/http/token_files.h"
#include "libwm/login/token.h"
#include "libwm/model/config/config.h"
#include "libwm/rest/exec_json.h"
#include "libwm/rest/url.h"

namespace wm::user {

/// Where programs are looked for, in jobs as in wuserd itself: as after a fresh login.
inline constexpr const char* kPath = "/usr/local/bin:/usr/bin:/bin";

/// Whom a wuserd serves, and where.
struct Site {
  Site(ClusterConf c, std::string name, std::string folder, std::string root)
      : conf(std::move(c)),
        user(std::move(name)),
        home(std::move(folder)),
        results_root(std::move(root)),
        records(results_root + "/incoming"),
        refused(results_root + "/refused", conf.name),
        results(results_root),
        masters(conf),
        hub(std::make_unique<Hub>(masters)) {}

  ClusterConf conf;
  std::string user, home;
  std::string results_root;  ///< <results>/<user>
  std::unique_ptr<http::PublicKeys> keys;
  std::string conf_dir;  ///< of the cluster's files
  std::string own_dir;   ///< of the user's own: ~/.config/wm
  std::string door_dir;  ///< where each user's wuserd has its sockets
  Records records;
  Refused refused;
  ResultsCount results;
  Masters masters;
  std::unique_ptr<Hub> hub;
  Revoked revoked{conf};
  OpenRequests open{steady_now()};
};

/// One request on its way to an answer.
struct Call {
  http::Exchange& exchange;
  Site& site;
  rest::Target target;
  std::vector<std::string> args;  ///< what stood in the route's braces
  std::string guest = {};         ///< account that asks for something shared; empty: the user
};

/// An answer that is still to be sent; nothing: it was sent in pieces.
using Answer = std::optional<http::Reply>;

/// One row of the table of routes.
struct Route {
  std::string_view method, pattern;
  Result<Answer> (*answer)(Call& call) = nullptr;
  std::string_view summary = {};  ///< of the OpenAPI document, as the next two (rest/openapi.h)
  std::string_view shape = {};
  std::string_view query = {};
};

/// The tables of all rooms, in the order in which they are looked through: the first row that fits
/// is taken. Made by the door. @cost O(1)
std::span<const std::vector<Route>* const> all_routes();

}  // namespace wm::user
