#include "libwm/gpu/device_guard.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace wm::gpu {
namespace {

bpf_insn load(std::uint8_t to, std::size_t offset) {
  return {.code = BPF_LDX | BPF_W | BPF_MEM,
          .dst_reg = to,
          .src_reg = BPF_REG_1,
          .off = static_cast<std::int16_t>(offset),
          .imm = 0};
}

bpf_insn keep_bits(std::uint8_t of, std::int32_t mask) {
  return {.code = BPF_ALU | BPF_AND | BPF_K, .dst_reg = of, .src_reg = 0, .off = 0, .imm = mask};
}

bpf_insn skip_unless(std::uint8_t is, std::uint32_t number, std::int16_t skipped) {
  return {.code = BPF_JMP32 | BPF_JNE | BPF_K,
          .dst_reg = is,
          .src_reg = 0,
          .off = skipped,
          .imm = static_cast<std::int32_t>(number)};
}

bpf_insn answer(std::int32_t value) {
  return {.code = BPF_ALU64 | BPF_MOV | BPF_K,
          .dst_reg = BPF_REG_0,
          .src_reg = 0,
          .off = 0,
          .imm = value};
}

bpf_insn leave() {
  return {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0};
}

/// No library of its own for two calls. @source bpf(2)
int bpf(bpf_cmd command, bpf_attr& attributes) {
  return static_cast<int>(::syscall(SYS_bpf, command, &attributes, sizeof(attributes)));
}

Result<Fd> load_program(const std::vector<bpf_insn>& program) {
  static const char kLicense[] = "Apache-2.0";
  bpf_attr attributes{};
  attributes.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
  attributes.insns = reinterpret_cast<std::uintptr_t>(program.data());
  attributes.insn_cnt = static_cast<std::uint32_t>(program.size());
  attributes.license = reinterpret_cast<std::uintptr_t>(kLicense);
  Fd loaded(bpf(BPF_PROG_LOAD, attributes));
  if (!loaded) return system_error("load the program that guards devices");
  return loaded;
}

/// Beside what the administrator has put on the groups above; in place of `old` if there is one.
Result<void> attach(const std::string& folder, const Fd& program, const Fd& old) {
  Fd group(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!group) return system_error("open " + folder);
  bpf_attr attributes{};
  attributes.target_fd = static_cast<std::uint32_t>(group.get());
  attributes.attach_bpf_fd = static_cast<std::uint32_t>(program.get());
  attributes.attach_type = BPF_CGROUP_DEVICE;
  attributes.attach_flags = BPF_F_ALLOW_MULTI;
  if (old) {
    attributes.attach_flags |= BPF_F_REPLACE;
    attributes.replace_bpf_fd = static_cast<std::uint32_t>(old.get());
  }
  if (bpf(BPF_PROG_ATTACH, attributes) < 0) return system_error("guard devices of " + folder);
  return {};
}

std::string in_words(const launch::CharDevice& device) {
  return "c " + std::to_string(device.driver) + ":" + std::to_string(device.unit) + " rwm";
}

}  // namespace

std::vector<bpf_insn> guard_program(const std::set<launch::CharDevice>& denied) {
  constexpr std::uint8_t kType = BPF_REG_2, kDriver = BPF_REG_3, kUnit = BPF_REG_4;
  std::vector<bpf_insn> program{load(kType, offsetof(bpf_cgroup_dev_ctx, access_type)),
                                keep_bits(kType, 0xffff),  // above it: how it is opened
                                load(kDriver, offsetof(bpf_cgroup_dev_ctx, major)),
                                load(kUnit, offsetof(bpf_cgroup_dev_ctx, minor))};
  for (const auto& device : denied)
    for (const auto& instruction :
         {skip_unless(kType, BPF_DEVCG_DEV_CHAR, 4), skip_unless(kDriver, device.driver, 3),
          skip_unless(kUnit, device.unit, 2), answer(0), leave()})
      program.push_back(instruction);
  program.push_back(answer(1));
  program.push_back(leave());
  return program;
}

Result<void> DeviceGuard::deny(const proc::Cgroup& group,
                               const std::set<launch::CharDevice>& devices) {
  if (devices == denied_) return {};
  if (auto list = group.folder("devices"); !list.empty()) {
    WM_TRY(deny_by_list(list, devices));
  } else if (auto unified = group.folder(proc::kUnified); !unified.empty()) {
    WM_TRY(deny_by_program(unified, devices));
  }
  denied_ = devices;
  return {};
}

Result<void> DeviceGuard::deny_by_list(const std::string& folder,
                                       const std::set<launch::CharDevice>& devices) {
  for (const auto& device : devices)
    if (!denied_.contains(device))
      WM_TRY(proc::write_word(folder + "/devices.deny", in_words(device)));
  for (const auto& device : denied_)
    if (!devices.contains(device))
      WM_TRY(proc::write_word(folder + "/devices.allow", in_words(device)));
  return {};
}

Result<void> DeviceGuard::deny_by_program(const std::string& folder,
                                          const std::set<launch::CharDevice>& devices) {
  WM_TRY(auto program, load_program(guard_program(devices)));
  WM_TRY(attach(folder, program, program_));
  program_ = std::move(program);
  return {};
}

}  // namespace wm::gpu
