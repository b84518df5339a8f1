/** The page of a shared link: opens it, plays it, and moves between its states (docs/design/viewer-page.md). */

import { Controls } from './controls.ts';
import { element } from './dom.ts';
import { waitAtDoor } from './door-wait.ts';
import { Failures } from './failures.ts';
import { firstOpen } from './first-open.ts';
import { responds } from './gateway-silence.ts';
import {
  gatewayEpochMs,
  LONGEST_TIMER_MS,
  type OpenResult,
  type OpenShare,
  openShare,
  PASSWORD_REASONS,
  type Refusal,
  readStatus,
  shownWaitMs,
  signInUrl,
} from './open.ts';
import {
  lockCountdown,
  openingCountdown,
  Panel,
  retryCountdown,
  type StageNotice,
  unresponseTime,
} from './panel.ts';
import { canPlayPast, PastPlayer } from './past-player.ts';
import { PastTimeline } from './past-timeline.ts';
import type { LivePlayer, PlayerEnd } from './playback.ts';
import { PlaybackReport } from './playback-report.ts';
import { startPlayer } from './start-player.ts';
import { isSteered, type SteeredState, Steering } from './steering.ts';
import { StillFrame } from './still-frame.ts';
import { lossTitle, obstacleCard, refusalCard, signInCard } from './wording.ts';
import { wordPage } from './words/page-words.ts';
import { t } from './words/plain-words.ts';

const VIEWER_LIMIT_RETRY_SEC = 15;
/** A response that takes longer than this may never come: the page says so, and waits on. */
const LATE_RESPONSE_MS = 8_000;
/** All viewers of a hidden stream wait for the same moment: they reopen it spread over this time. */
const REOPEN_SPREAD_MS = 800;
/** A start that takes longer than this gets an explanation. */
const SLOW_START_MS = 1_500;
/** Video that moved for this long ends a row of failures. */
const STEADY_MS = 5_000;

