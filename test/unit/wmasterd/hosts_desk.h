// Role: the master's side of hosts over a journal that has on disk what a cluster has been through,
// with hosts that say what a test wants.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "daemons/wmasterd/hosts/hosts.h"
#include "libwm/codec/codec.h"
#include "test/support/journal_desk.h"

namespace wm::master {

/// The host's end of a session: what it was told.
struct Peer final : test::SimPeer {
  std::vector<std::pair<NodeVerb, std::string>> frames;
  bool closed = false;
  PeerId id;
  void on_frame(std::uint16_t type, const std::string& payload) override {
    frames.emplace_back(static_cast<NodeVerb>(type), payload);
  }
  void on_closed() override { closed = true; }
  template <class T>
  std::vector<T> all(NodeVerb verb) const {
    std::vector<T> found;
    for (const auto& [type, payload] : frames)
      if (type == verb) found.push_back(*codec::decode<T>(payload));
    return found;
  }
};

/// Hosts over a journal that has on disk what a cluster has been through.
struct HostsDesk : test::JournalDesk {
  std::unique_ptr<Hosts> hosts;
  std::vector<std::unique_ptr<Peer>> peers;

  void start() {
    open();
    hosts = std::make_unique<Hosts>(*env, *journal);
    hosts->on_start();
  }
  ~HostsDesk() {  // the env speaks to its peers to its end
    hosts.reset();
    journal.reset();
    env.reset();
  }
  Peer& connect() {
    auto& peer = *peers.emplace_back(std::make_unique<Peer>());
    peer.id = env->connect(peer);
    return peer;
  }
  template <class T>
  void say(Peer& peer, NodeVerb verb, const T& words) {
    hosts->on_frame(peer.id, static_cast<std::uint16_t>(verb), codec::encode(words));
  }
  HostRegister words(const std::string& name, const std::string& boot = "boot-1") {
    HostRegister r;
    r.name = name;
    r.address = "127.0.0.1";
    r.boot = boot;
    r.capacity.slots = 4;
    r.capacity.milli_cpus = 4000;
    return r;
  }
  Peer& enrol(const HostRegister& r) {
    auto& peer = connect();
    say(peer, NodeVerb::Register, r);
    pass(std::chrono::milliseconds(100));
    return peer;
  }
  /// Time goes by with the ticks that belong to it.
  void listen(Duration time) {
    for (Duration gone{}; gone < time; gone += kTick) {
      pass(kTick);
      hosts->on_tick();
    }
  }
  /// A host with a job of one task that has been started again since: what it says.
  std::tuple<HostId, JobId, HostRegister> rebooted() {
    auto h = past.host(2);
    auto id = past.submit({});
    past.run(id, {h});
    start();
    auto r = again(h);
    r.boot = "another boot";
    return {h, id, r};
  }
  /// As the host was known before.
  HostRegister again(HostId id) {
    const Host& known = *journal->published().hosts.find(id.value);
    return words(known.name, known.boot);
  }
};

}  // namespace wm::master
