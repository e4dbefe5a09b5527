#include <string>

#include "input_file.h"
#include "json/json.h"
#include "protocol_sample.h"
#include "rpc/methods.h"
#include "rpc/schema.h"
#include "rpc/views/compare.h"
#include "rpc/views/view.h"
#include "session/session.h"
#include "target.h"

namespace emberline::fuzz {
namespace {

// A reply of one page; views cut theirs at 256 KiB, exports may be longer.
constexpr size_t kMaxReply = 300 << 10;

// Asks for a view, and checks what comes back whatever the params are.
void Ask(const CallContext& context, const std::string& method, const Json& params) {
  const Result<bool> allowed = CheckParams(method, params);
  const Result<Json> result = CallMethod(method, params, context);
  if (!result.ok()) {
    const Error& error = result.error();
    if (error.kind == ErrorKind::kInternal) {
      Broken(method + DumpJson(params) + ": " + error.message);
    }
    Check(!error.message.empty(), "an error says what happened");
    return;
  }
  Check(allowed.ok(), "params that the protocol forbids are refused");
  const std::string text = DumpJson(*result);
  const bool everything = params.contains("limit") && params["limit"].get<double>() < 0;
  if (text.size() > kMaxReply && !everything && method != "timeline/export") {
    Broken(method + DumpJson(params) + " answers with " + std::to_string(text.size()) + " bytes");
  }
  try {
    result->dump();  // throws on text that is no UTF-8
  } catch (const Json::exception& error) {
    Broken(method + " answers with text that is no UTF-8: " + error.what());
  }
}

// Params of a method, or of a side of a comparison, that name this profile.
void Name(const std::string& profile_id, Random& random, Json* params) {
  if (!params->is_object()) *params = Json::object();
  (*params)["profileId"] = profile_id;
  for (const char* choice : {"run", "worker", "span"}) params->erase(choice);
  if (!random.OneIn(4)) params->erase("steps");
}

}  // namespace

void RunViews(std::string_view input) {
  static Session session;
  Random random(SeedOf(input));
  Result<Profile> profile = session.Open(OnDisk(input));
  Check(profile.ok(), "a file opens");
  const CallContext context{session, {}, {}};
  const Result<Json> load = CallMethod("profile/load", {{"profileId", profile->id}}, context);
  if (load.ok()) {
    const Result<Json> check = CallMethod("profile/check", {{"profileId", profile->id}}, context);
    Check(check.ok(), "what loads can be checked");
    for (const ViewMethod& view : AllViews()) {
      Json params = SampleParams(view.method, random);
      Name(profile->id, random, &params);
      Ask(context, view.method, params);
    }
    for (const CompareMethod& compare : CompareMethods()) {
      Json params = SampleParams(compare.method, random);
      if (!params.is_object()) params = Json::object();
      for (const char* side : {"baseline", "candidate"}) Name(profile->id, random, &params[side]);
      Ask(context, compare.method, params);
    }
  }
  Check(session.Close(profile->id).ok(), "a profile closes");
}

}  // namespace emberline::fuzz
