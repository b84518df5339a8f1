/** A camera's picture, with what it is and what can be done with it. */

import type { ComponentChildren } from 'preact';
import type { TalkLine } from '../../talk-line.ts';
import { ZOOM_STEP } from '../camera-keys.ts';
import { type RecordingSettings, recordingSign } from '../camera-recording.ts';
import { shownState } from '../camera-state.ts';
import { isZoomed, zoomedBy } from '../camera-zoom.ts';
import type { CameraStreams } from '../stream-state.ts';
import { format } from '../time-axis.ts';
import { t } from '../words.ts';
import { EmergencyBar } from './emergency-bar.tsx';
import { Icon, type IconName } from './icon.tsx';
import { PlayerTile } from './step-tile.tsx';
import { TalkSign } from './talk-panel.tsx';
import { duration } from './time.tsx';
import type { CameraView } from './use-camera-view.ts';
import type { FullScreen } from './use-full-screen.ts';
import { useIdle } from './use-idle.ts';
import { ZoomStage } from './zoom-stage.tsx';

/** A live frame that is older is not live: far from the gateway, players stay nearly this far behind. */
const LIVE_MS = 12_000;
/** On the whole screen, controls are in the way of the picture after this. */
const IDLE_MS = 4_000;

export function CameraStage({
  box,
  camera,
  settings,
  view,
  full,
  talkLine,
  said,
  isBusy,
  onSnapshot,
  onWindow,
  children,
}: {
  readonly box: { current: HTMLDivElement | null };
  readonly camera: CameraStreams;
  readonly settings: RecordingSettings;
  readonly view: CameraView;
  readonly full: FullScreen;
  readonly talkLine: TalkLine;
  /** Result of the last deed. */
  readonly said: string;
  readonly isBusy: boolean;
  readonly onSnapshot: () => void;
  readonly onWindow: () => void;
  /** Further buttons. */
  readonly children: ComponentChildren;
}) {
  const { cameraUuid, name, main } = camera;
  const { player, zoom, setZoom, isPlaying, isLive } = view;
  const sign = recordingSign(settings, shownState(main) === 'offline');
  const sound = player.sound.value;
  const isIdle = useIdle(IDLE_MS);
  return (
    <div
      ref={box}
      class={['camera-stage', full.isFilled && 'filled', isIdle && 'idle'].filter(Boolean).join(' ')}
    >
      <div class="stage-picture">
        <ZoomStage zoom={zoom} isFull={full.isFull} isWaiting={player.isWaiting.value} onZoom={setZoom}>
          <PlayerTile
            key={cameraUuid}
            cameraUuid={cameraUuid}
            name={name}
            isThere={view.isThere}
            player={player}
          />
        </ZoomStage>
        <div class="stage-signs">
          <TimeSign cameraUuid={cameraUuid} view={view} timeZone={settings.timeZone} />
          {sign.tone !== 'off' && <span class={`stage-sign record-sign ${sign.tone}`}>{sign.text}</span>}
          {isZoomed(zoom) && <span class="stage-sign">{zoom.scale.toFixed(1)}×</span>}
          <TalkSign line={talkLine} />
        </div>
        <p class="stage-said" role="status">
          {said}
        </p>
        <div class="stage-bar" role="group" aria-label={t('Picture')}>
          <StageButton
            icon={isPlaying ? 'pause' : 'play'}
            label={isPlaying ? t('Pause') : t('Play')}
            keys="Space"
            {...(view.togglePlay === null ? { why: t('Not recorded, so it cannot be paused') } : {})}
            onClick={() => view.togglePlay?.()}
          />
          <button
            type="button"
            class="stage-button"
            aria-keyshortcuts="l"
            aria-pressed={isLive}
            title={t('Live (L)')}
            onClick={view.goLive}
          >
            {t('Live')}
          </button>
          {sound !== 'none' && (
            <StageButton
              icon={sound === 'on' ? 'sound' : 'silent'}
              label={sound === 'on' ? t('Mute') : t('Turn on sound')}
              keys="m"
              onClick={view.toggleSound}
            />
          )}
          <StageButton
            icon="snapshot"
            label={t('Save a snapshot')}
            keys="s"
            isBusy={isBusy}
            onClick={onSnapshot}
          />
          <span class="zoom-buttons">
            <StageButton
              icon="minus"
              label={t('Zoom out')}
              keys="-"
              onClick={() => setZoom(zoomedBy(zoom, 1 / ZOOM_STEP))}
            />
            <span aria-hidden="true">{t('Zoom')}</span>
            <StageButton
              icon="plus"
              label={t('Zoom in')}
              keys="+"
              onClick={() => setZoom(zoomedBy(zoom, ZOOM_STEP))}
            />
          </span>
          <StageButton icon="window" label={t('Picture in picture')} isBusy={isBusy} onClick={onWindow} />
          <StageButton
            icon={full.isFull ? 'smaller' : 'fullscreen'}
            label={full.isFull ? t('Leave full screen') : t('Full screen')}
            keys="f"
            onClick={full.toggle}
          />
          <span class="stage-deeds">{children}</span>
        </div>
      </div>
      {full.isFull && (
        <div class="stage-emergency">
          <EmergencyBar />
        </div>
      )}
    </div>
  );
}

function StageButton({
  icon,
  label,
  keys,
  isBusy = false,
  why,
  onClick,
}: {
  readonly icon: IconName;
  readonly label: string;
  readonly keys?: string;
  readonly isBusy?: boolean;
  /** Why it cannot be pressed; absent: it can. */
  readonly why?: string;
  readonly onClick: () => void;
}) {
  return (
    <button
      type="button"
      class="stage-button only-icon"
      aria-label={label}
      title={why ?? (keys === undefined ? label : `${label} (${keys.toUpperCase()})`)}
      {...(keys === undefined ? {} : { 'aria-keyshortcuts': keys })}
      disabled={isBusy || why !== undefined}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

/** "Live" only while the frame on the screen is of now. */
function TimeSign({
  cameraUuid,
  view: { player, isLive, nowMs, headMs, isPlaying },
  timeZone,
}: {
  readonly cameraUuid: string;
  readonly view: CameraView;
  readonly timeZone: string;
}) {
  if (!isLive) {
    return (
      <span class="stage-sign past">
        {isPlaying ? t('Past') : t('Paused')} · {format(timeZone, 'exact', headMs)}
      </span>
    );
  }
  const shownMs = player.shownMs(cameraUuid);
  if (player.isWaiting.value) return <span class="stage-sign">{t('Waiting for video')}</span>;
  if (shownMs !== null && nowMs - shownMs > LIVE_MS) {
    return (
      <span class="stage-sign late">
        {t('{duration} ago', { duration: duration((nowMs - shownMs) / 1_000) })}
      </span>
    );
  }
  return <span class="stage-sign live">{t('Live')}</span>;
}
