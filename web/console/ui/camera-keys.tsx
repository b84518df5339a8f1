/** The keys of a camera's page, and the list that names them. */

import { useRef } from 'preact/hooks';
import { dragged, isZoomed, WHOLE, zoomedBy } from '../camera-zoom.ts';
import { t } from '../words.ts';
import { PTZ_DIRECTIONS, type PtzDirection, type PtzHandle } from './ptz-controls.tsx';
import type { CameraView } from './use-camera-view.ts';
import type { FullScreen } from './use-full-screen.ts';
import { useStageKeys } from './use-stage-keys.ts';

export const ZOOM_STEP = 1.5;
const PAN_STEP = 0.15;
const STEP_MS = 10_000;
const MOVES: Readonly<Record<string, PtzDirection>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  PageUp: 'closer',
  PageDown: 'wider',
};
const PANS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowUp: [0, PAN_STEP],
  ArrowDown: [0, -PAN_STEP],
  ArrowLeft: [PAN_STEP, 0],
  ArrowRight: [-PAN_STEP, 0],
};
const JUMPS_MS: Readonly<Record<string, number>> = { ArrowLeft: -STEP_MS, ArrowRight: STEP_MS };

export interface CameraDeeds {
  readonly view: CameraView;
  readonly full: FullScreen;
  readonly ptz: PtzHandle;
  readonly snapshot: () => void;
  /** Null: the person may not. */
  readonly record: (() => void) | null;
}

export function useCameraKeys(deeds: CameraDeeds): void {
  const held = useRef(new Set<string>());
  useStageKeys({
    down: (key, isRepeat) => {
      const { view, ptz } = deeds;
      const { zoom } = view;
      const [move, pan, jumpMs] = [MOVES[key], PANS[key], JUMPS_MS[key]];
      if (pan !== undefined && isZoomed(zoom)) {
        view.setZoom(dragged(zoom, ...pan));
        return true;
      }
      if (jumpMs !== undefined && !view.isLive) {
        view.seek(view.headMs + jumpMs, false, view.isPlaying);
        return true;
      }
      if (move !== undefined) {
        if (ptz.state === null || !view.isLive) return false;
        if (!isRepeat) ptz.held.hold(PTZ_DIRECTIONS[move]);
        held.current.add(key);
        return true;
      }
      const deed = deedOf(key.toLowerCase(), deeds);
      if (deed === null) return false;
      if (!isRepeat) deed();
      return true;
    },
    up: (key) => {
      if (held.current.delete(key)) deeds.ptz.held.release();
    },
  });
}

function deedOf(key: string, { view, full, ptz, snapshot, record }: CameraDeeds): (() => void) | null {
  const zoomBy = (factor: number) => () => view.setZoom(zoomedBy(view.zoom, factor));
  switch (key) {
    case '+':
    case '=':
      return zoomBy(ZOOM_STEP);
    case '-':
      return zoomBy(1 / ZOOM_STEP);
    case '0':
      return () => view.setZoom(WHOLE);
    case ' ':
    case 'k':
      return view.togglePlay;
    case 'l':
      return view.goLive;
    case 'm':
      return view.toggleSound;
    case 's':
      return snapshot;
    case 'f':
      return full.toggle;
    case 'r':
      return record;
    case 'escape':
      return full.isFilled ? full.toggle : null;
    default: {
      const preset = /^[1-9]$/.test(key) ? ptz.state?.presets[Number(key) - 1] : undefined;
      return preset === undefined ? null : () => ptz.goTo(preset.presetToken);
    }
  }
}

const KEYS = [
  ['+ − 0', t('Zoom the picture; arrows move it')],
  ['Space', t('Pause, play')],
  ['L', t('Back to live')],
  ['← →', t('In the past: 10 s back, 10 s on')],
  ['S', t('Save a snapshot')],
  ['M', t('Sound')],
  ['F', t('Full screen')],
] as const;

export function KeyList({ hasPtz, isOperator }: { readonly hasPtz: boolean; readonly isOperator: boolean }) {
  return (
    <details class="sheet key-list">
      <summary>{t('Keys')}</summary>
      <dl>
        {KEYS.map(([keys, deed]) => (
          <Row key={keys} keys={keys} deed={deed} />
        ))}
        {isOperator && <Row keys="R" deed={t('Record now')} />}
        {hasPtz && <Row keys="← ↑ → ↓" deed={t('Move the camera while held')} />}
        {hasPtz && <Row keys="PageUp PageDown" deed={t('Zoom the lens while held')} />}
        {hasPtz && <Row keys="1 – 9" deed={t('Go to a preset')} />}
      </dl>
      <p class="hint">{t('Ctrl and the wheel, two fingers, or a double click zoom the picture, too.')}</p>
    </details>
  );
}

function Row({ keys, deed }: { readonly keys: string; readonly deed: string }) {
  return (
    <div>
      <dt>
        <kbd>{keys}</kbd>
      </dt>
      <dd>{deed}</dd>
    </div>
  );
}
