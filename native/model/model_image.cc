#include "model/model_image.h"

#include "base/archive.h"
#include "base/packed_image.h"

namespace emberline {

template <typename A>
void Members(A& a, Interval& i) {
  a(i.begin, i.end);
}
template <typename A>
void Members(A& a, Step& s) {
  a(s.name, s.number, s.slice, s.host, s.time, s.partial);
}
// Properties are found again in the store: the archive holds where.
template <typename A>
void Members(A& a, Device& d) {
  a(d.ordinal, d.kind, d.name, d.streams);
}

namespace {

// Calls `visit(name, column)` for every packed column.
template <typename M, typename Visit>
void EachColumn(M& m, Visit&& visit) {
  visit("model.launch", m.launch);
  visit("model.launched.begin", m.launched.begin);
  visit("model.captured", m.captured);
  visit("model.op", m.op);
  visit("model.frame", m.frame);
  visit("model.annotation", m.annotation);
  visit("model.forward", m.forward);
  visit("model.pass", m.pass);
  visit("model.repeats", m.repeats);
  visit("model.step", m.step);
  visit("model.hostSelf", m.host_self);
  visit("model.hostApi", m.host_api);
  visit("model.deviceSelf", m.device_self);
  visit("model.deviceTotal", m.device_total);
}

}  // namespace

void AddModelImage(const Model& model, ImageWriter* writer) {
  EachColumn(model, [&](const char* name, const auto& column) { AddPacked(name, column, writer); });
  writer->Add<uint32_t>("model.launched.items", model.launched.items);
  writer->Add<uint64_t>("model.isOp", model.is_op.words());
  writer->Add<uint64_t>("model.isCommunication", model.is_communication.words());
  const auto& known = model.store().metadata().devices;
  std::vector<uint32_t> properties;
  for (const Device& device : model.devices) {
    properties.push_back(device.properties == nullptr
                             ? kNone
                             : static_cast<uint32_t>(device.properties - known.data()));
  }
  auto& m = const_cast<Model&>(model);  // the archive takes what it could change
  ArchiveWriter archive;
  archive(m.steps, m.has_recorded_steps, m.devices, properties, m.op_link,
          m.unlinked_device_slices);
  writer->AddText("model", archive.Take());
}

std::shared_ptr<const Model> OpenModelImage(const std::shared_ptr<const ImageFile>& image,
                                            std::shared_ptr<const TraceStore> store) {
  auto model = std::make_shared<Model>();
  Model& m = *model;
  bool ok = true;
  const size_t all = store->all_slice_count();
  // Of a trace without slices, or without what fills them, some are empty.
  EachColumn(m, [&](const char* name, auto& column) { ShowPacked(name, *image, &column, &ok); });
  m.launched.items.Show(image->Get<uint32_t>("model.launched.items", &ok));
  for (const auto& [name, bits] : {std::pair{"model.isOp", &m.is_op},
                                   std::pair{"model.isCommunication", &m.is_communication}}) {
    const auto words = image->Get<uint64_t>(name, &ok);
    if (words.size() != (all + 63) / 64) return nullptr;
    bits->Show(words, all);
  }
  ArchiveReader archive(image->Text("model", &ok));
  if (!ok) return nullptr;
  std::vector<uint32_t> properties;
  archive(m.steps, m.has_recorded_steps, m.devices, properties, m.op_link,
          m.unlinked_device_slices);
  if (!archive.ok() || !archive.AtEnd() || properties.size() != m.devices.size()) return nullptr;
  const auto& known = store->metadata().devices;
  for (size_t d = 0; d < properties.size(); ++d) {
    if (properties[d] == kNone) continue;
    if (properties[d] >= known.size()) return nullptr;
    m.devices[d].properties = &known[properties[d]];
  }
  m.store_ = std::move(store);
  m.backing_ = image;
  return model;
}

}  // namespace emberline
