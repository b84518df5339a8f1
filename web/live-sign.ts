/**
 * The badge that shows whether the video is live. It relies on measurement: how long ago a frame reached the screen, and
 * how far behind the live edge it is. Its text stays visible while it is anything but "live".
 */

import { element, setText } from './dom.ts';
import { numberFormat } from './words/formats.ts';
import { t } from './words/plain-words.ts';

/** Network jitter moves the video by this much without anyone having left the live edge. */
export const LIVE_TOLERANCE_SEC = 2.5;
/** Screen readers get only what lasts. */
const ANNOUNCE_AFTER_MS = 2_000;

export interface LiveReading {
  readonly isPaused: boolean;
  /** null: unknown yet. */
  readonly behindSec: number | null;
  /** 0: frames are coming; null: none has come yet. */
  readonly frozenMs: number | null;
}

export type LiveState = 'waiting' | 'live' | 'behind' | 'frozen' | 'paused';

export interface LiveText {
  readonly state: LiveState;
  /** On the badge. */
  readonly text: string;
  /** The badge's name as a button. */
  readonly label: string;
  /** Text for screen readers, once per state. */
  readonly announcement: string;
}

/** Text of the badge for a reading. Pure. */
export function liveText({ isPaused, behindSec, frozenMs }: LiveReading): LiveText {
  if (behindSec === null || frozenMs === null) {
    return { state: 'waiting', text: t('Live'), label: t('Waiting for live video'), announcement: '' };
  }
  if (isPaused) {
    return {
      state: 'paused',
      text: t('Paused'),
      label: t('Paused. Go to live'),
      announcement: t('Paused'),
    };
  }
  if (frozenMs > 0) {
    const frozenSec = frozenMs / 1000;
    return {
      state: 'frozen',
      text: t('Frozen {time}', { time: shortTime(frozenSec) }),
      label: t('The video has been frozen for {time}. Go to live', { time: longTime(frozenSec) }),
      announcement: t('The video is frozen'),
    };
  }
  if (behindSec >= LIVE_TOLERANCE_SEC) {
    return {
      state: 'behind',
      text: t('{time} behind', { time: shortTime(behindSec) }),
      label: t('{time} behind live. Go to live', { time: longTime(behindSec) }),
      announcement: t('The video is behind live'),
    };
  }
  return {
    state: 'live',
    text: t('Live'),
    label: t('Playing live'),
    announcement: t('Playing live video'),
  };
}

const MIN_SEC = 60;
const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;

export class LiveSign {
  readonly #sign = element('live', HTMLButtonElement);
  readonly #text = element('live-text', HTMLElement);
  readonly #stage = element('stage', HTMLElement);
  readonly #announce: (text: string) => void;
  #state: LiveState = 'waiting';
  #sinceMs = performance.now();
  #announced: LiveState = 'waiting';

  constructor(onClick: () => void, announce: (text: string) => void) {
    this.#announce = announce;
    this.#sign.addEventListener('click', onClick);
  }

  show(reading: LiveReading): void {
    const { state, text, label, announcement } = liveText(reading);
    const nowMs = performance.now();
    const isNewState = state !== this.#state;
    if (isNewState) {
      this.#state = state;
      this.#sinceMs = nowMs;
      this.#sign.dataset.state = state;
      this.#stage.dataset.live = state;
    }
    setText(this.#text, text);
    // a screen reader reads the focused button's name at each change: do not count seconds there
    const isQuiet = isNewState || document.activeElement !== this.#sign;
    if (isQuiet && this.#sign.getAttribute('aria-label') !== label)
      this.#sign.setAttribute('aria-label', label);
    if (state !== this.#announced && nowMs - this.#sinceMs >= announceAfterMs(state, this.#announced)) {
      this.#announced = state;
      if (announcement !== '') this.#announce(announcement);
    }
  }
}

/** The page announces the viewer's own actions immediately, and the first live frame too. */
function announceAfterMs(state: LiveState, announced: LiveState): number {
  const isStart = state === 'live' && (announced === 'paused' || announced === 'waiting');
  return isStart || state === 'paused' || state === 'waiting' ? 0 : ANNOUNCE_AFTER_MS;
}

/** "4 s", "2 min 5 s", "3 h 12 min", "6 d 2 h". */
function shortTime(sec: number): string {
  return inTwoUnits(sec, ['d', 'h', 'min', 's'], (count, unit) => `${count} ${unit}`);
}

function longTime(sec: number): string {
  return inTwoUnits(sec, ['day', 'hour', 'minute', 'second'], (count, unit) =>
    numberFormat({ style: 'unit', unit, unitDisplay: 'long' }).format(count),
  );
}

/** In its two largest units. */
function inTwoUnits(
  sec: number,
  [day, hour, minute, second]: readonly [string, string, string, string],
  inUnit: (count: number, unit: string) => string,
): string {
  const totalSec = Math.round(sec);
  if (totalSec < MIN_SEC) return inUnit(totalSec, second);
  const [large, largeSec, small, smallSec] =
    totalSec < HOUR_SEC
      ? [minute, MIN_SEC, second, 1]
      : totalSec < DAY_SEC
        ? [hour, HOUR_SEC, minute, MIN_SEC]
        : [day, DAY_SEC, hour, HOUR_SEC];
  const rest = Math.floor((totalSec % largeSec) / smallSec);
  return `${inUnit(Math.floor(totalSec / largeSec), large)} ${inUnit(rest, small)}`;
}
