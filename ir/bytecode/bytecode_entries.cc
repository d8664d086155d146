// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/bytecode/bytecode_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "ir/bytecode/bytecode_cursor.h"
#include "ir/bytecode/bytecode_grammar.h"
#include "ir/text_nesting.h"

namespace opbyop {
namespace {

// The greatest depth of references. Locations of nested calls are the deepest that occur; each level takes several
// frames of the stack.
constexpr int kDeepest = 1000;
constexpr uint64_t kMaxIntegerWidth = (uint64_t{1} << 24) - 1;
constexpr int64_t kDynamic = std::numeric_limits<int64_t>::min();

// The kind of a type, which decides what it can be an element of. kAny: not known, so its own reader must check it.
enum class Kind { kAny, kInteger, kIndex, kFloat, kComplex, kShaped, kOther };

struct TypeFacts {
  Kind kind = Kind::kAny;
  uint64_t bits = 0;      // width of an integer or float
  uint64_t elements = 0;  // number of elements of a static shape
  bool is_static = false;
  uint64_t element = 0;  // reference to the element type
};

struct Parts {
  std::vector<uint64_t> attributes;
  std::vector<uint64_t> types;
  std::vector<int64_t> numbers;
  std::vector<int64_t> list;  // the first list of numbers
  uint64_t blob_size = 0;
  size_t left = 0;  // number of bytes in `*`
};

class Checker {
 public:
  Checker(const std::vector<BytecodeEntry>& attributes, const std::vector<BytecodeEntry>& types, uint64_t strings)
      : entries_{&attributes, &types}, strings_(strings), facts_(types.size()) {
    for (int kind : {0, 1}) depth_[kind].assign(entries_[kind]->size(), kNew);
  }

  Expected<void> Run() {
    for (int kind : {1, 0}) {
      for (size_t i = 0; i < entries_[kind]->size(); ++i) {
        if (Expected<void> done = Visit(kind, i); !done) return done;
      }
    }
    return {};
  }

 private:
  static constexpr int kNew = -2, kOpen = -1;

  tl::unexpected<Error> Fail(int kind, uint64_t index, std::string_view what) const {
    return MakeError(ExitCode::kBadInput, fmt::format("{} {} {}", kind == 0 ? "attribute" : "type", index, what));
  }

  // Visits references depth first. Uses an explicit stack, because the depth is not known to be safe yet.
  Expected<void> Visit(int kind, uint64_t index) {
    struct Step {
      int kind;
      uint64_t index;
      Parts parts;
      uint64_t code = 0;
      size_t next = 0;
      int depth = 0;
    };
    std::vector<Step> steps;
    auto open = [&](int k, uint64_t i) -> Expected<void> {
      if (i >= entries_[k]->size()) return Fail(k, i, "does not exist");
      if (depth_[k][i] == kOpen) return Fail(k, i, "is part of itself");
      if (depth_[k][i] != kNew) {
        if (!steps.empty()) steps.back().depth = std::max(steps.back().depth, depth_[k][i] + 1);
        return {};
      }
      if (steps.size() >= kDeepest) return Fail(k, i, "is nested too deep");
      depth_[k][i] = kOpen;
      Step step{k, i, {}, 0, 0, 0};
      if (Expected<void> done = Parse(k, i, step.parts, step.code); !done) return done;
      steps.push_back(std::move(step));
      return {};
    };
    if (Expected<void> done = open(kind, index); !done) return done;
    while (!steps.empty()) {
      Step& step = steps.back();
      size_t types = step.parts.types.size();
      if (step.next < types + step.parts.attributes.size()) {
        size_t i = step.next++;
        Expected<void> done = i < types ? open(1, step.parts.types[i]) : open(0, step.parts.attributes[i - types]);
        if (!done) return done;
        continue;
      }
      if (step.depth >= kDeepest) return Fail(step.kind, step.index, "is nested too deep");
      if (Expected<void> done = Judge(step.kind, step.index, step.code, step.parts); !done) return done;
      depth_[step.kind][step.index] = step.depth;
      int depth = step.depth;
      steps.pop_back();
      if (!steps.empty()) steps.back().depth = std::max(steps.back().depth, depth + 1);
    }
    return {};
  }

  Expected<void> Parse(int kind, uint64_t index, Parts& parts, uint64_t& code) const {
    const BytecodeEntry& entry = (*entries_[kind])[index];
    if (entry.is_text) {
      if (entry.bytes.find('\0') == std::string_view::npos) return Fail(kind, index, "has text without an end");
      return CheckTextNesting(entry.bytes, fmt::format("{} {}", kind == 0 ? "attribute" : "type", index));
    }
    BytecodeCursor cursor(entry.bytes);
    std::optional<uint64_t> number = cursor.VarInt();
    if (!number) return Fail(kind, index, "has no bytes");
    code = *number;
    for (char part : (kind == 0 ? AttributeGrammar : TypeGrammar)(entry.dialect, code)) {
      if (part == '*') {
        parts.left = cursor.size();
        return {};
      }
      if (!ParsePart(part, cursor, parts)) return Fail(kind, index, "ends inside its parts, or has more than fit");
    }
    return {};
  }

