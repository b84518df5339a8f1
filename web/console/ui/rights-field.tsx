/** What someone, or a key, sees: everything, or chosen sites and cameras, found by name; and in words what that means. */

import { useReading } from '../reading.ts';
import { isEmptyScope, type RightsPlaces, readRightsPlaces, type Scope, scopeNames } from '../rights.ts';
import type { Role } from '../session.ts';
import { t, tRich } from '../words.ts';
import { PlaceList } from './place-list.tsx';
import { ReadingView } from './reading-view.tsx';

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
          {(places) => (
            <PlaceList all={t('The whole organization')} places={places} scope={scope} onScope={onScope} />
          )}
        </ReadingView>
      )}
    </fieldset>
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
