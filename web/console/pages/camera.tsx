/** One camera, as its operators use it. What its streams do is on another page (camera-details.tsx). */

import { useEffect } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import type { CameraPauses } from '../camera-pause.ts';
import { type RecordingSettings, readRecording } from '../camera-recording.ts';
import type { Change } from '../changes.ts';
import { usePageTitle } from '../page-title.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { type CameraStreams, readCameraStreams } from '../stream-state.ts';
import { CameraHead } from '../ui/camera-head.tsx';
import { CameraLive } from '../ui/camera-live.tsx';
import { usePauses } from '../ui/pause-line.tsx';
import { ReadingView, ReadTogether } from '../ui/reading-view.tsx';
import { type SpeakerReading, useSpeaker } from '../ui/talk-panel.tsx';
import { whileVisible } from '../while-visible.ts';
import { t } from '../words.ts';

/** No change is reported of what the gateway finds in the camera's signatures. */
const SIGNING_MS = 10_000;

export function CameraPage() {
  const { params } = useRoute();
  const cameraUuid = params.cameraUuid ?? '';
  const concerns = ({ entity, entityUuid }: Change) => entity === 'CAMERA' && entityUuid === cameraUuid;
  const streams = useReading((signal) => readCameraStreams(cameraUuid, signal), [cameraUuid], concerns);
  useEffect(() => whileVisible(streams.refresh, SIGNING_MS), [streams]);
  const recording = useReading(
    (signal) => readRecording(cameraUuid, signal),
    [cameraUuid],
    (change) => concerns(change) || change.entity === 'SCHEDULE',
  );
  const speaker = useSpeaker(cameraUuid);
  const pauses = usePauses();
  return (
    <ReadTogether readings={[streams, recording, speaker, pauses]} what={t('the camera')} title={t('Camera')}>
      <ReadingView reading={streams} what={t('the camera')} title={t('Camera')}>
        {(camera) => <Camera key={cameraUuid} {...{ camera, recording, speaker, pauses }} />}
      </ReadingView>
    </ReadTogether>
  );
}

function Camera({
  camera,
  recording,
  speaker,
  pauses,
}: {
  readonly camera: CameraStreams;
  readonly recording: ReadingHandle<RecordingSettings>;
  readonly speaker: SpeakerReading;
  readonly pauses: ReadingHandle<CameraPauses>;
}) {
  usePageTitle(camera.name);
  return (
    <>
      <CameraHead camera={camera} pauses={pauses} />
      <ReadingView reading={recording} what={t('how the camera is recorded')}>
        {(settings) => <CameraLive {...{ camera, recording, speaker, settings }} />}
      </ReadingView>
    </>
  );
}
