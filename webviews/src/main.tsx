// The page of a profile editor.
import { effect } from '@preact/signals';
import { render } from 'preact';
import './styles/main.css';
import { start } from './host/arrivals.ts';
import { path, reducedMotion, view } from './host/store.ts';
import { Shell } from './shell/shell.tsx';
import { knownViews } from './host/links.ts';
import { views } from './views/registry.ts';
import { watchTheme } from './widgets/theme.ts';

knownViews.value = new Set(views.map((entry) => entry.name));
watchTheme();
effect(() => {
  if (reducedMotion.value) document.body.classList.add('vscode-reduce-motion');
});
// The script of the view comes while its trace is still being read.
effect(() => {
  const shown = path.value === '' ? undefined : views.find(({ name }) => name === view.value);
  // A failure shows where the view would stand.
  shown?.body.load().catch(() => undefined);
});
const root =
  document.getElementById('root') ?? document.body.appendChild(document.createElement('div'));
root.id = 'root';
render(<Shell />, root);
start();
