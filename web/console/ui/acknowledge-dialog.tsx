/** Acknowledges an alert with a note, or says who was first. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import {
  type Acknowledgement,
  acknowledgeAlert,
  alertTitle,
  type PolicyAlert,
  type Taking,
} from '../alert-list.ts';
import { offerUndo } from '../alert-undo.ts';
import { t, tRich } from '../words.ts';
import { Dialog } from './dialog.tsx';
import { DialogFooter } from './dialog-footer.tsx';
import { FormDialog } from './form-dialog.tsx';
import { TextAreaField } from './text-area-field.tsx';
import { ExactTime } from './time.tsx';

const MAX_NOTE_LENGTH = 1_024;

export function AcknowledgeDialog({
  alert,
  onDone,
  onClose,
}: {
  readonly alert: PolicyAlert;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const known = alert.acknowledgement;
  const [note, setNote] = useState(known?.note ?? '');
  const [first, setFirst] = useState<Acknowledgement | null>(null);
  if (first !== null) return <FirstDialog first={first} hadNote={note.trim() !== ''} onClose={onClose} />;
  return (
    <FormDialog
      title={known === undefined ? t('Acknowledge this alert') : t('Change your note')}
      submit={known === undefined ? t('Acknowledge') : t('Save note')}
      onSubmit={async () => {
        const { acknowledgement, isYours } = await acknowledgeAlert(alert, note.trim());
        onDone();
        if (!isYours) setFirst(acknowledgement);
        else {
          if (known === undefined) offerUndo(alert.uuid);
          onClose();
        }
      }}
      onClose={onClose}
    >
      <p class="break">{alertTitle(alert)}</p>
      <p class="hint">
        {t('The note is for what you found or did. Everyone who sees the alert can read it.')}
      </p>
      <TextAreaField label={t('Note')} maxLength={MAX_NOTE_LENGTH} value={note} onValue={setNote} />
    </FormDialog>
  );
}

/** Someone else was first: theirs holds. */
export function FirstDialog({
  first,
  hadNote,
  onClose,
}: {
  readonly first: Acknowledgement;
  readonly hadNote: boolean;
  readonly onClose: () => void;
}) {
  return (
    <OthersDialog onClose={onClose}>
      <p class="break">
        {tRich('{person} acknowledged it at {time}.', {
          person: first.actorName,
          time: <ExactTime epochMs={first.timestampMs} />,
        })}
      </p>
      {first.note !== '' && <p class="break">“{first.note}”</p>}
      {hadNote && <p>{t('Your note was not saved.')}</p>}
    </OthersDialog>
  );
}

/** Someone else has taken it. */
export function TakenDialog({ taking, onClose }: { readonly taking: Taking; readonly onClose: () => void }) {
  return (
    <OthersDialog onClose={onClose}>
      <p class="break">
        {tRich('{person} took it at {time}.', {
          person: taking.actorName,
          time: <ExactTime epochMs={taking.timestampMs} />,
        })}
      </p>
      <p>{t('You can still acknowledge it.')}</p>
    </OthersDialog>
  );
}

function OthersDialog({
  onClose,
  children,
}: {
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <Dialog title={t('Someone else was first')} onClose={onClose}>
      <div class="dialog-body">{children}</div>
      <DialogFooter back={t('Close')} onBack={onClose} />
    </Dialog>
  );
}
