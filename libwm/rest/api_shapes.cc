#include "libwm/rest/api_shapes.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "libwm/rest/shape_words.h"

namespace wm::rest {
namespace {

using nlohmann::json;

constexpr ApiShape kShapes[] = {
    {"GET /api/v1/stream", "", "events"},
    {"GET /api/v1/jobs/{id}/logs/{worker}/{stream}", "", "bytes"},
    {"GET /api/v1/jobs/{id}/result.zip", "", "bytes"},
    {"POST /api/v1/jobs/{id}/{verb}", "job_act", "none"},
    {"POST /api/v1/jobs/{id}/again", "again_words", ""},
    {"POST /api/v1/hosts/{name}/{verb}", "admin_act", ""},
    {"POST /api/v1/queues/{name}/{verb}", "admin_act", ""},
    {"POST /api/v1/config/{file}/check", "config_text", ""},
    {"POST /api/v1/config/{file}/preview", "config_text", ""},
    {"POST /api/v1/keys", "key_words", ""},
    {"DELETE /api/v1/keys/{name}", "", "none"},
    {"DELETE /api/v1/sessions", "", "none"},
    {"PUT /api/v1/views/{name}", "view_words", ""},
    {"DELETE /api/v1/views/{name}", "", "none"},
    {"PUT /api/v1/projects/{project}/views/{name}", "view_words", ""},
    {"DELETE /api/v1/projects/{project}/views/{name}", "", "none"},
    {"DELETE /api/v1/runs", "", "deleted"},
    {"PATCH /api/v1/runs/{id}", "run_words", "described"},
    {"DELETE /api/v1/runs/{id}", "", "none"},
    {"GET /api/v1/services", "", "services"},
    {"GET /api/v1/services/{name}", "", "service"},
    {"GET /api/v1/services/{name}/series", "", "samples"},
    {"GET /api/v1/services/{name}/log", "", "text"},
    {"GET /api/v1/services/{name}/metrics", "", "text"},
    {"GET /api/v1/searches", "", "searches"},
    {"POST /api/v1/searches", "form_with_code", "search_name"},
    {"GET /api/v1/searches/{name}", "", "search_page"},
    {"POST /api/v1/searches/{name}/{verb}", "none", "none"},
    {"GET /api/v1/models", "", "models"},
    {"GET /api/v1/projects/{project}/models", "", "models"},
    {"POST /api/v1/projects/{project}/models", "model_words", "model"},
    {"PUT /api/v1/projects/{project}/models/{name}", "next_model_words", "model"},
    {"GET /api/v1/projects/{project}/models/{name}/versions", "", "model_versions"},
    {"GET /api/v1/projects/{project}/models/{name}/versions/{version}/package", "", "bytes"},
    {"DELETE /api/v1/projects/{project}/models/{name}", "", "none"},
    {"DELETE /api/v1/projects/{project}/models/{name}/versions/{version}", "", "none"},
    {"POST /api/v1/projects/{project}/models/{name}/rollback", "none", ""},
    {"POST /api/v1/projects", "project_words", ""},
    {"PUT /api/v1/projects/{project}", "next_project_words", ""},
    {"PUT /api/v1/projects/{project}/members", "members", "none"},
    {"PUT /api/v1/projects/{project}/connections", "connection_names", "none"},
    {"POST /api/v1/projects/{project}/definitions", "form_with_code", ""},
    {"PUT /api/v1/projects/{project}/definitions/{name}", "form_with_code", ""},
    {"GET /api/v1/projects/{project}/definitions/{name}/versions", "", "definition_versions"},
    {"GET /api/v1/projects/{project}/definitions/{name}/versions/{version}/code", "", "bytes"},
    {"DELETE /api/v1/projects/{project}/definitions/{name}", "", "none"},
    {"DELETE /api/v1/projects/{project}/definitions/{name}/versions/{version}", "", "none"},
    {"POST /api/v1/projects/{project}/definitions/{name}/rollback", "none", ""},
    {"POST /api/v1/projects/{project}/experiments", "experiment_words", ""},
    {"PUT /api/v1/projects/{project}/experiments/{name}", "next_experiment_words", ""},
    {"GET /api/v1/projects/{project}/experiments/{name}/versions", "", "experiment_versions"},
    {"DELETE /api/v1/projects/{project}/experiments/{name}", "", "none"},
    {"DELETE /api/v1/projects/{project}/experiments/{name}/versions/{version}", "", "none"},
    {"POST /api/v1/projects/{project}/experiments/{name}/rollback", "none", ""},
    {"POST /api/v1/projects/{project}/experiments/{name}/run", "none", ""},
    {"GET /api/v1/notebooks", "", "notebooks"},
    {"POST /api/v1/notebooks", "notebook_words", "notebook_begun"},
    {"GET /api/v1/notebooks/{id}", "", "notebook"},
    {"DELETE /api/v1/notebooks/{id}", "", "none"},
    {"POST /api/v1/notebooks/{id}/stop", "none", "none"},
    {"POST /api/v1/notebooks/{id}/extend", "minutes", "until"},
    {"POST /api/v1/notebooks/{id}/share", "users", "none"},
    {"POST /api/v1/projects/{project}/data", "form_with_data", ""},
    {"PUT /api/v1/projects/{project}/data/{name}", "form_with_data", ""},
    {"DELETE /api/v1/projects/{project}/data/{name}", "", "none"},
    {"POST /api/v1/projects/{project}/data/{name}/rollback", "none", ""},
    {"POST /api/v1/connections", "connection", ""},
    {"PUT /api/v1/connections/{name}", "next_connection", ""},
    {"GET /api/v1/connections/{name}/versions", "", "connection_versions"},
    {"DELETE /api/v1/connections/{name}", "", "none"},
    {"DELETE /api/v1/connections/{name}/versions/{version}", "", "none"},
    {"POST /api/v1/connections/{name}/rollback", "none", ""},
    {"POST /api/v1/connections/{name}/test", "none", "none"},
    {"POST /api/v1/spaces", "space_words", "space_kept"},
    {"PUT /api/v1/spaces/{space}", "next_space_words", "space_kept"},
    {"DELETE /api/v1/spaces/{space}", "", "none"},
    {"PUT /api/v1/spaces/{space}/members", "members", "none"},
    {"DELETE /api/v1/spaces/{space}/models/{name}", "", "none"},
    {"POST /api/v1/spaces/{space}/models/{name}/deploy", "deploy_words", "deployed"},
    {"POST /api/v1/projects/{project}/models/{name}/promote", "promote_words", "model"},
    {"PUT /api/v1/projects/{project}/models/{name}/promote", "promote_words", "model"},
};

// A field that is not listed may be there.
constexpr std::pair<const char*, const char*> kApiSchemas[] = {
    {"document", "openapi:s info:{any} paths:{any} components?:{any}"},
    {"status", "status:any"},
    {"deleted", "deleted:i"},
    {"view", "name:s page:s search:s by:s"},
    {"views", "views:[view]"},
    {"view_words", "page:s search?:s"},
    {"run_words", "name?:s description?:s note?:s tags?:[s] starred?:b shelved?:b"},
    {"described", "run:run_row"},
    {"log_sizes", "task:i stdout:i stderr:i"},
    {"logs", "workers:[log_sizes]"},
    {"gpu",
     "gpu_id:i gpu_model:s gpu_status:s gpu_reason:s mtotal_bytes:n? mused_bytes:n? gpu_mode:s "
     "jobids:[s] ut:n? temp:n? over_gmem:s uuid:s mig:s parent:s gpu_driver:s"},
    {"load_indexes", "r1m:n? r15m:n? ut:n? mem_bytes:n? tmp_bytes:n? maxtmp_bytes:n?"},
    {"host",
     "host_name:s status:s run:n? max:n? njobs:n? ngpus:n? ngpus_alloc:n? ngpus_stuck:n? "
     "ngpus_aside:n? ncpus:n? ncpus_alloc:n? total_mem_bytes:n? reserved_mem_bytes:n? "
     "available_mem_bytes:n? load:n? address:s comments:s state:=ok|silent|dead connected:b "
     "closed:b draining:b moving:n registered_time:n? silent_since:n? load_indexes:load_indexes "
     "gpus:[gpu]"},
    {"hosts", "hosts:[host] next?:s"},
    {"host_page", "host:host"},
    {"capacity", "hosts:i usable:i slots:i slots_used:i gpus:i gpus_used:i gpus_all:i"},
    {"queue",
     "queue_name:s status:s priority:n? njobs:n? pend:n? run:n? susp:n? max:n? jl_u:n? jl_h:n? "
     "description:s users:[s] hosts:[s] plan:s runlimit_s:n? comments:s closed:b inactive:b"},
    {"queues", "queues:[queue]"},
    {"plan",
     "plan:s shares:n? owns:n? limit:n? used:n? demand:n? deserved:n? lent:n? borrowed:n? policy:s "
     "users:[s] description:s loans:[loan]"},
    {"loan", "from:s to:s amount:n"},
    {"found_line", "task:i stream:=stdout|stderr at:n line:n text:s"},
    {"found_lines", "matches:[found_line] count:n complete:b"},
    {"merged_part", "task:i stream:=stdout|stderr from:n to:n size:n changed:n text:s"},
    {"merged_logs", "parts:[merged_part] left_out:i"},
    {"gpu_use", "gpu_id:i ut:n? mused_bytes:n? mtotal_bytes:n?"},
    {"host_use", "host_name:s ut:n? mem_bytes:n? total_mem_bytes:n? gpus:[gpu_use]"},
    {"job_use", "hosts:[host_use] gpu_energy_j:n?"},
    {"checkpoint", "name:s size:n time:n newest:b"},
    {"checkpoints", "checkpoints:[checkpoint] resumable:b"},
    {"again_words", "args?:s resume?:b"},
    {"begun_again", "id:s"},
    {"job_act", "why?:s queue?:s tasks?:i"},
    {"admin_act", "why?:s drain?:b"},
    {"done_lines", "lines:[s]"},
    {"config_file", "file:s path:s text:s hash:s parts:[s] wrong:[s] pending:[s]"},
    {"config_text", "text:s"},
    {"config_checked", "wrong:[s] warnings:[s] changes:[s]"},
    {"foretold_count", "name:s gains:i waits:i same:i"},
    {"foretold", "id:s name:s user:s queue:s plan:s runs:b now:n? then:n? verdict:=gains|waits"},
    {"config_preview",
     "at:n gains:i waits:i same:i users:[foretold_count] queues:[foretold_count] "
     "jobs:[foretold]"},
    {"usage_row", "name:s jobs:i done:i slot_s:n gpu_s:n cpu_s:n wait_s:n run_s:n gpu_energy_j:n"},
    {"usage_day", "t:n user:s jobs:i slot_s:n gpu_s:n"},
    {"usage", "now:n from:n by:s rows:[usage_row] days:[usage_day]"},
    {"budget",
     "budget:s period:s unit:s granted:n carried:n used:n reserved:n left:n rate:n percent_used:i "
     "empty_at:n? at_end:s refunded:n from:n? to:n? within:s"},
    {"budgets", "budgets:[budget]"},
    {"limit",
     "name:s users:s queues:s hosts:s plans:s slots:s projects:s apps:s jobs:s mem:s "
     "description:s"},
    {"limits", "limits:[limit]"},
    {"key", "name:s scopes:s created:i expires:i"},
    {"keys", "now:n keys:[key]"},
    {"key_words", "name:s scopes?:s days?:i"},
    {"key_made", "name:s scopes:s created:i expires:i secret:s"},
    {"results",
     "now:n bytes:i files:i counted:i counting:b quota:i room:=enough|scarce|none words:s"},
    {"run_file", "path:s kind:=checkpoint|model|log|code|metrics|result size:i time:i"},
    {"run_files", "files:[run_file] count:i bytes:i complete:b"},
    {"plans", "plans:[plan]"},
    {"volume", "name:s description:s path:s groups:[s] read_only:b available:b reason?:s"},
    {"volumes", "volumes:[volume]"},
    {"hwspec", "name:s description:s cpus:i memory:s gpus:i gpu_kind:=full|generic|slice mig:s"},
    {"hwspecs", "hwspecs:[hwspec]"},
    {"definition",
     "name:s description:s framework:s command:s device:s per_worker:s memory:s nodes:s hardware:s "
     "gpu_kind:s mig:s code_name:s env:[s] version:s hash:s made_by:s made:n "
     "state?:=present|earlier|undone"},
    {"definition_versions", "versions:[definition]"},
    {"experiment",
     "name:s description:s data:s volume:s command:s plan:s definitions:[s] runs:[s] "
     "definition_versions:[s] version:s made_by:s made:n state?:=present|earlier|undone"},
    {"experiment_versions", "versions:[experiment]"},
    {"experiment_words",
     "name:s definitions:[s] definition_versions?:[s] data?:s command?:s description?:s volume?:s "
     "plan?:s"},
    {"next_experiment_words",
     "name?:s definitions:[s] definition_versions?:[s] data?:s command?:s description?:s volume?:s "
     "plan?:s"},
    {"next_project_words", "name?:s description?:s plan?:s"},
    {"next_space_words", "name?:s description?:s plan?:s"},
    {"next_model_words", "name?:s run:s description?:s weight?:s kernel?:s"},
    {"model_versions", "versions:[model]"},
    {"connection_versions", "versions:[connection]"},
    {"project_words", "name:s description?:s plan?:s"},
    {"begun", "runs:[s]"},
    {"form_with_code", "data:s file?:s"},
    {"form_with_data", "data:s unpack?:=yes|no file?:s"},
    {"data_asset",
     "name:s description:s kind:=connection|upload connection:s path:s query:s file:s version:i "
     "size:i files:i saved:i"},
    {"data_assets", "data:[data_asset]"},
    {"data_versions", "versions:[data_asset]"},
    {"data_file", "path:s size:i"},
    {"model",
     "name:s description:s run:s framework:s user:s code_hash:s data:s weight:s project:s "
     "promoted_by:s saved:n metrics:{n} signature:signature version:s hash:s made_by:s made:n "
     "state?:=present|earlier|undone"},
    {"models", "models:[model]"},
    {"model_words", "name:s run:s description?:s weight?:s kernel?:s"},
    {"member", "name:s role:=viewer|editor|admin"},
    {"members", "members:[member]"},
    {"shared_connection", "name:s type:s"},
    {"shared_connections", "connections:[shared_connection]"},
    {"connection_names", "connections:[s]"},
    {"deployment", "name:s user:s model:s state:s"},
    {"space",
     "name:s description:s plan:s members:[member] owner:s role:=viewer|editor|admin|owner "
     "models:[model] deployments:[deployment]"},
    {"space_row", "name:s description:s plan:s members:i owner:s role:s models:i deployments:i"},
    {"spaces", "spaces:[space_row] away:[s]"},
    {"space_words", "name:s description?:s plan?:s"},
    {"space_kept", "name:s description:s plan:s members:[member]"},
    {"promote_words", "space:s"},
    {"deploy_words", "name?:s profile?:{any} start?:b"},
    {"deployed", "name:s"},
    {"kernel", "instance:s host:s running:n finished:n failed:n leaving:b"},
    {"router",
     "arrived:n finished:n failed:n queued:n oldest_ms:n task_us:n wanted:n requests_per_s:n "
     "latency_ms:latency kernels:[kernel]"},
    {"canary", "service:s percent:n"},
    {"service_row",
     "name:s state:=Started|Stopped job:s owner:s tag:any version:s earlier:[s] canary:canary? "
     "space:s model:s created:i updated:i started:i uri:s kernel_min:i kernel_max:i plan:s "
     "router:router?"},
    {"service_of_others", "name:s owner:s job:s state:=Started|Stopped plan:s"},
    {"services", "services:[service_row] others:[service_of_others]"},
    {"service_more", "profile:{any} description:any signature:signature? why:s"},
    {"sample",
     "t:n rate:n kernels:n wanted:n oldest_ms:n total_ms?:shares queue_ms?:shares "
     "kernel_ms?:shares"},
    {"samples", "samples:[sample]"},
    {"trial",
     "index:i job:s exec_id:s state:s value:n? config:{setting} metrics:{trial_metric} "
     "start_time:n finish_time:n why:s"},
    {"search_row",
     "job:i name:s user:s state:s paused:b reason:s submit_time:n finish_time:n parallel:i "
     "total:i? given:i running:i finished:i failed:i over:i best:trial? search:search_asked "
     "trials?:[trial]"},
    {"searches", "now:n searches:[search_row]"},
    {"search_page", "now:n search:search_row"},
    {"search_name", "s"},
    {"notebook_web", "state:s address?:s active:n busy:s idle_limit:n stops_at:n"},
    {"notebook", "id:s path:s job:job_row web:notebook_web? shared:[s] ahead?:i ends?:n"},
    {"notebook_profile", "name:s description:s"},
    {"notebooks", "now:n profiles:[notebook_profile] notebooks:[notebook] next?:s"},
    {"notebook_words",
     "profile?:s name?:s queue?:s plan?:s folder?:s memory?:s gpus?:i minutes?:i"},
    {"notebook_begun", "id:s path:s"},
    {"minutes", "minutes?:i"},
    {"until", "until:i"},
    {"users", "users:[s]"},
    {"staged", "job:s state:s progress:any"},
    {"data", "data:staged?"},
    {"tick", "now:n"},
    {"signature", "input_shape?:[n]"},
    {"latency", "total:shares queue?:shares kernel?:shares"},
    {"trial_metric", "latest?:n"},
    {"param", "name:s log?:b power?:n"},
    {"search_asked", "metric:s algorithm?:s goal?:s space?:[param] params?:search_params"},
    {"named_setting", "name:s value:setting"},
    {"change", "id:s name:s t:n event:s from:i to:i reason:s pause_ms:n? steps_lost:i?"},
    {"metric_of_run", "group:s name:s count:i points:[[n]]"},
    {"metrics_of_run", "series:[metric_of_run]"},
    {"compared_series", "width:n runs:[metrics_of_run]"},
};

json plain_of(const char* type) { return {{"type", type}}; }

}  // namespace

std::span<const ApiShape> api_shapes() { return kShapes; }

json api_schemas() {
  json all = json::object();
  for (const auto& [name, words] : kApiSchemas) all[name] = schema_of(words);
  all["data_asset_page"] = {{"allOf", {schema_of("data_asset"), schema_of("content:[data_file]")}}};
  all["service"] = {{"allOf", {schema_of("service_row"), schema_of("service_more")}}};
  all["setting"] = {{"nullable", true},
                    {"oneOf", {plain_of("string"), plain_of("number"), plain_of("boolean")}}};
  all["search_params"] = {{"oneOf", {schema_of("[named_setting]"), schema_of("{setting}")}}};
  all["connection"] = schema_of("name:s type:s");
  all["next_connection"] = schema_of("name?:s type:s");
  for (const char* name : {"connection", "next_connection"})
    all[name]["additionalProperties"] = {{"type", "string"}};
  all["shares"] = {{"type", "array"},
                   {"items", {{"type", "number"}}},
                   {"minItems", 3},
                   {"maxItems", 3},
                   {"description", "half, 95 % and 99 % took no longer, in ms"}};
  // Of a run that is compared: edge, time of its last value, mean, least, most, how many values.
  auto& point = all["metric_of_run"]["properties"]["points"]["items"];
  point["minItems"] = point["maxItems"] = 6;
  // Of /api/v1/stream: the name of an event, and what its data is.
  all["stream_event"] = {{"oneOf", {schema_of("job_row"), schema_of("tick")}},
                         {"description", "job: a row; tick: the clock; reset, stale: nothing"}};
  return all;
}

}  // namespace wm::rest
