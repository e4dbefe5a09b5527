// Which slices open a node of a tree of modules, and what the node is called.
#pragma once

#include <optional>
#include <string>

#include "model/model.h"

namespace emberline {

struct ModuleLabel {
  std::string name;
  std::string class_name;
  bool dotted =
      false;  // the name is a dotted instance path, whose parent is the path before the last dot
};
// A call of nn.Module that Python's recorder saw.
std::optional<ModuleLabel> PythonModule(const TraceStore& store, SliceIndex i);
// TorchScript names the place of each operator: an operator opens the node of its place unless the
// one around it did.
std::optional<ModuleLabel> ScriptModule(const Model& model, SliceIndex i);
std::optional<ModuleLabel> LightningModule(const TraceStore& store, SliceIndex i);
std::optional<ModuleLabel> LightningHook(const TraceStore& store, SliceIndex i);

}  // namespace emberline
