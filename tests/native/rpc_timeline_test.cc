// The preparation of the timeline, which runs beside the requests.
#include <algorithm>
#include <thread>

#include "drawn.h"
#include "rpc/views/view.h"
#include "session/session.h"

using namespace emberline;

namespace {

std::shared_ptr<LoadedTrace> Threads(int threads, int slices) {
  drawn::Drawing drawing;
  for (int t = 0; t < threads; ++t) {
    for (int i = 0; i < slices; ++i) drawing.Op("op", i * 10, 9, "", std::to_string(10 + t));
  }
  auto trace = std::make_shared<LoadedTrace>();
  trace->model = drawn::Load(drawing).model;
  trace->store = trace->model->store_ptr();
  return trace;
}

// True when the trace does not keep a value under the key yet.
bool Missing(const LoadedTrace& trace, const std::string& key) {
  const std::vector<std::string> keys = trace.results.Keys();
  return std::find(keys.begin(), keys.end(), key) == keys.end();
}

}  // namespace

TEST_CASE("preparing makes the rows and the pyramids of those that are open at first") {
  const auto trace = Threads(3, 300);
  PrepareTimeline(*trace, CancelToken());
  CHECK_FALSE(Missing(*trace, "timeline/index"));
  int made = 0;
  for (int t = 0; t < 3; ++t) made += !Missing(*trace, "timeline/lanes/" + std::to_string(t));
  // Of threads that launch nothing the busiest two are the picture.
  CHECK(made == 2);
}

TEST_CASE("preparing that is cancelled keeps nothing half made") {
  const auto trace = Threads(3, 300);
  CancelToken cancel;
  cancel.Cancel();
  PrepareTimeline(*trace, cancel);
  CHECK(Missing(*trace, "timeline/index"));
  for (int t = 0; t < 3; ++t) CHECK(Missing(*trace, "timeline/lanes/" + std::to_string(t)));
  // What comes later is whole.
  PrepareTimeline(*trace, CancelToken());
  CHECK_FALSE(Missing(*trace, "timeline/index"));
}

TEST_CASE("requests that wait for a preparation get their answer when it is cancelled") {
  const Json params = Json::object();
  for (int round = 0; round < 20; ++round) {
    const auto trace = Threads(8, 200);
    CancelToken preparing;
    std::thread preparation([&] { PrepareTimeline(*trace, preparing); });
    std::thread canceller([&] { preparing.Cancel(); });
    Result<Json> result = Error{ErrorKind::kInternal, "", "", {}};
    std::thread request([&] {
      for (const ViewMethod& view : AllViews()) {
        if (std::string(view.method) == "timeline/tracks") {
          result = view.function(ViewRequest{*trace, params, CancelToken(), {}});
        }
      }
    });
    preparation.join();
    canceller.join();
    request.join();
    REQUIRE(result.ok());
    CHECK(result.value()["totalSlices"] == 8 * 200);
    CHECK(result.value()["tracks"].size() == 8);
  }
}
