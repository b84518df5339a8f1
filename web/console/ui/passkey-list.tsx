/** One's own passkeys: added, renamed and removed. */

import { useState } from 'preact/hooks';
import {
  addPasskey,
  canUseOne,
  deviceName,
  obstacleHere,
  type PasskeyItem,
  type PasskeyList,
  readPasskeys,
  removePasskey,
  renamePasskey,
} from '../passkeys.ts';
import { useReading } from '../reading.ts';
import { loadSession, type Person } from '../session.ts';
import { t, tRich } from '../words.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { Icon } from './icon.tsx';
import { Notice } from './notice.tsx';
import { ReadingView } from './reading-view.tsx';
import { RecordTable } from './record-table.tsx';
import { TimeAgo } from './time.tsx';

const MAX_NAME_LENGTH = 256;

type Opened =
  | { readonly kind: 'add' }
  | { readonly kind: 'rename' | 'remove'; readonly passkey: PasskeyItem };

export function Passkeys({ person }: { readonly person: Person }) {
  const reading = useReading(readPasskeys, []);
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => setOpened(null);
  return (
    <section class="part">
      <ReadingView reading={reading} what={t('passkeys')}>
        {(list) => (
          <>
            <div class="section-head">
              <h2>{t('Passkeys')}</h2>
              {obstacleOf(list) === null && (
                <button type="button" onClick={() => setOpened({ kind: 'add' })}>
                  <Icon name="plus" /> {t('Add a passkey')}
                </button>
              )}
            </div>
            <PasskeyRows list={list} open={setOpened} />
            {opened !== null && (
              <PasskeyDialog
                opened={opened}
                list={list}
                person={person}
                onChanged={() => {
                  reading.refresh();
                  close();
                  void loadSession();
                }}
                onConfirmed={() => reading.refresh()}
                onClose={close}
              />
            )}
          </>
        )}
      </ReadingView>
    </section>
  );
}

/** Why none can be added here, in words; null: they can. */
function obstacleOf({ origin }: PasskeyList): string | null {
  const here = obstacleHere();
  if (here !== null || origin === location.origin) return here;
  return origin === undefined
    ? t('Passkeys need a host name and https. The console’s public address has not both.')
    : t('Passkeys work at {origin}. Open the console there to add one.', { origin });
}

function PasskeyRows({
  list,
  open,
}: {
  readonly list: PasskeyList;
  readonly open: (opened: Opened) => void;
}) {
  const obstacle = obstacleOf(list);
  return (
    <>
      {obstacle !== null && <p class="hint">{obstacle}</p>}
      {list.passkeys.length === 0 && obstacle === null && (
        <Notice title={t('You have no passkeys')}>
          <p>
            {t(
              'A passkey signs you in with your finger, your face or your device’s PIN. There is nothing to remember, and nothing that a false page could take from you.',
            )}
          </p>
        </Notice>
      )}
      {list.passkeys.length > 0 && (
        <RecordTable
          name="passkeys"
          label={t('Passkeys')}
          items={list.passkeys}
          keyOf={({ passkeyUuid }) => passkeyUuid}
          columns={[
            { title: t('Name'), cell: ({ name }) => <b>{name}</b> },
            { title: t('Where it is'), cell: placeOf },
            { title: t('Added'), cell: ({ createdAtMs }) => <TimeAgo epochMs={createdAtMs} /> },
            {
              title: t('Last used'),
              cell: ({ lastUsedAtMs }) =>
                lastUsedAtMs === undefined ? t('Never used') : <TimeAgo epochMs={lastUsedAtMs} />,
            },
          ]}
          actions={(passkey) => (
            <>
              <button
                type="button"
                class="quiet"
                aria-label={t('Rename {name}', { name: passkey.name })}
                onClick={() => open({ kind: 'rename', passkey })}
              >
                {t('Rename')}
              </button>
              <button
                type="button"
                class="quiet danger"
                aria-label={t('Remove {name}', { name: passkey.name })}
                onClick={() => open({ kind: 'remove', passkey })}
              >
                {t('Remove')}
              </button>
            </>
          )}
        />
      )}
    </>
  );
}

function placeOf({ works, hostName, isSynced, isBackedUp }: PasskeyItem): string {
  if (!works) return t('Works only at {hostName}', { hostName });
  if (!isSynced) return t('On one device');
  return isBackedUp ? t('Synced') : t('Can be synced');
}

function PasskeyDialog({
  opened,
  list,
  person,
  onChanged,
  onConfirmed,
  onClose,
}: {
  readonly opened: Opened;
  readonly list: PasskeyList;
  readonly person: Person;
  readonly onChanged: () => void;
  readonly onConfirmed: () => void;
  readonly onClose: () => void;
}) {
  if (opened.kind === 'rename') {
    return <RenameDialog passkey={opened.passkey} onChanged={onChanged} onClose={onClose} />;
  }
  if (!list.isConfirmed) {
    return (
      <ConfirmDialog
        person={person}
        hasPasskey={canUseOne(list)}
        onConfirmed={onConfirmed}
        onClose={onClose}
      />
    );
  }
  if (opened.kind === 'add') return <AddDialog onChanged={onChanged} onClose={onClose} />;
  const { name, passkeyUuid } = opened.passkey;
  return (
    <FormDialog
      title={t('Remove this passkey?')}
      submit={t('Remove passkey')}
      isDanger
      onSubmit={() => removePasskey(passkeyUuid).then(onChanged)}
      onClose={onClose}
    >
      <p class="break">
        {tRich(
          '<b>{name}</b> no longer signs you in, and you are signed out everywhere else. Your device may still offer it; you can delete it there.',
          { name, b: (text) => <b>{text}</b> },
        )}
      </p>
    </FormDialog>
  );
}

interface ChangeProps {
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

function AddDialog({ onChanged, onClose }: ChangeProps) {
  const [name, setName] = useState(deviceName);
  return (
    <FormDialog
      title={t('Add a passkey')}
      submit={t('Continue')}
      onSubmit={() => addPasskey(name).then(onChanged)}
      onClose={onClose}
    >
      <p>{t('Your browser asks next where to keep it, and for your finger, your face or a PIN.')}</p>
      <TextField
        label={t('Name')}
        isRequired
        maxLength={MAX_NAME_LENGTH}
        value={name}
        onValue={setName}
        hint={t('Where you will find it, such as “Phone” or “Blue security key”')}
      />
    </FormDialog>
  );
}

function RenameDialog({ passkey, onChanged, onClose }: ChangeProps & { readonly passkey: PasskeyItem }) {
  const [name, setName] = useState(passkey.name);
  return (
    <FormDialog
      title={t('Rename this passkey')}
      submit={t('Rename')}
      onSubmit={() => renamePasskey(passkey.passkeyUuid, name).then(onChanged)}
      onClose={onClose}
    >
      <TextField label={t('Name')} isRequired maxLength={MAX_NAME_LENGTH} value={name} onValue={setName} />
    </FormDialog>
  );
}
