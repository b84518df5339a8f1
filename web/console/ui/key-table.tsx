/** API keys: what each may do, whether something uses it, and when it ends. */

import { useLocation } from 'preact-iso';
import { type Access, type ApiKeyItem, clientText, type GrantItem, roleText } from '../api-keys.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { isEndingSoon, isExpired, type KeyFilter, keyEndMs, keyFilterOf, keyMatches } from '../key-state.ts';
import { place } from '../places.ts';
import { type RightsPlaces, scopeText } from '../rights.ts';
import { t, tRich } from '../words.ts';
import { Notice } from './notice.tsx';
import { RecordTable } from './record-table.tsx';
import { StateChips } from './state-chips.tsx';
import { ExactDay, TimeAgo } from './time.tsx';

export function KeyTable({
  access: { keys, grants, notedSinceMs },
  places,
  onEdit,
  onRevoke,
}: {
  readonly access: Access;
  readonly places: RightsPlaces;
  readonly onEdit: (key: ApiKeyItem) => void;
  readonly onRevoke: (key: ApiKeyItem) => void;
}) {
  const { query, route } = useLocation();
  const filter = keyFilterOf(query.show);
  const nowMs = gatewayNowMs();
  const matching = (wanted: KeyFilter) => keys.filter((key) => keyMatches(key, wanted, notedSinceMs, nowMs));
  const chip = (value: KeyFilter, title: string, isBad = false) => ({
    value,
    title,
    count: matching(value).length,
    isBad,
  });
  const shown = matching(filter);
  return (
    <>
      <StateChips
        label={t('Keys')}
        value={filter}
        chips={[
          chip('all', t('All')),
          chip('expired', t('Expired'), true),
          chip('ending', t('Ends within 7 days'), true),
          chip('unused', t('Unused')),
        ]}
        onValue={(value) => route(place('keys') + (value === 'all' ? '' : `?show=${value}`), true)}
      />
      {shown.length === 0 ? (
        <Notice title={t('No key is like that')} />
      ) : (
        <RecordTable
          name="keys"
          label={t('API keys')}
          items={shown}
          keyOf={({ tokenUuid }) => tokenUuid}
          columns={[
            {
              title: t('Name'),
              cell: ({ displayName }) => <b>{displayName}</b>,
              sortBy: ({ displayName }) => displayName,
            },
            {
              title: t('Last used'),
              cell: (key) => <LastUsed apiKey={key} notedSinceMs={notedSinceMs} />,
              sortBy: ({ lastUsedMs }) => lastUsedMs ?? 0,
            },
            {
              title: t('Ends'),
              cell: (key) => (keyEndMs(key) === null ? null : <KeyEnd apiKey={key} nowMs={nowMs} />),
              sortBy: keyEndMs,
            },
            { title: t('Role'), cell: roleText, sortBy: roleText },
            { title: t('What it can do'), cell: (key) => abilitiesText(key, grants) },
            {
              title: t('Sees'),
              cell: ({ role, scope }) => (role === undefined ? '' : scopeText(scope, places)),
            },
          ]}
          actions={(key) => (
            <>
              <button
                type="button"
                class="quiet"
                aria-label={t('Edit {name}', { name: key.displayName })}
                onClick={() => onEdit(key)}
              >
                {t('Edit')}
              </button>
              <button
                type="button"
                class="quiet danger"
                aria-label={t('Revoke {name}', { name: key.displayName })}
                onClick={() => onRevoke(key)}
              >
                {t('Revoke')}
              </button>
            </>
          )}
        />
      )}
    </>
  );
}

export function LastUsed({
  apiKey: { lastUsedMs, timestampMs },
  notedSinceMs,
}: {
  readonly apiKey: ApiKeyItem;
  readonly notedSinceMs: number;
}) {
  if (lastUsedMs !== undefined)
    return <>{tRich('Used {time}', { time: <TimeAgo epochMs={lastUsedMs} /> })}</>;
  if (timestampMs >= notedSinceMs) return <>{t('Never used')}</>;
  return <>{tRich('Not used since {day}', { day: <ExactDay epochMs={notedSinceMs} /> })}</>;
}

function KeyEnd({ apiKey, nowMs }: { readonly apiKey: ApiKeyItem; readonly nowMs: number }) {
  const time = <TimeAgo epochMs={keyEndMs(apiKey)!} />;
  if (isExpired(apiKey, nowMs)) return <span class="bad-text">{tRich('Ended {time}', { time })}</span>;
  const text = tRich('Ends {time}', { time });
  return <span class={isEndingSoon(apiKey, nowMs) ? 'bad-text' : ''}>{text}</span>;
}

function abilitiesText(key: ApiKeyItem, grants: readonly GrantItem[]): string {
  const count = grants.filter(({ tokenUuid }) => tokenUuid === key.tokenUuid).length;
  const text = clientText(key);
  return count === 0 ? text : t('{text}. Granted access to {count}', { text, count });
}
