/** A camera as its operators use it: the picture with what can be done with it, its past below, moves and recording next to it. */

import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { cameraKeys } from '../camera-keys.ts';
import type { RecordingSettings } from '../camera-recording.ts';
import { shownState } from '../camera-state.ts';
import { openKeys } from '../opened-over.ts';
import type { ReadingHandle } from '../reading.ts';
import { may } from '../session.ts';
import { saveSnapshot } from '../snapshot.ts';
import { type CameraStreams, openPreview } from '../stream-state.ts';
import { t } from '../words.ts';
import { CameraPastPart } from './camera-past-part.tsx';
import { CameraShare } from './camera-share.tsx';
import { CameraStage } from './camera-stage.tsx';
import { FormError } from './form-error.tsx';
import { LivePreview } from './live-preview.tsx';
import { PtzPanel, usePtz } from './ptz-controls.tsx';
import { RecordNow, recordLonger } from './record-now.tsx';
import { RecordingPanel } from './recording-panel.tsx';
import { Trouble } from './stream-part.tsx';
import { type SpeakerReading, TalkPanel, useTalk } from './talk-panel.tsx';
import { useAction } from './use-action.ts';
import { useCameraView } from './use-camera-view.ts';
import { useFullScreen } from './use-full-screen.ts';
import { useKeys } from './use-keys.ts';

const SAID_MS = 6_000;

export function CameraLive({
  camera,
  recording,
  speaker,
  settings,
}: {
  readonly camera: CameraStreams;
  readonly recording: ReadingHandle<RecordingSettings>;
  readonly speaker: SpeakerReading;
  readonly settings: RecordingSettings;
}) {
  const { cameraUuid, name, main } = camera;
  const { timeZone } = settings;
  const isOffline = shownState(main) === 'offline';
  const isOperator = may('operator');
  const box = useRef<HTMLDivElement>(null);
  const view = useCameraView(cameraUuid);
  const full = useFullScreen(box);
  const ptz = usePtz(cameraUuid, isOperator);
  const talkLine = useTalk(cameraUuid, view, speaker);
  const [said, say] = useSaid();
  const saving = useAction();
  const recordNow = { reading: recording, cameraUuid, action: useAction() };
  const snapshot = () =>
    void saving.run(async () => {
      const atMs = view.player.shownMs(cameraUuid) ?? view.headMs;
      say(t('Saved {file}', { file: await saveSnapshot({ uuid: cameraUuid, name, timeZone }, atMs) }));
    });
  const openWindow = () =>
    void saving.run(() =>
      openCameraWindow(cameraUuid, (body) => {
        render(<LivePreview cameraUuid={cameraUuid} name={name} />, body);
        return () => render(null, body);
      }),
    );
  useKeys(
    t('This camera'),
    cameraKeys({
      view,
      full,
      ptz,
      snapshot,
      record: isOperator ? () => recordLonger(recordNow, settings) : null,
    }),
  );
  return (
    <div class="camera-live">
      <div class="camera-main">
        <CameraStage
          {...{ box, camera, settings, view, full, said }}
          talkLine={talkLine}
          isBusy={saving.isBusy}
          onSnapshot={snapshot}
          onWindow={openWindow}
        >
          {isOperator && <RecordNow {...recordNow} settings={settings} />}
          {isOperator && <CameraShare cameraUuid={cameraUuid} />}
        </CameraStage>
        <FormError error={recordNow.action.error ?? saving.error} />
        {main.errorSentence !== undefined && <Trouble stream={main} camera={camera} />}
        <CameraPastPart
          cameraUuid={cameraUuid}
          name={name}
          timeZone={timeZone}
          view={view}
          onEvent={(epochMs) => {
            view.seek(epochMs, false, true);
            box.current!.scrollIntoView({ block: 'nearest' });
          }}
        />
      </div>
      <div class="camera-side">
        <TalkPanel line={talkLine} speaker={speaker} isOffline={isOffline} />
        {isOperator && <PtzPanel cameraUuid={cameraUuid} ptz={ptz} />}
        <RecordingPanel
          camera={{ uuid: cameraUuid, name }}
          reading={recording}
          settings={settings}
          isOffline={isOffline}
        />
        <p class="hint key-hint">
          <button type="button" class="quiet" onClick={() => void openKeys()}>
            {t('Keyboard shortcuts')}
          </button>
          <br />
          {t('Ctrl and the wheel, two fingers, or a double click zoom the picture.')}
        </p>
      </div>
    </div>
  );
}

/** Words that go after a while. */
function useSaid(): readonly [said: string, say: (text: string) => void] {
  const [said, say] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => say(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  return [said, say];
}

/** Document Picture-in-Picture (WICG), of Chromium. */
interface PictureWindows {
  requestWindow(size: { readonly width: number; readonly height: number }): Promise<Window>;
}

const SIZE = { width: 640, height: 360 };

/**
 * A camera in a window of its own that stays above others, or where the browser has none, in a small ordinary window. Must be called in a
 * click. `fill` shows the camera in the window, and returns what ends that. Fails with a CallError.
 */
async function openCameraWindow(cameraUuid: string, fill: (body: HTMLElement) => () => void): Promise<void> {
  const { documentPictureInPicture: windows } = globalThis as { documentPictureInPicture?: PictureWindows };
  if (windows === undefined) {
    // Opened in the click, so that no browser blocks it.
    const shown = window.open('about:blank', `camera-${cameraUuid}`, 'popup,width=640,height=360');
    const { pageUrl } = await openPreview(cameraUuid, null, new AbortController().signal);
    if (shown !== null) shown.location.href = pageUrl;
    return;
  }
  const shown = await windows.requestWindow(SIZE).catch(() => null);
  // The browser refused, and says so itself.
  if (shown === null) return;
  for (const sheet of document.querySelectorAll('link[rel="stylesheet"]')) {
    shown.document.head.append(sheet.cloneNode());
  }
  shown.document.body.classList.add('camera-window');
  const end = fill(shown.document.body);
  shown.addEventListener('pagehide', end);
}
