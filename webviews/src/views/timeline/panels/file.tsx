// The file's metadata.
import { useAnswer } from '../../../host/query.ts';
import { visible } from '../../../lib/format.ts';
import { Failure, Waiting } from '../../../widgets/notices.tsx';
import { PlainTable } from '../../../widgets/plain_table.tsx';

export function FilePanel() {
  const { value, error, retry } = useAnswer('timeline/metadata', {});
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what="Reading..." />;
  return (
    <section>
      <h2>File metadata</h2>
      <PlainTable
        label="Metadata of the file"
        columns={[{ title: 'Key' }, { title: 'Value' }]}
        rows={value.entries.map((entry) => [visible(entry.key), visible(entry.value)])}
      />
    </section>
  );
}
