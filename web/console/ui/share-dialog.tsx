/** One share: what its viewers see, who they are, its links, and what can be done with it, a step at a time. */

import { useRef, useState } from 'preact/hooks';
import { cameraPlace } from '../camera-places.ts';
import { place } from '../places.ts';
import { may } from '../session.ts';
import { hasSchedule, type ShareItem, targetText, type WallContent } from '../share-item.ts';
import { schedulePlace } from '../share-places.ts';
import { hiddenText } from '../wall-list.ts';
import { t, tRich } from '../words.ts';
import { ClockTime } from './clock-time.tsx';
import { Dialog } from './dialog.tsx';
import { Facts } from './facts.tsx';
import { LinkWays, OncePassword, readyLinkOf } from './link-ways.tsx';
import { backText } from './past-field.tsx';
import { EditStep, EndStep, ExtendStep, PasswordStep } from './share-steps.tsx';
import { ShareViewerList } from './share-viewer-list.tsx';
import { ShareVisibilityView } from './share-visibility.tsx';
import { ExactTime, TimeAgo } from './time.tsx';

type Step = 'view' | 'edit' | 'extend' | 'password' | 'end';

export interface ShareDialogProps {
  readonly share: ShareItem;
  readonly isOffline: boolean;
  /** Null: the share shows no wall, or its names are not known yet. */
  readonly wall: WallContent | null;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function ShareDialog({ share, isOffline, wall, onChanged, onClose }: ShareDialogProps) {
  const [step, setStep] = useState<Step>('view');
  const rowStays = useRef(true);
  const [password, setPassword] = useState('');
  const done = () => {
    onChanged();
    setStep('view');
  };
  const back = () => setStep('view');
  const titles: Readonly<Record<Step, string>> = {
    view: share.name,
    edit: t('Edit {name}', { name: share.name }),
    extend: t('Extend {name}', { name: share.name }),
    password: t('Password of {name}', { name: share.name }),
    end: t('End {name}?', { name: share.name }),
  };
  const props = { share, onDone: done, onBack: back };
  return (
    <Dialog title={titles[step]} onClose={onClose} openerStays={rowStays}>
      {step === 'view' && (
        <View share={share} isOffline={isOffline} wall={wall} password={password} onStep={setStep} />
      )}
      {step === 'edit' && <EditStep {...props} />}
      {step === 'extend' && <ExtendStep {...props} />}
      {step === 'password' && (
        <PasswordStep
          {...props}
          onDone={(set) => {
            setPassword(set);
            done();
          }}
        />
      )}
      {step === 'end' && (
        <EndStep
          {...props}
          onDone={() => {
            rowStays.current = false;
            onChanged();
            onClose();
          }}
        />
      )}
    </Dialog>
  );
}

function View({
  share,
  isOffline,
  wall,
  password,
  onStep,
}: {
  readonly share: ShareItem;
  readonly isOffline: boolean;
  readonly wall: WallContent | null;
  readonly password: string;
  readonly onStep: (step: Step) => void;
}) {
  return (
    <div class="form">
      {share.pageUrl === '' ? (
        <p class="hint">{t('Your role can watch, but not pass on links. Ask an operator for this one.')}</p>
      ) : (
        <LinkWays link={readyLinkOf(share)} />
      )}
      {password !== '' && <OncePassword password={password} />}
      {may('operator') && (
        <div class="buttons deeds">
          {share.expiresAtMs !== null && (
            <button type="button" onClick={() => onStep('extend')}>
              {t('Extend')}
            </button>
          )}
          <button type="button" onClick={() => onStep('edit')}>
            {t('Edit')}
          </button>
          <button type="button" onClick={() => onStep('password')}>
            {share.passwordProtected ? t('New password') : t('Set a password')}
          </button>
          <button type="button" class="danger" onClick={() => onStep('end')}>
            {t('End share')}
          </button>
        </div>
      )}
      <ShareVisibilityView share={share} isOffline={isOffline} />
      <ShareViewerList share={share} />
      <About share={share} wall={wall} />
    </div>
  );
}

function About({ share, wall }: { readonly share: ShareItem; readonly wall: WallContent | null }) {
  const { scheduleUuid, scheduleName, invertSchedule, creatorName, creatorLeft, timeZones } = share;
  const { vodEnabled, vodExpirationTime } = share;
  return (
    <section class="dialog-part">
      <h3>{t('About')}</h3>
      <Facts
        facts={[
          [t('Shows'), wall === null ? targetText(share) : <WallCameras share={share} wall={wall} />],
          [t('Ends'), share.expiresAtMs === null ? t('Never') : <ClockTime epochMs={share.expiresAtMs} />],
          [t('Password'), passwordText(share)],
          [
            t('Schedule'),
            scheduleUuid === null
              ? t('None')
              : tRich(
                  '{isHidden, select, true {Hidden} other {Shown}} during <link>{schedule}</link>, in the time of {zones}',
                  {
                    isHidden: String(invertSchedule),
                    schedule: scheduleName ?? t('a schedule that is gone'),
                    link: (text) => <a href={schedulePlace(scheduleUuid)}>{text}</a>,
                    zones: timeZones.join(', '),
                  },
                ),
          ],
          [t('Past'), hasSchedule(share) ? pastText(share) : null],
          [
            t('The past ends'),
            vodEnabled && vodExpirationTime !== undefined ? (
              <ClockTime epochMs={vodExpirationTime * 1_000} />
            ) : null,
          ],
          [t('Talk'), share.talk === true ? t('Viewers can talk to people at the camera') : null],
          [t('Privacy masks'), share.showsUnmasked ? t('Not applied') : null],
          ['CDN', share.cdn === undefined ? null : cdnText(share.cdn)],
          [t('Last viewed'), <LastViewed share={share} />],
          [
            t('Created'),
            creatorName === undefined ? (
              <ExactTime epochMs={share.createdAtMs} />
            ) : (
              <>
                {tRich('{time} by {person}', {
                  time: <ExactTime epochMs={share.createdAtMs} />,
                  person: creatorName,
                })}{' '}
                {creatorLeft && <span class="badge warn">{t('Has left')}</span>}
              </>
            ),
          ],
        ]}
      />
    </section>
  );
}

/** All cameras of a wall, each with the way to its page. */
function WallCameras({
  share,
  wall: { wallUuid, cameras, hiddenCameras },
}: {
  readonly share: ShareItem;
  readonly wall: WallContent;
}) {
  return (
    <>
      <a href={place(`walls/${wallUuid}`)}>{targetText(share)}</a>
      <ul class="words">
        {cameras.map(({ uuid, name }) => (
          <li key={uuid} class="break">
            <a href={cameraPlace(uuid)}>{name}</a>
          </li>
        ))}
        {hiddenCameras > 0 && <li>{hiddenText(hiddenCameras)}</li>}
      </ul>
    </>
  );
}

function pastText({ vodEnabled, vodPastSecs }: ShareItem): string {
  if (!vodEnabled) return t('Viewers see live video only');
  if (vodPastSecs === undefined) return t('Viewers see back to when the link was made');
  return t('Viewers see {time} back', { time: backText(vodPastSecs) });
}

function LastViewed({ share: { viewerCount, lastViewedAtMs } }: { readonly share: ShareItem }) {
  if (viewerCount > 0) return <>{t('Now')}</>;
  return lastViewedAtMs === undefined ? (
    t('No one yet, as far as is known')
  ) : (
    <TimeAgo epochMs={lastViewedAtMs} />
  );
}

function cdnText(cdn: boolean): string {
  return cdn ? t('Can serve the video') : t('Does not serve the video');
}

function passwordText({ passwordProtected, ssoProtected }: ShareItem): string {
  if (ssoProtected)
    return passwordProtected ? t('Yes, after the viewer signed in') : t('No, but viewers sign in');
  return passwordProtected ? t('Yes') : t('No: everyone who has the link can watch');
}
