/** Keys of a watched wall. None pauses: a wall is live. */

import { UNDO_TITLE } from '../alert-undo.ts';
import type { KeyDeed, Press } from '../key-board.ts';
import type { WallScreen } from '../wall-screens.ts';
import { t } from '../words.ts';
import type { FullScreen } from './use-full-screen.ts';
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

const PICTURES = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
const BACK = ['ArrowLeft', 'ArrowUp'];
const ON = ['ArrowRight', 'ArrowDown'];

export function stageKeys(stage: KeyedStage): readonly KeyDeed[] {
  const { screen, tour, full, alerts } = stage;
  const choose = ({ key, repeat }: Press): boolean => {
    const cameraUuid = screen.cameraUuids[Number(key) - 1];
    if (cameraUuid === undefined || repeat) return false;
    stage.choose(cameraUuid);
    return true;
  };
  const acknowledge = (): boolean => {
    if (alerts.current === null) return false;
    alerts.acknowledge(alerts.current);
    return true;
  };
  return [
    { keys: PICTURES, title: t('A camera alone, or back'), shown: ['1 – 9'], act: choose },
    { keys: ['Escape', '0'], title: t('Back to all cameras'), act: () => stage.leave() },
    { keys: BACK, title: t('The picture before'), act: () => step(stage, -1) },
    { keys: ON, title: t('The next picture'), act: () => step(stage, 1) },
    { keys: ['f'], title: t('Full screen'), act: once(full.toggle) },
    { keys: ['t'], title: t('Start or stop the tour'), act: once(tour.toggle) },
    { keys: ['PageUp'], title: t('The page before'), act: () => turn(tour, -1) },
    { keys: ['PageDown'], title: t('The next page'), act: () => turn(tour, 1) },
    { keys: ['n'], title: t('The next alert'), act: once(alerts.next) },
    ...(alerts.isAllowed
      ? [
          { keys: ['a'], title: t('Acknowledge the alert'), act: once(acknowledge) },
          { keys: ['u'], title: UNDO_TITLE, act: once(alerts.undo) },
        ]
      : []),
  ];
}

/** A key that is held acts once. */
function once(act: () => unknown): (press: Press) => unknown {
  return ({ repeat }) => (repeat ? false : act());
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
