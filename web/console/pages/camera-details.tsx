/** What a camera's streams do and did, its uptime, and what belongs to it. */

import { useEffect } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { readUptime } from '../camera-history.ts';
import { shownState } from '../camera-state.ts';
import { usePageTitle } from '../page-title.ts';
import { useReading } from '../reading.ts';
import { type CameraStreams, readCameraStreams } from '../stream-state.ts';
import { CameraHead } from '../ui/camera-head.tsx';
import { CameraRecords } from '../ui/camera-records.tsx';
import { LivePreview } from '../ui/live-preview.tsx';
import { usePauses } from '../ui/pause-line.tsx';
import { ReadingView, ReadTogether } from '../ui/reading-view.tsx';
import { SigningPart } from '../ui/signing-part.tsx';
import { StreamFacts, StreamHour, SubstreamHour, useStreamHour } from '../ui/stream-part.tsx';
import { UptimeStrip } from '../ui/uptime-strip.tsx';
import { whileVisible } from '../while-visible.ts';
import { t } from '../words.ts';

/** The real-time stream tells states; bit rates and the like have to be asked for. */
const MEASURE_MS = 5_000;
/** An hour of an uptime of 7 days is a hundredth of the strip. */
const UPTIME_MS = 60_000;

export function CameraDetailsPage() {
  const { params } = useRoute();
  const cameraUuid = params.cameraUuid ?? '';
  const reading = useReading(
    (signal) => readCameraStreams(cameraUuid, signal),
    [cameraUuid],
    ({ entity, entityUuid }) => entity === 'CAMERA' && entityUuid === cameraUuid,
  );
  useEffect(() => whileVisible(reading.refresh, MEASURE_MS), [reading]);
  const uptime = useUptime(cameraUuid);
  const mainHour = useStreamHour(cameraUuid, 'main');
  const pauses = usePauses();
  return (
    <ReadTogether readings={[reading, uptime, mainHour, pauses]} what={t('the camera')} title={t('Camera')}>
      <ReadingView reading={reading} what={t('the camera')} title={t('Camera')}>
        {(camera) => <Camera camera={camera} uptime={uptime} mainHour={mainHour} pauses={pauses} />}
      </ReadingView>
    </ReadTogether>
  );
}

function Camera({
  camera,
  uptime,
  mainHour,
  pauses,
}: {
  readonly camera: CameraStreams;
  readonly uptime: UptimeReading;
  readonly mainHour: ReturnType<typeof useStreamHour>;
  readonly pauses: ReturnType<typeof usePauses>;
}) {
  const { cameraUuid, name, main, sub, viewers, signing } = camera;
  usePageTitle(name);
  return (
    <>
      <CameraHead camera={camera} pauses={pauses} />
      <p class="hint">{viewersText(viewers)}</p>
      <div class="camera-streams">
        <LivePreview cameraUuid={cameraUuid} name={name} />
        <StreamFacts
          title={sub === undefined ? t('Stream') : t('Main stream')}
          stream={main}
          camera={camera}
        />
        {sub !== undefined && <StreamFacts title={t('Substream')} stream={sub} camera={camera} />}
        {signing !== undefined && <SigningPart signing={signing} />}
        <Uptime reading={uptime} />
      </div>
      <StreamHour title={sub === undefined ? t('Stream') : t('Main stream')} reading={mainHour} />
      {sub !== undefined && <SubstreamHour cameraUuid={cameraUuid} />}
      <CameraRecords cameraUuid={cameraUuid} isOffline={shownState(main) === 'offline'} />
    </>
  );
}

type UptimeReading = ReturnType<typeof useUptime>;

function useUptime(cameraUuid: string) {
  const reading = useReading(
    (signal) => readUptime(cameraUuid, signal),
    [cameraUuid],
    ({ entity, entityUuid }) => entity === 'CAMERA' && entityUuid === cameraUuid,
  );
  useEffect(() => whileVisible(reading.refresh, UPTIME_MS), [reading]);
  return reading;
}

function Uptime({ reading }: { readonly reading: UptimeReading }) {
  return (
    <section class="part" aria-label={t('Uptime of 7 days')}>
      <h2>{t('Uptime of 7 days')}</h2>
      <ReadingView reading={reading} what={t('uptime')}>
        {(spans) => <UptimeStrip spans={spans} />}
      </ReadingView>
    </section>
  );
}

/** The preview of this page is one of them: without it, nothing would be measured. */
function viewersText(viewers: number): string {
  if (viewers === 0) return t('No one is watching now.');
  return t(
    '{count, plural, one {# viewer now, this page included.} other {# viewers now, this page included.}}',
    { count: viewers },
  );
}
