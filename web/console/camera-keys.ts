/** The keys of a camera's page. */

import { dragged, isZoomed, WHOLE, zoomedBy } from './camera-zoom.ts';
import { PTZ_DIRECTIONS, type PtzDirection } from './held-move.ts';
import type { KeyDeed } from './key-board.ts';
import type { PtzHandle } from './ui/ptz-controls.tsx';
import type { CameraView } from './ui/use-camera-view.ts';
import type { FullScreen } from './ui/use-full-screen.ts';
import { t } from './words.ts';

export const ZOOM_STEP = 1.5;
const PAN_STEP = 0.15;
const STEP_MS = 10_000;
const MOVES: Readonly<Record<string, PtzDirection>> = {
  ArrowLeft: 'left',
  ArrowUp: 'up',
  ArrowRight: 'right',
  ArrowDown: 'down',
  PageUp: 'closer',
  PageDown: 'wider',
};
const ARROWS = ['ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowDown'] as const;
const LENS = ['PageUp', 'PageDown'] as const;
const PANS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowUp: [0, PAN_STEP],
  ArrowDown: [0, -PAN_STEP],
  ArrowLeft: [PAN_STEP, 0],
  ArrowRight: [-PAN_STEP, 0],
};
const PRESETS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const;

export interface CameraDeeds {
  readonly view: CameraView;
  readonly full: FullScreen;
  readonly ptz: PtzHandle;
  readonly snapshot: () => void;
  /** Null: the person may not. */
  readonly record: (() => void) | null;
}

/** A key that several lines of the list have belongs to the last one that has something to do. */
export function cameraKeys({ view, full, ptz, snapshot, record }: CameraDeeds): readonly KeyDeed[] {
  const zoomBy = (factor: number) => () => view.setZoom(zoomedBy(view.zoom, factor));
  return [
    once(['f'], t('Full screen'), full.toggle),
    { keys: ['Escape'], title: t('Leave full screen'), act: () => (full.isFilled ? full.toggle() : false) },
    once([' ', 'k'], t('Pause, play'), view.togglePlay),
    once(['l'], t('Back to live'), view.goLive),
    once(['m'], t('Sound'), view.toggleSound),
    once(['s'], t('Save a snapshot'), snapshot),
    ...(record === null ? [] : [once(['r'], t('Record now'), record)]),
    ...ptzKeys(view, ptz),
    {
      keys: ['ArrowLeft', 'ArrowRight'],
      title: t('In the past: 10 s back, 10 s on'),
      act: ({ key }) => {
        if (view.isLive) return false;
        view.seek(view.headMs + (key === 'ArrowLeft' ? -STEP_MS : STEP_MS), false, view.isPlaying);
        return true;
      },
    },
    { ...once(['+', '='], t('Zoom in'), zoomBy(ZOOM_STEP)), shown: ['+'] },
    once(['-'], t('Zoom out'), zoomBy(1 / ZOOM_STEP)),
    once(['0'], t('Whole picture'), () => view.setZoom(WHOLE)),
    {
      keys: ARROWS,
      title: t('Move the zoomed picture'),
      act: ({ key }) => {
        if (!isZoomed(view.zoom)) return false;
        view.setZoom(dragged(view.zoom, ...PANS[key]!));
        return true;
      },
    },
  ];
}

function ptzKeys(view: CameraView, { state, held, goTo }: PtzHandle): readonly KeyDeed[] {
  if (state === null) return [];
  const move: Pick<KeyDeed, 'act' | 'release'> = {
    act: ({ key, repeat }) => {
      if (!view.isLive) return false;
      if (!repeat) held.hold(PTZ_DIRECTIONS[MOVES[key]!]);
      return true;
    },
    release: () => held.release(),
  };
  return [
    { keys: ARROWS, title: t('Move the camera while held'), ...move },
    { keys: LENS, title: t('Zoom the lens while held'), ...move },
    {
      keys: PRESETS,
      shown: ['1 – 9'],
      title: t('Go to a preset'),
      act: ({ key, repeat }) => {
        const preset = state.presets[Number(key) - 1];
        if (preset === undefined) return false;
        if (!repeat) goTo(preset.presetToken);
        return true;
      },
    },
  ];
}

/** Held, it acts no second time. `act` null: it has nothing to do now. */
function once(keys: readonly string[], title: string, act: (() => void) | null): KeyDeed {
  return {
    keys,
    title,
    act: ({ repeat }) => {
      if (!repeat) act?.();
      return act !== null;
    },
  };
}
