/** In which time zone a schedule counts for these cameras, and where that comes from. A camera without a site can be put at one. */

import { SITES_PLACE } from '../camera-places.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { useReading } from '../reading.ts';
import { DEFAULT_TIME_ZONE } from '../schedule-state.ts';
import { may } from '../session.ts';
import { changeAll, type Places, placeCamera, readPlaces } from '../site-list.ts';
import { timeIn } from '../time-zones.ts';
import { t, tRich } from '../words.ts';
import { FormError } from './form-error.tsx';
import { ReadingView } from './reading-view.tsx';
import { SelectField } from './select.tsx';
import { useAction } from './use-action.ts';

const CONCERNED: ReadonlySet<string> = new Set(['LOCATION', 'NVR', 'CAMERA']);

export function ScheduleZone({ cameraUuids }: { readonly cameraUuids: readonly string[] }) {
  const reading = useReading(readPlaces, [], ({ entity }) => CONCERNED.has(entity));
  return (
    <ReadingView reading={reading} what={t('time zones')}>
      {(places) => <Zones places={places} cameraUuids={cameraUuids} onMoved={reading.refresh} />}
    </ReadingView>
  );
}

function Zones({
  places: { sites, homeless },
  cameraUuids,
  onMoved,
}: {
  readonly places: Places;
  readonly cameraUuids: readonly string[];
  readonly onMoved: () => void;
}) {
  const { isBusy, error, run } = useAction();
  const meant = new Set(cameraUuids);
  const without = homeless.filter(({ uuid }) => meant.has(uuid));
  const at = sites.filter(({ cameras }) => cameras.some(({ uuid }) => meant.has(uuid)));
  const [timeZone, time] = [DEFAULT_TIME_ZONE, timeIn(DEFAULT_TIME_ZONE, gatewayNowMs())];
  return (
    <div class="zones">
      {at.map(({ uuid, name, timeZone: zone }) => (
        <p key={uuid} class="hint">
          {tRich('Times are those of <b>{name}</b>: {timeZone}, where it is {time}.', {
            name,
            b: (text) => <b>{text}</b>,
            timeZone: zone,
            time: timeIn(zone, gatewayNowMs()),
          })}
        </p>
      ))}
      {without.length > 0 && (
        <>
          <p class="warning-line">
            {without.length === 1 && meant.size === 1
              ? t('This camera is at no site: the schedule runs in {timeZone}, where it is {time}.', {
                  timeZone,
                  time,
                })
              : t(
                  '{count} of these cameras are at no site: the schedule runs in {timeZone}, where it is {time}.',
                  { count: without.length, timeZone, time },
                )}
          </p>
          {may('admin') && sites.length === 0 && (
            <p>
              {tRich('<link>Create a site</link> with its time zone, in a new tab.', {
                link: (text) => (
                  <a href={SITES_PLACE} target="_blank" rel="noreferrer">
                    {text}
                  </a>
                ),
              })}
            </p>
          )}
          {may('admin') && sites.length > 0 && (
            <SelectField
              label={isBusy ? t('Setting the site…') : t('Set its site now')}
              value=""
              options={[
                { value: '', title: t('None: UTC') },
                ...sites.map(({ uuid, name, timeZone }) => ({ value: uuid, title: `${name} (${timeZone})` })),
              ]}
              onValue={(locationUuid) =>
                void run(async () => {
                  await changeAll(without, ({ uuid }) => placeCamera(uuid, { locationUuid }));
                  onMoved();
                })
              }
            />
          )}
          <FormError error={error} />
        </>
      )}
    </div>
  );
}
