/** What someone, or a key, sees: everything, or chosen sites and cameras, found by name; and in words what that means. */

import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { matcherOf } from '../matcher.ts';
import { useReading } from '../reading.ts';
import {
  isEmptyScope,
  type RightsPlaces,
  readRightsPlaces,
  type Scope,
  scopeNames,
  toggledScope,
} from '../rights.ts';
import type { Role } from '../session.ts';
import { t, tRich } from '../words.ts';
import { Check } from './check.tsx';
import { ReadingView } from './reading-view.tsx';
import { SearchField } from './search-field.tsx';

/** More are found by typing. */
const SHOWN = 40;
/** Fewer need no search. */
const FEW = 8;

const ROLE_MEANINGS: Readonly<Record<Role, string>> = {
  viewer: t(
    'Watches live and recorded video, and reads alerts and activity. Changes nothing and gets no links.',
  ),
  operator: t('Watches, shares links, cuts clips, sets schedules, answers alerts, and moves cameras.'),
  admin: t('Changes everything, also people, keys, cameras, and settings.'),
};

export function RightsField({
  role,
  scope,
  onScope,
}: {
  readonly role: Role;
  readonly scope: Scope;
  readonly onScope: (scope: Scope) => void;
}) {
  const reading = useReading(readRightsPlaces, []);
  return (
    <fieldset class="rights">
      <legend>{t('Sees')}</legend>
      <RightsText
        role={role}
        scope={scope}
        places={reading.state.value.kind === 'read' ? reading.state.value.value : null}
      />
      {role === 'admin' ? (
        <p class="hint">{t('Administrators see the whole organization.')}</p>
      ) : (
        <ReadingView reading={reading} what={t('sites and cameras')}>
          {(places) => <Choices places={places} scope={scope} onScope={onScope} />}
        </ReadingView>
      )}
    </fieldset>
  );
}

function Choices({
  places: { sites, cameras },
  scope,
  onScope,
}: {
  readonly places: RightsPlaces;
  readonly scope: Scope;
  readonly onScope: (scope: Scope) => void;
}) {
  const [text, setText] = useState('');
  const isMatch = matcherOf(text);
  const foundSites = sites.filter(({ name }) => isMatch(name));
  const foundCameras = cameras.filter(({ name, siteName }) => isMatch(`${name} ${siteName}`));
  const shownCameras = foundCameras.slice(0, Math.max(0, SHOWN - foundSites.length));
  const hidden = Math.max(0, foundSites.length - SHOWN) + foundCameras.length - shownCameras.length;
  return (
    <>
      <Check
        label={t('The whole organization')}
        isChecked={scope === undefined}
        onCheck={(isAll) => onScope(isAll ? undefined : { locationUuids: [], cameraUuids: [] })}
      />
      {sites.length + cameras.length > FEW && (
        <SearchField label={t('Find a site or camera')} value={text} onValue={setText} />
      )}
      <div class="rights-list">
        {foundSites.length > 0 && (
          <ChoiceGroup title={t('Sites')}>
            {foundSites.slice(0, SHOWN).map(({ uuid, name, cameraCount }) => (
              <Check
                key={uuid}
                label={name}
                hint={t('{count, plural, one {# camera} other {# cameras}}', { count: cameraCount })}
                isChecked={scope?.locationUuids.includes(uuid) === true}
                onCheck={(isChosen) => onScope(toggledScope(scope, 'locationUuids', uuid, isChosen))}
              />
            ))}
          </ChoiceGroup>
        )}
        {shownCameras.length > 0 && (
          <ChoiceGroup title={t('Single cameras')}>
            {shownCameras.map(({ uuid, name, siteName }) => (
              <Check
                key={uuid}
                label={name}
                hint={siteName}
                isChecked={scope?.cameraUuids.includes(uuid) === true}
                onCheck={(isChosen) => onScope(toggledScope(scope, 'cameraUuids', uuid, isChosen))}
              />
            ))}
          </ChoiceGroup>
        )}
        {foundSites.length + foundCameras.length === 0 && (
          <p class="hint">
            {text === '' ? t('There are no sites or cameras yet.') : t('Nothing has this name.')}
          </p>
        )}
        {hidden > 0 && <p class="hint">{t('{hidden} more: type a part of the name.', { hidden })}</p>}
      </div>
    </>
  );
}

function ChoiceGroup({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const id = useId();
  return (
    <div role="group" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </div>
  );
}

/** Before anything is sent: what the person or the key can do, and where. */
function RightsText({
  role,
  scope,
  places,
}: {
  readonly role: Role;
  readonly scope: Scope;
  readonly places: RightsPlaces | null;
}) {
  const names = scope === undefined || places === null ? [] : scopeNames(scope, places);
  return (
    <div class="rights-text" role="status">
      <p>{ROLE_MEANINGS[role]}</p>
      {role !== 'admin' && scope === undefined && <p>{t('Sees all sites and cameras.')}</p>}
      {role !== 'admin' && isEmptyScope(scope) && <p>{t('Sees nothing yet. Choose a site or a camera.')}</p>}
      {role !== 'admin' && names.length > 0 && (
        <p class="break">
          {scope!.locationUuids.length > 0
            ? tRich('Sees only <b>{names}</b>, with cameras that are added there later.', {
                names: names.join(', '),
                b: (text) => <b>{text}</b>,
              })
            : tRich('Sees only <b>{names}</b>.', { names: names.join(', '), b: (text) => <b>{text}</b> })}
        </p>
      )}
    </div>
  );
}
