/** What a camera's page shows: live or a moment of the past, which part of the picture, and which stretch of time below it. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type CameraPast, useCameraPast } from '../camera-past.ts';
import { WHOLE, type Zoom } from '../camera-zoom.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { type Head, StepPlayer } from '../step-player.ts';
import { isAtNow, liveView, showing, type View } from '../time-axis.ts';
import { coverageAt, nextRecorded, type Recorded } from '../timeline-state.ts';
import { useNow } from './use-now.ts';

const CLOCK_MS = 500;
const FIRST_SPAN_MS = 2 * 3_600_000;
/** Pausing live video goes back this far, as StepPlayer does. */
const PAUSE_MS = 8_000;

export interface CameraView {
  readonly player: StepPlayer;
  readonly head: Head;
  readonly isLive: boolean;
  readonly isPlaying: boolean;
  /** By the gateway's clock. */
  readonly nowMs: number;
  /** The time of the picture. */
  readonly headMs: number;
  /** Whether the camera was recorded then. */
  readonly isThere: boolean;
  readonly zoom: Zoom;
  readonly setZoom: (zoom: Zoom) => void;
  readonly view: View;
  readonly setView: (view: View) => void;
  readonly past: CameraPast;
  readonly seek: (epochMs: number, isDragging: boolean, isPlaying: boolean) => void;
  readonly goLive: () => void;
  /** Null: live video of a camera that is not recorded has no moment to stay at. */
  readonly togglePlay: (() => void) | null;
  readonly toggleSound: () => void;
}

/** The address can ask for a moment (`at`). */
export function useCameraView(cameraUuid: string): CameraView {
  const { query } = useLocation();
  const nowMs = useNow(CLOCK_MS);
  const [chosen, setChosen] = useState<View>(() => liveView(FIRST_SPAN_MS, nowMs));
  /** The time below moves with the present. */
  const [isFollowing, setIsFollowing] = useState(true);
  const [zoom, setZoom] = useState<Zoom>(WHOLE);
  const known = useRef<Recorded | null>(null);
  const player = useMemo(
    () =>
      new StepPlayer({
        nowMs: gatewayNowMs,
        isRecorded: (uuid, atMs) => coverageAt(known.current, uuid, atMs) !== 'gap',
        next: (all, atMs) => nextRecorded(known.current, all, atMs),
      }),
    [cameraUuid],
  );
  const head = player.head.value;
  const isLive = head.kind === 'live';
  const isPlaying = isLive || head.isPlaying;
  const headMs = isLive ? nowMs : head.atMs;
  const kept = isLive || !isPlaying ? chosen : showing(chosen, headMs, nowMs);
  const view = isFollowing ? liveView(chosen.spanMs, nowMs) : kept;
  const past = useCameraPast(cameraUuid, view, nowMs);
  known.current = past.recorded;
  const canPause = !isLive || coverageAt(past.recorded, cameraUuid, nowMs - PAUSE_MS) === 'recorded';
  const seek = (epochMs: number, isDragging: boolean, plays: boolean) => {
    player.seek(epochMs, isDragging);
    if (plays && !isDragging && player.head.value.kind === 'past') player.setPlaying(true);
    if (isDragging) return;
    setIsFollowing(false);
    setChosen(showing(view, epochMs, nowMs));
  };
  useEffect(() => {
    const requestedMs = Number(query.at);
    if (query.at !== undefined && requestedMs > 0) seek(requestedMs, false, true);
    return () => player.close();
  }, [player]);
  return {
    player,
    head,
    isLive,
    isPlaying,
    nowMs,
    headMs,
    isThere: isLive || coverageAt(past.recorded, cameraUuid, headMs) !== 'gap',
    zoom,
    setZoom,
    view,
    setView: (next) => {
      setIsFollowing(isAtNow(next, nowMs));
      setChosen(next);
    },
    past,
    seek,
    goLive: () => {
      player.live();
      setIsFollowing(true);
    },
    togglePlay: canPause ? () => player.setPlaying(!isPlaying) : null,
    toggleSound: () => player.setSound(player.sound.value !== 'on'),
  };
}
