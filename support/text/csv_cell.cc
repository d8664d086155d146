// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/csv_cell.h"

#include <charconv>

#include "support/text/replace_all.h"
#include "support/text/safe_text.h"

namespace opbyop {
namespace {

// Whether the text is a number, perhaps with a unit in letters, as in tables: "-1.5", "+3 %", "-inf".
bool IsNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::invalid_argument) return false;
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  return unit.find_first_not_of("%ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\xC2\xB5") ==
         std::string_view::npos;
}

bool IsFormula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r\n").find(text.front()) != std::string_view::npos &&
         !IsNumber(text);
}

}  // namespace

std::string CsvCell(std::string_view text) {
  std::string cell = SafeText(text);
  const bool formula = IsFormula(cell);
  if (formula) cell.insert(cell.begin(), '\'');
  if (!formula && cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  return '"' + ReplaceAll(std::move(cell), "\"", "\"\"") + '"';
}

}  // namespace opbyop
