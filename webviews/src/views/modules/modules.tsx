// The hierarchy of nn.Module calls.
import { useEffect, useState } from 'preact/hooks';
import type { ModuleNode } from '#shared/protocol.ts';
import type { Result } from '#shared/requests.ts';
import { useNavigation } from '../../host/navigation.ts';
import { ask, useAnswer } from '../../host/query.ts';
import { failureOf } from '../../host/host.ts';
import { scopedState, viewState } from '../../host/view_state.ts';
import { announce } from '../../host/store.ts';
import { commonTexts } from '../../lib/texts.ts';
import { Absences, Failure, Lacks, Waiting } from '../../widgets/notices.tsx';
import { ModuleTree } from '../module_tree.tsx';
import { OperatorStrip } from './operator_strip.tsx';
import { modulesTexts } from './texts.ts';

const nothing = {};

/** Roots beyond these are not shown: no model has so many, and the table says so. */
const mostRoots = 4000;

/** Adds to `nodes` what answers leave out, some hundreds each, until there are `count` of them. */
async function addRest(
  nodes: ModuleNode[],
  count: number,
  next: (offset: number) => Promise<readonly ModuleNode[]>,
): Promise<ModuleNode[]> {
  while (nodes.length < count) {
    const more = await next(nodes.length);
    if (more.length === 0) break;
    nodes.push(...more);
  }
  return nodes;
}

const childrenOf = (node: ModuleNode): Promise<ModuleNode[]> =>
  addRest([], node.childCount, async (offset) => {
    const { modules } = await ask('view/modules', { root: node.id, offset });
    return modules[0]?.children ?? [];
  });

/** The roots of the first answer, and then those that it left out. */
function useRoots(answer: Result<'view/modules'> | undefined): ModuleNode[] {
  const [whole, setWhole] = useState<{ of: typeof answer; roots: ModuleNode[] }>();
  useEffect(() => {
    if (answer === undefined || answer.modules.length >= answer.rootCount) return;
    let wanted = true;
    addRest([...answer.modules], Math.min(answer.rootCount, mostRoots), async (offset) =>
      wanted ? (await ask('view/modules', { offset })).modules : [],
    ).then(
      (roots) => {
        if (wanted) setWhole({ of: answer, roots });
      },
      (error: unknown) => announce(failureOf(error).message),
    );
    return () => {
      wanted = false;
    };
  }, [answer]);
  return whole !== undefined && whole.of === answer ? whole.roots : (answer?.modules ?? []);
}

export function ModulesView() {
  const marked = scopedState('trace', 'modules', 'marked', '');
  useNavigation('modules', (to) => {
    if (to.filter !== undefined) viewState('modules', 'treeFilter', '').value = to.filter;
  });
  const { value, error, retry } = useAnswer('view/modules', nothing);
  const roots = useRoots(value);
  if (error !== undefined) return <Failure error={error} retry={retry} />;
  if (value === undefined) return <Waiting what={modulesTexts.readingModules} />;
  return (
    <>
      {value.modules.length === 0 ? null : (
        <ModuleTree
          name={commonTexts.modules}
          named={commonTexts.module}
          rows={commonTexts.moduleRows}
          view="modules"
          stateKey="tree"
          nodes={roots}
          loadChildren={childrenOf}
          loadAll={async () => (await ask('view/modules', { limit: -1 })).modules}
          onActive={(node) => {
            // Hierarchies without recorded calls have nothing to mark.
            if (node.slice !== null) marked.value = node.name;
          }}
          overTime={(lead) => <OperatorStrip marked={marked} lead={lead} />}
        >
          <Lacks absences={value.absences} />
          {roots.length >= value.rootCount ? null : (
            <p class="note">{modulesTexts.firstRoots(roots.length, value.rootCount)}</p>
          )}
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
