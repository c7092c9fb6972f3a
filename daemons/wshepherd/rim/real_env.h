// Role: the outside of an attempt as it is: system calls, /proc, control groups, the socket to
// wnoded. Holds no decision. Single-threaded; between fork and exec any code may run.
#pragma once

#include "daemons/wshepherd/env.h"
#include "daemons/wshepherd/place.h"
#include "daemons/wshepherd/rim/node_link.h"
#include "daemons/wshepherd/rim/warm_parent.h"
#include "libwm/gpu/device_guard.h"

namespace wm::shepherd {

/// Looks at once.
class RealFolderMeter final : public FolderMeter {
 public:
  proc::FolderUse look(const std::string& path, Bytes enough) override {
    return proc::folder_use(path, enough);
  }
};

/// See the head of this file. @owns the control groups, until remove_group()
class RealEnv : public Clock,
                public ProcessTable,
                public Signals,
                public Children,
                public ControlGroup,
                public Files,
                public Words {
 public:
  RealEnv(Place place, const launch::AttemptSpec& spec, NodeLink& link)
      : place_(std::move(place)),
        key_(spec.key),
        group_name_(cgroup_name(spec.cluster, place_, key_)),
        link_(link) {}
  /// Its parts. @owns nothing: this object outlives it
  Env parts() { return {*this, *this, *this, *this, *this, *this, *this, warm_, meter_}; }
  void remove_group() { group_.remove(); }

  TimePoint now() override;
  WallTime wall() override;

  std::vector<pid_t> descendants_of(pid_t root, const std::set<pid_t>& except) override;
  std::vector<pid_t> children_of(pid_t pid) override;
  std::optional<proc::ProcessStat> stat(pid_t pid) override;
  std::string variable_of(pid_t pid, std::string_view name) override;
  std::vector<std::string> arguments_of(pid_t pid) override;
  std::vector<std::string> environment_of(pid_t pid) override;
  std::string name_of(pid_t pid) override;
  bool handles(pid_t pid, int signal) override;
  proc::Use use_of(const std::vector<pid_t>& pids) override;
  Bytes fair_mem_of(const std::vector<pid_t>& pids) override;

  bool kill(pid_t pid, int signal) override;
  void signal_tree(pid_t leader, int signal) override;
  void signal_handlers_of(pid_t leader, int signal) override;
  void continue_tree(pid_t leader) override;
  void stop_all(const std::function<std::vector<pid_t>()>& list) override;
  void kill_all(const std::function<std::vector<pid_t>()>& list) override;

  pid_t self() override;
  launch::Account own_account() override;
  Result<proc::Child> spawn(const proc::Exec& exec) override;
  Result<pid_t> fork_as_user(const UserPart& part, const std::function<int()>& work) override;
  proc::Trouble trouble_of(Fd& pipe) override;
  std::optional<Exit> reap() override;
  bool childless() override;

  std::string make(const proc::CgroupCaps& caps) override;
  bool keeps(const std::string& limit) override { return group_.keeps(limit); }
  std::vector<std::string> joins(bool frozen) override { return group_.joins(frozen); }
  std::vector<int> members() override { return group_.pids(); }
  bool freeze(bool on) override { return group_.freeze(on); }
  void limit_memory(std::uint64_t bytes) override { group_.limit_memory(bytes); }
  proc::CgroupUse use() override { return group_.use(); }
  Result<void> deny(const std::set<launch::CharDevice>& devices) override;

  Result<Pipe> pipe() override;
  Waiting look(const Fd& pipe) override;
  std::string read_waiting(const Fd& pipe) override;
  void write(const Fd& pipe, std::string_view bytes) override;
  void make_folder(const std::string& path, const launch::Account& owner) override;
  Result<void> put_file(const std::string& folder, const launch::SmallFile& file,
                        const launch::Account& owner) override;
  Fd open_log(const std::string& path) override;
  void remove_folder(const std::string& path, const launch::Account& owner) override;
  Result<void> append_exits(const std::vector<launch::ExitRecord>& records) override;

  void say(const launch::ShepherdWord& word) override { link_.say(word); }
  void complain(const std::string& text) override;

 private:
  Place place_;
  launch::AttemptKey key_;
  std::string group_name_;
  NodeLink& link_;
  proc::Cgroup group_;
  gpu::DeviceGuard guard_;
  RealWarmParent warm_;
  RealFolderMeter meter_;
};

}  // namespace wm::shepherd