  bool ParsePart(char part, BytecodeCursor& cursor, Parts& parts) const {
    auto each = [&](auto element) {
      std::optional<uint64_t> count = cursor.Count();
      for (uint64_t i = 0; count && i < *count; ++i) {
        if (!element()) return false;
      }
      return count.has_value();
    };
    auto reference = [&](std::vector<uint64_t>& list) {
      std::optional<uint64_t> index = cursor.VarInt();
      if (index) list.push_back(*index);
      return index.has_value();
    };
    auto number = [&](std::optional<int64_t> value, std::vector<int64_t>& list) {
      if (value) list.push_back(*value);
      return value.has_value();
    };
    auto unsigned_number = [&]() -> std::optional<int64_t> {
      std::optional<uint64_t> value = cursor.VarInt();
      return value ? std::optional(static_cast<int64_t>(*value)) : std::nullopt;
    };
    switch (part) {
      case 'a':
        return reference(parts.attributes);
      case 't':
        return reference(parts.types);
      case 'A':
        return each([&] { return reference(parts.attributes); });
      case 'T':
        return each([&] { return reference(parts.types); });
      case 'N':
        return each([&] { return reference(parts.attributes) && reference(parts.attributes); });
      case 'o': {
        std::optional<uint64_t> is_present = cursor.VarInt();
        return is_present && (*is_present == 0 || reference(parts.attributes));
      }
      case 'p': {
        const std::optional<uint8_t> is_present = cursor.Byte();
        return is_present && (*is_present == 0 || reference(parts.attributes));
      }
      case 's': {
        std::optional<uint64_t> index = cursor.VarInt();
        return index && *index < strings_;
      }
      case 'v':
        return number(unsigned_number(), parts.numbers);
      case 'i':
        return number(cursor.SignedVarInt(), parts.numbers);
      case 'V':
        return each([&] { return number(unsigned_number(), parts.list); });
      case 'I':
        return each([&] { return number(cursor.SignedVarInt(), parts.list); });
      case 'b':
        return each([&] { return number(cursor.Byte(), parts.numbers); });
      case 'B': {
        std::optional<uint64_t> size = cursor.VarInt();
        if (!size || !cursor.Bytes(*size)) return false;
        parts.blob_size = *size;
        return true;
      }
      default:
        return false;
    }
  }

  const TypeFacts& FactsOf(const Parts& parts) const { return facts_[parts.types.back()]; }

  // Checks conditions that MLIR only asserts. All parts must have been checked before.
  Expected<void> Judge(int kind, uint64_t index, uint64_t code, const Parts& parts) {
    const BytecodeEntry& entry = (*entries_[kind])[index];
    if (entry.is_text && kind == 1) facts_[index] = FactsOfText(entry.bytes);
    if (entry.is_text || (entry.dialect != "builtin" && entry.dialect != "vhlo")) return {};
    if (entry.dialect == "vhlo") return kind == 1 ? JudgeVhloType(index, code, parts) : Expected<void>();
    return kind == 1 ? JudgeType(index, code, parts) : JudgeAttribute(index, code, parts);
  }

  // Types for which MLIR's bytecode has no code, mainly small floats, are stored as MLIR assembly.
  static TypeFacts FactsOfText(std::string_view text) {
    const size_t digits = text.find_first_of("0123456789");
    if (digits == std::string_view::npos) return {};
    const std::string_view letters = text.substr(0, digits);
    const bool is_integer = letters == "i" || letters == "si" || letters == "ui";
    const bool is_float = letters == "f" || letters == "bf" || letters == "tf";
    uint64_t bits = 0;
    const char* end = text.data() + text.size();
    const bool is_number = std::from_chars(text.data() + digits, end, bits).ec == std::errc();
    if (!is_number || bits > kMaxIntegerWidth || !(is_integer || is_float)) return {};
    return {is_integer ? Kind::kInteger : Kind::kFloat, bits};
  }

  Expected<void> JudgeType(uint64_t index, uint64_t code, const Parts& parts) {
    TypeFacts& facts = facts_[index];
    constexpr uint64_t kFloatBits[] = {16, 16, 32, 64, 80, 128};
    switch (code) {
      case 0: {
        auto bits = static_cast<uint64_t>(parts.numbers[0]);
        if ((bits & 3) > 2 || bits >> 2 > kMaxIntegerWidth) return Fail(1, index, "is an integer of no known width");
        facts = {Kind::kInteger, bits >> 2};
        return {};
      }
      case 1:
        facts = {Kind::kIndex, 64};
        return {};
      case 3:
      case 4:
      case 5:
      case 6:
      case 7:
      case 8:
        facts = {Kind::kFloat, kFloatBits[code - 3]};
        return {};
      case 9: {
        const TypeFacts& part = FactsOf(parts);
        bool fits = part.kind == Kind::kAny || part.kind == Kind::kInteger || part.kind == Kind::kFloat;
        if (!fits) return Fail(1, index, "is a complex number of what is no number");
        facts = {Kind::kComplex, 2 * part.bits};
        return {};
      }
      case 10:
      case 11:
      case 13:
      case 14:
      case 19:
      case 20:
        return JudgeShaped(index, code, parts);
      case 16:
      case 17:
      case 18:
        return IsElement(FactsOf(parts)) ? Expected<void>() : Fail(1, index, "has elements of no element type");
      default:
        facts = {Kind::kOther};
        return {};
    }
  }

