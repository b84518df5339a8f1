/** Deletes a clip, after a question: its files are gone then. */

import { call } from '../api.ts';
import { t, tRich } from '../words.ts';
import { FormDialog } from './form-dialog.tsx';

export function DeleteClipDialog({
  uuid,
  title,
  isMade,
  onClose,
}: {
  readonly uuid: string;
  readonly title: string;
  /** Otherwise it is being made, or failed. */
  readonly isMade: boolean;
  readonly onClose: () => void;
}) {
  return (
    <FormDialog
      title={t('Delete this clip?')}
      submit={t('Delete clip')}
      isDanger
      onSubmit={async () => {
        if (isMade) await call('event/deleteSavedClip', { savedClipUuid: uuid });
        else await call('video/cancelSpliceV2', { clipUuidList: [uuid] });
        onClose();
      }}
      onClose={onClose}
    >
      <p class="break">
        {tRich('<b>{title}</b> and its files are deleted for good. Links to it no longer show it.', {
          title,
          b: (text) => <b>{text}</b>,
        })}
      </p>
      <p class="hint">{t('The recording that it was cut from stays as long as recordings do.')}</p>
    </FormDialog>
  );
}
