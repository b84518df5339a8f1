/** Dialogs that move, rename, and delete the selected cameras, each with its own result. */

import { useState } from 'preact/hooks';
import { removeCamera } from '../camera-adding.ts';
import { SITES_PLACE } from '../camera-places.ts';
import { placeCamera } from '../site-list.ts';
import { t, tRich } from '../words.ts';
import { type BulkProps, BulkResults, CHANGES_AT_ONCE, Close, useBulk } from './bulk-dialogs.tsx';
import { Dialog } from './dialog.tsx';
import { DialogFooter, SubmitButton } from './dialog-footer.tsx';
import { TextField } from './field.tsx';
import { optionsOf, SelectField } from './select.tsx';

const MAX_NAME_CHARS = 256;
/** As a choice: it stays as it is. */
const STAYS = 'stays';

type Names = ReadonlyMap<string, string>;

/** To another site, behind another NVR, or both. */
export function BulkMoveDialog({
  cameras,
  locationNames,
  nvrNames,
  onClose,
}: BulkProps & { readonly locationNames: Names; readonly nvrNames: Names }) {
  const [taken] = useState(cameras);
  const [site, setSite] = useState(locationNames.size === 0 ? STAYS : '');
  const [nvr, setNvr] = useState(STAYS);
  const [isStarted, setIsStarted] = useState(false);
  const { progress, start } = useBulk<void>();
  return (
    <Dialog
      title={t('Move {count, plural, one {# camera} other {# cameras}}', { count: taken.length })}
      onClose={onClose}
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          setIsStarted(true);
          const goal = {
            ...(site === STAYS ? {} : { locationUuid: site }),
            ...(nvr === STAYS ? {} : { nvrUuid: nvr }),
          };
          void start(taken, CHANGES_AT_ONCE, ({ uuid }) => placeCamera(uuid, goal));
        }}
      >
        {isStarted ? (
          <BulkResults
            cameras={taken}
            progress={progress}
            text={() => movedText(site, nvr, locationNames, nvrNames)}
          />
        ) : (
          <>
            {locationNames.size === 0 ? (
              <p>
                {tRich('There is no site yet. <link>Create one</link>', {
                  link: (text) => <a href={SITES_PLACE}>{text}</a>,
                })}
              </p>
            ) : (
              <SelectField
                label={t('Site')}
                hint={t('Schedules of their shares then follow the time of that site.')}
                value={site}
                options={[
                  { value: '', title: t('None') },
                  ...optionsOf(locationNames),
                  { value: STAYS, title: t('As it is') },
                ]}
                onValue={setSite}
              />
            )}
            {nvrNames.size > 0 && (
              <SelectField
                label="NVR"
                value={nvr}
                options={[
                  { value: STAYS, title: t('As it is') },
                  { value: '', title: t('None') },
                  ...optionsOf(nvrNames),
                ]}
                onValue={setNvr}
              />
            )}
          </>
        )}
        {isStarted ? (
          <Close onClose={onClose} />
        ) : (
          <DialogFooter onBack={onClose}>
            <SubmitButton text={t('Move')} isReady={site !== STAYS || nvr !== STAYS} />
          </DialogFooter>
        )}
      </form>
    </Dialog>
  );
}

function movedText(site: string, nvr: string, locationNames: Names, nvrNames: Names): string {
  const places = [
    ...(site === STAYS ? [] : [locationNames.get(site) ?? t('no site')]),
    ...(nvr === STAYS ? [] : [nvrNames.get(nvr) ?? t('no NVR')]),
  ];
  return t('Moved to {places}', { places: places.join(', ') });
}

/** A field for each name. Only names that differ are sent. */
export function BulkRenameDialog({ cameras, onClose }: BulkProps) {
  const [taken] = useState(cameras);
  const [names, setNames] = useState<Names>(() => new Map(cameras.map(({ uuid, name }) => [uuid, name])));
  const [changed, setChanged] = useState<BulkProps['cameras'] | null>(null);
  const { progress, start } = useBulk<void>();
  const nameOf = (uuid: string) => (names.get(uuid) ?? '').trim();
  const differing = taken.filter(({ uuid, name }) => nameOf(uuid) !== name);
  const isBlank = differing.some(({ uuid }) => nameOf(uuid) === '');
  return (
    <Dialog
      title={t('Rename {count, plural, one {# camera} other {# cameras}}', { count: taken.length })}
      onClose={onClose}
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          setChanged(differing);
          void start(differing, CHANGES_AT_ONCE, ({ uuid }) => placeCamera(uuid, { name: nameOf(uuid) }));
        }}
      >
        {changed === null ? (
          <>
            <ol class="names">
              {taken.map(({ uuid, name }) => (
                <li key={uuid}>
                  <TextField
                    label={name}
                    maxLength={MAX_NAME_CHARS}
                    error={nameOf(uuid) === '' ? t('Enter a name.') : null}
                    value={names.get(uuid) ?? ''}
                    onValue={(text) => setNames((old) => new Map(old).set(uuid, text))}
                  />
                </li>
              ))}
            </ol>
            <DialogFooter onBack={onClose}>
              <SubmitButton
                text={t('Rename {count, plural, one {# camera} other {# cameras}}', {
                  count: differing.length,
                })}
                isReady={differing.length > 0 && !isBlank}
              />
            </DialogFooter>
          </>
        ) : (
          <>
            <BulkResults cameras={changed} progress={progress} text={() => t('Renamed')} />
            <Close onClose={onClose} />
          </>
        )}
      </form>
    </Dialog>
  );
}

export function BulkDeleteDialog({ cameras, onClose }: BulkProps) {
  const [taken] = useState(cameras);
  const [isStarted, setIsStarted] = useState(false);
  const { progress, start } = useBulk<void>();
  const shares = taken.reduce((sum, { liveStreamsSharedCount }) => sum + liveStreamsSharedCount, 0);
  return (
    <Dialog
      title={t('Delete {count, plural, one {# camera} other {# cameras}}?', { count: taken.length })}
      onClose={onClose}
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          setIsStarted(true);
          void start(taken, CHANGES_AT_ONCE, ({ uuid }) => removeCamera(uuid));
        }}
      >
        {isStarted ? (
          <>
            <BulkResults cameras={taken} progress={progress} text={() => t('Deleted')} />
            <Close onClose={onClose} />
          </>
        ) : (
          <>
            <p>
              {shares === 0
                ? t('They are not shared.')
                : t(
                    '{count, plural, one {# share ends, and its link stops working for good.} other {# shares end, and their links stop working for good.}}',
                    { count: shares },
                  )}{' '}
              {t('Everyone who watches them is cut off. This cannot be undone.')}
            </p>
            <ul class="words">
              {taken.map(({ uuid, name }) => (
                <li key={uuid} class="break">
                  {name}
                </li>
              ))}
            </ul>
            <DialogFooter onBack={onClose}>
              <SubmitButton
                text={t('Delete {count, plural, one {# camera} other {# cameras}}', { count: taken.length })}
                isDanger
              />
            </DialogFooter>
          </>
        )}
      </form>
    </Dialog>
  );
}
