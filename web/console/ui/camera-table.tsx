/** Cameras as rows: dense, for people who look for a faulty one. */

import { type CameraLinks, linkCount } from '../camera-order.ts';
import type { CameraItem } from '../camera-state.ts';
import { place } from '../places.ts';
import { t } from '../words.ts';
import { CameraSign } from './camera-sign.tsx';
import { CameraDeeds, type CameraTroubles, WhyText } from './camera-trouble.tsx';
import { useCompact } from './density-switch.tsx';
import { PauseText } from './pause-line.tsx';
import { type ListSelection, SelectBox } from './select-box.tsx';
import { SortHeader } from './sort-header.tsx';
import { VirtualRows } from './virtual-rows.tsx';

const ROW_PX = 48;
const COMPACT_ROW_PX = 36;

export function CameraTable({
  cameras,
  locationNames,
  wallLinks,
  troubles,
  selection,
  sort,
  onSort,
}: {
  readonly cameras: readonly CameraItem[];
  readonly locationNames: ReadonlyMap<string, string>;
  readonly wallLinks: CameraLinks['wallLinks'];
  readonly troubles: CameraTroubles;
  readonly selection: ListSelection;
  /** As sorting.ts has it. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}) {
  const isCompact = useCompact();
  const header = { sort, onSort };
  return (
    <div
      class={`table cameras selectable ${isCompact ? 'compact' : ''}`}
      role="table"
      aria-label={t('Cameras')}
      aria-rowcount={cameras.length + 1}
    >
      <div class="row head" role="row" aria-rowindex={1}>
        <span role="columnheader">
          <span class="off-screen">{t('Selected')}</span>
        </span>
        <SortHeader {...header} title={t('Name')} column="name" />
        <SortHeader {...header} title={t('State')} column="state" />
        <SortHeader {...header} title={t('Site')} column="site" />
        <SortHeader {...header} title={t('Shares')} column="shares" />
        <span role="columnheader">{t('Why, and what to do')}</span>
      </div>
      <VirtualRows
        count={cameras.length}
        rowPx={isCompact ? COMPACT_ROW_PX : ROW_PX}
        role="rowgroup"
        render={(index) => {
          const camera = cameras[index]!;
          const pause = troubles.pauses.get(camera.uuid);
          return (
            <div class="row" role="row" key={camera.uuid} aria-rowindex={index + 2}>
              <span role="cell">
                <SelectBox uuid={camera.uuid} name={camera.name} selection={selection} />
              </span>
              <span role="cell" class="name">
                <a href={place(`cameras/${camera.uuid}`)}>{camera.name}</a>
              </span>
              <span role="cell">
                <CameraSign camera={camera} />
              </span>
              <span role="cell">{locationNames.get(camera.locationUuid ?? '') ?? '–'}</span>
              <span role="cell" class="number">
                {wallLinks !== null && linkCount(camera, wallLinks)}
              </span>
              <span role="cell" class="why-cell">
                {pause !== undefined && <PauseText pause={pause} />}
                <CameraDeeds camera={camera} troubles={troubles} />
                <WhyText camera={camera} troubles={troubles} />
              </span>
            </div>
          );
        }}
      />
    </div>
  );
}
