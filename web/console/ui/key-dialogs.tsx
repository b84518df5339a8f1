/** Dialogs about API keys and OAuth applications. */

import { useEffect, useState } from 'preact/hooks';
import {
  type ApiKeyItem,
  createKey,
  KEY_ROLE_TEXTS,
  type LastUse,
  readLastUse,
  registerApplication,
  revokeKey,
  updateKey,
} from '../api-keys.ts';
import { actionText } from '../audit-words.ts';
import { type Expiry, expirationTimeSecs, expiryFault, expiryOf, KEY_PRESETS } from '../expiry.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { keyEndMs } from '../key-state.ts';
import { ROLE_NAMES, ROLE_OPTIONS } from '../person-list.ts';
import { t, tRich } from '../words.ts';
import { Check } from './check.tsx';
import { ExpiryField } from './expiry-field.tsx';
import { TextField } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { LastUsed } from './key-table.tsx';
import { RightsField } from './rights-field.tsx';
import { SelectField } from './select.tsx';
import { TimeAgo } from './time.tsx';
import { useRights } from './use-rights.ts';

const MAX_NAME_LENGTH = 256;
const ROLES = ROLE_OPTIONS.map(({ value }) => ({ value, title: ROLE_NAMES[value] }));

export function NewKeyDialog({
  onCreated,
  onClose,
}: {
  readonly onCreated: (apiKey: string) => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  const { role, scope, setRole, setScope, ...rights } = useRights();
  const [isReportsOnly, setIsReportsOnly] = useState(false);
  const [expiry, setExpiry] = useState<Expiry>({ kind: 'never' });
  const fault = expiryFault(expiry, gatewayNowMs());
  const limits = isReportsOnly ? undefined : rights.limits;
  return (
    <FormDialog
      title={t('Create API key')}
      submit={t('Create key')}
      isReady={(isReportsOnly || rights.isReady) && fault === null}
      onSubmit={async () =>
        onCreated(
          await createKey({
            displayName: name.trim(),
            role: isReportsOnly ? null : role,
            scope: limits,
            expiry,
          }),
        )
      }
      onClose={onClose}
    >
      <TextField
        label={t('Name')}
        isRequired
        maxLength={MAX_NAME_LENGTH}
        value={name}
        onValue={setName}
        hint={t('What uses it, such as the program and its place')}
      />
      {!isReportsOnly && (
        <SelectField
          label={t('Role')}
          value={role}
          options={ROLES}
          onValue={setRole}
          hint={KEY_ROLE_TEXTS[role]}
        />
      )}
      {!isReportsOnly && <RightsField role={role} scope={scope} onScope={setScope} />}
      <Check
        label={t('For a device: it can only report and hand over clips')}
        isChecked={isReportsOnly}
        onCheck={setIsReportsOnly}
      />
      <ExpiryField presets={KEY_PRESETS} expiry={expiry} error={fault} onExpiry={setExpiry} />
    </FormDialog>
  );
}

/** Rights of a key that has a role, and the end of any key. */
export function EditKeyDialog({
  apiKey,
  onSaved,
  onClose,
}: {
  readonly apiKey: ApiKeyItem;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}) {
  const hasRights = apiKey.clientType === 'DEVELOPER' && apiKey.role !== undefined;
  const before = expiryOf(keyEndMs(apiKey));
  const { role, scope, setRole, setScope, limits, isReady } = useRights(apiKey);
  const [expiry, setExpiry] = useState(before);
  const isSameEnd = expirationTimeSecs(expiry) === expirationTimeSecs(before);
  const fault = isSameEnd ? null : expiryFault(expiry, gatewayNowMs());
  return (
    <FormDialog
      title={t('Edit key')}
      submit={t('Save')}
      isReady={(isReady || !hasRights) && fault === null}
      onSubmit={async () => {
        await updateKey(apiKey, {
          ...(hasRights ? { rights: { role, scope: limits } } : {}),
          ...(isSameEnd ? {} : { expiry }),
        });
        onSaved();
      }}
      onClose={onClose}
    >
      <p class="break">
        {tRich('The change applies to the next request with <b>{key}</b>.', {
          key: apiKey.displayName,
          b: (text) => <b>{text}</b>,
        })}
      </p>
      {hasRights && (
        <>
          <SelectField
            label={t('Role')}
            value={role}
            options={ROLES}
            onValue={setRole}
            hint={KEY_ROLE_TEXTS[role]}
          />
          <RightsField role={role} scope={scope} onScope={setScope} />
        </>
      )}
      <ExpiryField presets={KEY_PRESETS} expiry={expiry} error={fault} onExpiry={setExpiry} />
    </FormDialog>
  );
}

export function RevokeKeyDialog({
  apiKey,
  notedSinceMs,
  grantCount,
  onRevoked,
  onClose,
}: {
  readonly apiKey: ApiKeyItem;
  readonly notedSinceMs: number;
  /** How many applications lose their access with it. */
  readonly grantCount: number;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}) {
  return (
    <FormDialog
      title={t('Revoke this key?')}
      submit={t('Revoke key')}
      isDanger
      onSubmit={async () => {
        await revokeKey(apiKey);
        onRevoked();
      }}
      onClose={onClose}
    >
      <p class="break">
        {tRich('<b>{key}</b> stops working immediately and permanently. What uses it needs a new key.', {
          key: apiKey.displayName,
          b: (text) => <b>{text}</b>,
        })}
      </p>
      {grantCount > 0 && (
        <p>
          {t(
            '{count, plural, one {# application loses the access that this key granted.} other {# applications lose the access that this key granted.}}',
            { count: grantCount },
          )}
        </p>
      )}
      <p>
        <LastUsed apiKey={apiKey} notedSinceMs={notedSinceMs} />
      </p>
      <LastUseText tokenUuid={apiKey.tokenUuid} />
    </FormDialog>
  );
}

function LastUseText({ tokenUuid }: { readonly tokenUuid: string }) {
  const [lastUse, setLastUse] = useState<LastUse | 'loading' | 'failed'>('loading');
  useEffect(() => {
    const left = new AbortController();
    readLastUse(tokenUuid, left.signal).then(setLastUse, () => {
      if (!left.signal.aborted) setLastUse('failed');
    });
    return () => left.abort();
  }, [tokenUuid]);
  return (
    <p class="last-use" role="status">
      {lastUse === 'loading' && t('Looking for its last use…')}
      {lastUse === 'failed' && t('Its last use is not known.')}
      {typeof lastUse === 'object' && lastUse.kind === 'found' && (
        <>
          <FoundUse entry={lastUse.entry} /> {t('Calls that only read are not recorded.')}
        </>
      )}
      {typeof lastUse === 'object' && lastUse.kind === 'none' && (
        <>
          {lastUse.isAll
            ? t('It has changed and viewed nothing that is recorded.')
            : t('It is not in the newest {count} entries of the activity.', { count: lastUse.searched })}{' '}
          {t('Calls that only read are not recorded.')}
        </>
      )}
    </p>
  );
}

export function NewApplicationDialog({
  onRegistered,
  onClose,
}: {
  readonly onRegistered: (registered: { readonly clientId: string; readonly clientSecret: string }) => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [redirectUri, setRedirectUri] = useState('');
  const [description, setDescription] = useState('');
  const [contactEmail, setContactEmail] = useState('');
  return (
    <FormDialog
      title={t('Register application')}
      submit={t('Register')}
      onSubmit={async () => {
        const details = { name: name.trim(), redirectUri: redirectUri.trim() };
        onRegistered(
          await registerApplication({
            ...details,
            description: description.trim(),
            contactEmail: contactEmail.trim(),
          }),
        );
      }}
      onClose={onClose}
    >
      <TextField
        label={t('Name')}
        isRequired
        maxLength={MAX_NAME_LENGTH}
        value={name}
        onValue={setName}
        hint={t('People who grant access read it')}
      />
      <TextField
        label={t('Redirect address')}
        isRequired
        value={redirectUri}
        onValue={setRedirectUri}
        hint={t('Where authorization codes are sent: https, http on a loopback address, or a private scheme')}
      />
      <TextField label={t('Description')} maxLength={2_000} value={description} onValue={setDescription} />
      <TextField label={t('Contact')} type="email" value={contactEmail} onValue={setContactEmail} />
    </FormDialog>
  );
}

function FoundUse({ entry }: { readonly entry: Extract<LastUse, { readonly kind: 'found' }>['entry'] }) {
  const { action, targetName, lastTimestamp, sourceIp } = entry;
  const use = targetName === '' ? actionText(action) : `${actionText(action)} (${targetName})`;
  const time = <TimeAgo epochMs={Date.parse(lastTimestamp)} />;
  return (
    <>
      {sourceIp === ''
        ? tRich('Last recorded use: {use}, {time}.', { use, time })
        : tRich('Last recorded use: {use}, {time} from {address}.', { use, time, address: sourceIp })}
    </>
  );
}
