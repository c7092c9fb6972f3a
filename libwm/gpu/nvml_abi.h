// Role: the part of NVML's binary interface that is used here, written down from its public
// documentation, because no package of the system carries nvml.h. The library is loaded at run
// time and every function is optional. Included by nvml.cc and by the stub of the tests only.
// @source NVIDIA Management Library (NVML) API reference
#pragma once

#include <cstdint>

namespace wm::gpu::nvml {

/// What every call returns.
using Return = int;
inline constexpr Return kOk = 0;            ///< done
inline constexpr Return kNotSupported = 3;  ///< this device or driver does not know it
inline constexpr Return kNotFound = 6;      ///< no such thing
inline constexpr Return kTooSmall = 7;      ///< the buffer
inline constexpr Return kTimeout = 10;      ///< nothing happened
inline constexpr Return kLost = 15;         ///< the device fell off the bus
inline constexpr Return kResetNeeded = 16;  ///< the device needs a reset
/// Opaque handles.
using Device = void*;
using EventSet = void*;

inline constexpr unsigned kNameSize = 96;      ///< bytes of a name or uuid
inline constexpr unsigned kMaxLinks = 18;      ///< of a device
inline constexpr std::uint64_t kXidEvent = 8;  ///< the kind of event that an XID error is

/// Reasons for low clocks that point at the hardware: slowdown, thermal, power brake.
inline constexpr std::uint64_t kHwSlowdown = 0x8, kHwThermal = 0x40, kHwPowerBrake = 0x80;

/// @units bytes; what the driver reserved for itself counts as used
struct Memory {
  std::uint64_t total, free, used;
};
/// Layout of the _v2 call, which tells what is reserved apart. @units bytes
struct Memory2 {
  unsigned version;
  std::uint64_t total, reserved, free, used;
};
inline constexpr unsigned kMemory2 = sizeof(Memory2) | 2U << 24;  ///< Memory2::version
/// Kinds of ECC errors.
inline constexpr int kCorrected = 0, kUncorrected = 1;
struct Pci {
  char legacy_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char id[32];
};
/// @units percent
struct Utilization {
  unsigned gpu, memory;
};
/// Process::used where the driver cannot tell it.
inline constexpr std::uint64_t kNotAvailable = ~std::uint64_t{0};
/// Layout of the _v3 call.
struct Process {
  unsigned pid;
  std::uint64_t used;
  unsigned gpu_instance, compute_instance;
};
/// Layout of the _v2 call.
struct Event {
  Device device;
  std::uint64_t type, data;
  unsigned gpu_instance, compute_instance;
};

}  // namespace wm::gpu::nvml
