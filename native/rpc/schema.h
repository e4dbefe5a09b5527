// The protocol definition (rpc/protocol/*.json), compiled into the program: requests are checked
// against it before they reach a method.
#pragma once

#include <string>

#include "base/result.h"
#include "json/json.h"

namespace emberline {

// The merged definition: members "$defs", "methods", and "views", the views in their order with
// name, title, method and a line of help.
const Json& ProtocolDefinition();

// Checks a method's params: types, required members, enumerations, bounds. Members that the
// definition does not know are let through, so that an older daemon serves a newer client. Methods
// without a definition pass. Errors: kInvalidArgument, naming the member.
Result<bool> CheckParams(const std::string& method, const Json& params);

// Checks `value` against `schema`; `definitions` holds what "#/$defs/..." refers to. This is no
// JSON Schema library, and does not become one: it knows the keywords that our parameters use
// (type, properties, required, items, enum, minimum, maximum, maxItems, allOf, anyOf, oneOf, $ref),
// and a test in tests/tidy finds others. valijson, which distributions package, reads drafts up to
// 7, where what stands beside a $ref is ignored; the protocol is written in draft 2020-12 and means
// it. Results are checked by Ajv, a whole implementation, in tests/rpc.
Result<bool> CheckAgainst(const Json& schema, const Json& definitions, const Json& value,
                          const std::string& where);

}  // namespace emberline
