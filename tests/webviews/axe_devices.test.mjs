// Every view of real traces of three makers' devices is accessible.
import { real, testEveryView } from './axe_views.mjs';

testEveryView({
  'an A100': (harness, theme) =>
    harness.open(real('segment-anything-fast/amg_example/amg_example_trace.json.gz'), { theme }),
  'an MI300X': (harness, theme) =>
    harness.open(real('tracelens/mi300/ddp_resnet18_no_pool/train_resnet18.json.gz'), { theme }),
  'an Ascend NPU': (harness, theme) => harness.open(real('ascend'), { theme }),
});
