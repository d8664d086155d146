// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/walk/attribution.h"

#include <algorithm>
#include <cctype>

#include "fmt/format.h"
#include "generator/walk/node_metadata.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace opbyop::generator {
namespace {

constexpr size_t kMaxText = 200;  // length of one name that is shown

// The contents of a location tree: names outside of Python frames, outermost first, and the innermost file.
struct Parts {
  llvm::SmallVector<llvm::StringRef, 4> names;
  llvm::SmallVector<llvm::StringRef, 4> frames;  // function names of call-site chains
  std::string file;
};

void Collect(mlir::Location location, bool in_call, int depth, Parts& parts) {
  constexpr int kMaxDepth = 128;
  if (depth > kMaxDepth) return;
  llvm::TypeSwitch<mlir::Location>(location)
      .Case<mlir::NameLoc>([&](mlir::NameLoc name) {
        (in_call ? parts.frames : parts.names).push_back(name.getName().strref());
        Collect(name.getChildLoc(), in_call, depth + 1, parts);
      })
      .Case<mlir::CallSiteLoc>([&](mlir::CallSiteLoc call) {
        Collect(call.getCallee(), true, depth + 1, parts);
        Collect(call.getCaller(), true, depth + 1, parts);
      })
      .Case<mlir::FusedLoc>([&](mlir::FusedLoc fused) {
        for (mlir::Location inner : fused.getLocations()) Collect(inner, in_call, depth + 1, parts);
      })
      .Case<mlir::FileLineColRange>([&](mlir::FileLineColRange file) {
        if (!parts.file.empty()) return;
        parts.file = PublicPath(std::string_view(file.getFilename().strref()));
        if (file.getStartLine() > 0) parts.file += fmt::format(":{}:{}", file.getStartLine(), file.getStartColumn());
      })
      .Default([](mlir::Location) {});
}

// Splits at '/' outside of brackets.
llvm::SmallVector<llvm::StringRef, 8> Components(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 8> components;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= name.size(); ++i) {
    char c = i < name.size() ? name[i] : '/';
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') depth = std::max(depth - 1, 0);
    if (i == name.size() || (c == '/' && depth == 0)) {
      if (i > start) components.push_back(name.slice(start, i));
      start = i + 1;
    }
  }
  return components;
}

bool IsRoot(llvm::StringRef component) {
  return component.ends_with(")") && (component.starts_with("jit(") || component.starts_with("pjit(") ||
                                      component.starts_with("pmap(") || component.starts_with("xla_computation("));
}

// tt-xla's "forward(model.py:12)": a function with the position of the call.
bool IsFrame(llvm::StringRef component) {
  size_t open = component.find('(');
  return open != llvm::StringRef::npos && component.ends_with(")") && component.contains(".py:");
}

// "add.12" -> "add"; "aten__addmm" -> "aten::addmm"; "dot_general[precision=...]" -> "dot_general"; "Add:" -> "Add"
std::string OpOf(llvm::StringRef component) {
  component = component.rtrim(':');
  size_t bracket = component.find('[');
  if (bracket != llvm::StringRef::npos && bracket > 0 && component.contains('='))
    component = component.take_front(bracket);
  auto [stem, number] = component.rsplit('.');
  if (!number.empty() && llvm::all_of(number, [](char c) { return c >= '0' && c <= '9'; })) component = stem;
  constexpr llvm::StringLiteral kNamespace = "__";
  size_t at = component.find(kNamespace);
  for (llvm::StringRef library : {"aten", "prim", "torchvision", "xla", "tt"}) {
    if (at == library.size() && component.starts_with(library)) {
      return fmt::format("{}::{}", std::string_view(library),
                         std::string_view(component.drop_front(at + kNamespace.size())));
    }
  }
  return component.str();
}

