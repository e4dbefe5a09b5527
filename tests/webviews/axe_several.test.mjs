// Every view of two real traces and of many is accessible.
import { real, testEveryView } from './axe_views.mjs';

testEveryView({
  'two models on an H100': (harness, theme) =>
    harness.compare(
      real('tracelens/h100/gaunernst_bert-small-uncased__1016001.json.gz'),
      real('tracelens/h100/Falconsai_nsfw_image_detection__1016002.json.gz'),
      { theme },
    ),
  'a job of eight ranks': (harness, theme) =>
    harness.job(real('param/et_replay/tests/inputs/extracted/dlrm_kineto'), { theme }),
});
