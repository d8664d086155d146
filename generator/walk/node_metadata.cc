// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/walk/node_metadata.h"

#include <string>

#include "fmt/format.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace opbyop::generator {
namespace {

// "linear_1;builtin_function_or_method.linear" -> "linear"
// "source_fn_stack" is older and names the class: "layer1,torch.nn.modules.linear.Linear" or "[('layer1', <class
// 'torch.nn.modules.linear.Linear'>)]" -> "Linear"
std::string TorchFunction(llvm::StringRef text) {
  text = text.rtrim("'>)]");
  llvm::StringRef function = text.rsplit(';').second;
  if (function.empty()) function = text;
  llvm::StringRef last = function.contains('.') ? function.rsplit('.').second : function;
  return last.str();
}

// "torch.ops.aten.addmm.default" (our own exports) and "aten.addmm.default" (torch's) -> "aten::addmm"
std::string Operator(llvm::StringRef text) {
  text.consume_front("torch.ops.");
  llvm::SmallVector<llvm::StringRef, 3> parts;
  text.split(parts, '.');
  if (parts.size() < 2 || parts[0].empty() || parts[1].empty()) return "";
  return fmt::format("{}::{}", std::string_view(parts[0]), std::string_view(parts[1]));
}

// "L__self__,,pkg.NN;L__self__layer1,layer1,torch.nn.modules.linear.Linear" -> "NN[model]", "Linear[layer1]"
std::vector<std::string> ModulePath(llvm::StringRef stack) {
  std::vector<std::string> path;
  llvm::StringRef parent;
  llvm::SmallVector<llvm::StringRef, 8> entries;
  stack.split(entries, ';', -1, false);
  for (llvm::StringRef entry : entries) {
    llvm::SmallVector<llvm::StringRef, 3> fields;
    entry.split(fields, ',');
    if (fields.size() != 3) continue;
    llvm::StringRef name = fields[1];
    llvm::StringRef type = fields[2].contains('.') ? fields[2].rsplit('.').second : fields[2];
    llvm::StringRef own = name;
    if (!parent.empty() && own.consume_front(parent) && !own.consume_front(".")) own = name;
    path.push_back(fmt::format("{}[{}]", std::string_view(type), name.empty() ? "model" : std::string_view(own)));
    parent = name;
  }
  return path;
}

// The last "File \"x.py\", line 12, in f" of a Python stack trace -> "x.py:12"
std::string LastFrame(llvm::StringRef trace) {
  constexpr llvm::StringLiteral kFile = "File \"";
  constexpr llvm::StringLiteral kLine = "\", line ";
  size_t at = trace.rfind(kFile);
  if (at == llvm::StringRef::npos) return "";
  auto [file, rest] = trace.drop_front(at + kFile.size()).split(kLine);
  llvm::StringRef line = rest.take_while([](char c) { return c >= '0' && c <= '9'; });
  if (line.empty()) return PublicPath(file);
  return fmt::format("{}:{}", PublicPath(file), std::string_view(line));
}

// The string fields of a JSON object, by key. Only requested values are unescaped, and only the last frame of a stack
// trace: an export has thousands of these objects, each of several kilobytes.
class Fields {
 public:
  // Returns false if the text is no object of strings.
  bool Scan(llvm::StringRef text) {
    if (!text.consume_front("{")) return false;
    while (!(text = text.ltrim(" ,\n\t")).consume_front("}")) {
      std::optional<llvm::StringRef> key = TakeString(text);
      text = text.ltrim();
      if (!key || !text.consume_front(":")) return false;
      text = text.ltrim();
      std::optional<llvm::StringRef> value = TakeString(text);
      if (!value) return false;
      raw_.emplace_back(*key, *value);
    }
    return true;
  }

  // Returns an empty string if there is no such field.
  std::string Get(llvm::StringRef key) const { return Unescaped(Raw(key)); }

  std::string LastFrameOf(llvm::StringRef key) const {
    constexpr llvm::StringLiteral kFile = "File \\\"";
    llvm::StringRef raw = Raw(key);
    size_t at = raw.rfind(kFile);
    return at == llvm::StringRef::npos ? "" : LastFrame(Unescaped(raw.drop_front(at)));
  }

 private:
  static std::optional<llvm::StringRef> TakeString(llvm::StringRef& text) {
    if (!text.consume_front("\"")) return std::nullopt;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == '"') {
        llvm::StringRef found = text.take_front(i);
        text = text.drop_front(i + 1);
        return found;
      }
    }
    return std::nullopt;
  }

  static std::string Unescaped(llvm::StringRef raw) {
    if (!raw.contains('\\')) return raw.str();
    llvm::Expected<llvm::json::Value> json = llvm::json::parse("\"" + raw.str() + "\"");
    if (!json) {
      llvm::consumeError(json.takeError());
      return raw.str();
    }
    return json->getAsString()->str();
  }

  llvm::StringRef Raw(llvm::StringRef key) const {
    for (const auto& [name, value] : raw_) {
      if (name == key) return value;
    }
    return "";
  }

  llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>, 8> raw_;
};

}  // namespace

std::optional<NameStack> ParseNodeMetadata(std::string_view name) {
  constexpr llvm::StringLiteral kBegin = "<XLA_MLIR_DEBUGINFO_BEGIN>";
  constexpr llvm::StringLiteral kEnd = "<XLA_MLIR_DEBUGINFO_END>";
  llvm::StringRef text(name);
  if (text.consume_front(kBegin)) text = text.split(kEnd).first;
  if (!text.starts_with("{")) return std::nullopt;
  Fields fields;
  if (!fields.Scan(text)) return std::nullopt;
  NameStack stack;
  // The operator is more precise than the function that the model called: addmm rather than linear.
  for (llvm::StringRef key : {"target", "original_aten"}) {
    if (stack.op.empty()) stack.op = Operator(fields.Get(key));
  }
  for (llvm::StringRef key : {"torch_fn", "source_fn_stack"}) {
    if (stack.op.empty()) stack.op = TorchFunction(fields.Get(key));
  }
  stack.path = ModulePath(fields.Get("nn_module_stack"));
  stack.place = fields.LastFrameOf("stack_trace");
  if (stack == NameStack{}) return std::nullopt;
  stack.root = kModuleStackRoot;
  return stack;
}

}  // namespace opbyop::generator
