/** At the edge of the screen while cameras are selected: what can be done with all of them. */

import { useState } from 'preact/hooks';
import type { CameraItem } from '../camera-state.ts';
import { may } from '../session.ts';
import { MAX_WATCHED, watchPlace } from '../wall-source.ts';
import { t } from '../words.ts';
import { BulkDeleteDialog, BulkMoveDialog, BulkRenameDialog } from './bulk-changes.tsx';
import { BulkCheckDialog } from './bulk-dialogs.tsx';
import { BulkShareDialog } from './bulk-share-dialog.tsx';
import { Icon } from './icon.tsx';

type Opened = 'check' | 'share' | 'move' | 'rename' | 'delete' | null;

export function BulkBar({
  cameras,
  locationNames,
  nvrNames,
  onTakeNine,
  onClear,
}: {
  /** The selected ones. */
  readonly cameras: readonly CameraItem[];
  readonly locationNames: ReadonlyMap<string, string>;
  readonly nvrNames: ReadonlyMap<string, string>;
  /** Selects nine in a row, from the last one on; null: the list has no more. */
  readonly onTakeNine: (() => void) | null;
  readonly onClear: () => void;
}) {
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  if (cameras.length === 0 && opened === null) return null;
  return (
    <>
      <section class="bulk-bar" aria-label={t('Selected cameras')}>
        <p class="bulk-count" role="status">
          {t('{count} selected', { count: cameras.length })}
        </p>
        <button type="button" class="quiet square" aria-label={t('Clear the selection')} onClick={onClear}>
          <Icon name="close" />
        </button>
        {onTakeNine !== null && cameras.length === 1 && (
          <button type="button" onClick={onTakeNine}>
            {t('Take 9 from here')}
          </button>
        )}
        {cameras.length <= MAX_WATCHED && (
          <a
            class={may('operator') ? 'button' : 'button primary'}
            href={watchPlace({ kind: 'cameras', uuids: cameras.map(({ uuid }) => uuid) })}
          >
            {t('Watch as a wall')}
          </a>
        )}
        {may('operator') && (
          <button type="button" class="primary" onClick={() => setOpened('share')}>
            {t('Share…')}
          </button>
        )}
        {may('admin') && (
          <>
            <button type="button" onClick={() => setOpened('check')}>
              {t('Check')}
            </button>
            <button type="button" onClick={() => setOpened('move')}>
              {t('Move…')}
            </button>
            <button type="button" onClick={() => setOpened('rename')}>
              {t('Rename…')}
            </button>
            <button type="button" onClick={() => setOpened('delete')}>
              {t('Delete…')}
            </button>
          </>
        )}
      </section>
      {opened === 'check' && <BulkCheckDialog cameras={cameras} onClose={close} />}
      {opened === 'share' && <BulkShareDialog cameras={cameras} onClose={close} />}
      {opened === 'move' && (
        <BulkMoveDialog cameras={cameras} locationNames={locationNames} nvrNames={nvrNames} onClose={close} />
      )}
      {opened === 'rename' && <BulkRenameDialog cameras={cameras} onClose={close} />}
      {opened === 'delete' && <BulkDeleteDialog cameras={cameras} onClose={close} />}
    </>
  );
}
