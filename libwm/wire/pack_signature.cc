#include "libwm/wire/pack_signature.h"

#include <charconv>

#include "libwm/base/hash.h"

namespace wm::wire {
namespace {

constexpr std::size_t kDigest = 32, kKey = 16;
constexpr std::size_t kMostLevels = 32;
// In front of what is hashed, so that neither a node nor a root is ever the digest of a
// specification: no specification begins with these letters.
constexpr std::string_view kNode = "wm-pack-node", kRoot = "wm-pack-root", kItem = "wm-pack-item";

std::string hashed(std::initializer_list<std::string_view> parts, std::size_t length = kDigest) {
  Hasher hash(length);
  for (auto part : parts) hash.add(part);
  return hash.finish();
}

std::string number_bytes(std::uint32_t n) {
  std::string bytes(4, '\0');
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<char>(n >> (8 * i));
  return bytes;
}

std::string root_of(std::uint32_t count, std::string_view top) {
  return hashed({kRoot, number_bytes(count), top});
}

std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t n = 0;
  auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (bad != std::errc() || end != text.data() + text.size()) return {};
  return n;
}

// The part before the next '|', which `text` is then behind.
std::optional<std::string_view> next_part(std::string_view& text) {
  auto bar = text.find('|');
  if (bar == text.npos) return {};
  auto part = text.substr(0, bar);
  text.remove_prefix(bar + 1);
  return part;
}

// The top of a tree of `count` digests, from the one at `place` and its neighbours on the way. The
// last of an odd level has none, and goes up as it is.
std::optional<std::string> top_from(std::string digest, std::uint32_t place, std::uint32_t count,
                                    std::string_view neighbours) {
  for (std::size_t level = 0; count > 1; ++level, place /= 2, count = (count + 1) / 2) {
    if (place + 1 == count && place % 2 == 0) continue;
    if (neighbours.size() < kDigest || level > kMostLevels) return {};
    auto other = neighbours.substr(0, kDigest);
    neighbours.remove_prefix(kDigest);
    digest = place % 2 ? hashed({kNode, other, digest}) : hashed({kNode, digest, other});
  }
  if (!neighbours.empty()) return {};
  return digest;
}

}  // namespace

std::string pack_item_key(std::string_view request_key, std::uint32_t place) {
  return hashed({kItem, request_key, number_bytes(place)}, kKey);
}

PackTree::PackTree(std::vector<std::string> digests) {
  levels_.push_back(std::move(digests));
  while (levels_.back().size() > 1) {
    const auto& below = levels_.back();
    std::vector<std::string> level;
    for (std::size_t i = 0; i < below.size(); i += 2)
      level.push_back(i + 1 < below.size() ? hashed({kNode, below[i], below[i + 1]}) : below[i]);
    levels_.push_back(std::move(level));
  }
}

std::string PackTree::root() const {
  return root_of(static_cast<std::uint32_t>(levels_.front().size()), levels_.back().front());
}

std::string PackTree::credential_of(std::uint32_t place, std::string_view credential) const {
  std::string text = std::string(credential) + "|" + std::to_string(place) + "|" +
                     std::to_string(levels_.front().size()) + "|";
  std::size_t at = place;
  for (std::size_t level = 0; level + 1 < levels_.size(); ++level, at /= 2) {
    auto other = at % 2 ? at - 1 : at + 1;
    if (other < levels_[level].size()) text += levels_[level][other];
  }
  return text;
}

std::optional<PackProof> pack_proof(std::string_view credential, std::string_view digest) {
  auto signed_text = next_part(credential);
  if (!signed_text) return {};
  auto place_text = next_part(credential);
  auto count_text = place_text ? next_part(credential) : std::nullopt;
  if (!count_text) return {};
  auto place = number_of(*place_text), count = number_of(*count_text);
  if (!place || !count || *place >= *count) return {};
  auto top = top_from(std::string(digest), *place, *count, credential);
  if (!top) return {};
  return PackProof{std::string(*signed_text), root_of(*count, *top)};
}

}  // namespace wm::wire
