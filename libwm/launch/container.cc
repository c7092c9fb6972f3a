#include "libwm/launch/container.h"

#include <glob.h>

#include <algorithm>

#include "libwm/base/hash.h"
#include "libwm/launch/part_env.h"

namespace wm::launch {
namespace {

constexpr std::string_view kImageVariable = "LSB_CONTAINER_IMAGE";

/// "WM_CONTAINER=podman": said inside only.
std::string inside_entry(const HostOrder& order) {
  return std::string(kInsideVariable) + "=" + order.app.container.driver;
}

/// Status 2: no image, 3: no place in it to bind to. Arguments: image, then from and to in turn.
constexpr const char* kFolderCheck = R"(image=$1; shift
[ -f "$image" ] && exit 0
[ -n "$image" ] && [ -d "$image" ] || exit 2
while [ $# -gt 0 ]; do
  if [ -e "$image$2" ]; then :
  elif [ -e "$1" ] && [ ! -d "$1" ]; then mkdir -p "$image${2%/*}" && : >"$image$2" || exit 3
  else mkdir -p "$image$2" || exit 3; fi
  shift 2
done)";
/// Arguments: when to fetch it, the registry's secret, image. Status 4: that is not the user's own.
constexpr std::string_view kSecretCheck = R"x([ -n "$3" ] || exit 2
if [ -n "$2" ] && { [ ! -f "$2" ] || [ "$(stat -Lc %a "$2")" != 600 ] || [ ! -O "$2" ]; }; then
  echo "pull secret $2: no file of mode 600 that is yours" >&2; exit 4
fi
)x";
constexpr std::string_view kPodmanCheck = R"x(if [ "$1" = never ]; then
  podman image exists "$3" && exit 0
  echo "image $3 is not on this host, and is not to be fetched" >&2; exit 2
fi
[ "$1" != always ] && podman image exists "$3" && exit 0
exec podman pull -q ${2:+--authfile "$2"} "$3")x";
/// One argument more: the file that a fetched image becomes; empty: the image is a file. What runs
/// from an older one keeps it, since the new one is another file of that name.
constexpr std::string_view kApptainerCheck =
    R"x(if [ -z "$4" ]; then [ -e "$3" ]; exit $(($? * 2)); fi
if [ "$1" = never ]; then
  [ -e "$4" ] && exit 0
  echo "image $3 is not on this host, and is not to be fetched" >&2; exit 2
fi
[ "$1" != always ] && [ -e "$4" ] && exit 0
umask 077; mkdir -p "${4%/*}" && new=$(mktemp "$4.XXXXXX") || exit 2
apptainer pull --force ${2:+--authfile "$2"} "$new" "$3" >&2 && mv -f "$new" "$4" && exit 0
rm -f "$new"; exit 2)x";