  static bool IsElement(const TypeFacts& element) { return element.kind != Kind::kOther; }

  Expected<void> JudgeShaped(uint64_t index, uint64_t code, const Parts& parts) {
    const bool is_vector = code >= 19;
    const TypeFacts& element = FactsOf(parts);
    bool fits = is_vector
                    ? element.kind != Kind::kOther && element.kind != Kind::kShaped && element.kind != Kind::kComplex
                    : IsElement(element);
    if (!fits) return Fail(1, index, "has elements of no element type");
    if (code == 20 && parts.numbers.size() != parts.list.size()) {
      return Fail(1, index, "has not as many scalable dimensions as dimensions");
    }
    return SetShape(index, parts, /*least=*/is_vector ? 1 : 0, /*may_be_dynamic=*/!is_vector);
  }

  Expected<void> SetShape(uint64_t index, const Parts& parts, int64_t least, bool may_be_dynamic) {
    TypeFacts facts{Kind::kShaped, 0, 1, true, parts.types.back()};
    for (int64_t size : parts.list) {
      if (size == kDynamic && may_be_dynamic) {
        facts.is_static = false;
      } else if (size < least) {
        return Fail(1, index, "has a dimension of negative size");
      } else if (__builtin_mul_overflow(facts.elements, static_cast<uint64_t>(size), &facts.elements) ||
                 facts.elements > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return Fail(1, index, "has more elements than can be counted");
      }
    }
    facts_[index] = facts;
    return {};
  }

  Expected<void> JudgeVhloType(uint64_t index, uint64_t code, const Parts& parts) {
    if (code == 20 || code == 21) return SetShape(index, parts, 0, true);
    return {};
  }

  Expected<void> JudgeAttribute(uint64_t index, uint64_t code, const Parts& parts) {
    switch (code) {
      case kFileRange:
        return parts.list.size() > 4 ? Fail(0, index, "is a range of more than two places") : Expected<void>();
      case kDenseArray: {
        const TypeFacts& element = FactsOf(parts);
        bool is_number = element.kind == Kind::kInteger || element.kind == Kind::kFloat;
        uint64_t width = element.bits == 1 ? 8 : element.bits;
        auto size = static_cast<uint64_t>(parts.numbers[0]);
        bool fits = is_number && width % 8 == 0 && width != 0 && size <= parts.blob_size &&
                    parts.blob_size == size * (width / 8);
        return fits ? Expected<void>() : Fail(0, index, "is an array whose bytes are not its elements");
      }
      case kDenseElements:
        return JudgeElements(index, parts);
      case kDenseStrings: {
        const TypeFacts& type = FactsOf(parts);
        bool fits = type.kind == Kind::kShaped && type.is_static &&
                    (parts.numbers[0] != 0 ? parts.left > 0 : type.elements <= parts.left);
        return fits ? Expected<void>() : Fail(0, index, "has fewer strings than its type says");
      }
      case kSparse:
        return Fail(0, index, "is a sparse constant, which is not read from bytecode");
      default:
        return {};
    }
  }

  Expected<void> JudgeElements(uint64_t index, const Parts& parts) {
    const TypeFacts& type = FactsOf(parts);
    if (type.kind != Kind::kShaped || !type.is_static) return Fail(0, index, "is a constant without a static shape");
    const TypeFacts& element = facts_[type.element];
    if (element.kind == Kind::kAny) return Fail(0, index, "is a constant of what is no number");
    uint64_t bits = element.bits;
    bool is_complex = element.kind == Kind::kComplex;
    if (bits == 0 || element.kind == Kind::kShaped) return Fail(0, index, "is a constant of what is no number");
    uint64_t width = is_complex ? 2 * ((bits / 2 + 7) / 8) : (bits + 7) / 8;
    bool is_splat = parts.blob_size == width;
    bool is_whole = parts.blob_size % width == 0 && parts.blob_size / width == type.elements;
    bool is_packed = bits == 1 && parts.blob_size == (type.elements + 7) / 8;
    bool fits = is_whole || is_packed || is_splat;
    return fits ? Expected<void>() : Fail(0, index, "is a constant whose bytes are not its elements");
  }

  const std::vector<BytecodeEntry>* entries_[2];
  uint64_t strings_;
  std::vector<int> depth_[2];
  std::vector<TypeFacts> facts_;
};

}  // namespace

Expected<void> CheckEntries(const std::vector<BytecodeEntry>& attributes, const std::vector<BytecodeEntry>& types,
                            uint64_t strings) {
  return Checker(attributes, types, strings).Run();
}

}  // namespace opbyop
