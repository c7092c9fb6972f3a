// badmin: administration: check and load the configuration, open and close hosts and queues,
// declare a silent host dead. ckconfig, showconf and keys read files and ask no master.
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "commands/common/archive_words.h"
#include "commands/common/backing_up.h"
#include "commands/common/command.h"
#include "commands/common/installation.h"
#include "commands/common/lsf_listing.h"
#include "commands/common/overview.h"
#include "libwm/base/clock.h"
#include "libwm/client/names.h"
#include "libwm/conf/load.h"
#include "libwm/files/own_folder.h"
#include "libwm/files/whole_file.h"
#include "libwm/http/token_files.h"
#include "libwm/proc/policy_command.h"
#include "libwm/view/acts.h"

namespace wm::cmd::badmin {
namespace {

using Kind = Option::Kind;
using Act = AdminRequest::Act;

constexpr Option kOptions[] = {
    {"C", Kind::Text, "message", "Why; kept and shown"},
    {"drain", Kind::Flag, "", "Of hclose: what can go on elsewhere does"},
    {"v", Kind::Flag, "", "Accepted for scripts written for LSF"},
    {"f", Kind::Flag, "", "Accepted for scripts written for LSF"},
    {"-diff", Kind::Flag, "", "Of reconfig: what it would change; nothing is changed"},
    {"json", Kind::Flag, "", "Of perfmon view: JSON"},
    {"-now", Kind::Flag, "", "Of token-key: what was signed before is good no more"},
};

// How long ckconfig waits for a master that may be down.
constexpr Duration kPatience = std::chrono::seconds(3);
// Where wlogind has its keys; see wlogind.service.
constexpr const char* kDoorFolder = "/run/wm-login";

struct Verb {
  std::string_view name;
  Act act;
};
constexpr Verb kVerbs[] = {
    {"reconfig", Act::Reconfig},        {"hclose", Act::HostClose},
    {"hopen", Act::HostOpen},           {"hdead", Act::HostDead},
    {"qclose", Act::QueueClose},        {"qopen", Act::QueueOpen},
    {"qinact", Act::QueueInactivate},   {"qact", Act::QueueActivate},
    {"gclose", Act::GpuClose},          {"gopen", Act::GpuOpen},
    {"rebuild-acct", Act::RebuildAcct}, {"clock-trust", Act::ClockTrust},
};

constexpr const char* kSynopsis =
    "badmin ckconfig | reconfig | showconf [mbd|sbd] | lsfconf [folder] | keys file | snapshot "
    "file | "
    "rebuild-acct | archive [rebuild] | "
    "backup file | take-over | clock-trust [-C message]\n"
    "       badmin reconfig --diff | showstatus | diagnose | hist | mbdhist | qhist [queue ...] | "
    "hhist "
    "[host ...] | audit | perfmon start [seconds]|stop|view [-json]\n"
    "       badmin hclose [-drain] [-C message] host ... | hopen|hdead [-C message] host ...\n"
    "       badmin qclose|qopen|qinact|qact [-C message] queue ...\n"
    "       badmin gclose|gopen [-C message] host gpu ...\n"
    "       badmin token-revoke [-C message] user|token ... | token-key [--now] [folder] | "
    "doorhist "
    "[user ...]\n"
    "       badmin mkresults user ...\n"
    "  ckconfig               Check the files in $WM_CONF_DIR and name everything that is wrong\n"
    "  mkresults              Make users' folders in results_dir, theirs alone; as root\n"
    "  reconfig               Put them in force, or keep the old ones and say why\n"
    "  reconfig --diff        What that would change, key by key\n"
    "  showstatus             Hosts, jobs and users, counted\n"
    "  diagnose               One text about the cluster for who is to help; no secrets, no "
    "commands\n"
    "  perfmon                What the master is asked and does, in samples of 60 seconds or as "
    "said\n"
    "  hist, mbdhist          What administrators did; to the configuration\n"
    "  qhist, hhist           The same to queues, hosts and GPUs\n"
    "  doorhist               Who logged on and off at the web door, and who was refused\n"
    "  audit                  Everything, and whether the record is as it was written\n"
    "  showconf               Where the cluster is and what it is called\n"
    "  showconf mbd, sbd      Settings by their LSF names, for programs written for LSF\n"
    "  lsfconf                The text of lsf.conf, for such programs; it belongs beside wm.conf\n"
    "  lsfconf folder         Makes it there, and lsbatch/CLUSTER/configdir/lsb.params below it\n"
    "  keys file              Reference of a configuration file, for example queues.conf\n"
    "  snapshot file          Save the live state for bsim and bwhatif; it holds no secrets\n"
    "  hclose, hopen          Start no more tasks on hosts; start them again\n"
    "  hclose -drain          And move services and elastic tasks elsewhere; hopen keeps what is "
    "there\n"
    "  hdead                  Vouch that nothing runs on a silent host: its jobs may start "
    "elsewhere\n"
    "  gclose, gopen          Give GPUs of a host (index or uuid) to nobody; give them out again, "
    "faults forgotten\n"
    "  qclose, qopen          Refuse submissions to queues; take them again\n"
    "  qinact, qact           Start no more jobs of queues; start them again\n"
    "  rebuild-acct           Make accounting again from the history of events\n"
    "  archive                Records of what has run: how many, how large, what waits\n"
    "  archive rebuild        Make them again from the history of events\n"
    "  backup file            Copy all that the master keeps, while it works, into a tar file\n"
    "  take-over              On the master's host, after a restore: go on with an older state "
    "than "
    "hosts have obeyed\n"
    "  clock-trust            Deadlines, windows and purges that wait because the master's clock "
    "was set wait no more\n"
    "  token-revoke           Tokens of the web door, by their ids or all of a user, open nothing "
    "more\n"
    "  token-key              Sign tokens with a new key; the old one is good for 8 hours more";

std::optional<FileFacts> file_facts(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return FileFacts{found.st_uid, found.st_mode & 07777u, S_ISDIR(found.st_mode)};
}

std::optional<std::uint32_t> account_uid(const std::string& name) {
  auto account = client::find_account(name);
  return account ? std::optional(account->uid) : std::nullopt;
}

// What only a master that runs knows. It may well be down while its files are edited.
Findings ask_running(const Config& next) {
  auto to = client::Master::of(next.cluster, kPatience);
  auto queues = to ? to->ask(QueuesRequest{}) : to.error();
  auto hosts = queues ? to->ask(HostsRequest{}) : queues.error();
  if (!hosts)
    return {{false,
             "not looked at: queues and hosts with jobs that are left out, and hosts that "
             "want to join: " +
                 hosts.error().text}};
  auto found = conf::check_left_out(next, queues->queues, hosts->hosts);
  for (auto& one : conf::check_strangers(next, hosts->strangers)) found.push_back(std::move(one));
  return found;
}

std::optional<std::string> text_of(const std::string& path) {
  std::ifstream in(path);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

Result<int> check_config() {
  say("Checking configuration files in " + conf_dir() + " ...\n\n");
  WM_TRY(auto config, conf::load(conf_dir(), conf::this_host()));
  auto found = check_machine(
      config.cluster, {account_uid, file_facts, conf::this_host(), proc::check_policy_command});
  for (auto& one : conf::check_plan_limits(config)) found.push_back(std::move(one));
  bool stops = std::ranges::any_of(found, &Finding::stops);
  if (!stops)
    for (auto& one : ask_running(config)) found.push_back(std::move(one));
  for (const auto& [file, wanted] :
       {std::pair(std::string("lsf.conf"), conf::lsf_conf_text(config.cluster, lsf_places())),
        std::pair(conf::lsb_params_path(config.cluster), conf::lsb_params_text(config.cluster))})
    for (auto& one : check_lsf_conf(file, text_of(conf_dir() + "/" + file), wanted))
      found.push_back(std::move(one));
  for (const auto& one : found) complain((one.stops ? "Error: " : "Warning: ") + one.text + "\n");
  say(stops ? "There are errors.\n" : "No errors found.\n");
  return stops ? kRefused : 0;
}

// Where users may make no folder in results_dir, and root of hosts neither (root_squash).
Result<int> make_results(const std::vector<std::string>& users) {
  if (users.empty()) return fail(Code::BadArgument, "badmin mkresults: users are wanted");
  WM_TRY(auto cluster, cluster_conf());
  if (cluster.dirs.results.empty())
    return fail(Code::BadArgument,
                "badmin mkresults: wm.conf has no results_dir: results lie in the users' homes");
  for (const auto& user : users) {
    WM_TRY(auto account, client::find_account(user));
    WM_TRY(auto folder, OwnFolder::give(cluster.dirs.results, account.name, account.uid));
    WM_TRY(auto open, OwnFolder::give_open(cluster.dirs.results, account.name, account.uid));
    say(folder.path() + "\n" + open.path() + "\n");
  }
  return 0;
}

Result<int> show_as_lsf(const ClusterConf& cluster, const std::string& daemon) {
  if (daemon != "mbd" && daemon != "sbd")
    return fail(Code::BadArgument, "badmin showconf: '" + daemon + "': mbd or sbd is wanted");
  auto settings = conf::lsf_settings(cluster, lsf_places());
  for (const auto& one : conf::lsb_params(cluster))
    if (std::find(settings.begin(), settings.end(), one) == settings.end()) settings.push_back(one);
  say(lsf_listing(daemon == "mbd" ? "MBD" : "SBD", settings));
  return 0;
}

// Made, or made anew unless somebody wrote it.
Result<void> write_for_lsf(const std::string& path, const std::string& text) {
  std::error_code problem;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), problem);
  auto there = text_of(path);
  auto first = text.substr(0, text.find('\n') + 1);
  if (there && !there->starts_with(first)) {
    complain("badmin: " + path + " is somebody's own: it stays\n");
    return {};
  }
  WM_TRY(replace_file(path, text, 0644));
  say(path + "\n");
  return {};
}

Result<int> make_lsf_conf(const std::vector<std::string>& words) {
  WM_TRY(auto cluster, cluster_conf());
  auto text = conf::lsf_conf_text(cluster, lsf_places());
  if (words.size() < 2) {
    say(text);
    return 0;
  }
  WM_TRY(write_for_lsf(words[1] + "/lsf.conf", text));
  WM_TRY(write_for_lsf(words[1] + "/" + conf::lsb_params_path(cluster),
                       conf::lsb_params_text(cluster)));
  return 0;
}

Result<int> show_config(const std::vector<std::string>& words) {
  WM_TRY(auto cluster, cluster_conf());
  if (words.size() > 1) return show_as_lsf(cluster, words[1]);
  say("WM configuration at " + conf_dir() + "\n");
  say("  CLUSTER_NAME = " + cluster.name + "\n  MASTER_HOST = " + cluster.master_host +
      "\n  MASTER_PORT = " + std::to_string(cluster.master_port) +
      "\n  MASTER_USER = " + cluster.master_user + "\n  HOST_USER = " + cluster.host_user +
      "\n  DEFAULT_QUEUE = " + cluster.default_queue +
      "\n  DEFAULT_PLAN = " + cluster.default_plan + "\n  STATE_DIR = " + cluster.dirs.state +
      "\n  LOG_DIR = " + cluster.dirs.log + "\n");
  return 0;
}

Result<int> show_keys(const std::vector<std::string>& names) {
  for (const auto& name : names) {
    WM_TRY(auto text, conf::reference(name));
    say(text);
  }
  return names.empty() ? Result<int>(fail(Code::BadArgument,
                                          "badmin keys: name a file, for example queues.conf"))
                       : 0;
}

Result<int> ask_master(Act act, const Parsed& options) {
  AdminRequest request{.act = act, .names = {options.words.begin() + 1, options.words.end()}};
  request.why = options.first("C").value_or("");
  request.drain = options.has("drain");
  if (act == Act::GpuClose || act == Act::GpuOpen) {
    if (request.names.size() < 2)
      return fail(Code::BadArgument, "badmin: name a host and its GPUs, for example: gclose h1 0");
    request.gpus.assign(request.names.begin() + 1, request.names.end());
    request.names.resize(1);
  }
  if (act == Act::Reconfig) WM_TRY(conf::load(conf_dir(), conf::this_host()));
  WM_TRY(auto to, master());
  WM_TRY(auto reply, to.ask(request));
  for (const auto& line : reply.lines) say(line + "\n");
  return 0;
}

// Whole or not at all: a reader never sees half of it.
Result<int> save_state(const std::vector<std::string>& files) {
  if (files.size() != 1) return fail(Code::BadArgument, "badmin snapshot: name one file");
  WM_TRY(auto from, master());
  WM_TRY(auto state, from.state());
  WM_TRY(replace_file(files[0], state, 0644));
  say("State saved in <" + files[0] + ">, " + std::to_string(state.size()) + " bytes\n");
  return 0;
}

// A token's id, as doorhist shows it; else it is a user.
bool is_token_id(const std::string& word) {
  return word.size() == 32 && word.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Result<int> revoke_tokens(const Parsed& options) {
  if (options.words.size() < 2)
    return fail(Code::BadArgument, "badmin token-revoke: name users, or tokens by their ids");
  WM_TRY(auto to, master());
  for (std::size_t i = 1; i < options.words.size(); ++i) {
    const auto& word = options.words[i];
    bool one = is_token_id(word);
    RevokeRequest request;
    (one ? request.id : request.user) = word;
    // One that was removed may have tokens still; a mistyped one has none.
    if (!one && !client::find_account(word))
      complain("badmin: there is no account <" + word + "> on this host\n");
    request.why = options.first("C").value_or("");
    WM_TRY(to.ask(request));
    say(one ? "Token <" + word + "> is revoked\n"
            : "Tokens of <" + word + "> that were given out until now are revoked\n");
  }
  return 0;
}

// The change itself asks no master: one that is down is no reason to keep a key that is lost.
Result<int> change_token_key(const Parsed& options) {
  if (sodium_init() < 0) return fail(Code::System, "libsodium does not start");
  std::string folder = options.words.size() > 1 ? options.words[1] : kDoorFolder;
  auto now = now_s();
  bool at_once = options.has("-now");
  WM_TRY(http::change_token_keys(folder, at_once ? now : now + kTokenLife, now));
  say(at_once ? "Tokens are signed by a new key; those of the old one are good no more\n"
              : "Tokens are signed by a new key; those of the old one are good for 8 hours more\n");
  DoorAct act;
  act.act = "token-key";
  if (auto own = client::find_account(std::to_string(::getuid()))) act.user = own->name;
  act.objects = {folder};
  if (at_once) act.objects.emplace_back("--now");
  auto conf = cluster_conf();
  auto to = conf ? client::Master::of(*conf, kPatience) : conf.error();
  auto told = to ? to->ask(NoteRequest{"", {act}}) : Result<NoteReply>(to.error());
  if (!told) complain("badmin: it is not in the record of acts: " + told.error().text + "\n");
  return 0;
}

Result<int> show_difference() {
  WM_TRY(auto to, master());
  AdminRequest request;
  request.act = Act::Difference;
  WM_TRY(auto reply, to.ask(request));
  for (const auto& line : reply.lines) say(line + "\n");
  if (reply.lines.empty()) say("Nothing would change\n");
  return 0;
}

// perfmon start [seconds] | setperiod seconds | stop | view
Result<int> performance(const std::vector<std::string>& words, bool as_json) {
  PerfmonRequest request;
  std::string what = words.empty() ? "view" : words[0];
  if (what == "start" || what == "setperiod") request.act = PerfmonRequest::Act::Start;
  else if (what == "stop") request.act = PerfmonRequest::Act::Stop;
  else if (what != "view")
    return fail(Code::BadArgument, "badmin perfmon: start, stop, setperiod or view is wanted");
  if (words.size() > 1) {
    double seconds = 0;  // programs write 60.0
    const std::string& text = words[1];
    auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    bool good = what != "stop" && what != "view" && ec == std::errc() &&
                end == text.data() + text.size() && seconds >= 1 && seconds <= 86400;
    if (!good)
      return fail(Code::BadArgument,
                  "badmin perfmon: '" + text + "' is no sample period of 1 to 86400 seconds");
    request.period = std::chrono::seconds(std::lround(seconds));
  }
  WM_TRY(auto to, master());
  WM_TRY(auto reply, to.ask(request));
  if (as_json && reply.on) return say(perfmon_json(reply)), 0;
  for (const auto& line : reply.lines) say(line + "\n");
  return 0;
}

Result<int> run(const Parsed& options) {
  std::string word = options.words.empty() ? "" : options.words[0];
  if (options.has("-diff")) {
    if (word == "reconfig") return show_difference();
    return fail(Code::BadArgument, "badmin: --diff goes with reconfig");
  }
  if (options.has("drain") && word != "hclose")
    return fail(Code::BadArgument, "badmin: -drain goes with hclose");
  if (options.has("-now") && word != "token-key")
    return fail(Code::BadArgument, "badmin: --now goes with token-key");
  if (options.has("json") && word != "perfmon")
    return fail(Code::BadArgument, "badmin: -json goes with perfmon view");
  if (word == "token-revoke") return revoke_tokens(options);
  if (word == "token-key") return change_token_key(options);
  if (word == "showstatus") return show_status();
  if (word == "diagnose") return diagnose();
  if (view::is_history_word(word))
    return show_acts(word, {options.words.begin() + 1, options.words.end()});
  if (word == "perfmon")
    return performance({options.words.begin() + 1, options.words.end()}, options.has("json"));
  if (word == "ckconfig") return check_config();
  if (word == "mkresults") return make_results({options.words.begin() + 1, options.words.end()});
  if (word == "showconf") return show_config(options.words);
  if (word == "lsfconf") return make_lsf_conf(options.words);
  if (word == "keys") return show_keys({options.words.begin() + 1, options.words.end()});
  if (word == "archive") return archive_standing({options.words.begin() + 1, options.words.end()});
  if (word == "backup") return back_up({options.words.begin() + 1, options.words.end()});
  if (word == "take-over") return take_over(options.first("C").value_or(""));
  if (word == "snapshot") return save_state({options.words.begin() + 1, options.words.end()});
  for (const auto& verb : kVerbs)
    if (verb.name == word) return ask_master(verb.act, options);
  return fail(Code::BadArgument, "badmin: '" + word + "' is no subcommand; badmin -h lists them");
}

}  // namespace
}  // namespace wm::cmd::badmin

int main(int argc, char** argv) {
  using namespace wm::cmd::badmin;
  return main_of({"badmin", kSynopsis, kOptions}, argc, argv, run);
}
