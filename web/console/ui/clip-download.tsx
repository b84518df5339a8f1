/** Saving a clip: as it was recorded, or for every device. */

import { useState } from 'preact/hooks';
import { t } from '../words.ts';
import { Check } from './check.tsx';
import { FormDialog } from './form-dialog.tsx';

/** The address of a file, in the form that was chosen. */
export function fileUrl(url: string, isForEveryDevice: boolean): string {
  if (!isForEveryDevice) return url;
  const chosen = new URL(url);
  chosen.searchParams.set('video', 'h264');
  return chosen.href;
}

export function EveryDeviceCheck({
  isChecked,
  onCheck,
}: {
  readonly isChecked: boolean;
  readonly onCheck: (isChecked: boolean) => void;
}) {
  return (
    <Check
      label={t('For every device')}
      hint={t('Older phones, computers, and televisions play it, too. The download takes longer.')}
      isChecked={isChecked}
      onCheck={onCheck}
    />
  );
}

export function ClipDownloadDialog({
  title,
  onDownload,
  onClose,
}: {
  /** Of the clip. */
  readonly title: string;
  /** Fails with a CallError. */
  readonly onDownload: (isForEveryDevice: boolean) => Promise<void>;
  readonly onClose: () => void;
}) {
  const [isForEveryDevice, setForEveryDevice] = useState(false);
  const submit = async () => {
    await onDownload(isForEveryDevice);
    onClose();
  };
  return (
    <FormDialog title={t('Download')} submit={t('Download')} onSubmit={submit} onClose={onClose}>
      <p class="hint">{title}</p>
      <EveryDeviceCheck isChecked={isForEveryDevice} onCheck={setForEveryDevice} />
    </FormDialog>
  );
}
