/** One camera: live, and what each of its streams does. */

import { useEffect } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { cameraSourcePlace } from '../camera-places.ts';
import { STATE_NAMES } from '../camera-state.ts';
import { usePageTitle } from '../page-title.ts';
import { place } from '../places.ts';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import { bitRateText, type CameraStreams, readCameraStreams, type StreamState } from '../stream-state.ts';
import { Facts } from '../ui/facts.tsx';
import { LivePreview } from '../ui/live-preview.tsx';
import { ReadingView } from '../ui/reading-view.tsx';
import { TimeAgo, TimeSince } from '../ui/time.tsx';

/** The real-time stream tells states; bit rates and the like have to be asked for. */
const MEASURE_MS = 5_000;

export function CameraPage() {
  const { params } = useRoute();
  const cameraUuid = params.cameraUuid ?? '';
  const reading = useReading(
    (signal) => readCameraStreams(cameraUuid, signal),
    [cameraUuid],
    ({ entity, entityUuid }) => entity === 'CAMERA' && entityUuid === cameraUuid,
  );
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reading.refresh();
    }, MEASURE_MS);
    return () => clearInterval(timer);
  }, [reading]);
  return (
    <>
      <p>
        <a href={place('')}>All cameras</a>
        {may('admin') && (
          <>
            {' · '}
            <a href={cameraSourcePlace(cameraUuid)}>Edit name, site and address</a>
          </>
        )}
      </p>
      <ReadingView reading={reading} what="the camera">
        {(camera) => <Camera camera={camera} />}
      </ReadingView>
    </>
  );
}

function Camera({ camera }: { readonly camera: CameraStreams }) {
  const { cameraUuid, name, main, sub, viewers } = camera;
  usePageTitle(name);
  return (
    <>
      <h1 class="break">{name}</h1>
      <div class="camera-page">
        <LivePreview cameraUuid={cameraUuid} name={name} />
        <div class="part">
          <p class="hint">{viewersText(viewers)}</p>
          <Stream title={sub === undefined ? 'Stream' : 'Main stream'} stream={main} />
          {sub !== undefined && <Stream title="Substream" stream={sub} />}
        </div>
      </div>
    </>
  );
}

/** The preview of this page is one of them. */
function viewersText(viewers: number): string {
  if (viewers === 0) return 'No one is watching now.';
  return viewers === 1 ? '1 viewer now, this page included.' : `${viewers} viewers now, this page included.`;
}

function Stream({ title, stream }: { readonly title: string; readonly stream: StreamState }) {
  const { width, height, frameRate, bitsPerSec, keyFrameDistanceSec, droppedFrames, clockDriftPpm } = stream;
  return (
    <section class="stream">
      <h2>{title}</h2>
      <p>
        <span class={`sign ${stream.state}`}>
          {STATE_NAMES[stream.state]}
          {stream.sinceMs !== undefined && (
            <span class="since">
              {' '}
              for <TimeSince epochMs={stream.sinceMs} />
            </span>
          )}
        </span>
      </p>
      {stream.errorSentence !== undefined && (
        <p class="trouble break">
          {stream.errorSentence} {stream.errorAdvice} <code>{stream.errorCode}</code>
          {stream.nextRetryMs !== undefined && (
            <>
              {' '}
              Next try <TimeAgo epochMs={stream.nextRetryMs} />.
            </>
          )}
        </p>
      )}
      <Facts
        facts={[
          ['Codecs', stream.codecs?.join(', ') ?? null],
          ['Size', width === undefined || height === undefined ? null : `${width} × ${height}`],
          ['Frames', frameRate === undefined ? null : `${frameRate.toFixed(1)} per second`],
          ['Bit rate', bitsPerSec === undefined ? null : bitRateText(bitsPerSec)],
          [
            'Key frame',
            keyFrameDistanceSec === undefined ? null : `every ${keyFrameDistanceSec.toFixed(1)} s`,
          ],
          ['Lost frames', droppedFrames === undefined ? null : String(droppedFrames)],
          ['Clock', clockDriftPpm === undefined ? null : driftText(clockDriftPpm)],
          ['Carried by', stream.worker === true ? 'an ffmpeg worker' : null],
          ['Waiting', stream.waitingBehind === undefined ? null : 'for a worker'],
        ]}
      />
    </section>
  );
}

function driftText(ppm: number): string {
  const rounded = Math.round(Math.abs(ppm));
  return rounded === 0 ? 'runs right' : `${rounded} ppm too ${ppm > 0 ? 'fast' : 'slow'}`;
}
