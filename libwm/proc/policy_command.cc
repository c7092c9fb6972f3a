#include "libwm/proc/policy_command.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>

#include "libwm/files/fd.h"
#include "libwm/files/own_folder.h"
#include "libwm/frames/blocking.h"
#include "libwm/proc/accounts.h"
#include "libwm/proc/channel.h"
#include "libwm/proc/process.h"

namespace wm::proc {
namespace {

constexpr Duration kMoment = std::chrono::seconds(5);  // for what takes none
constexpr Duration kLongestRun = std::chrono::minutes(1);
constexpr const char* kPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// The folder of the command: root's, else the cluster's own.
Result<OwnFolder> folder_of(const std::string& path, uid_t owner) {
  auto folder = path.substr(0, path.rfind('/'));
  auto roots = OwnFolder::open(folder, 0);
  if (roots || owner == 0) return roots;
  auto own = OwnFolder::open(folder, owner);
  return own ? std::move(own) : std::move(roots);
}

// Root hands nothing of its own to what it runs here.
Result<std::vector<std::string>> words_of(const std::string& command) {
  if (::geteuid() != 0) return std::vector{command};
  auto who = account(kPolicyAccount);
  if (!who && who.error().code == Code::NotFound) who = account("nobody");
  if (!who) return who.error();
  return std::vector<std::string>{"setpriv",
                                  "--reuid=" + std::to_string(who->uid),
                                  "--regid=" + std::to_string(who->gid),
                                  "--clear-groups",
                                  "--no-new-privs",
                                  "--bounding-set=-all",
                                  "--",
                                  command};
}

// What is said of setpriv is the command's by then.
Error named_for(const std::string& command, const std::string& program, Error error) {
  if (error.text.starts_with(program + " was killed"))
    error.text.replace(0, program.size(), command);
  return error;
}

void set_patience(int fd, Duration limit) {
  auto whole = std::chrono::duration_cast<std::chrono::seconds>(limit);
  timeval time{whole.count(),
               std::chrono::duration_cast<std::chrono::microseconds>(limit - whole).count()};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

Result<std::string> next_frame(int fd) {
  WM_TRY(auto frame, frames::read_frame(fd));
  if (!frame) return fail(Code::Unavailable, "wpolicyd gave no answer");
  return *std::move(frame);
}

Result<PolicyRun> read_question(int fd) {
  PolicyRun run;
  WM_TRY(run.command, next_frame(fd));
  WM_TRY(auto limit, next_frame(fd));
  WM_TRY(run.lines, next_frame(fd));
  std::int64_t ms = 0;
  std::from_chars(limit.data(), limit.data() + limit.size(), ms);
  run.limit = std::chrono::milliseconds(ms);
  if (run.limit > Duration{} && run.limit <= kLongestRun) return run;
  return fail(Code::BadArgument, "a limit of " + limit + " ms");
}

Result<void> check_listener(int fd) {
  WM_TRY(auto peer, peer_of(fd));
  WM_TRY(auto who, account(kPolicyAccount));
  if (peer.uid == who.uid) return {};
  return fail(Code::Denied, "uid " + std::to_string(peer.uid) + " listens there, not " +
                                std::string(kPolicyAccount));
}

Result<std::string> ask_connected(int fd, const PolicyRun& run) {
  WM_TRY(check_listener(fd));
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(run.limit).count();
  for (const auto& part : {run.command, std::to_string(ms), run.lines})
    WM_TRY(frames::write_frame(fd, part));
  WM_TRY(auto code, next_frame(fd));
  WM_TRY(auto text, next_frame(fd));
  if (code.size() != 1) return fail(Code::Damaged, "no answer of wpolicyd");
  if (code[0] == 0) return text;
  return fail(static_cast<Code>(static_cast<unsigned char>(code[0])), text);
}

}  // namespace

Result<void> check_policy_command(const std::string& path, uid_t owner) {
  auto name = path.substr(path.rfind('/') + 1);
  if (!path.starts_with('/') || name.empty() || path.rfind('/') == 0)
    return fail(Code::BadArgument, "'" + path + "' is no absolute path of a command");
  WM_TRY(auto folder, folder_of(path, owner));
  WM_TRY(auto file, folder.file(name, O_RDONLY));
  struct stat is {};
  if (::fstat(file.get(), &is) != 0) return system_error(path);
  if (is.st_uid != 0 && is.st_uid != owner)
    return fail(Code::Denied, path + " belongs to uid " + std::to_string(is.st_uid) +
                                  ", not to root: chown root " + path);
  if ((is.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fail(Code::Denied, path + " may be written by others: chmod go-w " + path);
  if ((is.st_mode & S_IXUSR) == 0)
    return fail(Code::Denied, path + " is not executable: chmod 0755 " + path);
  return {};
}

// Ours may be the one account of a private cluster; wpolicyd's owns no command.
Result<std::string> run_policy(const PolicyRun& run) {
  WM_TRY(check_policy_command(run.command, ::geteuid()));
  Start start;
  WM_TRY(start.words, words_of(run.command));
  start.input = run.lines;
  start.environment = {{kPath, "LANG=C.UTF-8", "HOME=/"}};
  auto ended = proc::run(start, run.limit, kMostPolicyAnswer);
  if (!ended) return named_for(run.command, start.words[0], ended.error());
  if (ended->status == 0) return std::move(ended->out);
  auto said = last_line(ended->err);
  return fail(Code::System, run.command + " ended with status " + std::to_string(ended->status) +
                                (said.empty() ? "" : ": " + said));
}

Result<std::string> ask_policy_at(const std::string& socket, const PolicyRun& run) {
  auto fd = connect_unix(socket);
  if (!fd) return fail(Code::Unavailable, "wpolicyd is not there: " + fd.error().text);
  set_patience(fd->get(), run.limit + kMoment);
  return ask_connected(fd->get(), run);
}

void answer_policy(int connection, uid_t master) {
  set_patience(connection, kMoment);
  auto peer = peer_of(connection);
  if (!peer || (peer->uid != 0 && peer->uid != master)) return;
  auto asked = read_question(connection);
  auto said = asked ? run_policy(*asked) : Result<std::string>(asked.error());
  char code = said ? 0 : static_cast<char>(said.error().code);
  if (!frames::write_frame(connection, {&code, 1})) return;
  (void)frames::write_frame(connection, said ? *said : said.error().text);
}

}  // namespace wm::proc
