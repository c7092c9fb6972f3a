#include "test/support/private_munged.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "libwm/wire/munge.h"
#include "test/support/folder.h"

extern char** environ;

namespace wm::test {

namespace {

constexpr const char* kProgram = "/usr/sbin/munged";

void write_key(const std::string& path) {
  std::ofstream(path) << std::string(1024, 'k');  // guards nothing but this test
  ::chmod(path.c_str(), 0400);
}

bool answers(const std::string& socket) {
  if (!std::filesystem::exists(socket)) return false;
  return wire::munge_credentials(socket)->encode("hello", std::chrono::seconds(10)).has_value();
}

}  // namespace

PrivateMunged::PrivateMunged() {
  if (::access(kProgram, X_OK) != 0) {
    missing_ = std::string(kProgram) + " is not installed";
    return;
  }
  dir_ = made_folder();
  ::chmod(dir_.c_str(), 0711);  // munged wants its socket reachable and its key not
  write_key(dir_ + "/key");
  start();
}

PrivateMunged::~PrivateMunged() {
  stop();
  std::error_code ignored;
  if (!dir_.empty()) std::filesystem::remove_all(dir_, ignored);
}

void PrivateMunged::restart(const std::vector<std::string>& more) {
  stop();
  start(more);
}

void PrivateMunged::start(const std::vector<std::string>& more) {
  std::vector<std::string> words = {kProgram, "--foreground", "--force", "--num-threads=2"};
  for (auto [option, file] : {std::pair("--key-file=", "key"),
                              {"--socket=", "munge.sock"},
                              {"--pid-file=", "pid"},
                              {"--log-file=", "log"},
                              {"--seed-file=", "seed"}}) {
    words.push_back(std::string(option) + dir_ + "/" + file);
  }
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  auto environment = more;
  for (char** word = environ; *word; ++word) environment.emplace_back(*word);
  std::vector<char*> envp;
  for (auto& word : environment) envp.push_back(word.data());
  envp.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
  int rc = ::posix_spawn(&pid_, kProgram, &quiet, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&quiet);
  if (rc != 0) pid_ = -1;
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!answers(socket())) {
    if (pid_ < 0 || std::chrono::steady_clock::now() > deadline) {
      missing_ = "munged did not start";
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void PrivateMunged::stop() {
  if (pid_ <= 0) return;
  // A signal that comes just before munged waits for a connection is seen with the next one only.
  do {
    ::kill(pid_, SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  } while (::waitpid(pid_, nullptr, WNOHANG) == 0);
  pid_ = -1;
}

}  // namespace wm::test
