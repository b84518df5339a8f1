/** Texts of a tile of a wall. Pure; locale and time zone are the viewer's. */

import { delayText } from './delay-text.ts';
import { LIVE_TOLERANCE_SEC } from './live-sign.ts';
import type { Refusal } from './open.ts';
import type { LossReason } from './playback.ts';
import { lossTitle, refusalCard, silenceText } from './wording.ts';
import { momentText, timeFormat } from './words/formats.ts';
import { t } from './words/plain-words.ts';

/**
 * `frozen` and `lost` have a red frame. `empty`: the camera may not be watched now. `no-picture`: it sends only sound, which no
 * tile plays.
 */
export type TileState =
  | ('loading' | 'live' | 'behind' | 'frozen' | 'lost' | 'blocked')
  | ('empty' | 'no-picture' | 'past');

export interface TileReading {
  /** Why there is no player; null: a player exists or is being started. */
  readonly loss: LossReason | 'unplayable' | null;
  readonly refusal: Refusal | null;
  /** Message about a refusal from the person who shared the wall; '' if none. */
  readonly message: string;
  readonly isBlocked: boolean;
  /** The viewer looks at a recording. */
  readonly isPast: boolean;
  /** How long the frame on the screen has been frozen; null: there is none. */
  readonly frozenMs: number | null;
  readonly behindSec: number | null;
  /** How old the frame on the screen is; null: unknown. */
  readonly ageSec: number | null;
  /** When the last frame that was on the screen was taken; null: there was none. */
  readonly lastPictureEpochMs: number | null;
  /** Since when the gateway cannot reach the camera; null: it can, or the page does not know. */
  readonly offlineSinceEpochMs: number | null;
  readonly nowEpochMs: number;
}

export interface TileText {
  readonly state: TileState;
  /** On the badge. */
  readonly badge: string;
  /** In the middle of the tile; '' while video plays. */
  readonly title: string;
  readonly text: string;
  /** How old the picture is; '' if that is unknown. */
  readonly delay: string;
  /** Text for screen readers, after the camera's name: names the state and counts nothing. */
  readonly spoken: string;
}

export function tileText(reading: TileReading): TileText {
  const { loss, refusal, isBlocked, frozenMs, behindSec, ageSec } = reading;
  const delay = ageSec === null ? '' : delayText(ageSec);
  if (reading.isPast) return plain('past', t('Recorded'), '', t('Recorded video'));
  if (refusal !== null) return refusedText(reading, refusal);
  if (loss !== null) {
    if (loss === 'camera-offline') return offlineText(reading, delay);
    const title = loss === 'unplayable' ? t('This browser can’t play the video') : lossTitle(loss);
    return { state: 'lost', badge: t('No video'), title, text: lastPicture(reading), delay, spoken: title };
  }
  if (isBlocked) return plain('blocked', t('Paused'), t('Tap to play'), t('Paused'));
  if (frozenMs === null) {
    if (reading.offlineSinceEpochMs !== null) return offlineText(reading, delay);
    return plain('loading', t('Connecting'), t('Connecting…'), t('Connecting'));
  }
  if (frozenMs > 0) {
    return {
      state: 'frozen',
      badge: t('Frozen'),
      title: '',
      text: '',
      delay,
      spoken: t('The video is frozen'),
    };
  }
  if ((behindSec ?? 0) >= LIVE_TOLERANCE_SEC) {
    return { state: 'behind', badge: t('Behind'), title: '', text: '', delay, spoken: t('Behind live') };
  }
  return { state: 'live', badge: t('Live'), title: '', text: '', delay, spoken: t('Live') };
}

/** "1 camera", "9 cameras, 2 without video"; with `silentMs`, for how long the gateway has not answered. */
export function wallSummary(states: readonly TileState[], silentMs: number | null = null): string {
  const cameras = cameraSummary(states);
  return silentMs === null ? cameras : `${cameras}. ${silenceText(silentMs)}`;
}

function cameraSummary(states: readonly TileState[]): string {
  const cameras = states.length === 1 ? t('1 camera') : t('{count} cameras', { count: states.length });
  const bad = states.filter(isAlarming).length;
  return bad === 0 ? cameras : t('{cameras}, {count} without live video', { cameras, count: bad });
}

/** Whether the tile has a red frame. */
export function isAlarming(state: TileState): boolean {
  return state === 'frozen' || state === 'lost';
}

/** Whether the time of the frame on the screen belongs on the tile: any other frame would look as if it were of now. */
export function hasClock(state: TileState): boolean {
  return state === 'live' || state === 'behind' || state === 'past';
}

function offlineText(reading: TileReading, delay: string): TileText {
  const { offlineSinceEpochMs: sinceMs, nowEpochMs } = reading;
  const title =
    sinceMs === null
      ? t('The camera is offline')
      : t('Offline since {time}', { time: momentText(sinceMs, nowEpochMs) });
  return { state: 'lost', badge: t('Offline'), title, text: lastPicture(reading), delay, spoken: title };
}

/** '' if there was none. */
function lastPicture({ lastPictureEpochMs: lastMs }: TileReading): string {
  if (lastMs === null) return '';
  return t('Last picture {time}', { time: timeFormat('seconds').format(lastMs) });
}

function refusedText({ message, nowEpochMs }: TileReading, refusal: Refusal): TileText {
  if (refusal.reason === 'sound-only') {
    const title = t('This camera has no picture');
    return { ...plain('no-picture', t('No picture'), title, title), text: t('It sends only sound.') };
  }
  if (refusal.reason !== 'hidden-by-schedule') {
    const { title } = refusalCard(refusal, nowEpochMs);
    return plain('loading', t('Waiting'), title, title);
  }
  const { untilEpochMs } = refusal;
  const text = message !== '' ? message : untilEpochMs === null ? '' : backText(untilEpochMs, nowEpochMs);
  const title = t('Not available right now');
  return { ...plain('empty', t('Off'), title, title), text };
}

function backText(untilEpochMs: number, nowEpochMs: number): string {
  return t('Back at {time}.', { time: momentText(untilEpochMs, nowEpochMs) });
}

function plain(state: TileState, badge: string, title: string, spoken: string): TileText {
  return { state, badge, title, text: '', delay: '', spoken };
}
