// Drawn traces of a small training loop on a GPU, with changes planted in them.
import { slice } from './trace_events.mjs';

const streamId = 7;

/**
 * A layer: a module with an operator that launches one kernel for each of `kernels`, which last so
 * many microseconds.
 */
export const layer = (module, op, kernels) => ({ module, op, kernels });

/** The layers of the loop when nothing is planted. */
export const plainLayers = () => [
  layer('Embedding_0', 'aten::embedding', { gather_kernel: 20 }),
  layer('Linear_0', 'aten::addmm', { sgemm_128x64: 80 }),
  layer('ReLU_0', 'aten::relu', { relu_kernel: 10 }),
  layer('Linear_1', 'aten::addmm', { sgemm_64x64: 60 }),
  layer('LayerNorm_0', 'aten::layer_norm', { layer_norm_kernel: 30 }),
];

/**
 * The trace as text. `steps`: how many; `firstStep`: number of the first; `layers(step)`: what runs
 * in a step; `extraUs(step)`: host time at the end of a step in which nothing else runs.
 */
export function trainingTrace({
  steps = 3,
  firstStep = 1,
  layers = plainLayers,
  extraUs = () => 0,
  startUs = 1000,
} = {}) {
  const events = [
    { ph: 'M', name: 'process_name', pid: 1, tid: 0, args: { name: 'python' } },
    { ph: 'M', name: 'process_labels', pid: 0, tid: 0, args: { labels: 'GPU 0' } },
  ];
  let now = startUs;
  let id = 1;
  for (let step = 0; step < steps; ++step) {
    const begin = now;
    now += 5;
    for (const { module, op, kernels } of layers(step)) {
      const moduleStart = now;
      now += 2;
      const opStart = now;
      now += 2;
      for (const [name, us] of Object.entries(kernels)) {
        const correlation = id++;
        events.push(slice('cuda_runtime', 'cudaLaunchKernel', now, 3, { correlation }));
        events.push(
          slice(
            'kernel',
            name,
            now + 5,
            us,
            { correlation, device: 0, stream: streamId, 'External id': correlation },
            { pid: 0, tid: streamId },
          ),
        );
        // The next one waits, so that kernels do not overlap.
        now += 8 + us;
      }
      now += 2;
      events.push(
        slice('cpu_op', op, opStart, now - opStart, {
          'Input Dims': [
            [32, 64],
            [64, 64],
          ],
        }),
      );
      now += 2;
      events.push(slice('python_function', `nn.Module: ${module}`, moduleStart, now - moduleStart));
      now += 1;
    }
    now += extraUs(step);
    events.push(slice('user_annotation', `ProfilerStep#${firstStep + step}`, begin, now - begin));
    now += 1;
  }
  return JSON.stringify({
    schemaVersion: 1,
    deviceProperties: [{ id: 0, name: 'NVIDIA H100', totalGlobalMem: 85899345920 }],
    traceEvents: events,
  });
}
