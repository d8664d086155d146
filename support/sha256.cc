// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/sha256.h"

#include <fmt/format.h>
#include <openssl/sha.h>

namespace opbyop {

std::string Sha256Hex(std::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace opbyop
