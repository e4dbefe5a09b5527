// The source around a line, each line with what it costs.
import { openSource } from '../../host/host.ts';
import { useAnswer } from '../../host/query.ts';
import { trace } from '../../host/store.ts';
import { quantity, share } from '#shared/numbers.ts';
import type { AnnotatedLine } from '#shared/protocol.ts';
import { Failure, Nothing, Waiting } from '../../widgets/notices.tsx';

function costText(cost: AnnotatedLine, device: boolean): string {
  const us = device ? cost.deviceTotalUs : cost.hostTotalUs;
  const backward = device ? cost.backwardDeviceUs : cost.backwardHostUs;
  const recompute = device ? cost.recomputeDeviceUs : cost.recomputeHostUs;
  const ofAll = device ? cost.deviceShare : cost.hostShare;
  const parts = [`${quantity(us, 'us')} (${share(ofAll, 1)})`];
  if (backward > 0) parts.push(`backward ${quantity(backward, 'us')}`);
  if (recompute > 0) parts.push(`recompute ${quantity(recompute, 'us')}`);
  if (cost.runs > 1) parts.push(`×${cost.runs}`);
  if (cost.confidence === 'function') parts.push('line unknown');
  return parts.join(' · ');
}

export function Listing(props: { file: string; line: number; function: string }) {
  const { file, line } = props;
  const { value, error, retry } = useAnswer('source/listing', { file, line });
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what="Reading source" />;
  if (!value.found) {
    return <Nothing>The file is not in this workspace. Click its name to locate it.</Nothing>;
  }
  const device = trace.value?.hasDeviceWork === true;
  return (
    <table class="listing" aria-label={`Source around line ${value.line ?? line}`}>
      <tbody>
        {value.lines.map((row) => {
          const us = row.cost === null ? 0 : device ? row.cost.deviceTotalUs : row.cost.hostTotalUs;
          return (
            <tr key={row.line} class={row.line === value.line ? 'wanted' : ''}>
              <th scope="row">
                <button
                  type="button"
                  class="frame-link"
                  title={`Open line ${row.line}`}
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
              <td
                class="cost"
                title={`${device ? 'Device time of the work launched from the line' : 'Host time of the line and of what it called'}, its share of all, and how often it ran`}
              >
                {row.cost !== null && us > 0 ? costText(row.cost, device) : ''}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
