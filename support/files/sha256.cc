// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <span>

namespace opbyop {

namespace {

const unsigned char* Unsigned(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

std::string Hex(std::span<const unsigned char> digest) {
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

std::string Sha256Hex(std::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(Unsigned(bytes), bytes.size(), digest);
  return Hex(digest);
}

std::string HmacSha256Hex(std::string_view key, std::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), Unsigned(bytes), bytes.size(), digest, nullptr);
  return Hex(digest);
}

}  // namespace opbyop
