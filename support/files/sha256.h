// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// SHA-256 as lower-case hexadecimal text, optionally with a key (HMAC, RFC 2104).
#ifndef OPBYOP_SUPPORT_FILES_SHA256_H_
#define OPBYOP_SUPPORT_FILES_SHA256_H_

#include <string>
#include <string_view>

namespace opbyop {

std::string Sha256Hex(std::string_view bytes);
std::string HmacSha256Hex(std::string_view key, std::string_view bytes);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_SHA256_H_
