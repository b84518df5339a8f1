/** Saves an alert as a clip with a note about the findings. */

import { useState } from 'preact/hooks';
import { alertTitle, type PolicyAlert, saveAlert } from '../alert-list.ts';
import { t } from '../words.ts';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { TextAreaField } from './text-area-field.tsx';

const MAX_NOTE_LENGTH = 4_096;

export function SaveAlertDialog({
  alert,
  onSaved,
  onClose,
}: {
  readonly alert: PolicyAlert;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}) {
  const [title, setTitle] = useState('');
  const [note, setNote] = useState('');
  return (
    <FormDialog
      title={alert.saved ? t('Change the saved alert') : t('Save this alert')}
      submit={t('Save')}
      onSubmit={async () => {
        await saveAlert(alert, title.trim(), note.trim());
        onSaved();
        onClose();
      }}
      onClose={onClose}
    >
      <p class="break">{alertTitle(alert)}</p>
      <p class="hint">
        {alert.clipLocation === undefined
          ? t('It has no clip: what is saved is what was reported.')
          : t('Its clip is kept with your other clips, also when the recording is deleted.')}
      </p>
      <TextField
        label={t('Title')}
        maxLength={256}
        value={title}
        onValue={setTitle}
        hint={alert.saved ? t('Empty: as it is') : t('Empty: the alert’s own')}
      />
      <TextAreaField label={t('Note')} maxLength={MAX_NOTE_LENGTH} value={note} onValue={setNote} />
    </FormDialog>
  );
}
