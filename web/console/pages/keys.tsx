/** Keys and applications: what programs can act for the organization. */

import { useState } from 'preact/hooks';
import type { Access, ApiKeyItem, ApplicationItem, GrantItem } from '../api-keys.ts';
import { deleteApplication, readAccess, revokeGrant } from '../api-keys.ts';
import { usePageTitle } from '../page-title.ts';
import { useReading } from '../reading.ts';
import { type RightsPlaces, readRightsPlaces } from '../rights.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { EditKeyDialog, NewApplicationDialog, NewKeyDialog, RevokeKeyDialog } from '../ui/key-dialogs.tsx';
import { KeyTable } from '../ui/key-table.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageTabs } from '../ui/page-tabs.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { RecordTable } from '../ui/record-table.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { TimeAgo } from '../ui/time.tsx';
import { t, tRich } from '../words.ts';
import { INTEGRATION_TABS } from './integration-tabs.ts';

type Opened =
  | { readonly kind: 'new-key' | 'new-application' }
  | { readonly kind: 'revoke-key' | 'edit-key'; readonly key: ApiKeyItem }
  | { readonly kind: 'delete-application'; readonly application: ApplicationItem }
  | { readonly kind: 'revoke-grant'; readonly grant: GrantItem }
  | {
      readonly kind: 'shown-once';
      readonly title: string;
      readonly values: readonly (readonly [string, string])[];
    };

/** With the names of what keys see. */
interface NamedAccess extends Access {
  readonly places: RightsPlaces;
}

export function KeysPage() {
  usePageTitle(t('Keys and applications'));
  const reading = useReading(async (signal): Promise<NamedAccess> => {
    const [access, places] = await Promise.all([readAccess(signal), readRightsPlaces(signal)]);
    return { ...access, places };
  }, []);
  const [opened, setOpened] = useState<Opened | null>(null);
  return (
    <>
      <h1>{t('Keys and applications')}</h1>
      <PageTabs label={t('Integrations')} tabs={INTEGRATION_TABS} />
      <ReadingView reading={reading} what={t('keys')}>
        {(access) => (
          <>
            <Keys access={access} open={setOpened} />
            <Applications access={access} open={setOpened} />
            <Grants access={access} open={setOpened} />
            {opened !== null && (
              <AccessDialog
                opened={opened}
                access={access}
                setOpened={setOpened}
                changed={() => reading.refresh()}
              />
            )}
          </>
        )}
      </ReadingView>
    </>
  );
}

interface PartProps {
  readonly access: NamedAccess;
  readonly open: (opened: Opened) => void;
}

function Keys({ access, open }: PartProps) {
  return (
    <section class="part">
      <div class="section-head">
        <h2>{t('API keys')}</h2>
        <button type="button" class="primary" onClick={() => open({ kind: 'new-key' })}>
          <Icon name="plus" /> {t('Create key')}
        </button>
      </div>
      {access.keys.length === 0 ? (
        <Notice title={t('There are no API keys')} draws="keys">
          <p>
            {t('Programs need one to call the API. Create one for each, so that you can revoke it alone.')}
          </p>
        </Notice>
      ) : (
        <KeyTable
          access={access}
          places={access.places}
          onEdit={(key) => open({ kind: 'edit-key', key })}
          onRevoke={(key) => open({ kind: 'revoke-key', key })}
        />
      )}
    </section>
  );
}

function Applications({ access: { applications }, open }: PartProps) {
  return (
    <section class="part">
      <div class="section-head">
        <h2>{t('Applications')}</h2>
        <button type="button" onClick={() => open({ kind: 'new-application' })}>
          <Icon name="plus" /> {t('Register application')}
        </button>
      </div>
      {applications.length === 0 ? (
        <Notice title={t('No application is registered')}>
          <p>{t('An application asks for access by OAuth, so that it never sees a key.')}</p>
        </Notice>
      ) : (
        <RecordTable
          name="applications"
          label={t('Applications')}
          items={applications}
          keyOf={({ clientId }) => clientId}
          columns={[
            { title: t('Name'), cell: ({ name }) => <b>{name}</b> },
            {
              title: t('Redirects to'),
              cell: ({ redirectUri }) => <span title={redirectUri}>{redirectUri}</span>,
            },
            {
              title: t('Secret'),
              cell: ({ clientSecretHash }) =>
                clientSecretHash === undefined ? t('Public client') : t('Has a secret'),
            },
            { title: t('Contact'), cell: ({ contactEmail }) => contactEmail ?? null },
          ]}
          actions={(application) => (
            <button
              type="button"
              class="quiet danger"
              aria-label={t('Remove {name}', { name: application.name })}
              onClick={() => open({ kind: 'delete-application', application })}
            >
              {t('Remove')}
            </button>
          )}
        />
      )}
    </section>
  );
}

