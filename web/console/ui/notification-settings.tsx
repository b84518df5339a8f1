/** How a person learns of alerts: in this browser, and at which hours. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { LANGUAGE, TIME_ZONE } from '../../words/choices.ts';
import { dayTimeFormat } from '../../words/formats.ts';
import { CallError, call } from '../api.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { choiceOf, isPlain } from '../notice-choice.ts';
import { NOTIFICATIONS_HASH } from '../notice-place.ts';
import { place } from '../places.ts';
import { type PushState, readPushState, turnOffPush, turnOnPush } from '../push-browser.ts';
import {
  framesOf,
  type NotificationSettings,
  nextQuiet,
  type QuietTime,
  weekOfFrames,
} from '../quiet-hours.ts';
import { useReading } from '../reading.ts';
import { type RightsPlaces, readRightsPlaces } from '../rights.ts';
import { may, type Person } from '../session.ts';
import { ALWAYS, isSameWeek, NEVER, type Week } from '../week.ts';
import { weekText } from '../week-words.ts';
import { t, tRich } from '../words.ts';
import { Chips } from './chips.tsx';
import { FormDialog } from './form-dialog.tsx';
import { FormError } from './form-error.tsx';
import { NoticeChoiceDialog, NoticeChoiceFacts } from './notice-choice-dialog.tsx';
import { ProgramName } from './program-name.tsx';
import { ReadingView } from './reading-view.tsx';
import { useAction } from './use-action.ts';
import { WeekGrid } from './week-grid.tsx';
import { WeekPresets } from './week-presets.tsx';

interface Known {
  readonly places: RightsPlaces;
  readonly settings: NotificationSettings;
  readonly browsers: readonly {
    readonly pushSubscriptionUuid: string;
    readonly userAgent?: string;
    readonly isCurrent: boolean;
  }[];
}

async function readKnown(signal: AbortSignal): Promise<Known> {
  const [{ notificationSettings: settings }, { pushSubscriptions: browsers }, places] = await Promise.all([
    call('customer/getCurrentUserNotificationSettings', {}, signal),
    call('console/getPushSubscriptions', {}, signal),
    readRightsPlaces(signal),
  ]);
  return { settings, browsers, places };
}

export function NotificationPart({ person }: { readonly person: Person }) {
  const reading = useReading(readKnown, []);
  const part = useRef<HTMLElement>(null);
  const isRead = reading.state.value.kind === 'read';
  // Someone came here from the alerts: what is above may still have grown.
  useEffect(() => {
    if (location.hash === NOTIFICATIONS_HASH) part.current?.scrollIntoView();
  }, [isRead]);
  return (
    <section ref={part} class="part notification-part" aria-labelledby="notifications-title">
      <h2 id="notifications-title">{t('Notifications of alerts')}</h2>
      <p class="hint">
        {t('Each person chooses here how and when they are notified.')}{' '}
        {may('admin') &&
          tRich('Alerts also go to <centers>alarm centers</centers> and <hooks>webhooks</hooks>.', {
            centers: (text) => <a href={place('mail/alarm-centers')}>{text}</a>,
            hooks: (text) => <a href={place('activity/webhooks')}>{text}</a>,
          })}
      </p>
      <ReadingView reading={reading} what={t('notification settings')}>
        {(known) => (
          <>
            <ThisBrowser person={person} refresh={reading.refresh} />
            <OtherBrowsers browsers={known.browsers} refresh={reading.refresh} />
            <Hours settings={known.settings} refresh={reading.refresh} />
            <Alerts settings={known.settings} places={known.places} refresh={reading.refresh} />
          </>
        )}
      </ReadingView>
    </section>
  );
}

const STATE_TEXTS: Readonly<Record<Exclude<PushState, 'on' | 'off'>, string>> = {
  insecure: t('Browsers show notifications only if the console is opened with https.'),
  unsupported: t(
    'This browser cannot show notifications. On an iPhone, add the console to the home screen first.',
  ),
  denied: t('You blocked notifications of this page. Allow them in the settings of the browser.'),
};

function ThisBrowser({ person, refresh }: { readonly person: Person; readonly refresh: () => void }) {
  const [state, setState] = useState<PushState | null>(null);
  const [failure, setFailure] = useState('');
  const { isBusy, error, run } = useAction();
  useEffect(() => {
    void readPushState(person.personUuid).then(setState);
  }, [person.personUuid]);
  const turnOn = async () => {
    setFailure('');
    try {
      setState(await turnOnPush(person.personUuid));
    } catch (thrown) {
      if (thrown instanceof CallError) throw thrown;
      // The browser's push service, which the gateway does not know.
      setFailure(t('The browser could not subscribe: its push service did not answer.'));
    }
    refresh();
  };
  if (state === null) return null;
  if (state !== 'on' && state !== 'off') return <p class="hint">{STATE_TEXTS[state]}</p>;
  return (
    <>
      <p>
        {state === 'on'
          ? t('This browser shows new alerts, also while the console is closed.')
          : t('This browser shows new alerts only while the console is open.')}
      </p>
      <FormError error={error} />
      {failure !== '' && (
        <p class="form-error" role="alert">
          {failure}
        </p>
      )}
      <div class="buttons">
        {state === 'off' ? (
          <button type="button" class="primary" disabled={isBusy} onClick={() => void run(turnOn)}>
            {t('Turn on notifications')}
          </button>
        ) : (
          <button
            type="button"
            disabled={isBusy}
            onClick={() =>
              void run(async () => {
                await turnOffPush();
                setState('off');
                refresh();
              })
            }
          >
            {t('Turn off notifications')}
          </button>
        )}
      </div>
    </>
  );
}

function OtherBrowsers({
  browsers,
  refresh,
}: {
  readonly browsers: Known['browsers'];
  readonly refresh: () => void;
}) {
  const { isBusy, error, run } = useAction();
  const others = browsers.filter(({ isCurrent }) => !isCurrent);
  if (others.length === 0) return null;
  return (
    <>
      <p>{t('Other browsers that show them:')}</p>
      <FormError error={error} />
      <ul class="words">
        {others.map(({ pushSubscriptionUuid, userAgent = '' }) => (
          <li key={pushSubscriptionUuid}>
            <ProgramName userAgent={userAgent} />{' '}
            <button
              type="button"
              class="quiet"
              disabled={isBusy}
              onClick={() =>
                void run(async () => {
                  await call('console/deletePushSubscription', { pushSubscriptionUuid });
                  refresh();
                })
              }
            >
              {t('Turn off')}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

type HoursKind = 'always' | 'hours' | 'never';

function Hours({
  settings,
  refresh,
}: {
  readonly settings: NotificationSettings;
  readonly refresh: () => void;
}) {
  const [isPainting, setIsPainting] = useState(false);
  const { error, run } = useAction();
  const { timeFrames, timeZone = TIME_ZONE, summaryEmailEnabled } = settings;
  const week = weekOfFrames(timeFrames);
  const kind: HoursKind = isSameWeek(week, ALWAYS) ? 'always' : week.length === 0 ? 'never' : 'hours';
  const save = async (painted: Week) => {
    await call('customer/updateCurrentUserNotificationSettings', {
      timeFrames: framesOf(painted, timeFrames, choiceOf(timeFrames, summaryEmailEnabled)),
      timeZone: TIME_ZONE,
    });
    refresh();
  };
  const quiet = nextQuiet(week, timeZone, gatewayNowMs());
  return (
    <>
      <Chips
        legend={t('When you are notified')}
        value={kind}
        options={[
          { value: 'always', title: t('Always') },
          { value: 'hours', title: t('At some hours') },
          { value: 'never', title: t('Never') },
        ]}
        onValue={(chosen) => {
          if (chosen === 'hours') setIsPainting(true);
          else void run(() => save(chosen === 'always' ? ALWAYS : NEVER));
        }}
      />
      <FormError error={error} />
      <p role="status">{quietText(quiet, timeZone)}</p>
      {kind === 'hours' && (
        <div class="buttons">
          <button type="button" onClick={() => setIsPainting(true)}>
            {t('Change the hours')}
          </button>
        </div>
      )}
      <p class="hint">
        {t('Quiet means: no notice, no sound, and no notification. The page of alerts shows all.')}
      </p>
      {isPainting && (
        <HoursDialog
          week={kind === 'hours' ? week : NEVER}
          onSave={save}
          onClose={() => setIsPainting(false)}
        />
      )}
    </>
  );
}

/** Which ones, and how; nothing while nothing is shown at all. */
function Alerts({
  settings: { timeFrames, summaryEmailEnabled },
  places,
  refresh,
}: {
  readonly settings: NotificationSettings;
  readonly places: RightsPlaces;
  readonly refresh: () => void;
}) {
  const [isChoosing, setIsChoosing] = useState(false);
  const week = weekOfFrames(timeFrames);
  if (week.length === 0) return null;
  const choice = choiceOf(timeFrames, summaryEmailEnabled);
  return (
    <>
      <h3>{t('Which alerts notify you')}</h3>
      <NoticeChoiceFacts choice={choice} known={places} />
      {!isPlain(timeFrames) && (
        <p class="hint">
          {t('A program has stored more than this page shows. It stays until you choose other alerts here.')}
        </p>
      )}
      <div class="buttons">
        <button type="button" onClick={() => setIsChoosing(true)}>
          {t('Choose alerts')}
        </button>
      </div>
      {isChoosing && (
        <NoticeChoiceDialog
          choice={choice}
          onSave={async (chosen) => {
            await call('customer/updateCurrentUserNotificationSettings', {
              timeFrames: framesOf(week, timeFrames, chosen),
              summaryEmailEnabled: chosen.mediums.includes('EMAIL'),
              language: LANGUAGE,
              timeZone: TIME_ZONE,
            });
            refresh();
          }}
          onClose={() => setIsChoosing(false)}
        />
      )}
    </>
  );
}

