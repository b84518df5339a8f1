/** Bookmarks: moments of cameras that someone named. */

import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { eventTitle, type TimelineEvent } from '../event-feed.ts';
import { format } from '../time-axis.ts';
import { t } from '../words.ts';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';

const MAX_NAME_CHARS = 256;

export function BookmarkDialog({
  cameras,
  atMs,
  timeZone,
  onDone,
  onClose,
}: {
  readonly cameras: readonly { readonly uuid: string; readonly name: string }[];
  readonly atMs: number;
  readonly timeZone: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  const submit = async () => {
    const point = { timestampMs: Math.round(atMs), name: name.trim() || t('Bookmark') };
    for (const { uuid } of cameras) {
      await call('camera/createCustomFootageSeekpoints', { cameraUuid: uuid, footageSeekPoints: [point] });
    }
    onDone();
  };
  return (
    <FormDialog
      title={t('Bookmark this moment')}
      submit={t('Save bookmark')}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        {format(timeZone, 'exact', atMs)} <span class="hint">{timeZone}</span>
      </p>
      <p>{cameras.map((camera) => camera.name).join(', ')}</p>
      <TextField label={t('Name')} maxLength={MAX_NAME_CHARS} value={name} onValue={setName} />
    </FormDialog>
  );
}

export function DeleteBookmarkDialog({
  event,
  onDone,
  onClose,
}: {
  readonly event: TimelineEvent;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const submit = async () => {
    await call('camera/deleteCustomFootageSeekpoints', {
      cameraUuids: [event.cameraUuid],
      startTimestampMs: event.timestampMs,
      endTimestampMs: event.timestampMs,
      customName: event.title,
    });
    onDone();
  };
  return (
    <FormDialog
      title={t('Delete this bookmark?')}
      submit={t('Delete bookmark')}
      isDanger
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{eventTitle(event)}</p>
      <p class="hint">{t('The recording stays.')}</p>
    </FormDialog>
  );
}
