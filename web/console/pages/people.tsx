/** People: who can sign in, as what, and who is invited. */

import { useState } from 'preact/hooks';
import { usePageTitle } from '../page-title.ts';
import {
  type InvitationItem,
  type PersonItem,
  ROLE_NAMES,
  readPeople,
  removePerson,
  updatePerson,
} from '../person-list.ts';
import { useReading } from '../reading.ts';
import { type RightsPlaces, scopeText } from '../rights.ts';
import { session } from '../session.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { EditPersonDialog, InviteDialog } from '../ui/person-dialogs.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { RecordTable } from '../ui/record-table.tsx';
import { TimeAgo } from '../ui/time.tsx';

type Opened =
  | { readonly kind: 'invite' }
  | { readonly kind: 'edit' | 'remove'; readonly person: PersonItem }
  | { readonly kind: 'withdraw'; readonly invitation: InvitationItem };

export function PeoplePage() {
  usePageTitle('People');
  const reading = useReading(readPeople, [], ({ entity }) => entity === 'LOCATION' || entity === 'CAMERA');
  const [opened, setOpened] = useState<Opened | null>(null);
  return (
    <>
      <div class="section-head">
        <h1>People</h1>
        <button type="button" class="primary" onClick={() => setOpened({ kind: 'invite' })}>
          <Icon name="plus" /> Invite someone
        </button>
      </div>
      <ReadingView reading={reading} what="people">
        {({ people, invitations, places }) => (
          <>
            <PeopleTable people={people} places={places} open={setOpened} />
            <Invitations invitations={invitations} places={places} open={setOpened} />
          </>
        )}
      </ReadingView>
      {opened !== null && (
        <PeopleDialog opened={opened} changed={() => reading.refresh()} close={() => setOpened(null)} />
      )}
    </>
  );
}

function PeopleTable({
  people,
  places,
  open,
}: {
  readonly people: readonly PersonItem[];
  readonly places: RightsPlaces;
  readonly open: (opened: Opened) => void;
}) {
  const self = session.value?.person.personUuid;
  return (
    <RecordTable
      name="people"
      label="People"
      items={people}
      keyOf={({ personUuid }) => personUuid}
      columns={[
        {
          title: 'Name',
          cell: ({ name, personUuid }) => (
            <>
              <b>{name}</b>
              {personUuid === self && ' (you)'}
            </>
          ),
        },
        { title: 'Email', cell: ({ email }) => email ?? null },
        { title: 'Role', cell: ({ role, disabled }) => (disabled ? 'Cannot sign in' : ROLE_NAMES[role]) },
        { title: 'Sees', cell: ({ scope }) => scopeText(scope, places) },
        {
          title: 'Last signed in',
          cell: ({ lastSignInAtMs }) =>
            lastSignInAtMs === undefined ? 'Never' : <TimeAgo epochMs={lastSignInAtMs} />,
        },
      ]}
      actions={(person) => (
        <>
          <button
            type="button"
            class="quiet"
            aria-label={`Edit ${person.name}`}
            onClick={() => open({ kind: 'edit', person })}
          >
            Edit
          </button>
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${person.name}`}
            onClick={() => open({ kind: 'remove', person })}
          >
            Remove
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
      <h2>Invitations</h2>
      {invitations.length === 0 ? (
        <Notice title="No one is invited">
          <p>An invitation is a link that works once, for 7 days. Send it yourself: Sluice sends no email.</p>
        </Notice>
      ) : (
        <RecordTable
          name="invitations"
          label="Invitations"
          items={invitations}
          keyOf={({ invitationUuid }) => invitationUuid}
          columns={[
            { title: 'Name', cell: ({ name }) => <b>{name}</b> },
            { title: 'Email', cell: ({ email }) => email },
            { title: 'Role', cell: ({ role }) => ROLE_NAMES[role] },
            { title: 'Sees', cell: ({ scope }) => scopeText(scope, places) },
            { title: 'Ends', cell: ({ expiresAtMs }) => <TimeAgo epochMs={expiresAtMs} /> },
          ]}
          actions={(invitation) => (
            <button
              type="button"
              class="quiet"
              aria-label={`Withdraw the invitation of ${invitation.name}`}
              onClick={() => open({ kind: 'withdraw', invitation })}
            >
              Withdraw
            </button>
          )}
        />
      )}
    </section>
  );
}

function PeopleDialog({
  opened,
  changed,
  close,
}: {
  readonly opened: Opened;
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
          onSubmit={(changes) => updatePerson(opened.person.personUuid, changes).then(done)}
          onClose={close}
        />
      );
    case 'remove':
      return (
        <FormDialog
          title="Remove this person?"
          submit="Remove person"
          isDanger
          onSubmit={() => removePerson(opened.person.personUuid).then(done)}
          onClose={close}
        >
          <p class="break">
            <b>{opened.person.name}</b> is signed out everywhere at once. What they did stays in the activity.
          </p>
        </FormDialog>
      );
    case 'withdraw':
      return (
        <FormDialog
          title="Withdraw this invitation?"
          submit="Withdraw invitation"
          isDanger
          onSubmit={() => removePerson(opened.invitation.invitationUuid).then(done)}
          onClose={close}
        >
          <p class="break">
            The link for <b>{opened.invitation.name}</b> stops working at once.
          </p>
        </FormDialog>
      );
  }
}
