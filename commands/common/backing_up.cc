#include "commands/common/backing_up.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "commands/common/command.h"
#include "libwm/client/names.h"
#include "libwm/conf/folders.h"
#include "libwm/files/temp_folder.h"
#include "libwm/proc/process.h"
#include "libwm/store/core/backup.h"
#include "libwm/store/core/outranked.h"

namespace wm::cmd {
namespace {

namespace fs = std::filesystem;

constexpr Duration kPackLimit = std::chrono::hours(2);

Result<std::string> state_folder() {
  WM_TRY(auto cluster, cluster_conf());
  auto folder = conf::master_folders(cluster.dirs).state;
  std::error_code ec;
  if (fs::exists(folder + "/core.db", ec)) return folder;
  return fail(Code::NotFound, "badmin: no core.db in " + folder + "; run it on " +
                                  cluster.master_host + ", as root or the master's account");
}

// As root, too, SQLite gives what it makes beside a database to the database's owner.
Result<void> may_read(const std::string& folder) {
  struct stat found {};
  if (::stat(folder.c_str(), &found) != 0)
    return fail(Code::System, folder + ": " + std::strerror(errno));
  if (::geteuid() == 0 || found.st_uid == ::geteuid()) return {};
  return fail(Code::Denied, "badmin: " + folder + " is another account's; be root or that one");
}

// Beside its name first: what is named as asked is whole.
Result<void> pack(const std::string& folder, const std::string& file) {
  auto part = file + ".part";
  auto packed = proc::run_command({"tar", "-c", "-f", part, "-C", folder, "."}, kPackLimit);
  std::error_code ec;
  if (!packed) {
    fs::remove(part, ec);
    return packed.error();
  }
  fs::rename(part, file, ec);
  return ec ? Result<void>(fail(Code::System, file + ": " + ec.message())) : Result<void>();
}

}  // namespace

Result<int> back_up(const std::vector<std::string>& files) {
  if (files.size() != 1) return fail(Code::BadArgument, "badmin backup: name one file");
  std::error_code ec;
  auto file = fs::absolute(files[0], ec).string();
  if (fs::exists(file, ec)) return fail(Code::Conflict, "badmin backup: " + file + " is there");
  WM_TRY(auto state, state_folder());
  WM_TRY(may_read(state));
  ::umask(077);
  WM_TRY(auto folder, TempFolder::make(fs::path(file).parent_path().string(), ".wm-backup."));
  WM_TRY(auto facts, store::copy_stores(state, folder.path()));
  WM_TRY(pack(folder.path(), file));
  say("Backed up in <" + file + ">: " + std::to_string(facts.files.size()) + " files, " +
      std::to_string(facts.bytes.value) + " bytes, store " + facts.store + " up to event " +
      std::to_string(facts.seq.value) + ", verified\n");
  return 0;
}

Result<int> take_over(const std::string& why) {
  WM_TRY(auto state, state_folder());
  WM_TRY(may_read(state));
  WM_TRY(auto words, store::read_outranked(state));
  if (!words)
    return fail(Code::NotFound, "badmin take-over: no host has obeyed a newer state than this one");
  auto self = client::find_account(std::to_string(::getuid()));
  words->by = self ? self->name : std::to_string(::getuid());
  words->why = why;
  WM_TRY(store::write_outranked(state, *words));
  say("The store goes on in a new term: start the master. Host " + words->host + " has obeyed " +
      to_string(words->met) +
      ": what it knows since is lost, and jobs that this store does not know are ended\n");
  return 0;
}

}  // namespace wm::cmd
