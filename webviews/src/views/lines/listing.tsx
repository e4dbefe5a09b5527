// The source around a line, each line with what it costs.
import { sharedTexts } from '#shared/common_texts.ts';
import { openSource } from '../../host/host.ts';
import { useAnswer } from '../../host/query.ts';
import { trace } from '../../host/store.ts';
import { quantity, share } from '#shared/numbers.ts';
import type { AnnotatedLine } from '#shared/protocol.ts';
import { Failure, Nothing, Waiting } from '../../widgets/notices.tsx';
import { linesTexts } from './texts.ts';

function costText(cost: AnnotatedLine, device: boolean): string {
  const us = device ? cost.deviceTotalUs : cost.hostTotalUs;
  const backward = device ? cost.backwardDeviceUs : cost.backwardHostUs;
  const recompute = device ? cost.recomputeDeviceUs : cost.recomputeHostUs;
  const ofAll = device ? cost.deviceShare : cost.hostShare;
  const parts = [`${quantity(us, 'us')} (${share(ofAll, 1)})`];
  if (backward > 0) parts.push(linesTexts.backward(backward));
  if (recompute > 0) parts.push(linesTexts.recompute(recompute));
  if (cost.runs > 1) parts.push(`×${cost.runs}`);
  if (cost.confidence === 'function') parts.push(sharedTexts.lineUnknown);
  return parts.join(' · ');
}

export function Listing(props: { file: string; line: number; function: string }) {
  const { file, line } = props;
  const { value, error, retry } = useAnswer('source/listing', { file, line });
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what={linesTexts.readingSource} />;
  if (!value.found) {
    return <Nothing>{linesTexts.fileNotHere}</Nothing>;
  }
  const device = trace.value?.hasDeviceWork === true;
  return (
    <table class="listing" aria-label={linesTexts.sourceAroundLine(value.line ?? line)}>
      <tbody>
        {value.lines.map((row) => {
          const us = row.cost === null ? 0 : device ? row.cost.deviceTotalUs : row.cost.hostTotalUs;
          return (
            <tr
              key={row.line}
              class={row.line === value.line ? 'wanted' : ''}
              aria-current={row.line === value.line ? 'location' : undefined}
            >
              <th scope="row">
                <button
                  type="button"
                  class="frame-link"
                  title={linesTexts.openLine(row.line)}
                  onClick={() =>
                    openSource({
                      file,
                      line: row.line,
                      function: props.function,
                      lineIsDefinition: false,
                    })
                  }
                >
                  {row.line}
                </button>
              </th>
              <td class="code">{row.text}</td>
              <td class="cost" title={linesTexts.costOfLine(device)}>
                {row.cost !== null && us > 0 ? costText(row.cost, device) : ''}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
