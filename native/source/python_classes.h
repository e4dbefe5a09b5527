// What the names of a text stand for, once all of it was read: the classes that constructors are
// of, and how the attributes of modules are kept.
#pragma once

#include "source/python_syntax.h"

namespace emberline {

// Fills in class_names, store, callee_kind and family of each site, and which functions are
// wrappers. Linear in sites and classes.
void ResolveClasses(PythonModule& module);

}  // namespace emberline
