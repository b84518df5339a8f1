/** Talking to people at a camera: a button to hold or to press, a level, and who talks. */

import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { hasMicrophones, microphoneProblem, openMicrophone } from '../../microphone.ts';
import { type SocketEvents, TalkLine, type TalkProblem, type TalkSocket } from '../../talk-line.ts';
import { call } from '../api.ts';
import { parsePlain } from '../plain-json.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { may } from '../session.ts';
import { openPreview } from '../stream-state.ts';
import { t } from '../words.ts';
import { Icon } from './icon.tsx';
import type { CameraView } from './use-camera-view.ts';

/** What was said is in the picture's sound until it is this much newer. */
const ECHO_MS = 1_500;
/** A player that shows no times has played what was said. */
const MAX_ECHO_MS = 15_000;
const FACET = 'v0';

const PROBLEMS: Readonly<Record<TalkProblem, string>> = {
  'not-authorized': t('You may not talk to this camera.'),
  'capability-unavailable': t('This camera has no speaker that can be used.'),
  'device-unavailable': t('The camera’s speaker cannot be reached now. Try again in a moment.'),
  busy: t('You were not heard, because someone else is talking. Try again when they have finished.'),
  silence: t('Stopped after a minute of silence.'),
  'not-recorded': t(
    'No one can talk now, because the gateway cannot record who does. Try again in a moment.',
  ),
  'microphone-refused': t(
    'The browser does not let this page use the microphone. Allow it next to the address, and try again.',
  ),
  'microphone-missing': t('No microphone was found. Connect one, and try again.'),
  'microphone-failed': t('The microphone cannot be used. Another program may be using it.'),
  'connection-failed': t('The connection was lost. Try again.'),
};

/** Whether the gateway has a way to speakers of such cameras; false also for people who may not talk. */
export type SpeakerReading = ReadingHandle<boolean>;

export function useSpeaker(cameraUuid: string): SpeakerReading {
  const isOperator = may('operator');
  return useReading(
    async (signal) => isOperator && (await readHasWay(cameraUuid, signal)),
    [cameraUuid, isOperator],
    ({ entity, entityUuid }) => entity === 'CAMERA' && entityUuid === cameraUuid,
  );
}

/** Ends a talk when the page loses the person, and lets them hear the camera only when it no longer plays what they said. */
export function useTalk(cameraUuid: string, view: CameraView, speaker: SpeakerReading): TalkLine {
  const { player, nowMs } = view;
  const line = useMemo(() => {
    const openSocket = (events: SocketEvents) => openTalkSocket(cameraUuid, events);
    return new TalkLine({
      openSocket,
      openMicrophone: (...events) => openMicrophone(new URL('talk-capture.js', document.baseURI), ...events),
      microphoneProblem,
      parse: parsePlain,
      cell: signal,
    });
  }, [cameraUuid]);
  useEffect(() => {
    const release = () => line.release();
    const left = new AbortController();
    addEventListener('pagehide', release, { signal: left.signal });
    document.addEventListener('visibilitychange', release, { signal: left.signal });
    return () => {
      left.abort();
      line.close();
    };
  }, [line]);
  const isSounding = player.sound.value === 'on';
  const read = speaker.state.value;
  const canListen = isSounding || (read.kind === 'read' && read.value);
  // Also without sound: people see who talks.
  useEffect(() => line.listen(canListen), [line, canListen]);
  const { isHeld } = line;
  /** When the talk ended that silenced the player; undefined: none did. */
  const endedAtMs = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (isHeld) {
      if (isSounding) player.setSound(false);
      if (isSounding || endedAtMs.current !== undefined) endedAtMs.current = nowMs;
      return;
    }
    if (endedAtMs.current === undefined) return;
    const passedMs = nowMs - endedAtMs.current;
    const shownMs = player.shownMs(cameraUuid) ?? 0;
    if (view.isLive && shownMs < endedAtMs.current + ECHO_MS && passedMs < MAX_ECHO_MS) return;
    endedAtMs.current = undefined;
    player.setSound(true);
  }, [isHeld, isSounding, nowMs, player]);
  return line;
}

/** Fails with a CallError. */
async function readHasWay(cameraUuid: string, signal: AbortSignal): Promise<boolean> {
  const { fullCameraState } = await call('camera/getFullCameraState', { cameraUuid }, signal);
  return fullCameraState?.onCameraState?.[FACET]?.talk?.speakerEnabled ?? false;
}

