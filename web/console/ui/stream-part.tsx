/** One stream of a camera: its current state, advice about it, and its last hour. */

import { useEffect } from 'preact/hooks';
import { numberFormat } from '../../words/formats.ts';
import { readStreamCounters } from '../camera-history.ts';
import { cameraSourcePlace } from '../camera-places.ts';
import { FAULT_TITLES, repairOf } from '../fault-words.ts';
import type { Counters } from '../gateway-state.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { may } from '../session.ts';
import { bitRateText, type CameraStreams, type StreamState } from '../stream-state.ts';
import { t } from '../words.ts';
import { StateSign } from './camera-sign.tsx';
import { Facts } from './facts.tsx';
import { NextTry } from './next-try.tsx';
import { Plot } from './plot.tsx';
import { ReadingView } from './reading-view.tsx';
import { TryAgain } from './try-again.tsx';

/** Counters have a sample this often. */
const SAMPLE_MS = 10_000;
/** Viewers notice that they wait for a key frame. As `camera-advice.ts` of the gateway. */
const RARE_KEY_FRAMES_SEC = 4;
const DAY_SEC = 86_400;
/** What people would see on the camera's clock. */
const MIN_DRIFT_SEC = 0.1;

export function StreamFacts({
  title,
  stream,
  camera,
}: {
  readonly title: string;
  readonly stream: StreamState;
  readonly camera: CameraStreams;
}) {
  const { width, height, frameRate, bitsPerSec, keyFrameDistanceSec, droppedFrames, clockDriftPpm } = stream;
  return (
    <section class="stream">
      <h2>{title}</h2>
      <p>
        <StateSign state={stream.state} sinceMs={stream.sinceMs} offlineSinceMs={stream.offlineSinceMs} />
      </p>
      {stream.errorSentence !== undefined && <Trouble stream={stream} camera={camera} />}
      <Facts
        facts={[
          [t('Codecs'), stream.codecs?.join(', ') ?? null],
          [t('Size'), width === undefined || height === undefined ? null : `${width} × ${height}`],
          [
            t('Frames'),
            frameRate === undefined ? null : t('{frameRate} per second', { frameRate: frameRate.toFixed(1) }),
          ],
          [t('Bit rate'), bitsPerSec === undefined ? null : bitRateText(bitsPerSec)],
          [
            t('Key frame'),
            keyFrameDistanceSec === undefined
              ? null
              : t('every {keyFrameDistanceSec} s', { keyFrameDistanceSec: keyFrameDistanceSec.toFixed(1) }),
          ],
          [t('Lost frames'), droppedFrames === undefined ? null : String(droppedFrames)],
          [t('Clock'), clockDriftPpm === undefined ? null : driftText(clockDriftPpm)],
          [t('Converted by'), stream.worker === true ? t('the gateway (ffmpeg)') : null],
          [t('Waiting'), stream.waitingBehind === undefined ? null : t('until the gateway has capacity')],
        ]}
      />
      {keyFrameDistanceSec !== undefined && keyFrameDistanceSec >= RARE_KEY_FRAMES_SEC && (
        <p class="advice">
          {t(
            'A key frame comes every {round} s: viewers wait up to {round} s for the picture. Set the key frame interval to 2 s.',
            { round: Math.round(keyFrameDistanceSec) },
          )}
        </p>
      )}
    </section>
  );
}

/** Why it does not stream, what to do, what repairs it, and when it is tried again. */
export function Trouble({
  stream,
  camera: { cameraUuid, name, main, declared },
}: {
  readonly stream: StreamState;
  readonly camera: Pick<CameraStreams, 'cameraUuid' | 'name' | 'main' | 'declared'>;
}) {
  const repair = repairOf(stream.errorReason);
  return (
    <div class="trouble break">
      {stream.errorReason !== undefined && (
        <p>
          <b>{FAULT_TITLES[stream.errorReason]}</b>
        </p>
      )}
      <p>
        {stream.errorSentence} <code>{stream.errorCode}</code>
      </p>
      {stream.errorAdvice !== undefined && <p>{stream.errorAdvice}</p>}
      <p>
        <NextTry atMs={stream.nextRetryMs} />
      </p>
      <p class="trouble-deeds">
        {stream === main && <TryAgain camera={{ uuid: cameraUuid, name }} code={stream.errorCode} />}
        {repair !== null && may('admin') && (
          <a class="button" href={cameraSourcePlace(cameraUuid, declared ? undefined : repair.field)}>
            {declared ? t('Change it in the configuration file…') : repair.text}
          </a>
        )}
      </p>
    </div>
  );
}

/** The last hour of a stream; updates while the page is open. */
export function useStreamHour(cameraUuid: string, profile: 'main' | 'sub'): ReadingHandle<Counters> {
  const reading = useReading(
    (signal) => readStreamCounters(cameraUuid, profile, signal),
    [cameraUuid, profile],
  );
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reading.refresh();
    }, SAMPLE_MS);
    return () => clearInterval(timer);
  }, [reading]);
  return reading;
}

export function SubstreamHour({ cameraUuid }: { readonly cameraUuid: string }) {
  return <StreamHour title={t('Substream')} reading={useStreamHour(cameraUuid, 'sub')} />;
}

export function StreamHour({
  title,
  reading,
}: {
  readonly title: string;
  readonly reading: ReadingHandle<Counters>;
}) {
  return (
    <section class="part" aria-label={t('{title}, the last hour', { title })}>
      <h2>{t('{title}, the last hour', { title })}</h2>
      <ReadingView reading={reading} what={t('counters')}>
        {(counters) => (
          <div class="plots">
            <Plot title={t('Bit rate')} counters={counters} name="bitsPerSec" text={bitRateText} hasTable />
            <Plot
              title={t('Frames per second')}
              counters={counters}
              name="videoFramesPerSec"
              text={(value) => value.toFixed(1)}
              hasTable
            />
            <Plot
              title={t('Key frame distance')}
              counters={counters}
              name="keyFrameDistanceMs"
              text={(value) => `${(value / 1_000).toFixed(1)} s`}
              hasTable
            />
            <Plot
              title={t('Lost frames')}
              counters={counters}
              name="droppedFrames"
              text={(value) => String(Math.round(value))}
              hasTable
            />
            <Plot
              title={t('Clock drift')}
              counters={counters}
              name="clockDriftPpm"
              text={(value) => `${Math.round(value)} ppm`}
              isSigned
              hasTable
            />
          </div>
        )}
      </ReadingView>
    </section>
  );
}

function driftText(ppm: number): string {
  const perDay = (Math.abs(ppm) * DAY_SEC) / 1e6;
  if (perDay < MIN_DRIFT_SEC) return t('runs right');
  const seconds = numberFormat({ maximumFractionDigits: 1 }).format(perDay);
  return ppm > 0 ? t('gains {seconds} s per day', { seconds }) : t('loses {seconds} s per day', { seconds });
}
