/** One's own account: the password, passkeys, and where one is signed in. */

import { useState } from 'preact/hooks';
import { FIRST_STEPS_PATH, isInMenu } from '../first-steps-choice.ts';
import { usePageTitle } from '../page-title.ts';
import { canUseOne, type PasskeyList, readPasskeys } from '../passkeys.ts';
import { changePassword, endSession, readSessions, type SessionItem, updatePerson } from '../person-list.ts';
import { place } from '../places.ts';
import { useReading } from '../reading.ts';
import { readRightsPlaces, type Scope, scopeNames } from '../rights.ts';
import { isLimited, loadSession, may, type Person, session } from '../session.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { FormError } from '../ui/form-error.tsx';
import { isTooShort, NewPasswordField } from '../ui/new-password-field.tsx';
import { NotificationPart } from '../ui/notification-settings.tsx';
import { OwnChoices } from '../ui/own-choices.tsx';
import { Passkeys } from '../ui/passkey-list.tsx';
import { ProgramName } from '../ui/program-name.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { RecordTable } from '../ui/record-table.tsx';
import { TimeAgo } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { t } from '../words.ts';

export function AccountPage() {
  usePageTitle(t('Your account'));
  const current = session.value;
  if (current === null) return null;
  return (
    <>
      <h1>{t('Your account')}</h1>
      {current.person.email === undefined && may('admin') && <EmailForm person={current.person} />}
      {isLimited() && <SeenPlaces scope={current.person.scope} />}
      <NotificationPart person={current.person} />
      <PasswordForm person={current.person} />
      <Passkeys person={current.person} />
      <OwnChoices />
      <Sessions />
      {may('admin') && !isInMenu.value && (
        <p>
          <a href={place(FIRST_STEPS_PATH)}>{t('Open the first steps again')}</a>
        </p>
      )}
    </>
  );
}

/** Why someone finds only some cameras. */
function SeenPlaces({ scope }: { readonly scope: Scope }) {
  const reading = useReading(
    readRightsPlaces,
    [],
    ({ entity }) => entity === 'LOCATION' || entity === 'CAMERA',
  );
  return (
    <section class="part">
      <h2>{t('What you see')}</h2>
      <p class="hint">{t('An administrator has limited it. Everything else is hidden from you.')}</p>
      <ReadingView reading={reading} what={t('sites and cameras')}>
        {(places) => <p class="break">{scopeNames(scope!, places).join(', ') || t('Nothing')}</p>}
      </ReadingView>
    </section>
  );
}

/** A person who signed in through the first link has no email, and a password needs one. */
function EmailForm({ person }: { readonly person: Person }) {
  const [name, setName] = useState(person.name);
  const [email, setEmail] = useState('');
  const { isBusy, error, run } = useAction();
  return (
    <section class="part">
      <h2>{t('Who you are')}</h2>
      <p class="hint">
        {t('You came by a link that works once. Set these and a password to come back without one.')}
      </p>
      <form
        class="form narrow"
        onSubmit={(event) => {
          event.preventDefault();
          void run(async () => {
            await updatePerson(person.personUuid, { name, email });
            await loadSession();
          });
        }}
      >
        <TextField label={t('Name')} autocomplete="name" isRequired value={name} onValue={setName} />
        <TextField
          label={t('Email')}
          type="email"
          autocomplete="username"
          isRequired
          value={email}
          onValue={setEmail}
        />
        <FormError error={error} />
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            {t('Save')}
          </button>
        </div>
      </form>
    </section>
  );
}

function PasswordForm({ person }: { readonly person: Person }) {
  const [currentPassword, setCurrentPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const [isChanged, setIsChanged] = useState(false);
  const [unconfirmed, setUnconfirmed] = useState<PasskeyList | null>(null);
  const { isBusy, error, run } = useAction();
  const isShort = isTooShort(newPassword);
  const change = async () => {
    const list = currentPassword === '' ? await readPasskeys() : null;
    if (list?.isConfirmed === false) {
      setUnconfirmed(list);
      return;
    }
    await changePassword(currentPassword, newPassword);
    await loadSession();
    setCurrentPassword('');
    setNewPassword('');
    setIsChanged(true);
  };
  return (
    <section class="part">
      <h2>{t('Password')}</h2>
      <form
        class="form narrow"
        onSubmit={(event) => {
          event.preventDefault();
          setIsChanged(false);
          void run(change);
        }}
      >
        {person.hasPassword && (
          <TextField
            label={t('Current password')}
            type="password"
            autocomplete="current-password"
            hint={t('You can leave it empty if you came by a link or a passkey.')}
            value={currentPassword}
            onValue={setCurrentPassword}
          />
        )}
        <NewPasswordField
          value={newPassword}
          onValue={setNewPassword}
          hint={t('You are signed out everywhere else.')}
        />
        <FormError error={error} />
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy || isShort}>
            {t('Change password')}
          </button>
          <p role="status">{isChanged && t('Your password is changed.')}</p>
        </div>
      </form>
      {unconfirmed !== null && (
        <ConfirmDialog
          person={person}
          hasPasskey={canUseOne(unconfirmed)}
          onConfirmed={() => {
            setUnconfirmed(null);
            void run(change);
          }}
          onClose={() => setUnconfirmed(null)}
        />
      )}
    </section>
  );
}

function Sessions() {
  const reading = useReading(readSessions, []);
  const { isBusy, error, run } = useAction();
  return (
    <section class="part">
      <h2>{t('Where you are signed in')}</h2>
      <FormError error={error} />
      <ReadingView reading={reading} what={t('sessions')}>
        {(sessions) => (
          <RecordTable
            name="sessions"
            label={t('Sessions')}
            items={sessions}
            keyOf={({ sessionUuid }) => sessionUuid}
            columns={[
              { title: t('Browser'), cell: (item) => <BrowserName item={item} /> },
              { title: t('Address'), cell: ({ address }) => address },
              { title: t('Since'), cell: ({ createdAtMs }) => <TimeAgo epochMs={createdAtMs} /> },
              { title: t('Last seen'), cell: ({ lastSeenAtMs }) => <TimeAgo epochMs={lastSeenAtMs} /> },
            ]}
            actions={(item) =>
              item.isCurrent ? null : (
                <button
                  type="button"
                  class="quiet"
                  disabled={isBusy}
                  aria-label={t('Sign out of the session at {address}', { address: item.address })}
                  onClick={() =>
                    void run(async () => {
                      await endSession(item.sessionUuid);
                      reading.refresh();
                    })
                  }
                >
                  {t('Sign out')}
                </button>
              )
            }
          />
        )}
      </ReadingView>
    </section>
  );
}

function BrowserName({ item: { userAgent = '', isCurrent } }: { readonly item: SessionItem }) {
  return (
    <span>
      {isCurrent && <b>{t('This one:')} </b>}
      <ProgramName userAgent={userAgent} />
    </span>
  );
}