/** Fails with a CallError. Rejects if the gateway refuses it. */
async function openTalkSocket(cameraUuid: string, { onText, onClose }: SocketEvents): Promise<TalkSocket> {
  const { webSocketUrl } = await openPreview(cameraUuid, null, new AbortController().signal);
  const socket = new WebSocket(webSocketUrl.replace(/ws$/, 'talk/ws'));
  socket.addEventListener('message', ({ data }) => onText(String(data)));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('close', () => reject(new Error('closed')));
  });
  socket.addEventListener('close', onClose);
  return socket;
}

export function TalkPanel({
  line,
  speaker,
  isOffline,
}: {
  readonly line: TalkLine;
  readonly speaker: SpeakerReading;
  readonly isOffline: boolean;
}) {
  const read = speaker.state.value;
  if (read.kind !== 'read' || !read.value) return null;
  return (
    <section class="sheet talk" aria-labelledby="talk-title">
      <h2 id="talk-title">{t('Talk')}</h2>
      <TalkControls line={line} isOffline={isOffline} />
    </section>
  );
}

function TalkControls({ line, isOffline }: { readonly line: TalkLine; readonly isOffline: boolean }) {
  const [isKept, setIsKept] = useState(false);
  const state = line.state.value;
  const { isHeld } = line;
  const other = line.other.value;
  const hindrance = hindranceOf(isOffline, other);
  const release = () => {
    if (!isKept) line.release();
  };
  useEffect(() => {
    if (isKept) return;
    const left = () => line.release();
    addEventListener('blur', left);
    return () => removeEventListener('blur', left);
  }, [line, isKept]);
  return (
    <>
      <button
        type="button"
        class={`talk-button ${isHeld ? 'held' : ''}`}
        aria-pressed={isHeld}
        aria-describedby="talk-says"
        disabled={hindrance !== null && !isHeld}
        onPointerDown={(event) => {
          if (isKept || event.button !== 0) return;
          // A finger would otherwise belong to the button wherever it goes.
          event.currentTarget.releasePointerCapture(event.pointerId);
          line.hold();
        }}
        onPointerUp={release}
        onPointerLeave={release}
        onPointerCancel={release}
        onContextMenu={(event) => event.preventDefault()}
        onBlur={release}
        onKeyDown={(event) => {
          if (isKept || (event.key !== ' ' && event.key !== 'Enter')) return;
          event.preventDefault();
          if (!event.repeat) line.hold();
        }}
        onKeyUp={(event) => {
          if (event.key === ' ' || event.key === 'Enter') release();
        }}
        onClick={() => {
          if (!isKept) return;
          if (isHeld) line.release();
          else line.hold();
        }}
      >
        <Icon name="talk" />
        {isKept ? (isHeld ? t('Stop talking') : t('Start talking')) : t('Hold to talk')}
      </button>
      <TalkLevel line={line} />
      <p id="talk-says" class={state.kind === 'failed' ? 'form-error' : 'hint'} role="status">
        {hindrance ?? stateText(line, isKept)}
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={isKept}
          onChange={({ currentTarget }) => {
            line.release();
            setIsKept(currentTarget.checked);
          }}
        />
        {t('Talk without holding the button')}
      </label>
    </>
  );
}

/** On its own: it changes fifty times a second. */
function TalkLevel({ line }: { readonly line: TalkLine }) {
  return <meter class="talk-level" aria-label={t('Level of your microphone')} value={line.level.value} />;
}

/** Why no one can talk now; null: they can. */
function hindranceOf(isOffline: boolean, other: string | null): string | null {
  if (isOffline) return t('The camera is offline, so nobody would hear you.');
  if (!hasMicrophones()) return t('To use the microphone, open the console at an address with https.');
  return other === null ? null : otherText(other);
}

function stateText({ state }: TalkLine, isKept: boolean): string {
  const { value } = state;
  switch (value.kind) {
    case 'quiet':
      return t('People at the camera hear you. Its sound is off meanwhile.');
    case 'opening':
      return t('Connecting…');
    case 'talking':
      return isKept ? t('You are talking.') : t('You are talking. Let go to stop.');
    case 'ready':
      return t('The microphone is ready. Hold the button while you talk.');
    case 'failed':
      return PROBLEMS[value.problem];
  }
}

/** On the picture: who else talks, for everyone who hears the camera. */
export function TalkSign({ line }: { readonly line: TalkLine }) {
  const other = line.other.value;
  return (
    <span role="status">{other !== null && <span class="stage-sign late">{otherText(other)}</span>}</span>
  );
}

function otherText(name: string): string {
  return name === ''
    ? t('Someone is talking through this camera.')
    : t('{name} is talking through this camera.', { name });
}
