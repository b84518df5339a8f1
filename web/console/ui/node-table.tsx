/** The nodes of a cluster: where each is, and its load. */

import { numberText } from '../../words/formats.ts';
import type { SystemState } from '../gateway-state.ts';
import { t, tRich } from '../words.ts';
import { RecordTable } from './record-table.tsx';
import { useNarrow } from './use-narrow.ts';

const wholeText = (value: number) => numberText(value);

export function Nodes({ cluster }: { readonly cluster: NonNullable<SystemState['cluster']> }) {
  const { name, size, nodes } = cluster;
  const isNarrow = useNarrow();
  /** A phone has no titles of columns, and no room for all of them. */
  const named = (title: string, text: string) => (isNarrow ? `${title} ${text}` : text);
  return (
    <section class="part">
      <h2>{t('Nodes')}</h2>
      <p class="muted">
        {tRich(
          '{count, plural, one {The cluster {code} has {whole} live node.} other {The cluster {code} has {whole} live nodes.}}',
          { count: size, code: <code>{name}</code>, whole: wholeText(size) },
        )}
      </p>
      <RecordTable
        name="nodes"
        label={t('Nodes')}
        items={nodes}
        keyOf={({ nodeId }) => nodeId}
        columns={[
          {
            title: t('Node'),
            cell: ({ nodeId, isSelf, isDraining, isReached }) => (
              <>
                <code>{nodeId}</code>
                {isSelf && ` ${t('(this one)')}`}
                {isDraining && `, ${t('about to stop')}`}
                {!isReached && `, ${t('out of reach')}`}
              </>
            ),
          },
          { title: t('Address'), cell: ({ address }) => (isNarrow ? null : address) },
          { title: t('Version'), cell: ({ version }) => version },
          {
            title: t('Cameras it pulls'),
            cell: ({ ownedCameras }) => named('pulls', wholeText(ownedCameras)),
          },
          {
            title: t('Open streams'),
            cell: ({ openStreams }) => (isNarrow ? null : wholeText(openStreams)),
          },
          { title: t('Viewers'), cell: ({ viewers }) => named('viewers', wholeText(viewers)) },
          { title: t('Busy'), cell: ({ busyShare }) => named('busy', `${Math.round(busyShare * 100)} %`) },
        ]}
      />
    </section>
  );
}
