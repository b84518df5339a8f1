/** How a wall shares the screen, and whether its pages change on their own. */

import type { ComponentChildren } from 'preact';
import { cellsOf } from '../free-layout.ts';
import { LAYOUT_TITLES, screensOf, type WallLayout } from '../wall-screens.ts';
import { t } from '../words.ts';
import { LayoutEditor } from './layout-editor.tsx';
import { optionsOf, SelectField } from './select.tsx';

const TOURS_SEC = [0, 5, 10, 15, 30, 60, 300, 600];

export function LayoutFields({
  layout,
  cameraUuids,
  onLayout,
}: {
  readonly layout: WallLayout;
  readonly cameraUuids: readonly string[];
  readonly onLayout: (layout: WallLayout) => void;
}) {
  const { kind, tourSec } = layout;
  const pages = screensOf('', cameraUuids, layout).length;
  const choose = (chosen: WallLayout['kind']) => {
    // A free layout begins with what is there.
    const cells = chosen === 'FREE' && kind !== 'FREE' ? cellsOf(cameraUuids, kind) : [];
    onLayout({ kind: chosen, cells: chosen === kind ? layout.cells : cells, tourSec });
  };
  const tours = TOURS_SEC.includes(tourSec) ? TOURS_SEC : [...TOURS_SEC, tourSec];
  return (
    <>
      <SelectField
        label={t('Layout')}
        value={kind}
        options={optionsOf(Object.entries(LAYOUT_TITLES) as [WallLayout['kind'], string][])}
        onValue={choose}
        hint={
          pages > 1
            ? t('{pages, plural, one {# page} other {# pages}}. A phone shows one or two columns.', { pages })
            : t('A phone shows one or two columns.')
        }
      />
      <SelectField
        label={t('Tour')}
        value={String(tourSec)}
        options={tours.map((sec) => ({ value: String(sec), title: tourTitle(sec) }))}
        onValue={(sec) => onLayout({ ...layout, tourSec: Number(sec) })}
        hint={t('Shows the next page on its own. It stops when someone touches the wall.')}
      />
    </>
  );
}

/** The places of a free layout; nothing for others. */
export function LayoutPlaces({
  layout,
  cameraUuids,
  nameOf,
  pictureOf,
  onLayout,
}: {
  readonly layout: WallLayout;
  readonly cameraUuids: readonly string[];
  readonly nameOf: (cameraUuid: string) => string;
  readonly pictureOf: (cameraUuid: string) => ComponentChildren;
  readonly onLayout: (layout: WallLayout) => void;
}) {
  if (layout.kind !== 'FREE') return null;
  const cells = layout.cells.filter(({ cameraUuid }) => cameraUuids.includes(cameraUuid));
  return (
    <LayoutEditor
      cells={cells}
      cameraUuids={cameraUuids}
      nameOf={nameOf}
      pictureOf={pictureOf}
      onCells={(next) => onLayout({ ...layout, cells: [...next] })}
    />
  );
}

function tourTitle(sec: number): string {
  if (sec === 0) return t('Pages change by hand');
  if (sec % 60 !== 0) return t('{count, plural, one {Every second} other {Every # seconds}}', { count: sec });
  return t('{count, plural, one {Every minute} other {Every # minutes}}', { count: sec / 60 });
}
