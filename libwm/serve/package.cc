#include "libwm/serve/package.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/serve/model.h"

namespace wm::serve {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string indented(const Json& json) { return to_text(json, 2) + "\n"; }

Result<void> take_text(const Json& json, const char* key, std::string& value) {
  auto found = json.find(key);
  if (found == json.end() || found->is_null()) return {};
  if (!found->is_string()) return fail(Code::BadArgument, std::string(key) + ": a text is wanted");
  value = found->get<std::string>();
  return {};
}

// {"a": "b"}, or as model.json has it, [{"key": "a", "value": "b"}].
Result<void> take_pairs(const Json& json, const char* key, const char* name, Pairs& pairs) {
  auto found = json.find(key);
  if (found == json.end() || found->is_null()) return {};
  auto wrong = fail(Code::BadArgument, std::string(key) + ": an object of texts is wanted");
  if (!found->is_structured()) return wrong;
  for (const auto& [at, value] : found->items()) {
    bool listed = found->is_array();
    if (listed && !(value.is_object() && value.contains(name) && value.contains("value")))
      return wrong;
    const Json& what = listed ? value["value"] : value;
    bool named = !listed || value[name].is_string();
    if (!named || what.is_structured()) return wrong;
    pairs.emplace_back(listed ? value[name].get<std::string>() : at,
                       what.is_string() ? what.get<std::string>() : to_text(what));
  }
  return {};
}

Json listed(const Pairs& pairs, const char* name) {
  Json list = Json::array();
  for (const auto& [key, value] : pairs) list.push_back({{name, key}, {"value", value}});
  return list;
}

}  // namespace

Result<Wanted> read_wanted(std::string_view text) {
  auto json = json_or_null(text);
  if (!json.is_object()) return fail(Code::BadArgument, "a JSON object is wanted");
  Wanted wanted;
  WM_TRY(take_text(json, "name", wanted.name));
  WM_TRY(take_text(json, "runtime", wanted.runtime));
  WM_TRY(take_text(json, "kernel", wanted.kernel));
  WM_TRY(take_text(json, "weight", wanted.weight));
  WM_TRY(take_text(json, "tag", wanted.tag));
  WM_TRY(take_pairs(json, "attributes", "key", wanted.attributes));
  WM_TRY(take_pairs(json, "environments", "name", wanted.environments));
  if (!is_service_name(wanted.name))
    return fail(Code::BadArgument,
                "name '" + wanted.name.substr(0, 64) +
                    "': letters, digits, '_', '-' and '.' are wanted, at most 64");
  return wanted;
}

std::string model_text(const Wanted& wanted) {
  return indented({{"schema_version", "1"},
                   {"name", wanted.name},
                   {"kernel_path", wanted.kernel},
                   {"runtime", wanted.runtime},
                   {"weight_path", wanted.weight},
                   {"tag", wanted.tag},
                   {"model_path", ""},
                   {"framework", "PyTorch"},
                   {"attributes", listed(wanted.attributes, "key")},
                   {"mk_environments", listed(wanted.environments, "name")}});
}

Result<std::string> renamed_model(std::string_view text, const std::string& name) {
  auto json = json_or_null(text);
  if (!json.is_object()) return fail(Code::BadArgument, "model.json: a JSON object is wanted");
  json["name"] = name;
  return indented(json);
}

std::string_view ready_kernel() {
  return "\"\"\"Role: serves the model of this package, as redharetorch says.\"\"\"\n\n"
         "import redhareapiversion\n"
         "from redharetorch import TorchKernel\n\n"
         "if __name__ == '__main__':\n"
         "    TorchKernel().run()\n";
}

// kernel.failed is whole or not there: the router may look at any moment.
std::string_view kernel_runner() {
  return R"py("""Role: runs the kernel of a service. What ends it before it serves is left beside this file, for who waits."""

import os
import runpy
import select
import signal
import sys

LONGEST = 400


def leave_word(folder, why):
    """One line, the newest of all kernels."""
    path = os.path.join(folder, 'kernel.failed')
    try:
        with open(f'{path}.{os.uname().nodename}-{os.getpid()}', 'w', encoding='utf-8', errors='replace') as out:
            out.write(' '.join(why.split())[:LONGEST] + '\n')
        os.replace(out.name, path)
    except OSError as problem:
        print(f'{path}: {problem}', file=sys.stderr)


def end_if_it_never_reports(folder):
    """Another process watches: a kernel may hang where no thread of its own runs. What opens the way to the routers tells it so."""
    limit, kernel = float(os.environ.get('WM_CONNECTION_TIMEOUT') or 0), os.getpid()
    if limit <= 0:
        return
    reads, writes = os.pipe()
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        os.close(reads)
        os.environ['WM_KERNEL_REPORTS'] = str(writes)
        return
    if os.fork():  # nobody's child whom the kernel's own program might wait for
        os._exit(0)
    os.close(writes)
    if not select.select([reads], [], [], limit)[0]:
        leave_word(folder, f'it did not report within the connection_timeout of {limit:g} s')
        os.kill(kernel, signal.SIGKILL)
    os._exit(0)


def main():
    """The kernel's path is the first argument."""
    folder, path = os.path.dirname(os.path.abspath(__file__)), sys.argv[1]
    end_if_it_never_reports(folder)
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(path)
    try:
        runpy.run_path(path, run_name='__main__')
    except SystemExit as end:
        if end.code:
            leave_word(folder, f'it ended with {end.code!r}' if isinstance(end.code, int) else str(end.code))
        raise
    except BaseException as problem:
        leave_word(folder, f'{type(problem).__name__}: {problem}')
        raise


if __name__ == '__main__':
    main()
)py";
}

bool is_torch(std::string_view kernel, std::string_view framework) {
  std::string name(framework);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name.find("torch") != name.npos) return true;
  for (const char* word : {"import torch", "from torch", "redharetorch"})
    if (kernel.find(word) != kernel.npos) return true;
  return false;
}

bool is_weight_name(std::string_view name) {
  constexpr std::array<std::string_view, 4> kEnds{".pt", ".pth", ".ts", ".torchscript"};
  return std::any_of(kEnds.begin(), kEnds.end(),
                     [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace wm::serve
