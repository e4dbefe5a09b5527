// The file's metadata.
import { useAnswer } from '../../../host/query.ts';
import { visible } from '../../../lib/format.ts';
import { commonTexts } from '../../../lib/texts.ts';
import { Failure, Waiting } from '../../../widgets/notices.tsx';
import { PlainTable } from '../../../widgets/plain_table.tsx';
import { panelTexts } from './texts.ts';

export function FilePanel() {
  const { value, error, retry } = useAnswer('timeline/metadata', {});
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what={panelTexts.reading} />;
  return (
    <section>
      <h2>{panelTexts.fileMetadata}</h2>
      <PlainTable
        stateKey="metadataOfFile"
        label={panelTexts.metadataOfFile}
        columns={[{ title: panelTexts.key }, { title: commonTexts.value }]}
        rows={value.entries.map((entry) => [visible(entry.key), visible(entry.value)])}
      />
    </section>
  );
}
