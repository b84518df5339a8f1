/** People: who can sign in, as what, and who is invited. */

import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { usePageTitle } from '../page-title.ts';
import {
  type InvitationItem,
  type People,
  type PersonItem,
  ROLE_NAMES,
  ROLE_STATES,
  readPeople,
  removePerson,
  updatePerson,
} from '../person-list.ts';
import { place } from '../places.ts';
import { useReading } from '../reading.ts';
import { type RightsPlaces, scopeText } from '../rights.ts';
import { session } from '../session.ts';
import type { StateFilter } from '../state-filter.ts';
import { DensitySwitch } from '../ui/density-switch.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { EditPersonDialog, InviteDialog } from '../ui/person-dialogs.tsx';
import { ProvisioningPart } from '../ui/provisioning-part.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { RecordTable } from '../ui/record-table.tsx';
import { TimeAgo } from '../ui/time.tsx';
import { t, tRich } from '../words.ts';

type Opened =
  | { readonly kind: 'invite' }
  | { readonly kind: 'edit' | 'remove'; readonly person: PersonItem }
  | { readonly kind: 'withdraw'; readonly invitation: InvitationItem };

/** Changes of these are shown. */
const FOLLOWED: ReadonlySet<string> = new Set(['PEOPLE', 'LOCATION', 'CAMERA']);

export function PeoplePage() {
  usePageTitle(t('People'));
  const reading = useReading(readPeople, [], ({ entity }) => FOLLOWED.has(entity));
  const { query, route } = useLocation();
  const [opened, setOpened] = useState<Opened | null>(null);
  const state = reading.state.value;
  const wanted = state.kind === 'read' ? state.value.people.find(isPerson(query.person)) : undefined;
  const isOfGroups = ({ personUuid }: PersonItem) =>
    state.kind === 'read' && state.value.groupsDecide && state.value.provisionedUuids.includes(personUuid);
  const close = () => {
    setOpened(null);
    if (query.person !== undefined) route(place('people'), true);
  };
  return (
    <>
      <div class="section-head">
        <h1>{t('People')}</h1>
        <span class="section-deeds">
          <DensitySwitch />
          <a class="button" href={place('sign-in-providers')}>
            {t('Single sign-on')}
          </a>
          <button type="button" class="primary" onClick={() => setOpened({ kind: 'invite' })}>
            <Icon name="plus" /> {t('Invite someone')}
          </button>
        </span>
      </div>
      <ReadingView reading={reading} what={t('people')}>
        {({ people, invitations, mailRefusals, places, provisionedUuids }) => (
          <>
            <PeopleTable
              people={people}
              refusals={mailRefusals}
              provisioned={new Set(provisionedUuids)}
              places={places}
              open={setOpened}
            />
            <Invitations invitations={invitations} places={places} open={setOpened} />
            <ProvisioningPart />
          </>
        )}
      </ReadingView>
      {opened !== null && (
        <PeopleDialog
          opened={opened}
          isOfGroups={isOfGroups}
          changed={() => reading.refresh()}
          close={close}
        />
      )}
      {opened === null && wanted !== undefined && (
        <PeopleDialog
          key={wanted.personUuid}
          opened={{ kind: 'edit', person: wanted }}
          isOfGroups={isOfGroups}
          changed={() => reading.refresh()}
          close={close}
        />
      )}
    </>
  );
}

const PEOPLE_STATES: StateFilter<PersonItem> = {
  states: [...ROLE_STATES, { value: 'disabled', title: t('Cannot sign in') }],
  of: ({ role, disabled }) => (disabled ? 'disabled' : role),
};

const isPerson =
  (uuid: string | undefined) =>
  ({ personUuid }: PersonItem) =>
    personUuid === uuid;

function refusalOf(refusals: People['mailRefusals'], personUuid: string): string | null {
  return refusals.find((refusal) => refusal.personUuid === personUuid)?.reply ?? null;
}

/** An address to which nothing is sent any more, until a test mail arrives. */
function MailRefusal({ refusal }: { readonly refusal: string | null }) {
  if (refusal === null) return null;
  return (
    <>
      {' '}
      <span class="trouble">{t('The mail server refused this address: {reply}', { reply: refusal })}</span>
    </>
  );
}

