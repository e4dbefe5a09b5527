// The hierarchy of nn.Module calls.
import { useNavigation } from '../../host/navigation.ts';
import { ask, useAnswer } from '../../host/query.ts';
import { scopedState, viewState } from '../../host/store.ts';
import { commonTexts } from '../../lib/texts.ts';
import { Absences, Failure, Lacks, Waiting } from '../../widgets/notices.tsx';
import { ModuleTree } from '../module_tree.tsx';
import { OperatorStrip } from './operator_strip.tsx';
import { modulesTexts } from './texts.ts';

const nothing = {};

export function ModulesView() {
  const marked = scopedState('trace', 'modules', 'marked', '');
  useNavigation('modules', (to) => {
    if (to.filter !== undefined) viewState('modules', 'treeFilter', '').value = to.filter;
  });
  const { value, error, retry } = useAnswer('view/modules', nothing);
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what={modulesTexts.readingModules} />;
  return (
    <>
      {value.modules.length === 0 ? null : (
        <ModuleTree
          name={commonTexts.modules}
          view="modules"
          stateKey="tree"
          nodes={value.modules}
          loadChildren={async (node) => {
            const below = await ask('view/modules', { root: node.id });
            return below.modules[0]?.children ?? [];
          }}
          loadAll={async () => (await ask('view/modules', { limit: -1 })).modules}
          onActive={(node) => {
            // Hierarchies without recorded calls have nothing to mark.
            if (node.slice !== null) marked.value = node.name;
          }}
          overTime={(lead) => <OperatorStrip marked={marked} lead={lead} />}
        >
          <Lacks absences={value.absences} />
        </ModuleTree>
      )}
      {value.modules.length > 0 ? null : (
        <>
          <Absences absences={value.absences} title={modulesTexts.noModules} />
          <OperatorStrip marked={marked} />
        </>
      )}
    </>
  );
}
