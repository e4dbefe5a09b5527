// Copy and export of a table, the same six ways everywhere.
import { copyText, failureOf, saveFile } from '../host/host.ts';
import { announce } from '../host/store.ts';
import { extensions, type ExportFormat } from '../lib/export.ts';
import { MenuButton } from './menu_button.tsx';
import { widgetTexts } from './texts.ts';

const formats: readonly { format: ExportFormat; title: string }[] = [
  { format: 'csv', title: widgetTexts.csv },
  { format: 'markdown', title: widgetTexts.markdown },
  { format: 'json', title: widgetTexts.json },
];

/** `take` makes the text; undefined means that there is nothing to export. */
export function ExportMenu(props: {
  name: string;
  take: (format: ExportFormat) => string | undefined | Promise<string | undefined>;
}) {
  const run = async (format: ExportFormat, save: boolean): Promise<void> => {
    try {
      const text = await props.take(format);
      if (text === undefined) return;
      if (save) {
        saveFile(`${props.name.toLowerCase().replaceAll(' ', '-')}.${extensions[format]}`, text);
      } else {
        copyText(text);
        announce(widgetTexts.tableCopied);
      }
    } catch (error) {
      announce(widgetTexts.exportFailed(failureOf(error).message));
    }
  };
  return (
    <MenuButton
      label={widgetTexts.export}
      icon="export"
      items={[
        ...formats.map(({ format, title }) => ({
          label: widgetTexts.copyAs(title),
          run: () => void run(format, false),
        })),
        ...formats.map(({ format, title }) => ({
          label: widgetTexts.saveAs(title),
          run: () => void run(format, true),
        })),
      ]}
    />
  );
}