function PeopleTable({
  people,
  refusals,
  provisioned,
  places,
  open,
}: {
  readonly people: readonly PersonItem[];
  readonly refusals: People['mailRefusals'];
  /** People whom a directory manages. */
  readonly provisioned: ReadonlySet<string>;
  readonly places: RightsPlaces;
  readonly open: (opened: Opened) => void;
}) {
  const self = session.value?.person.personUuid;
  return (
    <RecordTable
      name="people"
      label={t('People')}
      items={people}
      keyOf={({ personUuid }) => personUuid}
      states={PEOPLE_STATES}
      columns={[
        {
          title: t('Name'),
          cell: ({ name, personUuid }) => (
            <>
              <b>{name}</b>
              {personUuid === self && ` ${t('(you)')}`}
              <MailRefusal refusal={refusalOf(refusals, personUuid)} />
              {provisioned.has(personUuid) && ` ${t('(from the directory)')}`}
            </>
          ),
          sortBy: ({ name }) => name,
        },
        {
          title: t('Role'),
          cell: ({ role, disabled }) => (disabled ? t('Cannot sign in') : ROLE_NAMES[role]),
          sortBy: ({ role, disabled }) => (disabled ? t('Cannot sign in') : ROLE_NAMES[role]),
        },
        {
          title: t('Sees'),
          cell: ({ scope }) => scopeText(scope, places),
          sortBy: ({ scope }) => scopeText(scope, places),
        },
        { title: t('Email'), cell: ({ email }) => email ?? null, sortBy: ({ email }) => email ?? null },
        {
          title: t('Last signed in'),
          cell: ({ lastSignInAtMs }) =>
            lastSignInAtMs === undefined ? t('Never') : <TimeAgo epochMs={lastSignInAtMs} />,
          sortBy: ({ lastSignInAtMs }) => lastSignInAtMs ?? null,
        },
      ]}
      actions={(person) => (
        <>
          <button
            type="button"
            class="quiet"
            aria-label={t('Edit {name}', { name: person.name })}
            onClick={() => open({ kind: 'edit', person })}
          >
            {t('Edit')}
          </button>
          <button
            type="button"
            class="quiet danger"
            aria-label={t('Remove {name}', { name: person.name })}
            onClick={() => open({ kind: 'remove', person })}
          >
            {t('Remove')}
          </button>
        </>
      )}
    />
  );
}

function Invitations({
  invitations,
  places,
  open,
}: {
  readonly invitations: readonly InvitationItem[];
  readonly places: RightsPlaces;
  readonly open: (opened: Opened) => void;
}) {
  return (
    <section class="part">
      <h2>{t('Invitations')}</h2>
      {invitations.length === 0 ? (
        <Notice title={t('No one is invited')}>
          <p>
            {t(
              'An invitation is a link that works once, for 7 days. Send it yourself, or by mail if the gateway has a mail server.',
            )}
          </p>
        </Notice>
      ) : (
        <RecordTable
          name="invitations"
          label={t('Invitations')}
          items={invitations}
          keyOf={({ invitationUuid }) => invitationUuid}
          columns={[
            { title: t('Name'), cell: ({ name }) => <b>{name}</b> },
            { title: t('Role'), cell: ({ role }) => ROLE_NAMES[role] },
            { title: t('Sees'), cell: ({ scope }) => scopeText(scope, places) },
            { title: t('Email'), cell: ({ email }) => email },
            { title: t('Ends'), cell: ({ expiresAtMs }) => <TimeAgo epochMs={expiresAtMs} /> },
          ]}
          actions={(invitation) => (
            <button
              type="button"
              class="quiet danger"
              aria-label={t('Withdraw the invitation of {name}', { name: invitation.name })}
              onClick={() => open({ kind: 'withdraw', invitation })}
            >
              {t('Withdraw')}
            </button>
          )}
        />
      )}
    </section>
  );
}

function PeopleDialog({
  opened,
  isOfGroups,
  changed,
  close,
}: {
  readonly opened: Opened;
  /** Whether groups of the directory decide what the person may do. */
  readonly isOfGroups: (person: PersonItem) => boolean;
  readonly changed: () => void;
  readonly close: () => void;
}) {
  const done = () => {
    changed();
    close();
  };
  switch (opened.kind) {
    case 'invite':
      return <InviteDialog onInvited={changed} onClose={close} />;
    case 'edit':
      return (
        <EditPersonDialog
          person={opened.person}
          isOfGroups={isOfGroups(opened.person)}
          onSubmit={(changes) => updatePerson(opened.person.personUuid, changes).then(done)}
          onClose={close}
        />
      );
    case 'remove':
      return (
        <FormDialog
          title={t('Remove this person?')}
          submit={t('Remove person')}
          isDanger
          onSubmit={() => removePerson(opened.person.personUuid).then(done)}
          onClose={close}
        >
          <p class="break">
            {tRich(
              '<b>{name}</b> is signed out everywhere immediately. What they did stays in the activity.',
              {
                name: opened.person.name,
                b: (text) => <b>{text}</b>,
              },
            )}
          </p>
        </FormDialog>
      );
    case 'withdraw':
      return (
        <FormDialog
          title={t('Withdraw this invitation?')}
          submit={t('Withdraw invitation')}
          isDanger
          onSubmit={() => removePerson(opened.invitation.invitationUuid).then(done)}
          onClose={close}
        >
          <p class="break">
            {tRich('The link for <b>{name}</b> stops working immediately.', {
              name: opened.invitation.name,
              b: (text) => <b>{text}</b>,
            })}
          </p>
        </FormDialog>
      );
  }
}
