// Role: one signature over many job specifications, of which each job takes along what its hosts
// need to check it alone: the credential, and the way from its own digest to the root that the
// credential signs (a hash tree). Made by bsub -pack and the master, checked with
// spec_signature.h like any other.
//
//   digests of the jobs ─► tree ─► root ─► signed once        a job: credential '|' place '|'
//   hashes
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wm::wire {

/// The key of the job at `place`: of the pack's own, so that each is another one.
/// @shape request_key: 16 bytes, as is what comes out   @cost O(1)
std::string pack_item_key(std::string_view request_key, std::uint32_t place);

/// The tree over the digests of a pack's jobs (spec_digest of each with its own key).
class PackTree {
 public:
  /// @shape digests: 32 bytes each, one at least   @cost O(digests)
  explicit PackTree(std::vector<std::string> digests);
  /// What is signed: it tells how many there are, too. @cost O(1)
  std::string root() const;
  /// The credential that goes with the job at `place`: `credential` signs root(). @cost O(log jobs)
  std::string credential_of(std::uint32_t place, std::string_view credential) const;

 private:
  std::vector<std::vector<std::string>> levels_;  // digests first, the top last
};

/// A credential of a pack's job taken apart.
struct PackProof {
  std::string credential;  ///< over the root
  std::string root;        ///< that a job of this digest at its place leads to
};
/// None: it is not one of a pack. @cost O(length)
std::optional<PackProof> pack_proof(std::string_view credential, std::string_view digest);

}  // namespace wm::wire
