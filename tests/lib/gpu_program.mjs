// A small program on an H100, and a drawn trace of two of its steps whose savings are known.
import { slice } from './trace_events.mjs';

/** Lines of the program that tests speak of, 1-based. */
export const programLines = { product: 5, activation: 9, call: 10 };

export const program = [
  'import torch', // 1
  '',
  '',
  'def project(x, w):',
  '    return x @ w', // 5
  '',
  '',
  'def block(x, w):',
  '    y = torch.relu(x)', // 9
  '    return project(y, w)', // 10
  '',
].join('\n');

const size = 4096;
const bytesPerNumber = 2;
// The data sheet's peaks of an H100 SXM: dense bf16, and memory.
const flopsPerS = 989.4e12;
const bytesPerS = 3.352e12;
const steps = 2;

/** At least so long, us: the product by its operations, the activation by the bytes of both sides. */
export const boundUs = {
  product: ((2 * size ** 3) / flopsPerS) * 1e6,
  activation: ((2 * size ** 2 * bytesPerNumber) / bytesPerS) * 1e6,
};
export const recordedUs = { product: 277.8, activation: 200 };

/** What a line would save at a share of the roof, over all steps, us. */
export function savedUs(line, target, count = steps) {
  return count * (recordedUs[line] - boundUs[line] / target);
}

/** The trace as text, of a program that lay at `file`. */
export function programTrace(file) {
  const events = [];
  const square = [size, size];
  const stack = (...frames) => frames.join(';');
  const block = `${file}(${programLines.call}): block`;
  let id = 0;
  const work = (at, op, dims, callStack, kernel, dur) => {
    const correlation = ++id;
    events.push(
      slice('cpu_op', op, at, 40, {
        'Input Dims': dims,
        'Input type': dims.map(() => 'c10::BFloat16'),
        'Call stack': callStack,
        'External id': correlation,
      }),
      slice('cuda_runtime', 'cudaLaunchKernel', at + 5, 5, {
        correlation,
        'External id': correlation,
      }),
      slice(
        'kernel',
        kernel,
        at + 100,
        dur,
        {
          device: 0,
          stream: 7,
          correlation,
          'External id': correlation,
          grid: [132, 1, 1],
          block: [128, 1, 1],
        },
        { pid: 0, tid: 7 },
      ),
    );
  };
  for (let step = 0; step < steps; ++step) {
    const at = 1000 + step * 2000;
    events.push(slice('user_annotation', `ProfilerStep#${step + 1}`, at, 1900));
    work(
      at + 10,
      'aten::relu',
      [square],
      `${file}(${programLines.activation}): block`,
      'void at::native::vectorized_elementwise_kernel<4>(int)',
      recordedUs.activation,
    );
    work(
      at + 400,
      'aten::mm',
      [square, square],
      stack(`${file}(${programLines.product}): project`, block),
      'nvjet_tst_128x256',
      recordedUs.product,
    );
  }
  return JSON.stringify({
    schemaVersion: 1,
    deviceProperties: [{ id: 0, name: 'NVIDIA H100 80GB HBM3', computeMajor: 9, numSms: 132 }],
    traceEvents: events,
  });
}
