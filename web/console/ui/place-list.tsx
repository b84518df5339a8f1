/** Sites and single cameras, found by typing, any number of them. */

import { useMemo } from 'preact/hooks';
import { type RightsPlaces, type Scope, toggledScope } from '../rights.ts';
import { t } from '../words.ts';
import { Check } from './check.tsx';
import { OptionList } from './option-list.tsx';

const KINDS = { site: 'locationUuids', camera: 'cameraUuids' } as const;
type PlaceKind = keyof typeof KINDS;
type PlaceValue = `${PlaceKind}:${string}`;

export function PlaceList({
  all,
  places: { sites, cameras },
  scope,
  onScope,
}: {
  /** On the choice of everything. */
  readonly all: string;
  readonly places: RightsPlaces;
  readonly scope: Scope;
  readonly onScope: (scope: Scope) => void;
}) {
  const groups = useMemo(
    () => [
      {
        title: t('Sites'),
        options: sites.map(({ uuid, name, cameraCount }) => ({
          value: `site:${uuid}` as PlaceValue,
          title: name,
          note: t('{count, plural, one {# camera} other {# cameras}}', { count: cameraCount }),
        })),
      },
      {
        title: t('Single cameras'),
        options: cameras.map(({ uuid, name, siteName }) => ({
          value: `camera:${uuid}` as PlaceValue,
          title: name,
          note: siteName,
        })),
      },
    ],
    [sites, cameras],
  );
  const chosen = new Set<PlaceValue>([
    ...(scope?.locationUuids ?? []).map((uuid) => `site:${uuid}` as const),
    ...(scope?.cameraUuids ?? []).map((uuid) => `camera:${uuid}` as const),
  ]);
  return (
    <>
      <Check
        label={all}
        isChecked={scope === undefined}
        onCheck={(isAll) => onScope(isAll ? undefined : { locationUuids: [], cameraUuids: [] })}
      />
      {sites.length + cameras.length === 0 ? (
        <p class="hint">{t('There are no sites or cameras yet.')}</p>
      ) : (
        <div class="option-box">
          <OptionList
            label={t('sites and cameras')}
            options={[]}
            groups={groups}
            chosen={chosen}
            isMultiple
            onPick={(value) => {
              const [kind, uuid] = value.split(':') as [PlaceKind, string];
              onScope(toggledScope(scope, KINDS[kind], uuid, !chosen.has(value)));
            }}
          />
        </div>
      )}
    </>
  );
}