function Grants({ access, open }: PartProps) {
  const { grants, keys } = access;
  return (
    <section class="part">
      <h2>{t('Granted access')}</h2>
      {grants.length === 0 ? (
        <Notice title={t('No application has access')}>
          <p>{t('When someone grants access to an application, it appears here.')}</p>
        </Notice>
      ) : (
        <RecordTable
          name="grants"
          label={t('Granted access')}
          items={grants}
          keyOf={({ grantUuid }) => grantUuid}
          columns={[
            { title: t('Application'), cell: (grant) => <b>{applicationName(access, grant)}</b> },
            {
              title: t('Granted by'),
              cell: ({ tokenUuid }) =>
                keys.find((key) => key.tokenUuid === tokenUuid)?.displayName ?? tokenUuid,
            },
            { title: t('When'), cell: ({ createdAtMillis }) => <TimeAgo epochMs={createdAtMillis} /> },
          ]}
          actions={(grant) => (
            <button
              type="button"
              class="quiet danger"
              aria-label={t('Revoke the access of {application}', {
                application: applicationName(access, grant),
              })}
              onClick={() => open({ kind: 'revoke-grant', grant })}
            >
              {t('Revoke')}
            </button>
          )}
        />
      )}
    </section>
  );
}

function AccessDialog({
  opened,
  access,
  setOpened,
  changed,
}: {
  readonly opened: Opened;
  readonly access: Access;
  readonly setOpened: (opened: Opened | null) => void;
  readonly changed: () => void;
}) {
  const close = () => setOpened(null);
  const done = () => {
    changed();
    close();
  };
  switch (opened.kind) {
    case 'new-key':
      return (
        <NewKeyDialog
          onCreated={(apiKey) => {
            changed();
            setOpened({ kind: 'shown-once', title: t('Your new key'), values: [[t('API key'), apiKey]] });
          }}
          onClose={close}
        />
      );
    case 'new-application':
      return (
        <NewApplicationDialog
          onRegistered={({ clientId, clientSecret }) => {
            changed();
            setOpened({
              kind: 'shown-once',
              title: t('The application is registered'),
              values: [
                [t('Client ID'), clientId],
                [t('Client secret'), clientSecret],
              ],
            });
          }}
          onClose={close}
        />
      );
    case 'shown-once':
      return <ShownOnce title={opened.title} values={opened.values} onClose={close} />;
    case 'revoke-key':
      return (
        <RevokeKeyDialog
          apiKey={opened.key}
          notedSinceMs={access.notedSinceMs}
          grantCount={grantsOf(access.grants, opened.key.tokenUuid)}
          onRevoked={done}
          onClose={close}
        />
      );
    case 'edit-key':
      return <EditKeyDialog apiKey={opened.key} onSaved={done} onClose={close} />;
    case 'delete-application':
      return (
        <FormDialog
          title={t('Remove this application?')}
          submit={t('Remove application')}
          isDanger
          onSubmit={() => deleteApplication(opened.application).then(done)}
          onClose={close}
        >
          <p class="break">
            {tRich(
              '<b>{application}</b> loses its access immediately, in every organization that granted it.',
              {
                application: opened.application.name,
                b: (text) => <b>{text}</b>,
              },
            )}
          </p>
        </FormDialog>
      );
    case 'revoke-grant':
      return (
        <FormDialog
          title={t('Revoke this access?')}
          submit={t('Revoke access')}
          isDanger
          onSubmit={() => revokeGrant(opened.grant).then(done)}
          onClose={close}
        >
          <p class="break">
            {tRich('<b>{application}</b> loses its access immediately. Someone can grant it again.', {
              application: applicationName(access, opened.grant),
              b: (text) => <b>{text}</b>,
            })}
          </p>
        </FormDialog>
      );
  }
}

function grantsOf(grants: readonly GrantItem[], tokenUuid: string): number {
  return grants.filter((grant) => grant.tokenUuid === tokenUuid).length;
}

/** Applications of other organizations are known by their ID alone. */
function applicationName({ applications }: Access, { clientId }: GrantItem): string {
  return applications.find((application) => application.clientId === clientId)?.name ?? clientId;
}
