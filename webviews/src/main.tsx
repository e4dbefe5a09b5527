// The page of a profile editor.
import { effect } from '@preact/signals';
import { render } from 'preact';
import './styles/main.css';
import { reducedMotion, start } from './host/store.ts';
import { Shell } from './shell/shell.tsx';
import { knownViews } from './host/links.ts';
import { views } from './views/registry.ts';
import { watchTheme } from './widgets/theme.ts';

knownViews.value = new Set(views.map((entry) => entry.name));
watchTheme();
effect(() => {
  if (reducedMotion.value) document.body.classList.add('vscode-reduce-motion');
});
const root =
  document.getElementById('root') ?? document.body.appendChild(document.createElement('div'));
root.id = 'root';
render(<Shell />, root);
start();
