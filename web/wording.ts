/** What the page says in each state. Pure: the caller passes the time; locale and time zone are the viewer's. */

import type { Refusal } from './open.ts';
import type { LossReason } from './playback.ts';

export type CardIcon = 'link' | 'clock' | 'people' | 'camera' | 'network';

/** A card that stands in place of the video. */
export interface CardText {
  readonly icon: CardIcon;
  readonly title: string;
  readonly text: string;
}

/** Why nobody can watch although the link may be good: not an answer of the gateway. */
export type Obstacle = 'unreachable' | 'unplayable';

/** The card for a refusal that no password can lift. `nowEpochMs`: the gateway's clock, as `untilEpochMs` is. */
export function refusalCard(refusal: Refusal, nowEpochMs: number): CardText {
  switch (refusal.reason) {
    case 'revoked':
      return {
        icon: 'link',
        title: 'This link was withdrawn',
        text: 'The person who shared this camera has ended it.',
      };
    case 'expired':
      return {
        icon: 'clock',
        title: 'This link has expired',
        text: 'Ask the person who sent it to you for a new one.',
      };
    case 'hidden-by-schedule':
      return {
        icon: 'clock',
        title: 'Not shown right now',
        text: returnText(refusal.untilEpochMs, nowEpochMs),
      };
    case 'viewer-limit':
      return {
        icon: 'people',
        title: 'Too many people are watching',
        text: 'You will be let in as soon as a place is free. You can leave this page open.',
      };
    case 'camera-offline':
      return {
        icon: 'camera',
        title: 'The camera is offline',
        text: 'The video starts by itself when the camera is back.',
      };
    case 'too-many-opens':
    case 'busy':
      return {
        icon: 'people',
        title: 'Very busy right now',
        text: 'The video starts by itself in a moment. You can leave this page open.',
      };
    default:
      return {
        icon: 'link',
        title: 'This link does not work',
        text: 'It may be incomplete, or it was removed. Ask the person who sent it to you for a new one.',
      };
  }
}

export function obstacleCard(obstacle: Obstacle): CardText {
  if (obstacle === 'unplayable') {
    return {
      icon: 'camera',
      title: 'This browser cannot play the video',
      text: 'Update it, or open the link in another browser.',
    };
  }
  return navigator.onLine
    ? {
        icon: 'network',
        title: 'No answer',
        text: 'The video server cannot be reached. The page keeps trying.',
      }
    : {
        icon: 'network',
        title: 'You are offline',
        text: 'The video starts by itself when your connection is back.',
      };
}

/** The title over the dimmed picture while a lost stream is being fetched again. */
export function lossTitle(reason: LossReason): string {
  switch (reason) {
    case 'camera-offline':
      return 'The camera is offline';
    case 'busy':
      return 'Very busy right now';
    case 'network':
      return navigator.onLine ? 'Connection lost' : 'You are offline';
    case 'stalled':
      return 'The video has stopped';
  }
}

/** "It returns today at 18:00 (CET)." */
function returnText(untilEpochMs: number | null, nowEpochMs: number): string {
  if (untilEpochMs === null) {
    return 'This camera is shared at certain times only. The video starts by itself when it is shown again.';
  }
  const time = new Intl.DateTimeFormat(undefined, {
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(untilEpochMs);
  return `This camera is shared at certain times only. It returns ${dayText(untilEpochMs, nowEpochMs)} at ${time}.`;
}

function dayText(epochMs: number, nowEpochMs: number): string {
  const tomorrow = new Date(nowEpochMs);
  tomorrow.setDate(tomorrow.getDate() + 1);
  const day = new Date(epochMs).toDateString();
  if (day === new Date(nowEpochMs).toDateString()) return 'today';
  if (day === tomorrow.toDateString()) return 'tomorrow';
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
