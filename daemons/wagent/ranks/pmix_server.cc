#include "daemons/wagent/ranks/pmix_server.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "daemons/wagent/ranks/pmix_library.h"
#include "libwm/base/log.h"

namespace wm::wagent {
namespace {

using boost::asio::post;

pmix_proc_t proc_of(const std::string& name, std::uint32_t rank) {
  pmix_proc_t proc{};
  std::strncpy(proc.nspace, name.c_str(), PMIX_MAX_NSLEN);
  proc.rank = rank;
  return proc;
}

/// Sorted; empty: all of the job.
std::vector<std::uint32_t> ranks_in(const pmix_proc_t* procs, std::size_t count) {
  std::vector<std::uint32_t> ranks;
  for (std::size_t i = 0; i < count; ++i) {
    if (procs[i].rank == PMIX_RANK_WILDCARD) return {};
    ranks.push_back(procs[i].rank);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

/// Words of the library's own about what is published, not names.
bool is_directive(const char* key) { return std::strncmp(key, "pmix.", 5) == 0; }

bool reads_once(const pmix_info_t& info) {
  return std::strcmp(info.key, PMIX_PERSISTENCE) == 0 && info.value.type == PMIX_PERSIST &&
         info.value.data.persist == PMIX_PERSIST_FIRST_READ;
}

/// Whatever number of values it names: all that were asked for.
bool waits(const pmix_info_t& info) {
  if (std::strcmp(info.key, PMIX_WAIT) != 0) return false;
  return info.value.type != PMIX_BOOL || info.value.data.flag;
}

/// Empty: of a type that is not published. Numbers travel as the bytes of the library's union.
std::optional<NamedValue> named_value(const char* name, const pmix_value_t& value) {
  NamedValue made{.name = name, .type = value.type};
  if (value.type == PMIX_STRING) made.bytes = value.data.string ? value.data.string : "";
  else if (value.type == PMIX_BYTE_OBJECT)
    made.bytes.assign(value.data.bo.bytes, value.data.bo.size);
  else if (value.type > PMIX_STRING && value.type <= PMIX_DOUBLE)
    made.bytes.assign(reinterpret_cast<const char*>(&value.data), sizeof(std::uint64_t));
  else return std::nullopt;
  return made;
}

/// As the library hands it out; `value` must outlive it.
pmix_pdata_t published(const std::string& job, const NamedValue& value) {
  pmix_pdata_t made{};
  made.proc = proc_of(job, value.owner);
  std::strncpy(made.key, value.name.c_str(), PMIX_MAX_KEYLEN);
  made.value.type = static_cast<pmix_data_type_t>(value.type);
  auto* bytes = const_cast<char*>(value.bytes.c_str());
  if (value.type == PMIX_STRING) made.value.data.string = bytes;
  else if (value.type == PMIX_BYTE_OBJECT) made.value.data.bo = {bytes, value.bytes.size()};
  else std::memcpy(&made.value.data, bytes, std::min(value.bytes.size(), sizeof(std::uint64_t)));
  return made;
}

class RealServer;
/// The one server; upcalls have no word of their own to find it by.
RealServer* the_server = nullptr;

class RealServer : public PmixServer {
 public:
  RealServer(boost::asio::io_context& loop, PmixLibrary library, PmixPlan plan, Handlers handlers)
      : loop_(loop), library_(library), plan_(std::move(plan)), handlers_(std::move(handlers)) {
    the_server = this;
  }
  ~RealServer() override {
    library_.finalize();
    the_server = nullptr;
  }

  Result<void> begin();
  Result<std::vector<std::string>> environment_of(std::uint32_t rank) override;
  void answer_fence(Ticket ticket, bool ok, const std::string& bytes) override {
    answer(ticket, ok ? PMIX_SUCCESS : PMIX_ERR_PROC_ABORTED, bytes);
  }
  void answer_modex(Ticket ticket, std::int32_t status, const std::string& bytes) override {
    answer(ticket, status, bytes);
  }
  void answer_names(Ticket ticket, const NameAnswer& answer) override;
  void fetch(std::uint32_t rank, Fetched done) override;

 private:
  /// Who waits; one of the calls is set.
  struct Waiting {
    pmix_modex_cbfunc_t call = nullptr;
    void* data = nullptr;
    pmix_op_cbfunc_t done = nullptr;
    pmix_lookup_cbfunc_t found = nullptr;
  };
  static pmix_server_module_t upcalls();
  static void add_names(pmix_server_module_t& module);
  static void add_meetings(pmix_server_module_t& module);
  static pmix_status_t ask_names(NameAsk ask, Waiting waiting);
  template <Meeting kind>
  static pmix_status_t meet(const pmix_proc_t procs[], std::size_t count, const pmix_info_t[],
                            std::size_t, pmix_op_cbfunc_t call, void* data);
  PmixInfos job_infos() const;
  PmixInfos rank_infos(std::uint32_t place, std::uint32_t rank) const;
  void add_folders(PmixInfos& infos) const;
  const ranks::RankHost& host() const { return plan_.map.hosts[plan_.here]; }
  Ticket keep(pmix_modex_cbfunc_t call, void* data) { return keep(Waiting{call, data}); }
  Ticket keep(Waiting waiting);
  void answer(Ticket ticket, pmix_status_t status, const std::string& bytes);

  boost::asio::io_context& loop_;
  PmixLibrary library_;
  PmixPlan plan_;
  Handlers handlers_;
  std::map<Ticket, Waiting> waiting_;
  Ticket next_ = 1;
};

/// They run on the library's threads: what they are told is copied and goes to our loop.
pmix_server_module_t RealServer::upcalls() {
  pmix_server_module_t module{};
  module.client_connected2 = [](const pmix_proc_t* proc, void*, pmix_info_t*, std::size_t,
                                pmix_op_cbfunc_t, void*) -> pmix_status_t {
    post(the_server->loop_, [rank = proc->rank] { the_server->handlers_.on_connected(rank); });
    return PMIX_OPERATION_SUCCEEDED;
  };
  module.client_finalized = [](const pmix_proc_t* proc, void*, pmix_op_cbfunc_t,
                               void*) -> pmix_status_t {
    post(the_server->loop_, [rank = proc->rank] { the_server->handlers_.on_finalized(rank); });
    return PMIX_OPERATION_SUCCEEDED;
  };
  module.abort = [](const pmix_proc_t* proc, void*, int status, const char* text, pmix_proc_t*,
                    std::size_t, pmix_op_cbfunc_t call, void* data) -> pmix_status_t {
    post(the_server->loop_,
         [rank = proc->rank, status, words = std::string(text ? text : ""), call, data] {
           the_server->handlers_.on_abort(rank, status, words);
           call(PMIX_SUCCESS, data);  // after the answer to what it had to say: log
         });
    return PMIX_SUCCESS;
  };
  // Open MPI 5 gives its messages to the server that started it. A rank's message that nobody takes
  // goes to the rank's own stderr, where it belongs. Not answered here: the library holds a lock.
  module.log = [](const pmix_proc_t*, const pmix_info_t[], std::size_t, const pmix_info_t[],
                  std::size_t, pmix_op_cbfunc_t call, void* data) {
    post(the_server->loop_, [call, data] { call(PMIX_ERR_NOT_SUPPORTED, data); });
  };
  module.fence_nb = [](const pmix_proc_t* procs, std::size_t count, const pmix_info_t*, std::size_t,
                       char* bytes, std::size_t size, pmix_modex_cbfunc_t call,
                       void* data) -> pmix_status_t {
    std::string copy(bytes ? bytes : "", bytes ? size : 0);
    std::free(bytes);
    post(the_server->loop_,
         [ranks = ranks_in(procs, count), copy = std::move(copy), call, data]() mutable {
           auto ticket = the_server->keep(call, data);
           the_server->handlers_.on_fence(std::move(ranks), ticket, std::move(copy));
         });
    return PMIX_SUCCESS;
  };
  module.direct_modex = [](const pmix_proc_t* proc, const pmix_info_t*, std::size_t,
                           pmix_modex_cbfunc_t call, void* data) -> pmix_status_t {
    post(the_server->loop_, [rank = proc->rank, call, data] {
      the_server->handlers_.on_modex(rank, the_server->keep(call, data));
    });
    return PMIX_SUCCESS;
  };
  // Files that ranks want removed after them are the library's own business, if it finds this.
  module.job_control = [](const pmix_proc_t*, const pmix_proc_t[], std::size_t, const pmix_info_t[],
                          std::size_t, pmix_info_cbfunc_t,
                          void*) -> pmix_status_t { return PMIX_ERR_NOT_SUPPORTED; };
  add_names(module);
  add_meetings(module);
  return module;
}

pmix_status_t RealServer::ask_names(NameAsk ask, Waiting waiting) {
  post(the_server->loop_, [ask = std::move(ask), waiting]() mutable {
    auto ticket = the_server->keep(waiting);
    the_server->handlers_.on_names(std::move(ask), ticket);
  });
  return PMIX_SUCCESS;
}

void RealServer::add_names(pmix_server_module_t& module) {
  using What = NameAsk::What;
  module.publish = [](const pmix_proc_t* proc, const pmix_info_t infos[], std::size_t count,
                      pmix_op_cbfunc_t call, void* data) -> pmix_status_t {
    NameAsk ask{.what = What::Publish, .rank = proc->rank};
    for (std::size_t i = 0; i < count; ++i) {
      if (is_directive(infos[i].key)) {
        ask.once = ask.once || reads_once(infos[i]);
      } else if (auto value = named_value(infos[i].key, infos[i].value)) {
        ask.values.push_back(std::move(*value));
      } else {
        return PMIX_ERR_NOT_SUPPORTED;
      }
    }
    return ask_names(std::move(ask), {.data = data, .done = call});
  };
  module.lookup = [](const pmix_proc_t* proc, char** keys, const pmix_info_t infos[],
                     std::size_t count, pmix_lookup_cbfunc_t call, void* data) -> pmix_status_t {
    NameAsk ask{.what = What::LookUp, .rank = proc->rank};
    for (; keys && *keys; ++keys) ask.values.push_back({.name = *keys});
    for (std::size_t i = 0; i < count; ++i) ask.wait = ask.wait || waits(infos[i]);
    return ask_names(std::move(ask), {.data = data, .found = call});
  };
  module.unpublish = [](const pmix_proc_t* proc, char** keys, const pmix_info_t[], std::size_t,
                        pmix_op_cbfunc_t call, void* data) -> pmix_status_t {
    NameAsk ask{.what = What::TakeBack, .rank = proc->rank};
    for (; keys && *keys; ++keys) ask.values.push_back({.name = *keys});
    return ask_names(std::move(ask), {.data = data, .done = call});
  };
}

template <Meeting kind>
pmix_status_t RealServer::meet(const pmix_proc_t procs[], std::size_t count, const pmix_info_t[],
                               std::size_t, pmix_op_cbfunc_t call, void* data) {
  for (std::size_t i = 0; i < count; ++i)  // other jobs' ranks are out of reach
    if (the_server->plan_.name != procs[i].nspace) return PMIX_ERR_NOT_SUPPORTED;
  post(the_server->loop_, [ranks = ranks_in(procs, count), call, data]() mutable {
    auto ticket = the_server->keep({.data = data, .done = call});
    the_server->handlers_.on_meeting(std::move(ranks), ticket, kind);
  });
  return PMIX_SUCCESS;
}

void RealServer::add_meetings(pmix_server_module_t& module) {
  module.connect = meet<Meeting::Connect>;
  module.disconnect = meet<Meeting::Disconnect>;
}

PmixInfos RealServer::rank_infos(std::uint32_t place, std::uint32_t rank) const {
  const auto& where = plan_.map.hosts[place];
  auto local = static_cast<std::uint16_t>(rank - where.first);
  PmixInfos infos;
  infos.add_rank(PMIX_RANK, rank);
  infos.add_u32(PMIX_APPNUM, 0);
  infos.add_rank(PMIX_GLOBAL_RANK, rank);
  infos.add_rank(PMIX_APP_RANK, rank);
  infos.add_u16(PMIX_LOCAL_RANK, local);
  infos.add_u16(PMIX_NODE_RANK, local);
  infos.add_u32(PMIX_NODEID, place);
  infos.add(PMIX_HOSTNAME, where.name);
  if (place == plan_.here) infos.add(PMIX_PROCDIR, plan_.folder + "/" + std::to_string(rank));
  return infos;
}

void RealServer::add_folders(PmixInfos& infos) const {
  ::mkdir(plan_.folder.c_str(), 0700);
  for (std::uint32_t i = 0; i < host().ranks; ++i)
    ::mkdir((plan_.folder + "/" + std::to_string(host().first + i)).c_str(), 0700);
  infos.add(PMIX_TMPDIR, plan_.folder);
  infos.add(PMIX_NSDIR, plan_.folder);
}

/// Open MPI does with a part of these; other clients are stricter.
PmixInfos RealServer::job_infos() const {
  PmixInfos infos;
  auto size = plan_.map.size();
  for (const char* key : {PMIX_UNIV_SIZE, PMIX_JOB_SIZE, PMIX_APP_SIZE, PMIX_MAX_PROCS})
    infos.add_u32(key, size);
  infos.add_u32(PMIX_JOB_NUM_APPS, 1);
  infos.add_u32(PMIX_NUM_NODES, static_cast<std::uint32_t>(plan_.map.hosts.size()));
  infos.add_u32(PMIX_LOCAL_SIZE, host().ranks);
  infos.add_u32(PMIX_NODE_SIZE, host().ranks);
  infos.add_u32(PMIX_NODEID, plan_.here);
  infos.add(PMIX_HOSTNAME, host().name);
  infos.add(PMIX_JOBID, plan_.name);
  infos.add_rank(PMIX_LOCALLDR, host().first);
  infos.add_rank(PMIX_APPLDR, 0);
  infos.add(PMIX_LOCAL_PEERS, ranks::peers_at(host()));
  infos.add(PMIX_NODE_MAP, ranks::node_map(plan_.map));
  infos.add(PMIX_PROC_MAP, ranks::proc_map(plan_.map));
  add_folders(infos);
  if (!plan_.topology.empty()) infos.add(PMIX_HWLOC_XML_V2, plan_.topology);
  for (std::uint32_t rank = 0; rank < size; ++rank)
    infos.add(PMIX_PROC_DATA, rank_infos(plan_.map.place_of(rank), rank));
  return infos;
}

Result<void> RealServer::begin() {
  auto module = upcalls();
  PmixInfos ours;
  ours.add(PMIX_SERVER_NSPACE, plan_.name + ".servers");
  ours.add_rank(PMIX_SERVER_RANK, plan_.here);
  ours.add(PMIX_SERVER_TMPDIR, plan_.folder);
  ours.add(PMIX_SYSTEM_TMPDIR, plan_.folder);
  ours.add(PMIX_HOSTNAME, host().name);
  ours.add_u32(PMIX_NODEID, plan_.here);
  ours.add(PMIX_SERVER_TOOL_SUPPORT, false);
  auto infos = job_infos();
  WM_TRY(library_.check(library_.init(&module, ours.data(), ours.size()), "no server"));
  auto job = proc_of(plan_.name, PMIX_RANK_WILDCARD);
  WM_TRY(library_.check(library_.register_nspace(job.nspace, static_cast<int>(host().ranks),
                                                 infos.data(), infos.size(), nullptr, nullptr),
                        "the job is refused"));
  for (std::uint32_t i = 0; i < host().ranks; ++i) {
    auto rank = proc_of(plan_.name, host().first + i);
    WM_TRY(library_.check(
        library_.register_client(&rank, ::geteuid(), ::getegid(), nullptr, nullptr, nullptr),
        "a rank is refused"));
  }
  return {};
}

Result<std::vector<std::string>> RealServer::environment_of(std::uint32_t rank) {
  auto proc = proc_of(plan_.name, rank);
  char** entries = nullptr;
  WM_TRY(library_.check(library_.setup_fork(&proc, &entries), "no environment"));
  std::vector<std::string> env;
  for (char** entry = entries; entry != nullptr && *entry != nullptr; ++entry) {
    env.emplace_back(*entry);
    std::free(*entry);
  }
  std::free(entries);
  return env;
}

PmixServer::Ticket RealServer::keep(Waiting waiting) {
  waiting_[next_] = waiting;
  return next_++;
}

void RealServer::answer_names(Ticket ticket, const NameAnswer& answer) {
  auto found = waiting_.extract(ticket);
  if (!found) return;
  const auto& waits = found.mapped();
  if (waits.done) return waits.done(answer.ok ? PMIX_SUCCESS : PMIX_ERR_DUPLICATE_KEY, waits.data);
  std::vector<pmix_pdata_t> values;
  for (const auto& value : answer.values) values.push_back(published(plan_.name, value));
  auto status = answer.ok        ? PMIX_SUCCESS
                : values.empty() ? PMIX_ERR_NOT_FOUND
                                 : PMIX_ERR_PARTIAL_SUCCESS;
  waits.found(status, values.data(), values.size(), waits.data);  // copies them
}

void RealServer::answer(Ticket ticket, pmix_status_t status, const std::string& bytes) {
  auto found = waiting_.extract(ticket);
  if (!found) return;
  if (found.mapped().done) return found.mapped().done(status, found.mapped().data);
  auto* copy = new std::string(bytes);  // until the library lets it go
  auto let_go = [](void* text) { delete static_cast<std::string*>(text); };
  const auto& waits = found.mapped();
  waits.call(status, copy->data(), copy->size(), waits.data, let_go, copy);
}

void RealServer::fetch(std::uint32_t rank, Fetched done) {
  auto proc = proc_of(plan_.name, rank);
  auto* kept = new Fetched(std::move(done));
  auto answered = [](pmix_status_t status, char* bytes, std::size_t size, void* data) {
    std::unique_ptr<Fetched> once(static_cast<Fetched*>(data));
    post(the_server->loop_,
         [once = std::shared_ptr<Fetched>(std::move(once)), status,
          copy = std::string(bytes ? bytes : "", bytes ? size : 0)] { (*once)(status, copy); });
  };
  auto status = library_.dmodex_request(&proc, answered, kept);
  if (status != PMIX_SUCCESS) answered(status, nullptr, 0, kept);
}

}  // namespace

Result<std::unique_ptr<PmixServer>> PmixServer::start(boost::asio::io_context& loop,
                                                      const PmixPlan& plan, Handlers handlers) {
  WM_TRY(auto library, PmixLibrary::open());
  auto server = std::make_unique<RealServer>(loop, library, plan, std::move(handlers));
  WM_TRY(server->begin());
  return std::unique_ptr<PmixServer>(std::move(server));
}

}  // namespace wm::wagent
