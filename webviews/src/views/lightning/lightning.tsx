// Lightning: the modules by instance path, and the hooks as they nest.
import { ask, useAnswer } from '../../host/query.ts';
import { viewState } from '../../host/view_state.ts';
import { commonTexts } from '../../lib/texts.ts';
import { Segments } from '../../widgets/controls.tsx';
import { Absences, Failure, Waiting } from '../../widgets/notices.tsx';
import { ModuleTree } from '../module_tree.tsx';
import { lightningTexts } from './texts.ts';

const nothing = {};

export function LightningView() {
  const part = viewState('lightning', 'part', 'hooks');
  const { value, error, retry } = useAnswer('view/lightning', nothing);
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what={lightningTexts.readingHooks} />;
  const shown =
    value.modules.length === 0 ? 'hooks' : value.hooks.length === 0 ? 'modules' : part.value;
  const name =
    shown === 'modules' ? lightningTexts.lightningModules : lightningTexts.lightningHooks;
  const nodes = shown === 'modules' ? value.modules : value.hooks;
  return (
    <>
      {value.modules.length === 0 || value.hooks.length === 0 ? null : (
        <div class="toolbar">
          <Segments
            label={commonTexts.part}
            value={shown}
            choices={{
              hooks: lightningTexts.hooks,
              modules: commonTexts.modules,
            }}
            onChange={(next) => (part.value = next)}
          />
        </div>
      )}
      {nodes.length === 0 ? null : (
        <ModuleTree
          key={shown}
          name={name}
          named={shown === 'modules' ? commonTexts.module : lightningTexts.hook}
          rows={name}
          view="lightning"
          stateKey={shown}
          nodes={nodes}
          loadAll={async () => {
            const all = await ask('view/lightning', { limit: -1 });
            return shown === 'modules' ? all.modules : all.hooks;
          }}
        />
      )}
      <Absences absences={value.absences} />
    </>
  );
}
