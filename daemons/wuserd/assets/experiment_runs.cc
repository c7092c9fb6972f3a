#include "daemons/wuserd/assets/experiment_runs.h"

#include "libwm/rest/exec_json.h"

namespace wm::user {

Result<StoredCode> stored_code(const rest::Project& project, const rest::Experiment& experiment,
                               const rest::Definition& definition, const std::string& code) {
  WM_TRY(auto args, rest::args_of(project, experiment, definition));
  return StoredCode{args, rest::data_of(project, experiment, definition), code,
                    definition.code_name, rest::origin_labels(project, experiment, definition)};
}

Result<std::vector<std::string>> start_codes(
    Site& site, const std::string& experiment, const std::vector<StoredCode>& codes,
    const std::function<Result<void>(const std::string& run)>& told) {
  if (codes.empty())
    return fail(Code::BadArgument, "experiment " + experiment + " has no definition");
  std::vector<std::string> begun;
  for (const auto& code : codes) {
    auto exec = start_stored(site, code);
    if (!exec && begun.empty()) return exec.error();
    if (!exec) break;  // those that began go on; what is told is which
    begun.push_back(exec_id(site.conf.name, exec->id));
    WM_TRY(told(begun.back()));
  }
  return begun;
}

std::string begun_json(const std::vector<std::string>& runs) {
  std::vector<std::string> ids;
  for (const auto& id : runs) ids.push_back(rest::json_text(id));
  return "{\"runs\":" + rest::list_json(ids) + "}";
}

}  // namespace wm::user
