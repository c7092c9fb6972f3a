#include "libwm/trainer/groups/proof.h"

#include <sys/random.h>

#include <stdexcept>

#include "libwm/trainer/wmtrainer.h"

namespace wm::groups {

std::string nonce() {
  std::string drawn(kProofBytes, '\0');
  if (::getentropy(drawn.data(), drawn.size()) != 0)
    throw std::runtime_error("the system gives no random bytes");
  return drawn;
}

std::string proof_of(std::string_view key, std::string_view role, std::string_view about,
                     std::string_view nonces) {
  std::string text(role);
  text.append(1, '\0').append(about).append(1, '\0').append(nonces);
  std::string made(kProofBytes, '\0');
  wm_trainer_mac(reinterpret_cast<const unsigned char*>(key.data()), text.data(), text.size(),
                 reinterpret_cast<unsigned char*>(made.data()));
  return made;
}

bool fits(std::string_view one, std::string_view other) {
  unsigned differ = one.size() != other.size();
  for (std::size_t i = 0; i < one.size() && i < other.size(); ++i)
    differ |= static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]);
  return differ == 0;
}

}  // namespace wm::groups
