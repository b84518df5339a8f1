/**
 * Texts of the page in each state. Pure: the caller passes the time; locale and time zone are the viewer's.
 */

import type { Refusal } from './open.ts';
import type { LossReason, RealTimeObstacle } from './playback.ts';
import { dayOf, timeFormat } from './words/formats.ts';
import { t } from './words/plain-words.ts';
import { daysLater } from './words/zone.ts';

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

/** The card for a refusal that no password can lift. `nowEpochMs`: by the gateway's clock, like `untilEpochMs`. */
export function refusalCard(refusal: Refusal, nowEpochMs: number): CardText {
  switch (refusal.reason) {
    case 'revoked':
      return {
        icon: 'link',
        title: t('This link has been turned off'),
        text: t('The person who shared this camera has stopped sharing it.'),
        canRetry: false,
      };
    case 'expired':
      return {
        icon: 'clock',
        title: t('This link has expired'),
        text: t('Ask the person who sent it to extend it. Video starts automatically then.'),
        canRetry: true,
      };
    case 'hidden-by-schedule':
      return {
        icon: 'clock',
        title: t('Not available right now'),
        text: returnText(refusal.untilEpochMs, nowEpochMs),
        canRetry: true,
      };
    case 'viewer-ended':
      return {
        icon: 'people',
        title: t('Your view was ended'),
        text: endedText(refusal.untilEpochMs, nowEpochMs),
        canRetry: true,
      };
    case 'viewer-limit':
      return {
        icon: 'people',
        title: t('Too many people are watching'),
        text: t('You’ll join automatically when a spot opens up.'),
        canRetry: true,
      };
    case 'camera-offline':
      return {
        icon: 'camera',
        title: t('The camera is offline'),
        text: t('Video starts automatically when the camera is back.'),
        canRetry: true,
      };
    case 'sound-only':
      return {
        icon: 'camera',
        title: t('This camera sends only sound'),
        text: t('This link doesn’t include sound. Video starts automatically if the camera sends any.'),
        canRetry: true,
      };
    case 'too-many-opens':
    case 'busy':
      return {
        icon: 'people',
        title: t('The video server is busy'),
        text: t('Video starts automatically in a moment.'),
        canRetry: true,
      };
    case 'restarting':
      return {
        icon: 'network',
        title: t('Reconnecting…'),
        text: t('Video starts automatically in a moment.'),
        canRetry: true,
      };
    default:
      return {
        icon: 'link',
        title: t('This link doesn’t work'),
        text: t('It may be incomplete. Check it, or ask the person who sent it for a new one.'),
        canRetry: false,
      };
  }
}

function signInFault(code: string): string {
  switch (code) {
    case 'OIDC_EMAIL_UNVERIFIED':
      return t('The sign-in provider hasn’t verified your email address.');
    case 'OIDC_DOMAIN_NOT_ALLOWED':
      return t('Accounts with your email address can’t watch this.');
    case 'OIDC_CANCELED':
      return t('The sign-in was canceled.');
    case 'OIDC_UNAVAILABLE':
      return t('The sign-in provider isn’t answering. Try again in a minute.');
    case 'OIDC_ATTEMPT_INVALID':
      return t('That sign-in took too long, or was already used. Start again.');
    case 'SIGN_IN_LIMITED':
      return t('Too many sign-ins failed. Wait a minute, then try again.');
    default:
      return t('The sign-in didn’t work. Try again.');
  }
}

/** `fault`: the code of what went wrong at the last sign-in; null: nothing. */
export function signInCard(
  label: string | null,
  url: string,
  fault: string | null,
  isFramed: boolean,
): CardText {
  const title = t('Sign in to watch');
  if (label === null) {
    const text = t('This link needs a sign-in that isn’t set up. Ask the person who sent it for a new one.');
    return { icon: 'people', title, text, canRetry: false };
  }
  const usual = isFramed
    ? t('Browsers don’t keep a sign-in for a page inside another one, so this link opens in a new window.')
    : t('The person who shared this camera wants to know who watches it.');
  const failed = fault === null ? null : signInFault(fault);
  const link = { text: t('Continue with {provider}', { provider: label }), url, isNewWindow: isFramed };
  return { icon: 'people', title, text: failed ?? usual, canRetry: isFramed, link };
}

export function obstacleCard(obstacle: Obstacle): CardText {
  if (obstacle === 'unplayable') {
    return {
      icon: 'camera',
      title: t('This browser can’t play the video'),
      text: t('Update it, or open the link in another browser.'),
      canRetry: false,
    };
  }
  return navigator.onLine
    ? {
        icon: 'network',
        title: t('Reconnecting…'),
        text: t('The video server isn’t answering. This page keeps trying.'),
        canRetry: true,
      }
    : {
        icon: 'network',
        title: t('You’re offline'),
        text: t('Video starts automatically when your connection is back.'),
        canRetry: true,
      };
}

