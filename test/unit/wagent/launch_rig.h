// Role: parts of a job on loopback, and somebody who starts commands in them, as blaunch does.
// Used by tests of the agent's launching side.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "daemons/wagent/launch/launch_port.h"
#include "libwm/codec/codec.h"
#include "test/support/loop.h"
#include "test/support/store_files.h"

namespace wm::wagent {

/// One host's part of a job of this account.
struct Part {
  Part(test::Loop& loop, const std::string& folder, const std::string& host, char key = 'k')
      : settings(settings_with(key)),
        part(part_of(folder + "/" + host + key, host)),
        port(loop.context, settings, part) {
    auto open = port.listen();
    EXPECT_TRUE(open) << open.error().text;
    if (open) doors = *open;
  }
  static Settings settings_with(char key) {
    Settings settings;
    settings.job = {12, 0};
    settings.attempt = {1};
    settings.address = "127.0.0.1";
    settings.key.fill(static_cast<std::uint8_t>(key));
    return settings;
  }
  static PartSettings part_of(const std::string& socket, const std::string& host) {
    PartSettings part;
    part.host = host;
    part.launch_socket = socket;
    part.account = {::geteuid(), ::getegid(), {}};
    part.own_env = {"WM_HOST=" + host, "WM_LAUNCH_SOCKET=" + socket};
    return part;
  }

  AgentPlace place(std::uint32_t tasks = 1) const {
    return {HostId{1}, part.host, doors.launch, tasks};
  }

  Settings settings;
  PartSettings part;
  LaunchPort port;
  AgentDoors doors;
};

/// A task of that part which has something started.
class Caller {
 public:
  Caller(test::Loop& loop, const Part& part, ToLaunch first) : transport_(loop.context, 1) {
    wire::DialOptions options;
    options.link.session.role = wire::Role::Client;
    options.link.session.method = wire::Method::Local;
    options.link.session.peers = {{wire::Role::Agent, ::geteuid()}};
    wire::Endpoint to{"", 0, part.part.launch_socket};
    dialing_ = transport_.dial(to, std::move(options), [this, first](auto link) {
      ASSERT_TRUE(link) << link.error().text;
      link_ = std::move(*link);
      link_->start([this](const wire::Frame& frame) { hear(frame); },
                   [this](const Error&) { closed = true; });
      say(first);
    });
  }
  void say(const ToLaunch& words) { (void)link_->send(kToLaunch, codec::encode(words)); }
  bool is_up() const { return pid != 0; }
  bool is_over() const { return ended.has_value() || closed; }
  void hang_up() { link_.reset(); }

  std::int32_t pid = 0;
  std::string out, err;
  std::uint64_t taken = 0;
  std::optional<LaunchEnded> ended;
  std::optional<std::vector<std::string>> slots;
  bool closed = false;
  bool reads = true;  ///< false: what comes is not acknowledged

 private:
  void hear(const wire::Frame& frame) {
    auto words = codec::decode<FromLaunch>(frame.payload);
    ASSERT_TRUE(words);
    if (auto* up = std::get_if<LaunchUp>(&*words)) pid = up->pid;
    if (auto* room = std::get_if<LaunchTaken>(&*words)) taken += room->bytes;
    if (auto* end = std::get_if<LaunchEnded>(&*words)) ended = *end;
    if (auto* places = std::get_if<LaunchPlaces>(&*words)) slots = places->slots;
    auto* output = std::get_if<LaunchOutput>(&*words);
    if (output == nullptr) return;
    (output->stream == 2 ? err : out) += output->bytes;
    if (reads) say(LaunchTaken{output->bytes.size()});
  }
  wire::Transport transport_;
  std::unique_ptr<wire::Dialing> dialing_;
  std::unique_ptr<wire::Link> link_;
};

/// "sh -c line", there.
inline LaunchStart shell_line(const std::string& line, const std::string& host = "") {
  LaunchStart start;
  start.host = host;
  start.argv = {"/bin/sh", "-c", line};
  start.env = {"PATH=/usr/bin:/bin", "WM_HOST=elsewhere", "MINE=yes"};
  start.cwd = "/";
  return start;
}

}  // namespace wm::wagent
