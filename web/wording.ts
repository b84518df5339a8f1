/**
 * Texts of the page in each state. Pure: the caller passes the time; locale and time zone are the viewer's.
 */

import type { Refusal } from './open.ts';
import type { LossReason, RealTimeObstacle } from './playback.ts';

export type CardIcon = 'link' | 'clock' | 'people' | 'camera' | 'network';

/** A card that stands in place of the video. */
export interface CardText {
  readonly icon: CardIcon;
  readonly title: string;
  readonly text: string;
  /** Whether trying again may give a different result: only then there is a button for it. */
  readonly canRetry: boolean;
  /** A button that leads to another page. */
  readonly link?: { readonly text: string; readonly url: string; readonly isNewWindow: boolean };
}

/** Why the page cannot play although the link may be valid: not a response from the gateway. */
export type Obstacle = 'unreachable' | 'unplayable';

const RECONNECTING = 'Reconnecting…';

/** The card for a refusal that no password can lift. `nowEpochMs`: by the gateway's clock, like `untilEpochMs`. */
export function refusalCard(refusal: Refusal, nowEpochMs: number): CardText {
  switch (refusal.reason) {
    case 'revoked':
      return {
        icon: 'link',
        title: 'This link has been turned off',
        text: 'The person who shared this camera has stopped sharing it.',
        canRetry: false,
      };
    case 'expired':
      return {
        icon: 'clock',
        title: 'This link has expired',
        text: 'Ask the person who sent it to extend it. Video starts automatically then.',
        canRetry: true,
      };
    case 'hidden-by-schedule':
      return {
        icon: 'clock',
        title: 'Not available right now',
        text: returnText(refusal.untilEpochMs, nowEpochMs),
        canRetry: true,
      };
    case 'viewer-ended':
      return {
        icon: 'people',
        title: 'Your view was ended',
        text: endedText(refusal.untilEpochMs, nowEpochMs),
        canRetry: true,
      };
    case 'viewer-limit':
      return {
        icon: 'people',
        title: 'Too many people are watching',
        text: 'You’ll join automatically when a spot opens up.',
        canRetry: true,
      };
    case 'camera-offline':
      return {
        icon: 'camera',
        title: 'The camera is offline',
        text: 'Video starts automatically when the camera is back.',
        canRetry: true,
      };
    case 'sound-only':
      return {
        icon: 'camera',
        title: 'This camera sends only sound',
        text: 'This link doesn’t include sound. Video starts automatically if the camera sends any.',
        canRetry: true,
      };
    case 'too-many-opens':
    case 'busy':
      return {
        icon: 'people',
        title: 'The video server is busy',
        text: 'Video starts automatically in a moment.',
        canRetry: true,
      };
    case 'restarting':
      return {
        icon: 'network',
        title: RECONNECTING,
        text: 'Video starts automatically in a moment.',
        canRetry: true,
      };
    default:
      return {
        icon: 'link',
        title: 'This link doesn’t work',
        text: 'It may be incomplete. Check it, or ask the person who sent it for a new one.',
        canRetry: false,
      };
  }
}

const SIGN_IN_FAULTS: Readonly<Record<string, string>> = {
  OIDC_EMAIL_UNVERIFIED: 'The sign-in provider hasn’t verified your email address.',
  OIDC_DOMAIN_NOT_ALLOWED: 'Accounts with your email address can’t watch this.',
  OIDC_CANCELED: 'The sign-in was canceled.',
  OIDC_UNAVAILABLE: 'The sign-in provider isn’t answering. Try again in a minute.',
  OIDC_ATTEMPT_INVALID: 'That sign-in took too long, or was already used. Start again.',
  SIGN_IN_LIMITED: 'Too many sign-ins failed. Wait a minute, then try again.',
};

/** `fault`: the code of what went wrong at the last sign-in; null: nothing. */
export function signInCard(
  label: string | null,
  url: string,
  fault: string | null,
  isFramed: boolean,
): CardText {
  const title = 'Sign in to watch';
  if (label === null) {
    const text = 'This link needs a sign-in that isn’t set up. Ask the person who sent it for a new one.';
    return { icon: 'people', title, text, canRetry: false };
  }
  const usual = isFramed
    ? 'Browsers don’t keep a sign-in for a page inside another one, so this link opens in a new window.'
    : 'The person who shared this camera wants to know who watches it.';
  const failed = fault === null ? null : (SIGN_IN_FAULTS[fault] ?? 'The sign-in didn’t work. Try again.');
  const link = { text: `Continue with ${label}`, url, isNewWindow: isFramed };
  return { icon: 'people', title, text: failed ?? usual, canRetry: isFramed, link };
}

