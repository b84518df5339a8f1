/** Keys of a watched wall. None pauses: a wall is live. */

import type { WallScreen } from '../wall-screens.ts';
import type { FullScreen } from './use-full-screen.ts';
import type { StageKeys } from './use-stage-keys.ts';
import type { Tour } from './use-tour.ts';
import type { WallAlerts } from './use-wall-alerts.ts';

export interface KeyedStage {
  readonly screen: WallScreen;
  /** The camera that is alone on the screen; null: none. */
  readonly alone: string | null;
  readonly choose: (cameraUuid: string) => void;
  readonly setAlone: (cameraUuid: string) => void;
  /** Returns whether there was anything to leave. */
  readonly leave: () => boolean;
  readonly tour: Tour;
  readonly full: FullScreen;
  readonly alerts: WallAlerts;
}

const STEPS: Readonly<Record<string, 1 | -1>> = {
  ArrowLeft: -1,
  ArrowUp: -1,
  ArrowRight: 1,
  ArrowDown: 1,
};

export function stageKeys(stage: KeyedStage): StageKeys {
  const { screen, tour, full, alerts } = stage;
  const down = (key: string, isRepeat: boolean): boolean => {
    if (key === 'Escape' || key === '0') return stage.leave();
    // Otherwise it would scroll, or press what has the focus elsewhere.
    if (key === ' ') return true;
    const by = STEPS[key];
    if (by !== undefined) return step(stage, by);
    if (isRepeat) return false;
    if (key >= '1' && key <= '9' && key.length === 1) {
      const cameraUuid = screen.cameraUuids[Number(key) - 1];
      if (cameraUuid !== undefined) stage.choose(cameraUuid);
      return cameraUuid !== undefined;
    }
    const deed = { f: full.toggle, t: tour.toggle, n: alerts.next }[key.toLowerCase()];
    if (deed !== undefined) deed();
    else if (key === 'PageDown' || key === 'PageUp') turn(tour, key === 'PageDown' ? 1 : -1);
    else if (key.toLowerCase() === 'a' && alerts.current !== null && alerts.isAllowed) {
      alerts.acknowledge(alerts.current);
    } else return false;
    return true;
  };
  return { down, up: () => undefined };
}

/** By hand: the tour stops. */
export function turn(tour: Tour, by: 1 | -1): void {
  tour.stop();
  tour.turn(by);
}

/** To the next picture, or to the next camera if one is alone; around the end. */
function step({ screen, alone, setAlone, tour }: KeyedStage, by: 1 | -1): boolean {
  const { cameraUuids } = screen;
  const around = (at: number, count: number) => (at + by + count) % count;
  tour.stop();
  if (alone !== null) {
    const at = cameraUuids.indexOf(alone);
    const next = cameraUuids[at < 0 ? 0 : around(at, cameraUuids.length)];
    if (next !== undefined) setAlone(next);
    return true;
  }
  const buttons = [...document.querySelectorAll<HTMLElement>('.watch-tile')];
  const at = buttons.indexOf(document.activeElement as HTMLElement);
  buttons[at < 0 ? 0 : around(at, buttons.length)]?.focus();
  return buttons.length > 0;
}
