// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/hlo_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "chained/wire_bytes.h"
#include "support/sharding/axes.h"

namespace opbyop::chained {
namespace {

constexpr double kBitsPerByte = 8;

// Instructions whose result is made of other results, in place.
constexpr auto kAliases = std::to_array<std::string_view>({"bitcast", "tuple", "get-tuple-element"});

// Attributes that name computations.
constexpr auto kCalls =
    std::to_array<std::string_view>({"calls=", "to_apply=", "body=", "condition=", "branch_computations=",
                                     "true_computation=", "false_computation=", "called_computations="});

bool IsAlias(const HloInstruction& instruction) {
  return std::ranges::find(kAliases, instruction.opcode) != kAliases.end();
}

bool IsOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-'; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::string_view NameAt(std::string_view text) {
  return text.substr(0, static_cast<size_t>(std::ranges::find_if_not(text, IsOfName) - text.begin()));
}

// The position after the bracket that closes the one at the start of the text; npos if none does.
size_t EndOfBrackets(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    if (quoted) continue;
    depth += text[i] == '(' || text[i] == '{' || text[i] == '[';
    depth -= text[i] == ')' || text[i] == '}' || text[i] == ']';
    if (depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

// The bits of an element of "f32", "bf16", "s4", "pred", "f8e4m3fn" or "c64"; 0 for a token or another word.
double BitsOf(std::string_view type) {
  if (type == "pred") return kBitsPerByte;
  const size_t digits = type.find_first_of("0123456789");
  if (digits == std::string_view::npos) return 0;
  double bits = 0;
  std::from_chars(type.begin() + digits, type.end(), bits, std::chars_format::fixed);
  return bits;
}

// The bytes of every array in a type: "(f32[2,3]{1,0}, s32[])" has 28.
double BytesOf(std::string_view type) {
  double bytes = 0;
  for (size_t at = type.find('['); at != std::string_view::npos; at = type.find('[', at + 1)) {
    size_t begin = at;
    while (begin > 0 && IsOfName(type[begin - 1])) --begin;
    double elements = 1;
    std::string_view sizes = type.substr(at + 1, type.find(']', at) - at - 1);
    while (!sizes.empty()) {
      const size_t comma = std::min(sizes.find(','), sizes.size());
      std::string_view size = Trim(sizes.substr(0, comma));
      if (size.starts_with("<=")) size.remove_prefix(2);
      double extent = 0;
      std::from_chars(size.begin(), size.end(), extent, std::chars_format::fixed);
      elements *= extent;
      sizes.remove_prefix(std::min(comma + 1, sizes.size()));
    }
    bytes += elements * BitsOf(type.substr(begin, at - begin)) / kBitsPerByte;
  }
  return bytes;
}

// The names after percent signs.
std::vector<std::string> NamesIn(std::string_view text) {
  std::vector<std::string> names;
  for (size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    names.emplace_back(NameAt(text.substr(at + 1)));
  }
  return names;
}

void ReadAttributes(std::string_view text, int64_t devices, HloInstruction& instruction) {
  instruction.group = GroupSize(text, devices);
  for (const std::string_view key : kCalls) {
    const size_t at = text.find(key);
    if (at == std::string_view::npos) continue;
    const std::string_view value = text.substr(at + key.size());
    const size_t end = value.starts_with('{') ? EndOfBrackets(value) : value.find(',');
    for (std::string& name : NamesIn(value.substr(0, end))) instruction.calls.push_back(std::move(name));
  }
  constexpr std::string_view kOpName = "op_name=\"";
  const size_t at = text.find(kOpName);
  if (at == std::string_view::npos) return;
  const std::string_view value = text.substr(at + kOpName.size());
  instruction.op_name = value.substr(0, value.find('"'));
}

// "  ROOT %name = f32[2]{0} add(%a, %b), metadata={op_name=\"x\"}"
std::optional<HloInstruction> ReadInstruction(std::string_view line, int64_t devices) {
  HloInstruction instruction;
  line = Trim(line);
  constexpr std::string_view kRoot = "ROOT ";
  instruction.is_root = line.starts_with(kRoot);
  if (instruction.is_root) line.remove_prefix(kRoot.size());
  if (line.starts_with('%')) line.remove_prefix(1);
  instruction.name = NameAt(line);
  line.remove_prefix(instruction.name.size());
  constexpr std::string_view kIs = " = ";
  if (instruction.name.empty() || !line.starts_with(kIs)) return std::nullopt;
  line.remove_prefix(kIs.size());
  const size_t type_end = line.starts_with('(') ? EndOfBrackets(line) : line.find(' ');
  if (type_end == std::string_view::npos) return std::nullopt;
  instruction.bytes = BytesOf(line.substr(0, type_end));
  line = Trim(line.substr(type_end));
  instruction.opcode = NameAt(line);
  line.remove_prefix(instruction.opcode.size());
  if (instruction.opcode.empty() || !line.starts_with('(')) return std::nullopt;
  const size_t operands_end = EndOfBrackets(line);
  if (operands_end == std::string_view::npos) return std::nullopt;
  instruction.operands = NamesIn(line.substr(0, operands_end));
  if (IsAlias(instruction)) instruction.bytes = 0;
  ReadAttributes(line.substr(operands_end), devices, instruction);
  return instruction;
}

// "HloModule main, is_scheduled=true, replica_count=2, num_partitions=4"
int64_t DevicesIn(std::string_view head) {
  int64_t devices = 1;
  for (const std::string_view key : {"replica_count=", "num_partitions="}) {
    const size_t at = head.find(key);
    if (at == std::string_view::npos) continue;
    int64_t count = 1;
    std::from_chars(head.begin() + at + key.size(), head.end(), count);
    devices *= std::clamp<int64_t>(count, 1, kMostDevices);
  }
  return devices;
}

}  // namespace

HloText ReadHloText(std::string_view text) {
  HloText program;
  std::vector<HloInstruction>* computation = nullptr;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("HloModule ")) {
      program.devices = DevicesIn(line);
    } else if (line.starts_with('}')) {
      computation = nullptr;
    } else if (computation != nullptr) {
      if (std::optional<HloInstruction> instruction = ReadInstruction(line, program.devices))
        computation->push_back(std::move(*instruction));
    } else if (Trim(line).ends_with('{') && line.find(" -> ") != std::string_view::npos) {
      constexpr std::string_view kEntry = "ENTRY ";
      const bool is_entry = line.starts_with(kEntry);
      if (is_entry) line.remove_prefix(kEntry.size());
      if (line.starts_with('%')) line.remove_prefix(1);
      const std::string name(NameAt(line));
      computation = &program.computations[name];
      if (is_entry) program.entry = name;
    }
  }
  return program;
}