class SharePage {
  readonly #video = element('video', HTMLVideoElement);
  readonly #still = new StillFrame(element('still', HTMLCanvasElement));
  readonly #name = element('name', HTMLElement);
  readonly #controls = new Controls(
    this.#video,
    (text) => this.#panel.say(text),
    () => this.#onIntent(),
  );
  readonly #intent = this.#controls.intent;
  readonly #panel = new Panel({
    onRetry: () => (this.#pendingRetry === null ? void this.#open() : this.#retryNow()),
    onBigPlay: () => {
      if (!this.#hasPicture) this.#panel.showStage({ kind: 'loading', title: t('Loading…') });
      this.#controls.play();
    },
    onPassword: (password) => void this.#tryPassword(password),
  });
  readonly #timeline = new PastTimeline(() => this.#player?.pictureEpochMs() ?? null, {
    onSeek: (epochMs, isDragging) => this.#seekPast(epochMs, isDragging),
    onLive: () => {
      this.#intent.press(true);
      this.#leavePast();
    },
    onSpeed: (rate) => {
      if (this.#past !== null) this.#video.playbackRate = rate;
    },
  });
  /** Null: the viewer steers. */
  readonly #steering = isSteered()
    ? new Steering({
        show: (epochMs, isPlaying) => this.#steerTo(epochMs, isPlaying),
        pace: (rate) => {
          if (this.#past !== null) this.#video.playbackRate = rate;
        },
        goLive: () => {
          this.#intent.press(true);
          if (this.#past !== null) this.#leavePast();
          else if (this.#share !== null && this.#player === null) this.#startPlaying(this.#share);
        },
        peek: (epochMs) => this.#timeline.peek(epochMs),
        state: () => this.#steeredState(),
        setSound: (isOn) => this.#controls.setSound(isOn),
        sound: () => this.#controls.sound(),
      })
    : null;
  readonly #report = new PlaybackReport(this.#video, () =>
    this.#past === null && this.#intent.isDue ? this.#player : null,
  );
  #share: OpenShare | null = null;
  /** The player, if it plays the past. */
  #past: PastPlayer | null = null;
  #password: string | null = null;
  #player: LivePlayer | null = null;
  #pendingRetry: (() => void) | null = null;
  #retryTimer: number | undefined;
  readonly #failures = new Failures();
  /** Since when, for the attached player. */
  #hasPicture = false;
  #pictureAtMs = 0;
  /** When the last frame that was seen was taken, by the gateway's clock; null if there was none. */
  #lastPictureEpochMs: number | null = null;
  /** Raised by every change of course: responses to earlier requests are ignored. */
  #course = 0;

  async run(): Promise<void> {
    addEventListener('online', () => this.#retryNow());
    addEventListener('hashchange', () => {
      // The page that frames a preview gave it another grant.
      if (location.pathname.endsWith('/preview')) location.reload();
    });
    addEventListener('pageshow', (event) => {
      if (event.persisted) void this.#open();
    });
    document.addEventListener('visibilitychange', () => this.#onVisible());
    this.#video.addEventListener('playing', () => this.#onMotion({ kind: 'none' }));
    this.#video.addEventListener('waiting', () => this.#onMotion({ kind: 'buffering' }));
    this.#controls.setOpen(true);
    await this.#applyOf(firstOpen, ++this.#course);
  }

  /** Requests a grant again with the known password; the page stays as it is until the response arrives. */
  async #open(): Promise<void> {
    this.#panel.setAsking(true);
    await this.#applyOf(openShare(this.#password), this.#newCourse());
  }

  async #applyOf(opening: Promise<OpenResult>, course: number): Promise<void> {
    const late = setTimeout(() => {
      if (course !== this.#course) return;
      this.#panel.showCard({ ...obstacleCard('unreachable'), canRetry: false }, unresponseTime());
    }, LATE_RESPONSE_MS);
    const result = await opening;
    clearTimeout(late);
    if (course === this.#course) this.#apply(result);
  }

  async #tryPassword(password: string): Promise<void> {
    const course = this.#newCourse();
    const result = await openShare(password);
    if (course !== this.#course) return;
    if (result.kind === 'unreachable') {
      this.#panel.showPassword({ kind: 'unreachable' });
      return;
    }
    const isDoubted = result.kind === 'refused' && PASSWORD_REASONS.has(result.refusal.reason);
    this.#password = isDoubted ? null : password;
    this.#apply(result);
  }

  #apply(result: OpenResult): void {
    if (result.kind === 'open') {
      this.#showShare(result.share);
      this.#panel.showStage({ kind: 'loading', title: t('Connecting…') });
      this.#panel.clearPassword();
      if (this.#steering !== null && this.#steering.opened(result.share.steeredFrom) === 'steered') return;
      void this.#explainSlowStart(result.share, this.#startPlaying(result.share));
    } else if (result.kind === 'refused') {
      this.#showRefusal(result.refusal);
    } else {
      this.#clearStage();
      const waitMs = this.#failures.nextWaitMs(null);
      this.#panel.showCard(obstacleCard('unreachable'), retryCountdown(waitMs));
      this.#retryAfter(waitMs, () => void this.#open());
    }
  }

  #showShare(share: OpenShare): void {
    this.#share = share;
    this.#report.open(share.reportUrl);
    if (canPlayPast()) this.#timeline.open(share);
    this.#name.textContent = share.name || t('Live video');
    document.title = this.#name.textContent;
    if (share.posterUrl !== null) this.#video.poster = share.posterUrl;
    this.#lastPictureEpochMs ??= share.posterEpochMs;
  }

  /** Returns the course of this attempt. */
  #startPlaying(share: OpenShare): number {
    const course = this.#newCourse();
    this.#dropPlayer();
    this.#controls.setOpen(true);
    this.#player = startPlayer(this.#video, share, this.#intent, {
      onPicture: () => this.#onPicture(),
      onSound: (hasSound) => this.#controls.setHasSound(hasSound),
      onEnd: (end) => this.#onEnd(share, end),
    });
    this.#controls.attach(this.#player);
    return course;
  }

  #steerTo(epochMs: number, isPlaying: boolean): void {
    this.#intent.press(isPlaying);
    this.#seekPast(epochMs, false);
  }

  #steeredState(): SteeredState {
    const past = this.#past;
    if (past === null) {
      if (this.#player === null || !this.#hasPicture) return { kind: 'waiting' };
      return { kind: 'live', epochMs: this.#player.pictureEpochMs() };
    }
    const epochMs = past.pictureEpochMs();
    if (!past.hasArrived || !this.#hasPicture || epochMs === null) return { kind: 'waiting' };
    return { kind: this.#intent.isPaused ? 'paused' : 'playing', epochMs };
  }

  /** Plays from that instant; while the viewer drags, only shows it. */
  #seekPast(epochMs: number, isDragging: boolean): void {
    if (this.#past !== null) this.#past.seek(epochMs);
    else if (this.#share !== null) this.#startPast(this.#share, epochMs);
    this.#intent.hold(isDragging);
  }

  #startPast(share: OpenShare, epochMs: number): void {
    this.#newCourse();
    this.#still.keep(this.#video);
    this.#dropPlayer();
    this.#controls.setOpen(true);
    const player: PastPlayer = new PastPlayer(
      this.#video,
      share,
      this.#intent,
      {
        onPicture: () => this.#onPicture(),
        onSound: (hasSound) => this.#controls.setHasSound(hasSound),
        onEnd: (end) => this.#onPastEnd(share, end),
        onCaughtUp: () => this.#leavePast(),
        nextRecorded: (epochMs) => this.#timeline.nextRecorded(epochMs),
      },
      epochMs,
    );
    this.#past = player;
    this.#player = player;
    this.#video.playbackRate = this.#timeline.speed;
    this.#timeline.setPast(true);
    this.#controls.attach(player);
  }

  #leavePast(): void {
    if (this.#share === null || this.#past === null) return;
    this.#still.keep(this.#video);
    this.#panel.showStage({ kind: 'buffering' });
    void this.#explainSlowStart(this.#share, this.#startPlaying(this.#share));
  }

  /** When the past is no longer shown, the page returns to live video, if that is still shown. */
  #onPastEnd(share: OpenShare, end: PlayerEnd): void {
    if (end.kind === 'lost') this.#onEnd(share, end);
    else this.#leavePast();
  }

  #onPicture(): void {
    this.#hasPicture = true;
    this.#report.pictured();
    this.#pictureAtMs = performance.now();
    this.#course++;
    this.#still.drop();
    this.#showMotion({ kind: 'none' });
  }

  #onIntent(): void {
    if (this.#intent.isBlocked) this.#course++;
    if (this.#intent.isBlocked || this.#hasPicture) this.#showMotion({ kind: 'none' });
  }

  /** Before a player's first frame, the text of the stage is not about motion. */
  #onMotion(notice: StageNotice): void {
    if (this.#player !== null && this.#hasPicture) this.#showMotion(notice);
  }

  #showMotion(notice: StageNotice): void {
    this.#panel.showStage(this.#intent.isBlocked ? { kind: 'blocked' } : notice);
  }

  #onEnd(share: OpenShare, end: PlayerEnd): void {
    const wasSteady = this.#hasPicture && performance.now() - this.#pictureAtMs > STEADY_MS;
    if (wasSteady) this.#failures.forget();
    if (end.kind === 'lost') {
      this.#lose(share, end);
      return;
    }
    this.#clearStage();
    if (end.kind === 'unplayable') this.#panel.showCard(obstacleCard('unplayable'), null);
    else if (end.refusal === null) this.#reopen();
    else this.#showRefusal(end.refusal, share.statusUrl);
  }

  #lose(share: OpenShare, end: Extract<PlayerEnd, { kind: 'lost' }>): void {
    const { reason, retryAfterSec } = end;
    this.#lastPictureEpochMs = this.#player?.pictureEpochMs() ?? this.#lastPictureEpochMs;
    const pastEpochMs = this.#past === null ? null : this.#lastPictureEpochMs;
    const retry =
      pastEpochMs === null ? () => void this.#startPlaying(share) : () => this.#startPast(share, pastEpochMs);
    this.#report.lost(reason !== 'camera-offline' && this.#past === null);
    // A pending explanation of a slow start would replace what is known now.
    this.#course++;
    this.#still.keep(this.#video);
    this.#dropPlayer();
    const resume = reason === 'unanswered' ? () => void this.#whenAnswered(share, retry) : retry;
    const waitMs = reason === 'stalled' ? this.#failures.soonMs() : this.#failures.nextWaitMs(retryAfterSec);
    this.#panel.showStage({
      kind: reason === 'camera-offline' ? 'offline' : 'reconnecting',
      title: lossTitle(reason),
      lastPictureEpochMs: this.#lastPictureEpochMs,
      nowEpochMs: gatewayEpochMs(),
      retryAtMs: Date.now() + shownWaitMs(end, waitMs),
    });
    this.#retryAfter(waitMs, resume);
  }

  async #whenAnswered(share: OpenShare, retry: () => void): Promise<void> {
    const course = this.#newCourse();
    const hasResponse = await responds(share.statusUrl);
    if (course !== this.#course) return;
    if (hasResponse) retry();
    else this.#lose(share, { kind: 'lost', reason: 'unanswered', retryAfterSec: null });
  }

  /** `statusUrl`: of the grant that was refused, if there was one. */
  #showRefusal(refusal: Refusal, statusUrl: string | null = null): void {
    this.#clearStage();
    switch (refusal.reason) {
      case 'grant-expired':
        this.#reopen();
        break;
      case 'sign-in-needed':
        // Only the response to an opening names the provider.
        if (statusUrl !== null) this.#reopen();
        else this.#showSignIn(refusal);
        break;
      case 'password-needed':
        this.#panel.showPassword({ kind: this.#forgetPassword() ? 'changed' : 'none' });
        break;
      case 'password-wrong':
        this.#panel.showPassword({ kind: this.#forgetPassword() ? 'changed' : 'wrong' });
        break;
      case 'too-many-attempts':
        this.#panel.showPassword({ kind: 'locked', countdown: lockCountdown(refusal) });
        break;
      case 'hidden-by-schedule':
        this.#waitForSchedule(refusal);
        break;
      case 'expired':
        this.#waitForOwner(refusal, null);
        break;
      case 'viewer-limit':
        this.#waitForPlace(refusal, (refusal.retryAfterSec ?? VIEWER_LIMIT_RETRY_SEC) * 1000);
        break;
      case 'sound-only':
        this.#waitForVideo(refusal, statusUrl);
        break;
      case 'camera-offline':
      case 'too-many-opens':
      case 'busy':
      case 'restarting':
        this.#waitForPlace(refusal, this.#failures.nextWaitMs(refusal.retryAfterSec));
        break;
      default:
        this.#panel.showCard(refusalCard(refusal, gatewayEpochMs()), null);
    }
  }

  #showSignIn({ signInLabel = null }: Refusal): void {
    const fault = new URLSearchParams(location.search).get('signIn');
    this.#panel.showCard(signInCard(signInLabel, signInUrl, fault, window.top !== window), null);
  }

  /** Replaces an invalid grant immediately; if that does not help, at growing intervals. */
  #reopen(): void {
    this.#panel.showStage({ kind: 'loading', title: t('Connecting…') });
    this.#retryAfter(this.#failures.soonMs(), () => void this.#open());
  }

  #waitForSchedule(refusal: Refusal): void {
    const { untilEpochMs } = refusal;
    this.#waitForOwner(refusal, untilEpochMs);
    if (untilEpochMs === null) return;
    const remainingMs = untilEpochMs - gatewayEpochMs();
    const waitMs = remainingMs > 0 ? remainingMs : this.#failures.nextWaitMs(null);
    this.#retryAfter(waitMs + Math.random() * REOPEN_SPREAD_MS, () => void this.#open());
  }

  /** The owner may show the share again at any moment. */
  #waitForOwner(refusal: Refusal, opensAtEpochMs: number | null): void {
    const course = this.#course;
    this.#panel.showCard(refusalCard(refusal, gatewayEpochMs()), openingCountdown(opensAtEpochMs));
    void waitAtDoor(refusal.reason, () => course !== this.#course, {
      onChange: () => this.#reopen(),
      onRefusal: (newer) => {
        if (newer.untilEpochMs !== refusal.untilEpochMs) this.#showRefusal(newer);
      },
    });
  }

  #waitForPlace(refusal: Refusal, waitMs: number): void {
    const shown = retryCountdown(shownWaitMs(refusal, waitMs));
    this.#panel.showCard(refusalCard(refusal, gatewayEpochMs()), shown);
    this.#retryAfter(waitMs, () => void this.#open());
  }

  /** The link is open and the camera streams, so the card stays until there is something to play. */
  #waitForVideo(refusal: Refusal, statusUrl: string | null): void {
    const waitMs = this.#failures.nextWaitMs(refusal.retryAfterSec);
    this.#panel.showCard(refusalCard(refusal, gatewayEpochMs()), retryCountdown(waitMs));
    this.#retryAfter(waitMs, () => void this.#lookForVideo(statusUrl));
  }

  async #lookForVideo(statusUrl: string | null): Promise<void> {
    const course = this.#newCourse();
    this.#panel.setAsking(true);
    const status = statusUrl === null ? null : await readStatus(statusUrl);
    if (course !== this.#course) return;
    const isSame = status?.kind === 'refused' && status.refusal.reason === 'sound-only';
    if (isSame) this.#waitForVideo(status.refusal, statusUrl);
    else void this.#open();
  }

  /** Tells a viewer who is waiting for the first frame what the camera is doing. */
  async #explainSlowStart(share: OpenShare, course: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, SLOW_START_MS));
    if (course !== this.#course) return;
    const status = await readStatus(share.statusUrl);
    if (course !== this.#course) return;
    const isWaking = status.kind === 'camera' && status.state !== 'live';
    this.#panel.showStage({ kind: 'loading', title: isWaking ? t('Starting the camera…') : t('Loading…') });
  }

  /** A page that returns to the foreground resumes live, as its viewer expects, not where it stopped. */
  #onVisible(): void {
    if (document.visibilityState !== 'visible') return;
    this.#retryNow();
    const isLive = this.#player !== null && this.#past === null;
    if (isLive && !this.#intent.isPaused && this.#hasPicture) this.#controls.catchUp();
  }

  #dropPlayer(): void {
    this.#player?.stop();
    this.#player = null;
    this.#hasPicture = false;
    if (this.#past !== null) this.#timeline.setPast(false);
    this.#past = null;
    this.#intent.hold(false);
    this.#controls.attach(null);
  }

  /** Leaves nothing of the camera on the page: neither video nor a still image. */
  #clearStage(): void {
    this.#report.close();
    this.#newCourse();
    this.#dropPlayer();
    this.#still.drop();
    this.#video.removeAttribute('poster');
    this.#lastPictureEpochMs = null;
    this.#controls.setOpen(false);
    this.#timeline.close();
    this.#share = null;
    this.#controls.leaveOtherScreens();
  }

  /** True if one was known, which is then no longer valid. */
  #forgetPassword(): boolean {
    const wasKnown = this.#password !== null;
    this.#password = null;
    return wasKnown;
  }

  #newCourse(): number {
    clearTimeout(this.#retryTimer);
    this.#pendingRetry = null;
    return ++this.#course;
  }

  #retryAfter(waitMs: number, retry: () => void): void {
    clearTimeout(this.#retryTimer);
    this.#pendingRetry = retry;
    this.#retryTimer = setTimeout(() => this.#retryNow(), Math.min(waitMs, LONGEST_TIMER_MS));
  }

  #retryNow(): void {
    const retry = this.#pendingRetry;
    if (retry === null) return;
    this.#newCourse();
    retry();
  }
}

if (new URLSearchParams(location.search).has('tile')) document.documentElement.dataset.tile = '';
if (isSteered()) document.documentElement.dataset.steered = '';
await wordPage();
void new SharePage().run();