/** Why a viewer who asked for real time watches HLS. */
export type NoRealTime = RealTimeObstacle | 'unsupported' | 'insecure';

export function noRealTimeText(reason: NoRealTime): string {
  if (reason === 'no-picture') return t('Real time has no sound, and this camera has nothing else.');
  return `${realTimeObstacleText(reason)} ${t('The video is a few seconds behind instead.')}`;
}

function realTimeObstacleText(reason: Exclude<NoRealTime, 'no-picture'>): string {
  switch (reason) {
    case 'unsupported':
      return t('This browser can’t play in real time.');
    case 'insecure':
      return t('Real time needs a secure connection (https).');
    case 'undecodable':
      return t('This browser can’t play this camera in real time.');
    case 'no-connection':
      return t('This network blocks the connection for real time.');
    case 'slow':
      return t('This network is too slow for real time.');
  }
}

/** Under the words that a camera has no picture. */
export function soundOnlyText(isMuted: boolean): string {
  return isMuted ? t('It sends only sound, which is off.') : t('It sends only sound. You’re listening.');
}

/** The title over the dimmed video while a lost stream is being restored. */
export function lossTitle(reason: LossReason): string {
  switch (reason) {
    case 'camera-offline':
      return t('The camera is offline');
    case 'busy':
      return t('The video server is busy');
    case 'restarting':
      return t('Reconnecting…');
    case 'network':
      return navigator.onLine ? t('Reconnecting…') : t('You’re offline');
    case 'unanswered':
      return navigator.onLine ? t('The video server isn’t answering') : t('You’re offline');
    case 'stalled':
      return t('The video has stopped');
  }
}

/** "No answer for 12 s. Trying again in 3 s"; `silentMs` null: it answered last time; `waitMs` not above 0: it is trying. */
export function tryingText(silentMs: number | null, waitMs: number): string {
  const trying =
    waitMs > 0 ? t('Trying again in {time}', { time: formatRemaining(waitMs) }) : t('Trying again…');
  return silentMs === null ? trying : `${silenceText(silentMs)}. ${trying}`;
}

/** "No answer for 12 s" */
export function silenceText(silentMs: number): string {
  return t('No answer for {time}', { time: formatRemaining(silentMs) });
}

/** "Last picture today at 6:00:05 PM" */
export function lastPictureText(pictureEpochMs: number, nowEpochMs: number): string {
  const time = timeFormat('seconds').format(pictureEpochMs);
  return t('Last picture {day} at {time}', { day: dayText(pictureEpochMs, nowEpochMs), time });
}

/** "Video resumes today at 6:00 PM EST." */
function returnText(untilEpochMs: number | null, nowEpochMs: number): string {
  const limits = t('This camera is shared only at certain times.');
  if (untilEpochMs === null) return `${limits} ${t('Video starts automatically when it’s available again.')}`;
  const [day, time] = [dayText(untilEpochMs, nowEpochMs), timeText(untilEpochMs)];
  return `${limits} ${t('Video resumes {day} at {time}.', { day, time })}`;
}

function endedText(untilEpochMs: number | null, nowEpochMs: number): string {
  const ended = t('The person who shared this ended it.');
  if (untilEpochMs === null) return `${ended} ${t('You can open the link again.')}`;
  const [day, time] = [dayText(untilEpochMs, nowEpochMs), timeText(untilEpochMs)];
  return `${ended} ${t('You can open the link again {day} at {time}.', { day, time })}`;
}

function timeText(epochMs: number): string {
  return timeFormat('zonedMinutes').format(epochMs);
}

function dayText(epochMs: number, nowEpochMs: number): string {
  const day = dayOf(epochMs);
  if (day === dayOf(nowEpochMs)) return t('today');
  if (day === dayOf(daysLater(nowEpochMs, 1))) return t('tomorrow');
  if (day === dayOf(daysLater(nowEpochMs, -1))) return t('yesterday');
  const format = timeFormat('longDay');
  return t('on {date}', { date: format.format(epochMs) });
}

/** A remaining time in its two largest units: "2 d 3 h", "2 h 14 min", "4 min 10 s", "42 s". */
export function formatRemaining(remainingMs: number): string {
  const totalSec = Math.max(0, Math.ceil(remainingMs / 1000));
  const days = Math.floor(totalSec / 86_400);
  const hours = Math.floor(totalSec / 3600) % 24;
  const minutes = Math.floor(totalSec / 60) % 60;
  if (days > 0) return t('{days} d {hours} h', { days, hours });
  if (hours > 0) return t('{hours} h {minutes} min', { hours, minutes });
  if (minutes > 0) return t('{minutes} min {seconds} s', { minutes, seconds: totalSec % 60 });
  return t('{seconds} s', { seconds: totalSec });
}