std::set<std::string> OpNamesOf(const HloText& program, const HloInstruction& instruction) {
  std::set<std::string_view> visited;
  std::set<std::string> names;
  std::vector<const HloInstruction*> open = {&instruction};
  while (!open.empty()) {
    const HloInstruction& each = *open.back();
    open.pop_back();
    if (!each.op_name.empty()) names.insert(each.op_name);
    for (const std::string& call : each.calls) {
      const auto found = program.computations.find(call);
      if (found == program.computations.end() || !visited.insert(call).second) continue;
      for (const HloInstruction& inner : found->second) open.push_back(&inner);
    }
  }
  return names;
}

std::map<std::string, double> LiveBytes(const HloText& program) {
  std::map<std::string, double> live;
  const auto found = program.computations.find(program.entry);
  if (found == program.computations.end()) return live;
  const std::vector<HloInstruction>& schedule = found->second;
  // The position of the last instruction that reads each result. An alias is read when what is made of it is.
  std::map<std::string_view, size_t> last_read;
  for (size_t i = schedule.size(); i-- > 0;) {
    const HloInstruction& each = schedule[i];
    size_t& own = last_read[each.name];
    own = std::max(own, each.is_root || each.opcode == "parameter" ? schedule.size() : i);
    const size_t read = IsAlias(each) ? own : i;
    for (const std::string& operand : each.operands) last_read[operand] = std::max(last_read[operand], read);
  }
  double arguments = 0;
  for (const HloInstruction& each : schedule) arguments += each.opcode == "parameter" ? each.bytes : 0;
  std::multimap<size_t, double> ends;  // when the results that are live now are no longer needed
  double now = arguments;
  for (size_t i = 0; i < schedule.size(); ++i) {
    const HloInstruction& each = schedule[i];
    if (each.opcode != "parameter") {
      now += each.bytes;
      ends.emplace(last_read[each.name], each.bytes);
    }
    live[each.name] = now;
    const auto done = ends.upper_bound(i);
    for (auto it = ends.begin(); it != done; ++it) now -= it->second;
    ends.erase(ends.begin(), done);
  }
  return live;
}

}  // namespace opbyop::chained