bool is_below(const std::string& path, const std::string& folder) {
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

/// Host folders that every charliecloud container has, with what is in them.
bool is_seen_by_charliecloud(const std::string& path) {
  return is_below(path, "/tmp") || is_below(path, "/dev") || is_below(path, "/proc") ||
         is_below(path, "/sys");
}

/// A device node; /dev/shm holds folders and files like any other.
bool is_device(const std::string& path) {
  return path.starts_with("/dev/") && !is_below(path, "/dev/shm");
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t", at)) != text.npos;) {
    auto end = std::min(text.find_first_of(" \t", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

void append(std::vector<std::string>& to, std::vector<std::string> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Value of a variable of the submitter's block "A=1\0B=2\0".
std::string variable(const std::string& block, std::string_view name) {
  for (std::size_t at = 0; at < block.size();) {
    auto end = std::min(block.find('\0', at), block.size());
    std::string_view entry(block.data() + at, end - at);
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('='))
      return std::string(entry.substr(name.size() + 1));
    at = end + 1;
  }
  return "";
}

/// What TMPDIR names would be /tmp inside, and the host's /tmp not be seen.
std::vector<std::string> charliecloud(const HostOrder& order, const HostFacts& host,
                                      const std::vector<Bind>& binds) {
  auto inside = "--set-env=" + inside_entry(order);
  std::vector<std::string> argv{
      "env", "-u", "TMPDIR", "ch-run", inside, "--cd", work_dir(order, host)};
  for (const auto& bind : binds)
    if (!is_seen_by_charliecloud(bind.to)) append(argv, {"-b", bind.from + ":" + bind.to});
  append(argv, words_of(order.app.container.options));
  append(argv, {image_of(order), "--"});
  return argv;
}

/// Of an interactive job's tasks only the first has the user's terminal.
bool has_terminal(const HostOrder& order, const OrderedTask& task) {
  auto streams = order.resolved.console.streams;
  bool terminal = streams == Streams::Terminal || streams == Streams::Shell;
  return terminal && task.task && place_of(order, task.task).rank == 0;
}

/// The PMIx server asks ranks for their uid. Without root podman makes the owner uid 0 inside; to
/// keep the uid it needs subordinate ones (subuid(5)), which others are not asked to have.
bool keeps_uid(const HostOrder& order) {
  return order.resolved.mpi == Mpi::Pmix && order.resolved.owner.uid != 0;
}

/// The host's network, processes and shared memory, so that MPI and NCCL find each other as
/// outside. Not by --ipc=host: without root that takes a /dev/mqueue on the host.
std::vector<std::string> podman(const HostOrder& order, const HostFacts& host,
                                const OrderedTask& task, const std::vector<Bind>& binds) {
  std::vector<std::string> argv{"podman",
                                "run",
                                "--rm",
                                "-i",
                                "-v",
                                "/dev/shm:/dev/shm",
                                "--network=host",
                                "--pid=host",
                                "--env-host",
                                "--env",
                                inside_entry(order),
                                "-w",
                                work_dir(order, host)};
  if (keeps_uid(order)) argv.push_back("--userns=keep-id");
  if (has_terminal(order, task)) argv.push_back("-t");
  for (const auto& bind : binds)
    append(argv, {is_device(bind.from) ? "--device" : "-v", bind.from + ":" + bind.to});
  append(argv, words_of(order.app.container.options));
  argv.push_back(image_of(order));
  return argv;
}

/// Image names with a scheme, and those of a registry as Docker writes them; what begins with '/'
/// or '.' or ends as image files do is a file.
bool is_fetched(const std::string& image) {
  if (image.find("://") != image.npos) return true;
  for (const char* ending : {".sif", ".img", ".sqfs", ".squashfs"})
    if (image.ends_with(ending)) return false;
  return !image.empty() && image.front() != '/' && image.front() != '.';
}

/// As apptainer has it: "docker://" goes before what names no other place.
std::string apptainer_source(const std::string& image) {
  return is_fetched(image) && image.find("://") == image.npos ? "docker://" + image : image;
}

/// The file that a fetched image becomes; empty: it is a file of its own.
std::string fetched_file(const HostOrder& order, const std::string& image) {
  if (!is_fetched(image)) return "";
  return order.resolved.program.home + "/.cache/wm/images/" +
         hex(hash_of(apptainer_source(image), 16)) + ".sif";
}

std::vector<std::string> apptainer(const HostOrder& order, const HostFacts& host,
                                   const std::vector<Bind>& binds) {
  std::vector<std::string> argv{"apptainer",         "exec",  "--env",
                                inside_entry(order), "--pwd", work_dir(order, host)};
  for (const auto& bind : binds)
    if (!is_device(bind.from)) append(argv, {"--bind", bind.from + ":" + bind.to});
  append(argv, words_of(order.app.container.options));
  auto image = image_of(order), file = fetched_file(order, image);
  argv.push_back(file.empty() ? image : file);
  return argv;
}

/// No task of its own, with the GPUs of all that are here.
OrderedTask everything_here(const HostOrder& order) {
  OrderedTask all;
  for (const auto& task : order.tasks) append(all.gpu_uuids, task.gpu_uuids);
  return all;
}

Bind bind_of(const std::string& text) {
  auto colon = text.find(':');
  return colon == text.npos ? Bind{text, text}
                            : Bind{text.substr(0, colon), text.substr(colon + 1)};
}

// Where the door has put the service that its kernels belong to.
std::string service_dir(const HostOrder& order, const HostFacts& host) {
  return results_root(order, host) + "/" + order.resolved.owner.user + "/services/" +
         order.resolved.exec.service;
}

}  // namespace

std::vector<Bind> binds_of(const HostOrder& order, const HostFacts& host, const OrderedTask& task) {
  std::vector<std::string> own{
      order.resolved.program.cwd, work_dir(order, host), host.bin_dir, host.lib_dir, host.conf_dir,
      attempt_dir(order, host)};
  if (order.app.type != AppType::Batch) own.push_back(result_dir(order, host));
  auto results = result_dir(order, host), named = named_result_dir(order, host);
  if (!order.resolved.exec.service.empty()) own.push_back(service_dir(order, host));
  if (auto slash = host.munge_socket.rfind('/'); slash != std::string::npos && slash > 0)
    own.push_back(host.munge_socket.substr(0, slash));
  if (!task.gpu_uuids.empty()) own.insert(own.end(), host.gpu_files.begin(), host.gpu_files.end());
  std::vector<Bind> binds;
  for (const auto& text : order.app.container.binds) binds.push_back(bind_of(text));
  for (const auto& path : own)
    if (!path.empty() && path != "/") binds.push_back({path, path});
  // The link to it leads nowhere inside: there it is the folder once more.
  if (order.app.type != AppType::Batch && named != results) binds.push_back({results, named});
  std::vector<Bind> needed;
  for (const auto& bind : binds) {
    bool covered = std::any_of(binds.begin(), binds.end(), [&](const Bind& other) {
      bool same_place = other.from == other.to && bind.from == bind.to;
      return same_place && bind.to != other.to && is_below(bind.to, other.to);
    });
    bool twice = std::find(needed.begin(), needed.end(), bind) != needed.end();
    if (!covered && !twice) needed.push_back(bind);
  }
  return needed;
}

const std::string& container_driver(const HostOrder& order) {
  static const std::string none = "none";
  const auto& exec = order.resolved.exec;
  bool routes = !exec.service.empty() && order.resolved.group == 1;  // our own program
  bool named = !order.app.container.image.empty() || !exec.image.empty();
  return named && !routes ? order.app.container.driver : none;
}

std::string image_of(const HostOrder& order) {
  if (!order.resolved.exec.image.empty()) return order.resolved.exec.image;
  auto image = order.app.container.image;
  auto wanted = "$" + std::string(kImageVariable);
  if (auto at = image.find(wanted); at != image.npos)
    image.replace(at, wanted.size(), variable(order.blobs.env, kImageVariable));
  return image;
}

std::vector<std::string> contained(const HostOrder& order, const HostFacts& host,
                                   const OrderedTask& task, std::vector<std::string> argv) {
  const auto& driver = container_driver(order);
  if (driver == "none") return argv;
  auto binds = binds_of(order, host, task);
  auto whole = driver == "podman"      ? podman(order, host, task, binds)
               : driver == "apptainer" ? apptainer(order, host, binds)
                                       : charliecloud(order, host, binds);
  append(whole, std::move(argv));
  return whole;
}

std::vector<std::string> container_of_part(const HostOrder& order, const HostFacts& host) {
  return contained(order, host, everything_here(order), {});
}

std::optional<SideCommand> image_check(const HostOrder& order, const HostFacts& host) {
  const auto& driver = container_driver(order);
  if (driver == "none") return std::nullopt;
  auto all = everything_here(order);
  auto image = image_of(order);
  const auto& exec = order.resolved.exec;
  std::vector<std::string> argv{"/bin/sh", "-c"};
  if (driver == "podman") {
    append(argv, {std::string(kSecretCheck) + std::string(kPodmanCheck), "sh", exec.image_policy,
                  exec.image_secret, image});
  } else if (driver == "apptainer") {
    append(argv, {std::string(kSecretCheck) + std::string(kApptainerCheck), "sh", exec.image_policy,
                  exec.image_secret, apptainer_source(image), fetched_file(order, image)});
  } else {
    append(argv, {kFolderCheck, "sh", image});
    for (const auto& bind : binds_of(order, host, all))
      if (!is_seen_by_charliecloud(bind.to)) append(argv, {bind.from, bind.to});
  }
  return SideCommand{"the look for container image '" + image + "'",
                     argv,
                     task_environment(order, host, all),
                     false,
                     {}};
}

std::vector<std::string> gpu_files() {
  std::vector<std::string> found;
  for (const char* pattern :
       {"/dev/nvidia[0-9]*", "/dev/nvidiactl", "/dev/nvidia-uvm*", "/dev/nvidia-caps",
        "/usr/bin/nvidia-smi", "/usr/lib/*-linux-gnu/libcuda.so*",
        "/usr/lib/*-linux-gnu/libnvidia-ml.so*",
        "/usr/lib/*-linux-gnu/libnvidia-ptxjitcompiler.so*", "/usr/lib64/libcuda.so*",
        "/usr/lib64/libnvidia-ml.so*", "/usr/lib64/libnvidia-ptxjitcompiler.so*"}) {
    glob_t paths{};
    if (::glob(pattern, 0, nullptr, &paths) == 0)
      found.insert(found.end(), paths.gl_pathv, paths.gl_pathv + paths.gl_pathc);
    ::globfree(&paths);
  }
  return found;
}

}  // namespace wm::launch
