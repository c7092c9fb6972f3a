#include "libwm/wire/entropy.h"

#include <sodium.h>

namespace wm::wire {

HelloSecrets fresh_secrets() {
  WM_CHECK(sodium_init() >= 0);
  HelloSecrets secrets;
  randombytes_buf(secrets.key_seed.data(), secrets.key_seed.size());
  randombytes_buf(secrets.nonce.data(), secrets.nonce.size());
  return secrets;
}

}  // namespace wm::wire
