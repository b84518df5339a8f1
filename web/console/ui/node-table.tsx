/** The nodes of a cluster: where each is, and what it carries. */

import type { SystemState } from '../system.ts';
import { RecordTable } from './record-table.tsx';

const wholeText = (value: number) => value.toLocaleString();

export function Nodes({ cluster }: { readonly cluster: NonNullable<SystemState['cluster']> }) {
  const { name, size, nodes } = cluster;
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
            cell: ({ nodeId, isSelf, isDraining }) => (
              <>
                <code>{nodeId}</code>
                {isSelf && ' (this one)'}
                {isDraining && ', about to stop'}
              </>
            ),
          },
          { title: 'Address', cell: ({ address }) => address },
          { title: 'Version', cell: ({ version }) => version },
          { title: 'Cameras it pulls', cell: ({ ownedCameras }) => wholeText(ownedCameras) },
          { title: 'Open streams', cell: ({ openStreams }) => wholeText(openStreams) },
          { title: 'Viewers', cell: ({ viewers }) => wholeText(viewers) },
          { title: 'Busy', cell: ({ busyShare }) => `${Math.round(busyShare * 100)} %` },
        ]}
      />
    </section>
  );
}