NameStack ParseName(llvm::StringRef name, llvm::StringRef explicit_op) {
  NameStack stack;
  // TF ends a scope with the name of the function: "scope/add@__inference_f_12".
  if (name.contains("@__")) name = name.take_front(name.find("@__"));
  llvm::SmallVector<llvm::StringRef, 8> components = Components(name.rtrim(':'));
  size_t first = 0;
  if (!components.empty() && IsRoot(components[0]) && components.size() > 1) {
    stack.root = components[0].str();
    first = 1;
    if (components.size() > 2 && components[1] == "jit(main)") first = 2;
  }
  bool scope_only = name.ends_with("/");
  for (size_t i = first; i < components.size(); ++i) {
    if (IsFrame(components[i])) {
      auto [function, place] = components[i].split('(');
      stack.place = PublicPath(std::string_view(place.drop_back()));
      continue;
    }
    if (i + 1 == components.size() && !scope_only) {
      stack.op = OpOf(components[i]);
    } else {
      stack.path.push_back(components[i].str());
    }
  }
  if (!explicit_op.empty()) stack.op = OpOf(explicit_op);
  return stack;
}

std::string Shown(llvm::StringRef text) {
  std::string shown;
  for (char c : text.take_front(kMaxText)) {
    unsigned char byte = static_cast<unsigned char>(c);
    shown += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  // Cuts between characters, not inside one.
  if (text.size() > kMaxText) {
    while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xC0) == 0x80) shown.pop_back();
    if (!shown.empty() && static_cast<unsigned char>(shown.back()) >= 0xC0) shown.pop_back();
    shown += "...";
  }
  return shown;
}

}  // namespace

std::string PublicPath(std::string_view path) {
  std::string text(path);
  std::replace(text.begin(), text.end(), '\\', '/');
  for (std::string_view marker : {"/site-packages/", "/dist-packages/"}) {
    if (size_t at = text.rfind(marker); at != std::string::npos) return text.substr(at + marker.size());
  }
  bool drive = text.size() > 2 && text[1] == ':' && text[2] == '/';
  bool absolute = text.starts_with("/") || text.starts_with("~") || drive || text.find("/../") != std::string::npos ||
                  text.starts_with("../");
  if (!absolute) return text;
  return text.substr(text.rfind('/') + 1);
}

NameStack ParseLocation(mlir::Location location) {
  Parts parts;
  Collect(location, false, 0, parts);
  // TensorFlow puts the names of an inlined function into call sites, where other frontends have Python frames.
  if (parts.names.empty()) {
    llvm::copy_if(parts.frames, std::back_inserter(parts.names),
                  [](llvm::StringRef name) { return name.ends_with(":") || name.contains("@__"); });
  }
  NameStack stack;
  llvm::StringRef op;
  for (llvm::StringRef name : parts.names) {
    if (std::optional<NameStack> metadata = ParseNodeMetadata(std::string_view(name))) {
      stack = *metadata;
      break;
    }
    // "dot_general:" names the op; the following name has the stack.
    if (name.ends_with(":") && op.empty()) {
      op = name;
      continue;
    }
    stack = ParseName(name, op);
    op = {};
    break;
  }
  if (!op.empty() && stack.op.empty()) stack.op = OpOf(op);
  if (!parts.file.empty() && (stack.place.empty() || parts.names.empty())) stack.place = parts.file;
  if (!parts.names.empty()) stack.name = Shown(parts.names.front());
  stack.op = Shown(stack.op);
  stack.place = Shown(stack.place);
  for (std::string& component : stack.path) component = Shown(component);
  return stack;
}

NameStack Inside(const NameStack& outer, const NameStack& inner) {
  NameStack stack = inner;
  // An absolute name stack already has the whole path from the model.
  if (!inner.root.empty() && (inner.root == outer.root || inner.root == kModuleStackRoot)) return stack;
  stack.root = outer.root;
  stack.path = outer.path;
  if (!outer.op.empty()) stack.path.push_back(outer.op);
  stack.path.insert(stack.path.end(), inner.path.begin(), inner.path.end());
  if (stack.place.empty()) stack.place = outer.place;
  return stack;
}

}  // namespace opbyop::generator
