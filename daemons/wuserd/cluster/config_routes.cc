// The rows of /api/v1 about files of the configuration: read, judged and looked ahead with, as the
// user; nobody here writes one. What puts a file in force is a line of badmin in a shell.
#include <algorithm>
#include <atomic>
#include <chrono>

#include "daemons/wuserd/cluster/config_files.h"
#include "daemons/wuserd/cluster/preview.h"
#include "daemons/wuserd/cluster/routes.h"
#include "daemons/wuserd/site/json_body.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/codec/codec.h"
#include "libwm/conf/difference.h"
#include "libwm/conf/findings.h"
#include "libwm/conf/load.h"
#include "libwm/model/verbs/admin_verbs.h"

namespace wm::user {
namespace {

// A page waits so long for dates; a shell has the time.
constexpr auto kPreviewPatience = std::chrono::seconds(30);

Json words_json(const conf::Findings& found) {
  Json list = Json::array();
  for (const auto& one : found) list.push_back(one.text);
  return list;
}

// What the files of the master have and is not in force; who may not know gets none.
Json pending_lines(Site& site) {
  AdminRequest request;
  request.act = AdminRequest::Act::Difference;
  auto master = site.masters.take();
  if (!master) return Json::array();
  auto reply = (*master)->ask(request);
  return reply ? Json(reply->lines) : Json::array();
}

Result<Answer> read_config(Call& call) {
  const auto& file = call.args[0];
  WM_TRY(check_editable(file));
  WM_TRY(auto texts, config_texts(call.site.conf_dir, file, std::nullopt));
  const auto& text = texts[file];
  if (text.size() > kLongestJson / 2)
    return fail(Code::Limit, file + " is too long for a page: " + std::to_string(text.size()));
  Json all{{"file", file},
           {"path", call.site.conf_dir + "/" + file},
           {"text", text},
           {"hash", hex(hash_of(text, 16))},
           {"parts", parts_of(texts, file)},
           {"wrong", judged(texts, conf::this_host()).wrong},
           {"pending", pending_lines(call.site)}};
  return json_reply(to_text(all));
}

// The body's text, in its file's place among the others.
Result<conf::Texts> asked_texts(Call& call) {
  const auto& file = call.args[0];
  WM_TRY(check_editable(file));
  WM_TRY(auto json, json_in(call));
  auto text = json.find("text");
  if (text == json.end() || !text->is_string())
    return fail(Code::BadArgument, "text: the file's is wanted");
  return config_texts(call.site.conf_dir, file, text->get<std::string>());
}

// What only a master that runs knows.
conf::Findings ask_running(Site& site, const Config& next) {
  auto master = site.masters.take();
  auto queues = master ? (*master)->ask(QueuesRequest{}) : Result<QueuesReply>(master.error());
  auto hosts = queues ? (*master)->ask(HostsRequest{}) : Result<HostsReply>(queues.error());
  if (!hosts)
    return {{false, "not looked at: queues and hosts that have jobs: " + hosts.error().text}};
  return conf::check_left_out(next, queues->queues, hosts->hosts);
}

// Body: {"text": …}. What badmin ckconfig would say of it, and what it changes.
Result<Answer> check_text(Call& call) {
  WM_TRY(auto texts, asked_texts(call));
  auto own = conf::this_host();
  auto next = judged(texts, own);
  Json all{{"wrong", next.wrong}, {"warnings", Json::array()}, {"changes", Json::array()}};
  if (next.config) {
    auto found = conf::check_plan_limits(*next.config);
    for (auto& one : ask_running(call.site, *next.config)) found.push_back(std::move(one));
    all["warnings"] = words_json(found);
    WM_TRY(auto before, config_texts(call.site.conf_dir, call.args[0], std::nullopt));
    auto old = judged(before, own);
    if (old.config) all["changes"] = conf::differences(*old.config, *next.config);
  }
  return json_reply(to_text(all));
}

// Where no file names a host, the cluster is its master's; a door may stand elsewhere.
std::string own_host(const Cluster& live) {
  const auto& hosts = live.config->hosts;
  return hosts.size() == 1 ? hosts.front().name : conf::this_host();
}

// One at a time: each takes two threads, and the whole state twice.
struct Alone {
  static inline std::atomic<bool> taken = false;
  bool got = !taken.exchange(true);
  ~Alone() {
    if (got) taken = false;
  }
};

// Body: {"text": …}. The production scheduler goes on with the jobs of now, as it is and with that
// text; administrators alone get the state, and the master judges who is one.
Result<Answer> preview(Call& call) {
  WM_TRY(auto texts, asked_texts(call));
  Alone alone;
  if (!alone.got) return fail(Code::Unavailable, "another preview is being made: wait for it");
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto bytes, master->state());
  WM_TRY(auto live, codec::decode<Cluster>(bytes));
  auto next = judged(texts, own_host(live));
  if (!next.config) return fail(Code::BadArgument, "text: " + next.wrong.front());
  replay::Change change;
  change.config = std::make_shared<const Config>(std::move(*next.config));
  auto until = steady_now() + kPreviewPatience;
  auto goes_on = [until] { return steady_now() < until; };
  auto now = std::max(wall_now(), live.time);
  auto rows = replay::foretell(live, change, now, {}, goes_on);
  if (!rows && rows.error().code == Code::Timeout)
    return fail(Code::Timeout,
                "so many jobs take longer: bwhatif --conf FOLDER in a shell has time");
  if (!rows) return rows.error();
  return json_reply(to_text(foretold_json(live, *rows, now)));
}

}  // namespace

const std::vector<Route>& config_routes() {
  static const std::vector<Route> routes{
      {"GET", "/api/v1/config/{file}", read_config,
       "A file of the configuration, as its reader may read it, and what is not in force of it",
       "config_file"},
      {"POST", "/api/v1/config/{file}/check", check_text,
       "What badmin ckconfig would say of another text of it, and what that changes; writes "
       "nothing",
       "config_checked"},
      {"POST", "/api/v1/config/{file}/preview", preview,
       "Who would start earlier and later with another text of it, for administrators",
       "config_preview"},
  };
  return routes;
}

}  // namespace wm::user
