/** Of the page of people: the directory that adds and removes them, and what its groups may do. */

import { useState } from 'preact/hooks';
import { ROLE_NAMES } from '../person-list.ts';
import {
  type GroupItem,
  groupItems,
  type Provisioning,
  readProvisioning,
  type TokenItem,
} from '../provisioning.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { scopeText } from '../rights.ts';
import { t, tRich } from '../words.ts';
import { CopyField } from './copy-field.tsx';
import { Icon } from './icon.tsx';
import { Notice } from './notice.tsx';
import { type OpenedProvisioning, ProvisioningDialog } from './provisioning-dialogs.tsx';
import { ReadingView } from './reading-view.tsx';
import { RecordTable } from './record-table.tsx';
import { TimeAgo } from './time.tsx';

export function ProvisioningPart() {
  const reading: ReadingHandle<Provisioning> = useReading(
    readProvisioning,
    [],
    ({ entity }) => entity === 'PEOPLE' || entity === 'LOCATION' || entity === 'CAMERA',
  );
  const [opened, setOpened] = useState<OpenedProvisioning | null>(null);
  return (
    <ReadingView reading={reading} what={t('the directory')}>
      {(provisioning) => (
        <>
          <Tokens provisioning={provisioning} open={setOpened} />
          <Groups provisioning={provisioning} open={setOpened} />
          {opened !== null && (
            <ProvisioningDialog
              opened={opened}
              baseUrl={provisioning.baseUrl}
              changed={() => reading.refresh()}
              close={() => setOpened(null)}
            />
          )}
        </>
      )}
    </ReadingView>
  );
}

interface PartProps {
  readonly provisioning: Provisioning;
  readonly open: (opened: OpenedProvisioning) => void;
}

function Tokens({ provisioning: { tokens, baseUrl }, open }: PartProps) {
  return (
    <section class="part">
      <div class="section-head">
        <h2>{t('Directory')}</h2>
        <button type="button" onClick={() => open({ kind: 'new-token' })}>
          <Icon name="plus" /> {t('Create token')}
        </button>
      </div>
      {tokens.length === 0 ? (
        <Notice title={t('No directory is connected')}>
          <p>
            {t(
              'Microsoft Entra ID, Okta, and others can add people here and remove them when they leave. Create a token, and enter it there.',
            )}
          </p>
        </Notice>
      ) : (
        <>
          <CopyField label={t('Address for the directory (SCIM 2.0)')} value={baseUrl} />
          <RecordTable
            name="scim-tokens"
            label={t('Tokens of the directory')}
            items={tokens}
            keyOf={({ tokenUuid }) => tokenUuid}
            columns={[
              { title: t('Token'), cell: ({ name }) => <b>{name}</b> },
              {
                title: t('Last request'),
                cell: ({ lastRequest }) =>
                  lastRequest === undefined ? t('Never') : <TimeAgo epochMs={lastRequest.atMs} />,
              },
              { title: t('Result'), cell: resultText },
              { title: t('Created'), cell: ({ createdAtMs }) => <TimeAgo epochMs={createdAtMs} /> },
            ]}
            actions={(token) => (
              <button
                type="button"
                class="quiet danger"
                aria-label={t('Revoke {name}', { name: token.name })}
                onClick={() => open({ kind: 'revoke-token', token })}
              >
                {t('Revoke')}
              </button>
            )}
          />
          {tokens.map((token) => (
            <Refusal key={token.tokenUuid} token={token} />
          ))}
        </>
      )}
    </section>
  );
}

/** What the gateway made of the last request. */
function resultText({ lastRequest }: TokenItem): string {
  if (lastRequest === undefined) return '';
  return isRefused(lastRequest) ? t('Refused') : t('Succeeded');
}

function isRefused({ status }: NonNullable<TokenItem['lastRequest']>): boolean {
  return status >= 400;
}

/** Why the last request failed, which no column has room for. */
function Refusal({ token: { name, lastRequest } }: { readonly token: TokenItem }) {
  if (lastRequest === undefined || !isRefused(lastRequest)) return null;
  return (
    <p class="hint break">
      {tRich('The last request with <b>{name}</b> was refused ({status}): {detail}', {
        name,
        status: String(lastRequest.status),
        detail: lastRequest.detail ?? '',
        b: (text) => <b>{text}</b>,
      })}
    </p>
  );
}

function Groups({ provisioning, open }: PartProps) {
  const { tokens, places } = provisioning;
  const items = groupItems(provisioning);
  if (tokens.length === 0 && items.length === 0) return null;
  return (
    <section class="part">
      <div class="section-head">
        <h2>{t('Groups of the directory')}</h2>
        <button type="button" onClick={() => open({ kind: 'map', group: '', mapping: undefined })}>
          <Icon name="plus" /> {t('Give a group rights')}
        </button>
      </div>
      <p class="hint">
        {t(
          'Someone in several groups has the highest role, at all of their sites. Without rights for any group, you choose what each person sees.',
        )}
      </p>
      {items.length > 0 && (
        <RecordTable
          name="scim-groups"
          label={t('Groups of the directory')}
          items={items}
          keyOf={({ name, mapping }) => mapping?.mappingUuid ?? name}
          columns={[
            { title: t('Group'), cell: ({ name }) => <b>{name}</b>, sortBy: ({ name }) => name },
            {
              title: t('Role'),
              cell: ({ mapping }) => (mapping === undefined ? t('None') : ROLE_NAMES[mapping.role]),
            },
            {
              title: t('Sees'),
              cell: ({ mapping }) =>
                mapping === undefined ? t('Nothing') : scopeText(mapping.scope, places),
            },
            {
              title: t('People'),
              cell: ({ memberCount }) =>
                memberCount === undefined
                  ? t('Not sent yet')
                  : t('{count, plural, one {# person} other {# people}}', { count: memberCount }),
              sortBy: ({ memberCount }) => memberCount ?? null,
            },
          ]}
          actions={(item) => <GroupActions item={item} open={open} />}
        />
      )}
    </section>
  );
}

function GroupActions({
  item: { name, mapping },
  open,
}: {
  readonly item: GroupItem;
  readonly open: PartProps['open'];
}) {
  const edit = () => open({ kind: 'map', group: mapping?.group ?? name, mapping });
  if (mapping === undefined) {
    return (
      <button type="button" class="quiet" aria-label={t('Choose rights of {name}', { name })} onClick={edit}>
        {t('Choose rights')}
      </button>
    );
  }
  return (
    <>
      <button type="button" class="quiet" aria-label={t('Edit {name}', { name })} onClick={edit}>
        {t('Edit')}
      </button>
      <button
        type="button"
        class="quiet danger"
        aria-label={t('Remove rights of {name}', { name })}
        onClick={() => open({ kind: 'unmap', name, mapping })}
      >
        {t('Remove')}
      </button>
    </>
  );
}
