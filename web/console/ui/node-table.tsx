/** The nodes of a cluster: where each is, and its load. */

import type { SystemState } from '../gateway-state.ts';
import { RecordTable } from './record-table.tsx';
import { useNarrow } from './use-narrow.ts';

const wholeText = (value: number) => value.toLocaleString();

export function Nodes({ cluster }: { readonly cluster: NonNullable<SystemState['cluster']> }) {
  const { name, size, nodes } = cluster;
  const isNarrow = useNarrow();
  /** A phone has no titles of columns, and no room for all of them. */
  const named = (title: string, text: string) => (isNarrow ? `${title} ${text}` : text);
  return (
    <section class="part">
      <h2>Nodes</h2>
      <p class="muted">
        The cluster <code>{name}</code> has {wholeText(size)} live {size === 1 ? 'node' : 'nodes'}.
      </p>
      <RecordTable
        name="nodes"
        label="Nodes"
        items={nodes}
        keyOf={({ nodeId }) => nodeId}
        columns={[
          {
            title: 'Node',
            cell: ({ nodeId, isSelf, isDraining, isReached }) => (
              <>
                <code>{nodeId}</code>
                {isSelf && ' (this one)'}
                {isDraining && ', about to stop'}
                {!isReached && ', out of reach'}
              </>
            ),
          },
          { title: 'Address', cell: ({ address }) => (isNarrow ? null : address) },
          { title: 'Version', cell: ({ version }) => version },
          {
            title: 'Cameras it pulls',
            cell: ({ ownedCameras }) => named('pulls', wholeText(ownedCameras)),
          },
          {
            title: 'Open streams',
            cell: ({ openStreams }) => (isNarrow ? null : wholeText(openStreams)),
          },
          { title: 'Viewers', cell: ({ viewers }) => named('viewers', wholeText(viewers)) },
          { title: 'Busy', cell: ({ busyShare }) => named('busy', `${Math.round(busyShare * 100)} %`) },
        ]}
      />
    </section>
  );
}
