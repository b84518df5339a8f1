/** One camera, as its operators use it. What its streams do is on another page (camera-details.tsx). */

import { useRoute } from 'preact-iso';
import { type RecordingSettings, readRecording } from '../camera-recording.ts';
import type { Change } from '../changes.ts';
import { usePageTitle } from '../page-title.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { type CameraStreams, readCameraStreams } from '../stream-state.ts';
import { CameraHead } from '../ui/camera-head.tsx';
import { CameraLive } from '../ui/camera-live.tsx';
import { ReadingView, ReadTogether } from '../ui/reading-view.tsx';
import { t } from '../words.ts';

export function CameraPage() {
  const { params } = useRoute();
  const cameraUuid = params.cameraUuid ?? '';
  const concerns = ({ entity, entityUuid }: Change) => entity === 'CAMERA' && entityUuid === cameraUuid;
  const streams = useReading((signal) => readCameraStreams(cameraUuid, signal), [cameraUuid], concerns);
  const recording = useReading(
    (signal) => readRecording(cameraUuid, signal),
    [cameraUuid],
    (change) => concerns(change) || change.entity === 'SCHEDULE',
  );
  return (
    <ReadTogether readings={[streams, recording]} what={t('the camera')} title={t('Camera')}>
      <ReadingView reading={streams} what={t('the camera')} title={t('Camera')}>
        {(camera) => <Camera key={cameraUuid} camera={camera} recording={recording} />}
      </ReadingView>
    </ReadTogether>
  );
}

function Camera({
  camera,
  recording,
}: {
  readonly camera: CameraStreams;
  readonly recording: ReadingHandle<RecordingSettings>;
}) {
  usePageTitle(camera.name);
  return (
    <>
      <CameraHead camera={camera} />
      <ReadingView reading={recording} what={t('how the camera is recorded')}>
        {(settings) => <CameraLive camera={camera} recording={recording} settings={settings} />}
      </ReadingView>
    </>
  );
}
