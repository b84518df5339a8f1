/** Dialogs about the directory: its tokens, and what its groups may do. */

import { useState } from 'preact/hooks';
import { ROLE_OPTIONS } from '../person-list.ts';
import {
  createToken,
  type MappingItem,
  mapGroup,
  revokeToken,
  type TokenItem,
  unmapGroup,
} from '../provisioning.ts';
import { t, tRich } from '../words.ts';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { RightsField } from './rights-field.tsx';
import { SelectField } from './select.tsx';
import { ShownOnce } from './shown-once.tsx';
import { useRights } from './use-rights.ts';

const MAX_NAME_LENGTH = 256;

export type OpenedProvisioning =
  | { readonly kind: 'new-token' }
  | { readonly kind: 'revoke-token'; readonly token: TokenItem }
  /** `group`: empty for one that is typed. */
  | { readonly kind: 'map'; readonly group: string; readonly mapping: MappingItem | undefined }
  | { readonly kind: 'unmap'; readonly name: string; readonly mapping: MappingItem };

export function ProvisioningDialog({
  opened,
  baseUrl,
  changed,
  close,
}: {
  readonly opened: OpenedProvisioning;
  readonly baseUrl: string;
  readonly changed: () => void;
  readonly close: () => void;
}) {
  const done = () => {
    changed();
    close();
  };
  const bold = (content: preact.ComponentChildren) => <b>{content}</b>;
  switch (opened.kind) {
    case 'new-token':
      return <NewTokenDialog baseUrl={baseUrl} onCreated={changed} onClose={close} />;
    case 'map':
      return <GroupRightsDialog opened={opened} onSaved={done} onClose={close} />;
    case 'revoke-token':
      return (
        <FormDialog
          title={t('Revoke this token?')}
          submit={t('Revoke token')}
          isDanger
          onSubmit={() => revokeToken(opened.token).then(done)}
          onClose={close}
        >
          <p class="break">
            {tRich(
              '<b>{name}</b> stops working immediately. People and groups that the directory added stay, but nothing changes them until it has another token.',
              { name: opened.token.name, b: bold },
            )}
          </p>
        </FormDialog>
      );
    case 'unmap':
      return (
        <FormDialog
          title={t('Remove the rights of this group?')}
          submit={t('Remove rights')}
          isDanger
          onSubmit={() => unmapGroup(opened.mapping).then(done)}
          onClose={close}
        >
          <p class="break">
            {tRich('Members of <b>{name}</b> keep only what their other groups give them.', {
              name: opened.name,
              b: bold,
            })}
          </p>
        </FormDialog>
      );
  }
}

function NewTokenDialog({
  baseUrl,
  onCreated,
  onClose,
}: {
  readonly baseUrl: string;
  readonly onCreated: () => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [token, setToken] = useState<string | null>(null);
  if (token !== null) {
    return (
      <ShownOnce
        title={t('Enter these in the directory')}
        values={[
          [t('Address'), baseUrl],
          [t('Token'), token],
        ]}
        onClose={onClose}
      >
        {t(
          'Anyone who has the token can add, change, and remove people. It is shown only now: if you lose it, create another one.',
        )}
      </ShownOnce>
    );
  }
  return (
    <FormDialog
      title={t('Create token')}
      submit={t('Create token')}
      onSubmit={async () => {
        setToken(await createToken(name.trim()));
        onCreated();
      }}
      onClose={onClose}
    >
      <TextField
        label={t('Name')}
        isRequired
        maxLength={MAX_NAME_LENGTH}
        value={name}
        onValue={setName}
        hint={t('Which directory uses it. It appears in the activity.')}
      />
    </FormDialog>
  );
}

function GroupRightsDialog({
  opened: { group: known, mapping },
  onSaved,
  onClose,
}: {
  readonly opened: Extract<OpenedProvisioning, { kind: 'map' }>;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}) {
  const [group, setGroup] = useState(known);
  const { role, scope, setRole, setScope, limits, isReady } = useRights(mapping);
  return (
    <FormDialog
      title={t('What the group may do')}
      submit={t('Save')}
      isReady={isReady}
      onSubmit={async () => {
        await mapGroup(group, role, limits);
        onSaved();
      }}
      onClose={onClose}
    >
      {known === '' ? (
        <TextField
          label={t('Group')}
          isRequired
          maxLength={MAX_NAME_LENGTH}
          value={group}
          onValue={setGroup}
          hint={t('Its name in the directory, or its ID there')}
        />
      ) : (
        <p class="break">
          {tRich('Members of <b>{group}</b> get these rights immediately.', {
            group: known,
            b: (text) => <b>{text}</b>,
          })}
        </p>
      )}
      <SelectField label={t('Role')} value={role} options={ROLE_OPTIONS} onValue={setRole} />
      <RightsField role={role} scope={scope} onScope={setScope} />
    </FormDialog>
  );
}
