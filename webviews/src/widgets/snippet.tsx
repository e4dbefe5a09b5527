// A few lines of code with a button that copies them.
import { copyText } from '../host/host.ts';
import { announce } from '../host/store.ts';
import { IconButton } from './controls.tsx';
import { widgetTexts } from './texts.ts';

/** `label` is the name of the region that holds the code, for screen readers. */
export function Snippet(props: { label: string; code: string }) {
  return (
    <div class="snippet">
      <pre tabIndex={0} role="region" aria-label={props.label}>
        {props.code}
      </pre>
      <IconButton
        icon="copy"
        label={widgetTexts.copySnippet}
        title={widgetTexts.copySnippet}
        onClick={() => {
          copyText(props.code);
          announce(widgetTexts.snippetCopied);
        }}
      />
    </div>
  );
}
