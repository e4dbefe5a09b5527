#include "cost/rules.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

extern "C" {
#include <lauxlib.h>
#include <lua.h>

#include "base/ascii.h"
#include "cost/errors.h"
}

namespace emberline {
namespace {

constexpr size_t kMaxRules = 200, kMaxExpression = 1000;
// A formula holds no text, table or function, so that an evaluation has no loop and keeps nothing:
// its instructions are fewer than its characters. These are the second lock.
constexpr int kMaxInstructions = 2 * kMaxExpression;
constexpr size_t kMaxMemory = 64 << 10;
// All rules as functions: 600 formulas of 1,000 characters take a quarter of it.
constexpr size_t kMaxProgramMemory = 16 << 20;
// What the rules may take on one trace, some seconds: characters that were evaluated, about 5 ns
// each, and bytes of names that were compared, about 1 ns each. Counted, so that the same rules on
// the same trace always end alike.
constexpr uint64_t kMaxEvaluated = 600'000'000, kMaxCompared = 2'000'000'000;
constexpr uint64_t kEvaluation = 60, kComparison = 40;  // what each takes beside its text
// No operator's name is longer; what a hostile file gives in its place has no rule.
constexpr size_t kMaxName = 4000;

struct Memory {
  size_t used = 0;
  size_t most = kMaxProgramMemory;
};

// lua_Alloc with a limit.
void* Allocate(void* user, void* block, size_t old_size, size_t new_size) {
  auto* memory = static_cast<Memory*>(user);
  const size_t had = block != nullptr ? old_size : 0;
  if (new_size == 0) {
    std::free(block);
    memory->used -= had;
    return nullptr;
  }
  if (new_size > had && memory->used - had + new_size > memory->most) return nullptr;
  void* moved = std::realloc(block, new_size);
  if (moved != nullptr) memory->used += new_size - had;
  return moved;
}

void StopLongRun(lua_State* lua, lua_Debug*) { luaL_error(lua, "takes too long"); }

// The call whose arguments the functions read; errors leave by longjmp, so nothing here may own
// memory when one is raised.
const Arguments& ArgumentsOf(lua_State* lua) {
  return **static_cast<const Arguments**>(lua_getextraspace(lua));
}

size_t IndexOf(lua_State* lua) {
  const lua_Integer index = luaL_checkinteger(lua, 1);
  const Arguments& arguments = ArgumentsOf(lua);
  if (index < 0 || static_cast<size_t>(index) >= arguments.size()) {
    luaL_error(lua, "there is no such argument");
  }
  return static_cast<size_t>(index);
}

int Give(lua_State* lua, Amount amount) {
  if (!amount.known()) return luaL_error(lua, "%s", amount.why()->text.text().data());
  lua_pushnumber(lua, static_cast<lua_Number>(amount.value()));
  return 1;
}

template <typename Of>
Amount OverList(const Argument& argument, Of&& of) {
  if (argument.kind != ArgumentKind::kTensorList) return of(argument.tensor);
  if (argument.list.empty()) return Amount::Unknown(reasons::kNoListShapes);
  Amount sum = 0;
  for (const Tensor& tensor : argument.list) sum += of(tensor);
  return sum;
}

int Dim(lua_State* lua) {
  const size_t index = IndexOf(lua);
  const lua_Integer dim = luaL_checkinteger(lua, 2);
  if (dim < -64 || dim > 64) return luaL_error(lua, "there is no such dimension");
  return Give(lua, ArgumentsOf(lua).TensorAt(index).Dim(static_cast<int>(dim)));
}
int Numel(lua_State* lua) {
  const size_t index = IndexOf(lua);
  return Give(lua, OverList(ArgumentsOf(lua)[index], [](const Tensor& t) { return t.Elements(); }));
}
int Bytes(lua_State* lua) {
  const size_t index = IndexOf(lua);
  return Give(lua, OverList(ArgumentsOf(lua)[index], [](const Tensor& t) { return t.Bytes(); }));
}
int ElementSize(lua_State* lua) {
  const size_t index = IndexOf(lua);
  return Give(lua, ArgumentsOf(lua).TensorAt(index).ElementBytes());
}
int Rank(lua_State* lua) {
  const size_t index = IndexOf(lua);
  return Give(lua, static_cast<int64_t>(ArgumentsOf(lua).TensorAt(index).rank()));
}
int Value(lua_State* lua) {
  const size_t index = IndexOf(lua);
  const auto number = ArgumentsOf(lua).Number(index);
  const auto flag = ArgumentsOf(lua).Flag(index);
  if (number) {
    lua_pushnumber(lua, *number);
  } else if (flag) {
    lua_pushnumber(lua, *flag ? 1 : 0);
  } else {
    return luaL_error(lua, "a number was not recorded");
  }
  return 1;
}
int Min(lua_State* lua) {
  lua_pushnumber(lua, std::fmin(luaL_checknumber(lua, 1), luaL_checknumber(lua, 2)));
  return 1;
}
int Max(lua_State* lua) {
  lua_pushnumber(lua, std::fmax(luaL_checknumber(lua, 1), luaL_checknumber(lua, 2)));
  return 1;
}
int Floor(lua_State* lua) {
  lua_pushnumber(lua, std::floor(luaL_checknumber(lua, 1)));
  return 1;
}
int Ceil(lua_State* lua) {
  lua_pushnumber(lua, std::ceil(luaL_checknumber(lua, 1)));
  return 1;
}
int Log2(lua_State* lua) {
  lua_pushnumber(lua, std::log2(luaL_checknumber(lua, 1)));
  return 1;
}

constexpr std::pair<const char*, lua_CFunction> kFunctions[] = {
    {"dim", Dim},     {"numel", Numel}, {"bytes", Bytes}, {"esize", ElementSize},
    {"rank", Rank},   {"value", Value}, {"min", Min},     {"max", Max},
    {"floor", Floor}, {"ceil", Ceil},   {"log2", Log2}};

constexpr char kCountName[] = "n";

// Makes the functions known; run protected, because it allocates.
int SetUp(lua_State* lua) {
  for (const auto& [name, function] : kFunctions) {
    lua_pushcfunction(lua, function);
    lua_setglobal(lua, name);
  }
  lua_pushinteger(lua, 0);
  lua_setglobal(lua, kCountName);
  return 0;
}

// Loads the text at `*user` and keeps it as a function; gives its reference. Run protected.
int Compile(lua_State* lua) {
  const auto* chunk = static_cast<const std::string*>(lua_touserdata(lua, 1));
  // Text alone: bytecode could do anything.
  if (luaL_loadbufferx(lua, chunk->data(), chunk->size(), "=rule", "t") != LUA_OK) {
    return lua_error(lua);
  }
  lua_pushinteger(lua, luaL_ref(lua, LUA_REGISTRYINDEX));
  return 1;
}

// Runs the function of a reference. Run protected.
int Run(lua_State* lua) {
  const lua_Integer reference = lua_tointeger(lua, 1);
  lua_pushinteger(lua, static_cast<lua_Integer>(ArgumentsOf(lua).size()));
  lua_setglobal(lua, kCountName);
  lua_rawgeti(lua, LUA_REGISTRYINDEX, reference);
  lua_call(lua, 0, 1);
  return 1;
}

// What a formula has no use for and a hostile one does; null when there is none. Numbers and
// operators alone can neither loop nor keep anything.
const char* Forbidden(std::string_view expression) {
  for (size_t i = 0; i < expression.size(); ++i) {
    switch (expression[i]) {
      case '"':
      case '\'':
        return "texts";
      case '[':
      case '{':
        return "tables";
      default:
        break;
    }
    if (expression.substr(i, 2) == "..") return "texts";
    if (expression.substr(i, 2) == "--") return "comments";
    constexpr std::string_view kFunction = "function";
    if (expression.substr(i, kFunction.size()) == kFunction &&
        (i == 0 || !IsWordCharacter(expression[i - 1])) &&
        (i + kFunction.size() == expression.size() ||
         !IsWordCharacter(expression[i + kFunction.size()]))) {
      return "functions";
    }
  }
  return nullptr;
}

}  // namespace

// A state of Lua with nothing but the functions above.
struct CostRules::Engine {
  Engine() : lua(lua_newstate(Allocate, &memory)) {
    if (lua == nullptr) return;
    lua_pushcfunction(lua, SetUp);
    ready = lua_pcall(lua, 0, 0, 0) == LUA_OK;
  }
  ~Engine() {
    if (lua != nullptr) lua_close(lua);
  }
  // Keeps the expression as a function; false leaves on the stack what is wrong with it.
  bool Add(const std::string& expression) {
    const auto [it, added] = functions.try_emplace(expression, LUA_NOREF);
    if (!added) return true;
    std::string chunk = "return " + expression;
    lua_settop(lua, 0);
    lua_pushcfunction(lua, Compile);
    lua_pushlightuserdata(lua, &chunk);
    if (lua_pcall(lua, 1, 1, 0) != LUA_OK) return false;
    it->second = static_cast<int>(lua_tointeger(lua, -1));
    lua_settop(lua, 0);
    return true;
  }
  // All functions are there: from now on only evaluations take memory.
  void Seal() {
    lua_gc(lua, LUA_GCCOLLECT, 0);
    memory.most = memory.used + kMaxMemory;
  }
  Amount Evaluate(const std::string& expression, const Arguments& arguments) {
    if (expression.empty()) return Amount::Unknown(reasons::kRuleSilent);
    const auto function = functions.find(expression);
    if (function == functions.end()) return Amount::Unknown(reasons::kRuleUnreadable);
    if (spent()) return Amount::Unknown(reasons::kRulesTooSlow);
    evaluated += kEvaluation + expression.size();
    *static_cast<const Arguments**>(lua_getextraspace(lua)) = &arguments;
    lua_sethook(lua, StopLongRun, LUA_MASKCOUNT, kMaxInstructions);
    lua_pushcfunction(lua, Run);
    lua_pushinteger(lua, function->second);
    const bool ran = lua_pcall(lua, 1, 1, 0) == LUA_OK;
    const bool number = ran && lua_type(lua, -1) == LUA_TNUMBER;
    const double value = number ? lua_tonumber(lua, -1) : 0;
    lua_settop(lua, 0);
    if (!ran) return Amount::Unknown(reasons::kRuleAsksMore);
    if (!number || !(value >= 0) || value >= 9.2e18) {
      return Amount::Unknown(reasons::kRuleUnusable);
    }
    return static_cast<int64_t>(std::llround(value));
  }
  bool spent() const {
    return evaluated > kMaxEvaluated || compared > kMaxCompared || budget.spent();
  }

