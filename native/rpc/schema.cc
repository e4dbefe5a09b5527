#include "rpc/schema.h"

#include <cmath>
#include <string_view>

#include "rpc/errors.h"
#include "rpc/log.h"
#include "rpc/protocol_text.h"

namespace emberline {
namespace {

bool HasType(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  if (type == "integer") {
    if (value.is_number_integer()) return true;
    return value.is_number_float() && std::floor(value.get<double>()) == value.get<double>() &&
           std::abs(value.get<double>()) < 9e15;
  }
  return true;
}

std::string TypeText(const Json& type) {
  if (type.is_string()) return type.get<std::string>();
  std::string text;
  for (const Json& one : type) text += (text.empty() ? "" : " or ") + one.get<std::string>();
  return text;
}

Result<bool> CheckObject(const Json& schema, const Json& definitions, const Json& value,
                         const std::string& where) {
  if (const auto required = schema.find("required"); required != schema.end()) {
    for (const Json& name : *required) {
      if (!value.contains(name.get<std::string>())) {
        return MakeError(errors::kMissingMember,
                         {{"where", where}, {"member", name.get<std::string>()}});
      }
    }
  }
  const auto properties = schema.find("properties");
  if (properties == schema.end()) return true;
  for (const auto& [name, member] : value.items()) {
    const auto property = properties->find(name);
    if (property == properties->end()) continue;
    const Result<bool> checked = CheckAgainst(*property, definitions, member, where + "." + name);
    if (!checked.ok()) return checked.error();
  }
  return true;
}

}  // namespace

const Json& ProtocolDefinition() {
  static const Json protocol = [] {
    Json merged = {
        {"$defs", Json::object()}, {"methods", Json::object()}, {"views", Json::array()}};
    for (const std::string_view text : ProtocolTexts()) {
      Result<Json> file = ParseJson(text);
      if (!file.ok() || !file->is_object()) {
        Log(LogLevel::kError, "A file of the protocol definition is damaged and left out.");
        continue;
      }
      for (auto& [part, all] : merged.items()) {
        if (!file->contains(part)) continue;
        if (all.is_array()) {
          for (Json& entry : (*file)[part]) all.push_back(std::move(entry));
        } else {
          all.update((*file)[part]);
        }
      }
    }
    return merged;
  }();
  return protocol;
}

Result<bool> CheckAgainst(const Json& schema, const Json& definitions, const Json& value,
                          const std::string& where) {
  if (!schema.is_object()) return true;
  if (const auto ref = schema.find("$ref"); ref != schema.end()) {
    static const std::string prefix = "#/$defs/";
    const std::string target = ref->get<std::string>();
    if (target.rfind(prefix, 0) != 0) return true;
    const auto definition = definitions.find(target.substr(prefix.size()));
    if (definition == definitions.end()) return true;
    return CheckAgainst(*definition, definitions, value, where);
  }
  if (const auto parts = schema.find("allOf"); parts != schema.end()) {
    for (const Json& part : *parts) {
      const Result<bool> checked = CheckAgainst(part, definitions, value, where);
      if (!checked.ok()) return checked.error();
    }
  }
  for (const char* keyword : {"anyOf", "oneOf"}) {
    const auto choices = schema.find(keyword);
    if (choices == schema.end()) continue;
    bool any = false;
    for (const Json& choice : *choices) {
      any = any || CheckAgainst(choice, definitions, value, where).ok();
    }
    if (!any) return MakeError(errors::kNoAllowedForm, {{"where", where}});
  }
  if (const auto type = schema.find("type"); type != schema.end()) {
    bool any = false;
    if (type->is_string()) any = HasType(value, type->get<std::string>());
    if (type->is_array()) {
      for (const Json& one : *type) any = any || HasType(value, one.get<std::string>());
    }
    if (!any) return MakeError(errors::kWrongType, {{"where", where}, {"type", TypeText(*type)}});
  }
  if (const auto choices = schema.find("enum"); choices != schema.end()) {
    bool any = false;
    std::string names;
    for (const Json& choice : *choices) {
      any = any || choice == value;
      names += (names.empty() ? "" : ", ") + DumpJson(choice);
    }
    if (!any) return MakeError(errors::kNotAChoice, {{"where", where}, {"choices", names}});
  }
  if (value.is_number()) {
    const double number = value.get<double>();
    if (schema.contains("minimum") && number < schema["minimum"].get<double>()) {
      return MakeError(errors::kBelowMinimum,
                       {{"where", where}, {"limit", DumpJson(schema["minimum"])}});
    }
    if (schema.contains("maximum") && number > schema["maximum"].get<double>()) {
      return MakeError(errors::kAboveMaximum,
                       {{"where", where}, {"limit", DumpJson(schema["maximum"])}});
    }
  }
  if (value.is_array()) {
    if (schema.contains("maxItems") && value.size() > schema["maxItems"].get<size_t>()) {
      return MakeError(errors::kTooManyItems,
                       {{"where", where}, {"limit", DumpJson(schema["maxItems"])}});
    }
    if (const auto items = schema.find("items"); items != schema.end()) {
      for (size_t i = 0; i < value.size(); ++i) {
        const Result<bool> checked =
            CheckAgainst(*items, definitions, value[i], where + "[" + std::to_string(i) + "]");
        if (!checked.ok()) return checked.error();
      }
    }
  }
  if (value.is_object()) return CheckObject(schema, definitions, value, where);
  return true;
}

Result<bool> CheckParams(const std::string& method, const Json& params) {
  const Json& protocol = ProtocolDefinition();
  const Json& methods = protocol["methods"];
  const auto definition = methods.find(method);
  if (definition == methods.end() || !definition->contains("params")) return true;
  return CheckAgainst((*definition)["params"], protocol["$defs"], params, "params");
}

}  // namespace emberline
