// What the names of a text stand for, once all of it was read: the classes that constructors are
// of, and how the attributes of modules are kept.
#pragma once

#include "source/python_imports.h"
#include "source/python_syntax.h"

namespace emberline {

// Fills in class_names, store, callee_kind, family and what is imported of each site, and which
// functions are wrappers. Names that were imported under others become those of their definitions.
// Linear in sites and classes.
void ResolveClasses(const Imports& imports, PythonModule& module);

}  // namespace emberline
