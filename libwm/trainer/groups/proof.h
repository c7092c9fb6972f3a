// Role: how two workers of one job show each other that they are, over connections that any user of
// these machines can open: each makes a MAC, by the key that the job's agents gave to its workers,
// over what the other has drawn. The bytes are those of the Python trainer's proof.py.
//
//   client ──nonce──► server ──nonce, proof──► client ──proof──► server    of a store
//
// Invariants: the key never travels; the address is in the proofs of a store, so that nobody can
// pass on those of another worker.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wm::groups {

/// Bytes of a nonce, of a proof and of a key.
inline constexpr std::size_t kProofBytes = 32;

/// What the other side has to answer to. @shape [kProofBytes]   @errors throws: no random bytes
std::string nonce();
/// The proof of who speaks as `role` `about` something, for these nonces, one behind the other.
/// @shape key, result: [kProofBytes]
std::string proof_of(std::string_view key, std::string_view role, std::string_view about,
                     std::string_view nonces);
/// Whether two proofs are equal; takes as long whether or not.
bool fits(std::string_view one, std::string_view other);

}  // namespace wm::groups
