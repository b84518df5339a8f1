/** First steps: from a fresh gateway to a camera on a phone. The gateway decides which steps are done, not clicks. */

import { useEffect, useState } from 'preact/hooks';
import { type CameraItem, STATE_NAMES, stateOf } from '../camera-state.ts';
import {
  concernsFirstSteps,
  type FirstSteps,
  hasPublicUrl,
  isWorking,
  readCameraStates,
  readFirstSteps,
} from '../first-steps.ts';
import { isInMenu, showInMenu } from '../first-steps-choice.ts';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import { useReading } from '../reading.ts';
import { CameraPicture } from '../ui/camera-picture.tsx';
import { KeyStep } from '../ui/key-step.tsx';
import { LivePreview } from '../ui/live-preview.tsx';
import { PublicUrlStep } from '../ui/public-url-step.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { SetupStep } from '../ui/setup-step.tsx';
import { ShareStep } from '../ui/share-step.tsx';
import { StateLine, Step } from '../ui/step.tsx';
import { t } from '../words.ts';

const STATE_MS = 3_000;

export function StartPage() {
  usePageTitle(t('First steps'));
  const reading = useReading(readFirstSteps, [], concernsFirstSteps);
  return (
    <>
      <div class="page-head">
        <h1>{t('First steps')}</h1>
        <button type="button" class="quiet" onClick={() => showInMenu(!isInMenu.value)}>
          {isInMenu.value ? t('Hide from the menu') : t('Show in the menu')}
        </button>
      </div>
      <ReadingView reading={reading} what={t('what is done')}>
        {(steps) => <Steps steps={steps} refresh={reading.refresh} />}
      </ReadingView>
    </>
  );
}

/** The stream announces when a camera goes offline and reconnects, not when a new one begins. So the page asks for that. */
function useCurrentStates(cameras: readonly (CameraItem | null)[]): (camera: CameraItem) => CameraItem {
  const uuids = cameras.flatMap((camera) => camera?.uuid ?? []);
  const reading = useReading((signal) => readCameraStates(uuids, signal), [uuids.join()]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reading.refresh();
    }, STATE_MS);
    return () => clearInterval(timer);
  }, [reading]);
  const current = reading.state.value;
  return (camera) => {
    const main = current.kind === 'read' ? current.value.get(camera.uuid) : undefined;
    if (main === undefined) return camera;
    const { state, sinceMs, offlineSinceMs, nextRetryMs, errorCode, errorSentence, errorAdvice } = main;
    return {
      ...camera,
      connectionDetail: {
        state,
        ...(sinceMs === undefined ? {} : { sinceMs }),
        ...(offlineSinceMs === undefined ? {} : { offlineSinceMs }),
        ...(nextRetryMs === undefined ? {} : { retryAtMs: nextRetryMs }),
        ...(errorCode === undefined ? {} : { code: errorCode }),
        ...(errorSentence === undefined ? {} : { message: errorSentence }),
        ...(errorAdvice === undefined ? {} : { advice: errorAdvice }),
      },
    };
  };
}

function Steps({ steps, refresh }: { readonly steps: FirstSteps; readonly refresh: () => void }) {
  const [isWatched, setIsWatched] = useState(false);
  const [isOpened, setIsOpened] = useState(false);
  const { keyNames, settings } = steps;
  const own = steps.ownCameras.findLast(isWorking) ?? steps.ownCameras.at(-1) ?? null;
  const asNow = useCurrentStates([steps.shown, own]);
  const shown = steps.shown === null ? null : asNow(steps.shown);
  const camera = own === null ? null : asNow(own);
  const done = [
    shown !== null && stateOf(shown) === 'live',
    keyNames.length > 0,
    camera !== null && isWorking(camera),
    isWatched,
    isOpened,
    ...(settings === null ? [] : [hasPublicUrl(steps)]),
  ];
  const count = done.filter(Boolean).length;
  const isAll = count === done.length;
  useEffect(() => {
    if (isAll) showInMenu(false);
  }, [isAll]);
  return (
    <>
      <div class="steps-progress">
        <progress max={done.length} value={count} aria-label={t('Steps that are done')} />
        <p role="status">
          {isAll
            ? t('All done. This page has left the menu; your account links to it.')
            : t('{count} of {all} done', { count, all: done.length })}
        </p>
      </div>
      <ol class="steps">
        <Step
          number={1}
          title={shown === null ? t('See live video') : t('See {name} live', { name: shown.name })}
          isDone={done[0]!}
          staysOpen={!done[2]}
          aside={shown !== null && <LivePreview cameraUuid={shown.uuid} name={shown.name} />}
        >
          {shown === null ? (
            <p>{t('There is no camera yet. Add one below.')}</p>
          ) : (
            <>
              <p>{t('This is the player that viewers get. It plays from memory: nothing is recorded.')}</p>
              <StateLine kind={stateOf(shown) === 'offline' ? 'bad' : done[0] ? 'good' : 'waiting'}>
                {STATE_NAMES[stateOf(shown)]}
                {shown.connectionDetail?.message !== undefined && `: ${shown.connectionDetail.message}`}
              </StateLine>
            </>
          )}
        </Step>
        <CameraStep number={2} camera={camera} isDone={done[2]!} />
        <ShareStep number={3} steps={steps} onChanged={refresh} onWatched={setIsWatched} />
        <PublicUrlStep number={4} shareStep={3} onOpened={setIsOpened} />
        {settings !== null && <SetupStep number={5} settings={settings} isDone={hasPublicUrl(steps)} />}
        <KeyStep number={settings === null ? 5 : 6} keyNames={keyNames} onCreated={refresh} />
      </ol>
    </>
  );
}

function CameraStep({
  number,
  camera,
  isDone,
}: {
  readonly number: number;
  readonly camera: CameraItem | null;
  readonly isDone: boolean;
}) {
  return (
    <Step
      number={number}
      title={t('Add your first camera')}
      isDone={isDone}
      aside={camera !== null && <CameraPicture camera={camera} />}
    >
      <p>{t('Sluice finds ONVIF cameras in your network, or takes the RTSP address of any other.')}</p>
      {camera !== null && (
        <StateLine kind={isDone ? 'good' : stateOf(camera) === 'offline' ? 'bad' : 'waiting'}>
          <a href={place(`cameras/${camera.uuid}`)}>{camera.name}</a>: {STATE_NAMES[stateOf(camera)]}
          {camera.connectionDetail?.message !== undefined && `. ${camera.connectionDetail.message}`}
        </StateLine>
      )}
      <div class="buttons">
        <a class={camera === null ? 'button primary' : 'button'} href={place('cameras/add')}>
          {camera === null ? t('Add a camera') : t('Add another camera')}
        </a>
      </div>
    </Step>
  );
}
