/** Dialogs that invite someone, and change a person's name, role, and rights. */

import { useState } from 'preact/hooks';
import { invitePerson, type PersonItem, ROLE_OPTIONS, type updatePerson } from '../person-list.ts';
import { isEmptyScope, isSameScope, type Scope, sentScope } from '../rights.ts';
import type { Role } from '../session.ts';
import { t, tRich } from '../words.ts';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { LinkReadyDialog } from './link-ready.tsx';
import { RightsField } from './rights-field.tsx';
import { SelectField } from './select.tsx';

export function InviteDialog({
  onInvited,
  onClose,
}: {
  readonly onInvited: () => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [scope, setScope] = useState<Scope>(undefined);
  const limits = role === 'admin' ? undefined : scope;
  const [inviteUrl, setInviteUrl] = useState<string | null>(null);
  if (inviteUrl !== null) {
    return (
      <LinkReadyDialog
        title={t('The invitation of {name} is ready', { name })}
        link={{ name, pageUrl: inviteUrl, isEmbeddable: false, isInvitation: true }}
        password=""
        mailTo={email}
        onClose={onClose}
      >
        <p class="break">
          {tRich(
            'It lets <b>{name}</b> choose a password. It works once, for 7 days, for anyone who has it.',
            { name, b: (text) => <b>{text}</b> },
          )}
        </p>
      </LinkReadyDialog>
    );
  }
  return (
    <FormDialog
      title={t('Invite someone')}
      submit={t('Make the link')}
      isReady={!isEmptyScope(limits)}
      onSubmit={async () => {
        setInviteUrl(await invitePerson({ name, email, role, ...sentScope(limits) }));
        onInvited();
      }}
      onClose={onClose}
    >
      <TextField label={t('Name')} isRequired value={name} onValue={setName} />
      <TextField label={t('Email')} type="email" isRequired value={email} onValue={setEmail} />
      <RoleField role={role} onRole={setRole} />
      <RightsField role={role} scope={scope} onScope={setScope} />
    </FormDialog>
  );
}

export function EditPersonDialog({
  person,
  isOfGroups,
  onSubmit,
  onClose,
}: {
  readonly person: PersonItem;
  /** Groups of the directory decide what the person may do. */
  readonly isOfGroups: boolean;
  /** Called with the fields that differ. */
  readonly onSubmit: (changes: Parameters<typeof updatePerson>[1]) => Promise<void>;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(person.name);
  const [email, setEmail] = useState(person.email ?? '');
  const [role, setRole] = useState(person.role);
  const [scope, setScope] = useState<Scope>(person.scope);
  const limits = role === 'admin' ? undefined : scope;
  const [canSignIn, setCanSignIn] = useState(!person.disabled);
  return (
    <FormDialog
      title={t('Edit person')}
      submit={t('Save')}
      isReady={isOfGroups || !isEmptyScope(limits) || isSameScope(limits, person.scope)}
      onSubmit={() =>
        onSubmit({
          ...(name === person.name ? {} : { name }),
          ...(email === (person.email ?? '') ? {} : { email }),
          ...(role === person.role ? {} : { role }),
          ...(isSameScope(limits, person.scope) ? {} : { ...sentScope(limits), scopeUpdated: true }),
          ...(canSignIn !== person.disabled ? {} : { disabled: !canSignIn }),
        })
      }
      onClose={onClose}
    >
      <TextField label={t('Name')} isRequired value={name} onValue={setName} />
      <TextField label={t('Email')} type="email" value={email} onValue={setEmail} />
      {isOfGroups ? (
        <p class="hint">{t('Groups of the directory decide the role, and what the person sees.')}</p>
      ) : (
        <>
          <RoleField role={role} onRole={setRole} />
          <RightsField role={role} scope={scope} onScope={setScope} />
        </>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={canSignIn}
          onChange={({ currentTarget }) => setCanSignIn(currentTarget.checked)}
        />
        <span>{t('Can sign in')}</span>
      </label>
    </FormDialog>
  );
}

function RoleField({ role, onRole }: { readonly role: Role; readonly onRole: (role: Role) => void }) {
  return <SelectField label={t('Role')} value={role} options={ROLE_OPTIONS} onValue={onRole} />;
}
