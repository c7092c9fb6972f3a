#include "libwm/model/gpu_use.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

namespace wm {
namespace {

constexpr std::uint32_t kWhole = 1000;

// "1g.10gb" → 1; "1c.3g.40gb" → 3 with compute slices 1. 0: no such part.
std::uint32_t slices(std::string_view profile, char unit) {
  auto at = profile.find(unit);
  while (at != profile.npos && (at == 0 || profile[at - 1] < '0' || profile[at - 1] > '9'))
    at = profile.find(unit, at + 1);
  if (at == profile.npos) return 0;
  return static_cast<std::uint32_t>(profile[at - 1] - '0');
}

std::uint32_t number(std::string_view text) {
  std::uint32_t n = 0;
  for (char c : text) n = n * 10 + static_cast<std::uint32_t>(c - '0');
  return n;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// "NVIDIA H100 80GB" → nvidia, h100, 80gb.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (char c : text) {
    if (is_word(c) && !inside) words.emplace_back();
    inside = is_word(c);
    if (inside) words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

// Are these letters consecutive words of the name?
bool has_words(const std::vector<std::string>& name, const std::string& letters) {
  for (std::size_t first = 0; first < name.size(); ++first) {
    std::string run;
    for (auto at = first; at < name.size() && run.size() < letters.size(); ++at) run += name[at];
    if (run == letters && !run.empty()) return true;
  }
  return false;
}

// "h200-141G" → 141, and the name alone stays; 0: no memory is named.
std::int64_t take_gigabytes(std::string_view& asked) {
  auto at = asked.rfind('-');
  if (at == asked.npos || at == 0) return 0;
  auto text = asked.substr(at + 1);
  std::int64_t number = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  auto unit = text.substr(static_cast<std::size_t>(end - text.data()));
  bool good = code == std::errc{} && number > 0 && number < 1 << 20 &&
              (unit == "G" || unit == "g" || unit == "GB" || unit == "gb");
  if (good) asked = asked.substr(0, at);
  return good ? number : 0;
}

// Makers round up, and drivers keep some: 24G are told as 22.5.
bool is_about(Bytes mem, std::int64_t gigabytes) {
  auto whole = gigabytes << 30;
  return mem.value * 10 >= whole * 9 && mem.value * 20 <= whole * 21;
}

std::string letters_of(std::string_view text) {
  std::string all;
  for (const auto& word : words_of(text)) all += word;
  return all;
}

}  // namespace

bool is_model(const Gpu& gpu, std::string_view asked) {
  auto name = words_of(gpu.model);
  if (gpu.model == asked || has_words(name, letters_of(asked))) return true;
  auto gigabytes = take_gigabytes(asked);
  return gigabytes != 0 && is_about(gpu.mem, gigabytes) && has_words(name, letters_of(asked));
}

bool is_slice(std::string_view profile, std::string_view asked) {
  if (profile.empty() || asked.empty()) return false;
  if (asked.find_first_not_of("0123456789/") != asked.npos) return profile == asked;
  auto slash = asked.find('/');
  auto whole = slices(profile, 'g'), compute = slices(profile, 'c');
  if (compute == 0) compute = whole;  // no part of it is named: all of its compute slices
  if (whole != number(asked.substr(0, slash))) return false;
  return slash == asked.npos ? compute == whole : compute == number(asked.substr(slash + 1));
}

bool suits(const Gpu& gpu, const TaskRequest& request) {
  if (request.gpu_mig.empty() != gpu.mig.empty()) return false;
  if (!gpu.mig.empty() && !is_slice(gpu.mig, request.gpu_mig)) return false;
  if (!request.gpu_model.empty() && !is_model(gpu, request.gpu_model)) return false;
  if (!request.gpu_vendor.empty() && !gpu.vendor.empty() && gpu.vendor != request.gpu_vendor)
    return false;
  return gpu.mem == Bytes{0} || request.gpu_mem <= gpu.mem;
}

std::uint32_t milli_of(const Gpu& gpu, const TaskRequest& request) {
  if (!request.gpu_shared) return kWhole;
  std::int64_t part = request.milli_gpus < kWhole ? request.milli_gpus : 0;
  if (gpu.mem > Bytes{0} && request.gpu_mem > Bytes{0}) {
    // in double: thousandths of 2^40 bytes would still fit, but a site may declare anything
    double of_memory =
        static_cast<double>(request.gpu_mem.value) / static_cast<double>(gpu.mem.value);
    part = std::max(part, static_cast<std::int64_t>(of_memory * kWhole + 0.999999));
  }
  if (part <= 0) return kWhole;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(part, kWhole));
}

GpuShare share_of(const Host& host, std::uint16_t gpu, const TaskRequest& request, GpuOwner owner) {
  GpuShare share{gpu, owner, kWhole, request.gpu_mem, request.mps_uid};
  if (gpu >= host.capacity.gpus.size()) return share;
  const Gpu& device = host.capacity.gpus[gpu];
  share.milli = milli_of(device, request);
  if (share.mem == Bytes{0}) share.mem = Bytes{device.mem.value / kWhole * share.milli};
  return share;
}

std::uint32_t milli_shared(const Host& host, std::size_t gpu) {
  std::uint32_t sum = 0;
  for (const auto& share : host.gpu_shares)
    if (share.gpu == gpu) sum += share.milli;
  return sum;
}

std::int64_t whole_gpu_part(const std::vector<Gpu>& gpus, std::size_t index) {
  const auto& gpu = gpus[index];
  if (gpu.mig.empty()) return 1000;
  auto slices = [](std::string_view profile) {
    auto at = profile.find("g.");
    return at == profile.npos || at == 0 ? 1 : std::int64_t{profile[at - 1] - '0'};
  };
  std::int64_t whole = gpu.model.find("A30") == std::string::npos ? 7 : 4, before = 0;
  for (std::size_t i = 0; i < index; ++i)
    if (!gpus[i].mig.empty() && gpus[i].parent == gpu.parent) before += slices(gpus[i].mig);
  before = std::min(before, whole);
  auto end = std::min(before + slices(gpu.mig), whole);
  return 1000 * end / whole - 1000 * before / whole;
}

}  // namespace wm