export function obstacleCard(obstacle: Obstacle): CardText {
  if (obstacle === 'unplayable') {
    return {
      icon: 'camera',
      title: 'This browser can’t play the video',
      text: 'Update it, or open the link in another browser.',
      canRetry: false,
    };
  }
  return navigator.onLine
    ? {
        icon: 'network',
        title: RECONNECTING,
        text: 'The video server isn’t answering. This page keeps trying.',
        canRetry: true,
      }
    : {
        icon: 'network',
        title: 'You’re offline',
        text: 'Video starts automatically when your connection is back.',
        canRetry: true,
      };
}

/** Why a viewer who asked for real time watches HLS. */
export type NoRealTime = RealTimeObstacle | 'unsupported' | 'insecure';

export function noRealTimeText(reason: NoRealTime): string {
  if (reason === 'no-picture') return 'Real time has no sound, and this camera has nothing else.';
  return `${NO_REAL_TIME[reason]} The video is a few seconds behind instead.`;
}

const NO_REAL_TIME: Readonly<Record<Exclude<NoRealTime, 'no-picture'>, string>> = {
  unsupported: 'This browser can’t play in real time.',
  insecure: 'Real time needs a secure connection (https).',
  undecodable: 'This browser can’t play this camera in real time.',
  'no-connection': 'This network blocks the connection for real time.',
  slow: 'This network is too slow for real time.',
};

/** Under the words that a camera has no picture. */
export function soundOnlyText(isMuted: boolean): string {
  return isMuted ? 'It sends only sound, which is off.' : 'It sends only sound. You’re listening.';
}

/** The title over the dimmed video while a lost stream is being restored. */
export function lossTitle(reason: LossReason): string {
  switch (reason) {
    case 'camera-offline':
      return 'The camera is offline';
    case 'busy':
      return 'The video server is busy';
    case 'restarting':
      return RECONNECTING;
    case 'network':
      return navigator.onLine ? RECONNECTING : 'You’re offline';
    case 'unanswered':
      return navigator.onLine ? 'The video server isn’t answering' : 'You’re offline';
    case 'stalled':
      return 'The video has stopped';
  }
}

/** "No answer for 12 s. Trying again in 3 s"; `silentMs` null: it answered last time; `waitMs` not above 0: it is trying. */
export function tryingText(silentMs: number | null, waitMs: number): string {
  const trying = waitMs > 0 ? `Trying again in ${formatRemaining(waitMs)}` : 'Trying again…';
  return silentMs === null ? trying : `No answer for ${formatRemaining(silentMs)}. ${trying}`;
}

/** "Last picture today at 6:00:05 PM" */
export function lastPictureText(pictureEpochMs: number, nowEpochMs: number): string {
  const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }).format(pictureEpochMs);
  return `Last picture ${dayText(pictureEpochMs, nowEpochMs)} at ${time}`;
}

/** "Video resumes today at 6:00 PM EST." */
function returnText(untilEpochMs: number | null, nowEpochMs: number): string {
  const limits = 'This camera is shared only at certain times.';
  if (untilEpochMs === null) return `${limits} Video starts automatically when it’s available again.`;
  return `${limits} Video resumes ${dayText(untilEpochMs, nowEpochMs)} at ${timeText(untilEpochMs)}.`;
}

function endedText(untilEpochMs: number | null, nowEpochMs: number): string {
  const ended = 'The person who shared this ended it.';
  if (untilEpochMs === null) return `${ended} You can open the link again.`;
  return `${ended} You can open the link again ${dayText(untilEpochMs, nowEpochMs)} at ${timeText(untilEpochMs)}.`;
}

function timeText(epochMs: number): string {
  const format = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;
  return new Intl.DateTimeFormat(undefined, format).format(epochMs);
}

function dayText(epochMs: number, nowEpochMs: number): string {
  const day = new Date(epochMs).toDateString();
  for (const [name, days] of [
    ['today', 0],
    ['tomorrow', 1],
    ['yesterday', -1],
  ] as const) {
    const named = new Date(nowEpochMs);
    named.setDate(named.getDate() + days);
    if (day === named.toDateString()) return name;
  }
  return `on ${new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' }).format(epochMs)}`;
}

/** A remaining time in its two largest units: "2 d 3 h", "2 h 14 min", "4 min 10 s", "42 s". */
export function formatRemaining(remainingMs: number): string {
  const totalSec = Math.max(0, Math.ceil(remainingMs / 1000));
  const days = Math.floor(totalSec / 86_400);
  const hours = Math.floor(totalSec / 3600) % 24;
  const minutes = Math.floor(totalSec / 60) % 60;
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  if (minutes > 0) return `${minutes} min ${totalSec % 60} s`;
  return `${totalSec} s`;
}