  Memory memory;
  lua_State* lua;
  bool ready = false;
  std::unordered_map<std::string, int> functions;  // by expression, references to what Lua keeps
  uint64_t evaluated = 0, compared = 0;
  MatchBudget budget;  // of the patterns that need more than going over the text once
};

CostRules::CostRules(std::vector<CostRule> rules, std::vector<Pattern> patterns)
    : rules_(std::move(rules)),
      patterns_(std::move(patterns)),
      engine_(std::make_unique<Engine>()) {}
CostRules::~CostRules() = default;

Result<std::shared_ptr<const CostRules>> CostRules::Make(std::vector<CostRule> rules) {
  const auto wrong = [](const ErrorText& text, MessageArgs args = {}) {
    args.emplace_back("example",
                      "{\"name\": \"my::op\", \"flops\": \"2 * numel(0)\", \"readBytes\": "
                      "\"bytes(0)\", \"writtenBytes\": \"bytes(0)\"}");
    return MakeError(text, std::move(args));
  };
  if (rules.size() > kMaxRules) return wrong(errors::kTooManyCostRules, {{"limit", kMaxRules}});
  std::vector<Pattern> patterns;
  for (const CostRule& rule : rules) {
    if (rule.name.empty()) return wrong(errors::kUnnamedCostRule);
    auto pattern = Pattern::Parse("^(?:" + rule.name + ")$");
    if (!pattern.ok()) {
      return wrong(errors::kBadCostRuleName,
                   {{"rule", rule.name}, {"reason", pattern.error().message}});
    }
    patterns.push_back(std::move(*pattern));
  }
  std::shared_ptr<CostRules> made(new CostRules(std::move(rules), std::move(patterns)));
  if (!made->engine_->ready) {
    return MakeError(errors::kCostRulesNotReady);
  }
  for (const CostRule& rule : made->rules_) {
    for (const std::string* text : {&rule.flops, &rule.read_bytes, &rule.written_bytes}) {
      if (text->empty()) continue;
      if (text->size() > kMaxExpression) {
        return wrong(errors::kLongCostRule, {{"rule", rule.name}});
      }
      if (const char* forbidden = Forbidden(*text)) {
        return wrong(errors::kForbiddenInCostRule, {{"rule", rule.name}, {"what", forbidden}});
      }
      if (made->engine_->Add(*text)) continue;
      const char* said = lua_tostring(made->engine_->lua, -1);
      return wrong(errors::kBadCostRule,
                   {{"rule", rule.name}, {"reason", said != nullptr ? said : "not an expression"}});
    }
  }
  made->engine_->Seal();
  return std::shared_ptr<const CostRules>(std::move(made));
}

int CostRules::Find(std::string_view name) const {
  if (name.size() > kMaxName) return -1;
  for (size_t i = 0; i < patterns_.size() && !engine_->spent(); ++i) {
    engine_->compared += kComparison + name.size();
    if (patterns_[i].Matches(name, &engine_->budget)) return static_cast<int>(i);
  }
  return -1;
}

Result<bool> CostRules::WithinLimits() const {
  if (!engine_->spent()) return true;
  return MakeError(errors::kSlowCostRules, {{"few", ".{0,20}"}, {"many", ".{0,200}"}});
}

OpCost CostRules::CostOf(int rule, const Arguments& arguments) const {
  const CostRule& said = rules_[static_cast<size_t>(rule)];
  OpCost cost;
  cost.op_class = OpClass::kCustom;
  cost.matrix = said.matrix;
  cost.flops = engine_->Evaluate(said.flops, arguments);
  cost.read_bytes = engine_->Evaluate(said.read_bytes, arguments);
  cost.written_bytes = engine_->Evaluate(said.written_bytes, arguments);
  cost.flops_formula = said.flops + " (own rule)";
  cost.bytes_formula =
      "read " + said.read_bytes + ", written " + said.written_bytes + " (own rule)";
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Tensor& tensor = arguments.TensorAt(i);
    if (!tensor.present || tensor.rank() == 0) continue;
    cost.params += (cost.params.empty() ? "T=" : ",T=") + ShapeText(tensor.dims);
    if (cost.type == DType::kUnknown) cost.type = tensor.type;
  }
  if (cost.type != DType::kUnknown) cost.params += std::string(",") + ShortName(cost.type);
  return cost;
}

size_t CostRules::MemoryBytes() const { return engine_->memory.used; }

}  // namespace emberline
