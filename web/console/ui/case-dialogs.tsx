/** Dialogs that open, change, seal, reopen, share, and delete a case. */

import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import {
  type CaseLink,
  type EvidenceCase,
  MAX_NOTES_CHARS,
  MAX_NUMBER_CHARS,
  MAX_TITLE_CHARS,
  openCase,
} from '../case-list.ts';
import { t, tRich } from '../words.ts';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { LinkReadyDialog } from './link-ready.tsx';
import { TermsFields, useTerms } from './share-terms.tsx';
import { TextAreaField } from './text-area-field.tsx';

const WEEK_SEC = 7 * 86_400;

interface OfCase {
  readonly evidenceCase: EvidenceCase;
  readonly onClose: () => void;
}

export function CaseDialog({
  known,
  onSaved,
  onClose,
}: {
  /** null: a new one. */
  readonly known: EvidenceCase | null;
  readonly onSaved: (caseUuid: string) => void;
  readonly onClose: () => void;
}) {
  const [title, setTitle] = useState(known?.title ?? '');
  const [number, setNumber] = useState(known?.number ?? '');
  const [notes, setNotes] = useState(known?.notes ?? '');
  const submit = async () => {
    const fields = { title: title.trim(), number: number.trim(), notes };
    if (known === null) return onSaved(await openCase(fields));
    await call('evidence/updateCase', { caseUuid: known.uuid, ...fields });
    onSaved(known.uuid);
  };
  return (
    <FormDialog
      title={known === null ? t('New case') : t('Edit case')}
      submit={known === null ? t('Open case') : t('Save')}
      isReady={title.trim() !== ''}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label={t('Title')} isRequired maxLength={MAX_TITLE_CHARS} value={title} onValue={setTitle} />
      <TextField
        label={t('Number')}
        maxLength={MAX_NUMBER_CHARS}
        hint={t('As the police, a court, or an insurer has it.')}
        value={number}
        onValue={setNumber}
      />
      <TextAreaField label={t('Notes')} maxLength={MAX_NOTES_CHARS} value={notes} onValue={setNotes} />
    </FormDialog>
  );
}

export function SealDialog({ evidenceCase: { uuid }, onClose }: OfCase) {
  return (
    <FormDialog
      title={t('Seal this case?')}
      submit={t('Seal case')}
      onSubmit={async () => {
        await call('evidence/sealCase', { caseUuid: uuid });
        onClose();
      }}
      onClose={onClose}
    >
      <p>
        {t(
          'All of its recordings are read and signed, together with its notes, what happened in these times, and who viewed the cameras. It takes as long as reading all of them from the disk.',
        )}
      </p>
      <p class="hint">{t('A sealed case cannot be changed until an administrator reopens it.')}</p>
    </FormDialog>
  );
}

export function ReopenDialog({ evidenceCase: { uuid }, onClose }: OfCase) {
  return (
    <FormDialog
      title={t('Reopen this case?')}
      submit={t('Reopen case')}
      isDanger
      onSubmit={async () => {
        await call('evidence/reopenCase', { caseUuid: uuid });
        onClose();
      }}
      onClose={onClose}
    >
      <p>
        {t(
          'Its archive is removed, and its links stop working immediately, also for downloads that are running. Archives that were saved before stay valid.',
        )}
      </p>
    </FormDialog>
  );
}

export function DeleteCaseDialog({
  evidenceCase: { uuid, title },
  onDeleted,
  onClose,
}: OfCase & { readonly onDeleted: () => void }) {
  return (
    <FormDialog
      title={t('Delete this case?')}
      submit={t('Delete case')}
      isDanger
      onSubmit={async () => {
        await call('evidence/deleteCase', { caseUuid: uuid });
        onDeleted();
      }}
      onClose={onClose}
    >
      <p class="break">
        {tRich('<b>{title}</b> and its archive are deleted, and its links stop working immediately.', {
          title,
          b: (text) => <b>{text}</b>,
        })}
      </p>
      <p class="hint">{t('Its recordings are no longer held, so they are deleted as others are.')}</p>
    </FormDialog>
  );
}

export function ShareCaseDialog({
  evidenceCase: { uuid, title },
  onShared,
  onClose,
}: OfCase & { readonly onShared: () => void }) {
  const terms = useTerms(WEEK_SEC);
  const [made, setMade] = useState<{ readonly url: string; readonly password: string } | null>(null);
  if (made !== null) return <CaseLinkDialog title={title} {...made} onClose={onClose} />;
  const submit = async () => {
    const given = terms.check();
    if (given === null) return;
    const { expirationTimeSecs, password } = given;
    const { shareUrl } = await call('evidence/createCaseLink', {
      caseUuid: uuid,
      ...(password === '' ? {} : { plaintextPassword: password }),
      ...(expirationTimeSecs === undefined ? {} : { expirationTimeSecs }),
    });
    setMade({ url: shareUrl, password });
    onShared();
  };
  return (
    <FormDialog title={t('Share case')} submit={t('Create link')} onSubmit={submit} onClose={onClose}>
      <p>{t('Anyone who has the link can see what the case contains, and save its archive.')}</p>
      <TermsFields draft={terms} />
    </FormDialog>
  );
}

/** `password` empty: it has none, or it was shown before. */
export function CaseLinkDialog({
  title,
  url,
  password,
  onClose,
}: {
  readonly title: string;
  readonly url: string;
  readonly password: string;
  readonly onClose: () => void;
}) {
  return (
    <LinkReadyDialog
      link={{ name: title, pageUrl: url, isEmbeddable: false }}
      password={password}
      onClose={onClose}
    />
  );
}

export function RevokeLinkDialog({
  link,
  onRevoked,
  onClose,
}: {
  readonly link: CaseLink;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}) {
  return (
    <FormDialog
      title={t('End this link?')}
      submit={t('End link')}
      isDanger
      onSubmit={async () => {
        await call('event/deleteSharedClipGroupV2', { uuid: link.sharedClipGroupUuid });
        onRevoked();
        onClose();
      }}
      onClose={onClose}
    >
      <p>{t('It stops working immediately, also for downloads that are running. The case stays.')}</p>
    </FormDialog>
  );
}