function HoursDialog({
  week: initial,
  onSave,
  onClose,
}: {
  readonly week: Week;
  readonly onSave: (week: Week) => Promise<void>;
  readonly onClose: () => void;
}) {
  const [week, setWeek] = useState(initial);
  return (
    <FormDialog
      title={t('When you are notified')}
      submit={t('Save')}
      isReady={week.length > 0}
      onSubmit={async () => {
        await onSave(week);
        onClose();
      }}
      onClose={onClose}
    >
      <WeekPresets onWeek={setWeek} />
      <WeekGrid week={week} isReadOnly={false} onWeek={setWeek} />
      <p class="hint" aria-live="polite">
        {week.length === 0 ? t('Drag to paint, over painted time to clear it.') : weekText(week).join('; ')}
      </p>
      <p class="hint">{t('Times are in {zone}.', { zone: TIME_ZONE })}</p>
    </FormDialog>
  );
}

const DAY_MS = 24 * 60 * 60_000;

function quietText(quiet: QuietTime | null, timeZone: string): string {
  if (quiet === null) return t('No quiet hours.');
  const { fromMs, toMs } = quiet;
  if (toMs === null) return t('Quiet at all times.');
  const to = momentText(toMs, timeZone);
  return fromMs === null
    ? t('Quiet now, until {to}.', { to })
    : t('Next: quiet from {from} to {to}.', { from: momentText(fromMs, timeZone), to });
}

/** As in "22:00", with the day if it is not soon. */
function momentText(epochMs: number, timeZone: string): string {
  const isSoon = epochMs - gatewayNowMs() < DAY_MS;
  return dayTimeFormat(isSoon ? 'minutes' : 'weekdayMinutes', timeZone).format(epochMs);
}
