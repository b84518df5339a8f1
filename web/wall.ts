/** The page of a shared video wall: opens it, shows its cameras, and keeps showing them (docs/design/viewer-page.md#video-walls). */

import { element, setText } from './dom.ts';
import { type DoorWaitEvents, waitAtDoor } from './door-wait.ts';
import { Failures } from './failures.ts';
import { silentMs } from './gateway-silence.ts';
import { gatewayEpochMs, LONGEST_TIMER_MS, PASSWORD_REASONS, type Refusal } from './open.ts';
import { lockCountdown, openingCountdown, Panel, retryCountdown } from './panel.ts';
import { wallSummary } from './tile-text.ts';
import { lookAtWall, type OpenWall, openWall, type WallResult, wallUrl } from './wall-open.ts';
import { WallPast } from './wall-past.ts';
import { WallPlaces } from './wall-places.ts';
import { WallTile } from './wall-tile.ts';
import { obstacleCard, refusalCard } from './wording.ts';
import { timeFormat } from './words/formats.ts';
import { wordPage } from './words/page-words.ts';
import { t } from './words/plain-words.ts';

/** How often the page reads the wall: an added camera, or one that is shown again, appears after this time at most. */
const LOOK_INTERVAL_MS = 15_000;
/** Longer than from one look to the next, in the background too. */
const RENEW_MS = 90_000;
/** A page in the background shows nothing to anyone. */
const HIDDEN_LOOK_INTERVAL_MS = 60_000;
/** A tile that was refused asks soon, together with others that were refused at the same moment. */
const LOOK_SOON_MS = 150;
/** The next one does so later. */
const LOOK_AGAIN_MS = 2_000;
/** Pages that wait for the same schedule read again spread over this time. */
const LOOK_SPREAD_MS = 800;
const FIRST_RETRY_MS = 1_000;
const REFRESH_INTERVAL_MS = 250;

class WallPage {
  readonly #grid = element('grid', HTMLElement);
  readonly #name = element('name', HTMLElement);
  readonly #summary = element('summary', HTMLElement);
  readonly #clock = element('clock', HTMLElement);
  readonly #empty = element('empty', HTMLElement);
  readonly #fullscreen = element('fullscreen', HTMLButtonElement);
  readonly #template = element('tile', HTMLTemplateElement);
  readonly #clockFormat = timeFormat('seconds');
  readonly #panel = new Panel({
    onRetry: () => this.#retryNow(),
    onBigPlay: () => undefined,
    onPassword: (password) => void this.#tryPassword(password),
  });
  /** Reused, never discarded: a page stays open for weeks. The first ones show a camera. */
  readonly #tiles: WallTile[] = [];
  readonly #inView = new Map<Element, boolean>();
  readonly #viewer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) this.#inView.set(target, isIntersecting);
    this.#updateView();
  });
  readonly #places = new WallPlaces(this.#grid);
  readonly #past = new WallPast(() => this.#updateView());
  #wall: OpenWall | null = null;
  #enlarged: WallTile | null = null;
  #password: string | null = null;
  readonly #failures = new Failures();
  #lookedSoonAtMs = Number.NEGATIVE_INFINITY;
  #timer: number | undefined;
  #next: () => void = () => undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  /** Raised by every change of course: responses to earlier requests are ignored. */
  #course = 0;

  run(): void {
    addEventListener('online', () => this.#onReturn());
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) this.#onReturn();
    });
    document.addEventListener('visibilitychange', () => this.#onVisibility());
    document.addEventListener('keydown', this.#onKey);
    document.addEventListener('pointerdown', () => {
      for (const tile of this.#tiles) tile.resume();
    });
    setInterval(() => this.#refresh(), REFRESH_INTERVAL_MS);
    this.#offerFullscreen();
    this.#panel.showStage({ kind: 'loading', title: t('Connecting…') });
    void this.#open();
  }

  async #open(): Promise<void> {
    const course = this.#newCourse();
    this.#panel.setAsking(true);
    const result = await openWall(this.#password);
    if (course === this.#course) this.#apply(result);
  }

  async #tryPassword(password: string): Promise<void> {
    const course = this.#newCourse();
    const result = await openWall(password);
    if (course !== this.#course) return;
    if (result.kind === 'unreachable') {
      this.#panel.showPassword({ kind: 'unreachable' });
      return;
    }
    const isDoubted = result.kind === 'refused' && PASSWORD_REASONS.has(result.refusal.reason);
    this.#password = isDoubted ? null : password;
    this.#apply(result);
  }

  /** Asks the gateway what the wall shows now. Until the response, the page stays as it is. */
  async #look(): Promise<void> {
    if (this.#wall === null) return this.#open();
    const { camerasUrl, endsAtEpochMs } = this.#wall;
    const course = this.#newCourse();
    // New grants before the old ones end: each tile changes over as soon as its own is refused.
    const isEnding = endsAtEpochMs - gatewayEpochMs() < RENEW_MS;
    const result = await (isEnding ? openWall(this.#password) : lookAtWall(camerasUrl));
    if (course !== this.#course) return;
    // Its tiles say for themselves that the gateway is down.
    if (result.kind === 'unreachable') this.#later(this.#failures.nextWaitMs(null), () => void this.#look());
    else if (result.kind === 'refused' && isPassing(result.refusal)) {
      this.#later(this.#failures.nextWaitMs(result.refusal.retryAfterSec), () => void this.#look());
    } else this.#apply(result);
  }

  #apply(result: WallResult): void {
    if (result.kind === 'open') {
      this.#failures.forget();
      this.#panel.clearPassword();
      this.#show(result.wall);
      this.#later(this.#lookDelayMs(result.wall), () => void this.#look());
    } else if (result.kind === 'refused') this.#showRefusal(result.refusal);
    else {
      const waitMs = this.#failures.nextWaitMs(null);
      this.#panel.showCard(obstacleCard('unreachable'), retryCountdown(waitMs));
      this.#later(waitMs, () => void this.#open());
    }
  }

  #show(wall: OpenWall): void {
    const wasShown = this.#wall !== null;
    this.#wall = wall;
    this.#name.textContent = wall.name;
    document.title = wall.name;
    const unused = new Set(this.#tiles);
    const placed = wall.cameras.map((camera) => {
      const tile = this.#tiles.find((one) => one.camera?.id === camera.id);
      if (tile !== undefined) unused.delete(tile);
      return tile;
    });
    for (const [index, camera] of wall.cameras.entries()) {
      const tile = placed[index] ?? this.#freeTile(unused);
      unused.delete(tile);
      placed[index] = tile;
      if (this.#grid.children[index] !== tile.root) {
        this.#grid.insertBefore(tile.root, this.#grid.children[index] ?? null);
        // Browsers pause videos that are moved.
        tile.resume();
      }
      tile.show(camera, index + 1);
    }
    for (const tile of unused) tile.show(null, 0);
    this.#tiles.sort((a, b) => this.#placeOf(a) - this.#placeOf(b));
    if (this.#enlarged?.camera === null) this.#enlarge(null);
    this.#past.update();
    this.#empty.hidden = wall.cameras.length > 0;
    if (!wasShown || document.body.dataset.view !== 'video') this.#panel.showStage({ kind: 'none' });
    this.#places.show(wall.layout, this.#tiles.slice(0, wall.cameras.length));
    this.#updateView();
    this.#refresh();
  }

  /** A tile that shows no camera of the wall, or a new one. */
  #freeTile([unused]: Iterable<WallTile>): WallTile {
    if (unused !== undefined) return unused;
    const copy = this.#template.content.firstElementChild?.cloneNode(true);
    const tile = new WallTile(copy as HTMLElement, {
      onChoose: (chosen) => this.#enlarge(chosen === this.#enlarged ? null : chosen),
      onRefused: () => this.#lookSoon(),
      announce: (text) => this.#panel.say(text),
    });
    this.#tiles.push(tile);
    this.#viewer.observe(tile.root);
    this.#inView.set(tile.root, true);
    return tile;
  }

  #placeOf({ root }: WallTile): number {
    return [...this.#grid.children].indexOf(root);
  }

  #enlarge(tile: WallTile | null): void {
    const before = this.#enlarged;
    if (tile === before) return;
    this.#enlarged = tile;
    before?.setEnlarged(false);
    tile?.setEnlarged(true);
    document.body.dataset.enlarged = String(tile !== null);
    for (const one of this.#tiles) one.root.inert = tile !== null && one !== tile;
    if (tile === null && before !== null) this.#places.return(before);
    (tile ?? before)?.focus();
    this.#past.show(tile);
    this.#updateView();
    const name = (tile ?? before)?.camera?.name ?? '';
    this.#panel.say(tile === null ? t('All cameras') : t('{camera}, enlarged', { camera: name }));
  }

  /** Stops tiles that viewers cannot see soon. */
  #updateView(): void {
    const isPageSeen = document.visibilityState === 'visible';
    for (const tile of this.#tiles) {
      const isUncovered = this.#enlarged === null || this.#enlarged === tile;
      const isInView = tile === this.#enlarged || (this.#inView.get(tile.root) ?? true);
      tile.setInView(isPageSeen && isUncovered && isInView && !tile.isPast);
    }
  }

  #showRefusal(refusal: Refusal): void {
    this.#leaveNothing();
    switch (refusal.reason) {
      case 'grant-expired':
        this.#panel.showStage({ kind: 'loading', title: t('Connecting…') });
        this.#later(this.#failures.soonMs(), () => void this.#open());
        break;
      case 'password-needed':
        // After a change of the password, the page tries the typed password once.
        if (this.#password === null) this.#panel.showPassword({ kind: 'none' });
        else void this.#tryPassword(this.#password);
        break;
      case 'password-wrong':
        this.#panel.showPassword({ kind: 'wrong' });
        break;
      case 'too-many-attempts':
        this.#panel.showPassword({ kind: 'locked', countdown: lockCountdown(refusal) });
        break;
      case 'hidden-by-schedule':
        this.#waitForSchedule(refusal);
        this.#waitForOwner(refusal);
        break;
      case 'expired':
        this.#panel.showCard(refusalCard(refusal, gatewayEpochMs()), null);
        this.#waitForOwner(refusal);
        break;
      case 'too-many-opens':
      case 'busy':
      case 'restarting': {
        const waitMs = this.#failures.nextWaitMs(refusal.retryAfterSec);
        this.#panel.showCard(refusalCard(refusal, gatewayEpochMs()), retryCountdown(waitMs));
        this.#later(waitMs, () => void this.#open());
        break;
      }
      default:
        this.#panel.showCard(refusalCard(refusal, gatewayEpochMs()), null);
    }
  }

  #waitForSchedule(refusal: Refusal): void {
    const { untilEpochMs } = refusal;
    const opening = openingCountdown(untilEpochMs);
    this.#panel.showCard(refusalCard(refusal, gatewayEpochMs()), opening);
    if (untilEpochMs === null) return;
    const remainingMs = untilEpochMs - gatewayEpochMs();
    const waitMs = remainingMs > 0 ? remainingMs : this.#failures.nextWaitMs(null);
    this.#later(waitMs + Math.random() * LOOK_SPREAD_MS, () => void this.#open());
  }

  /** The owner may show the wall again at any moment. */
  #waitForOwner({ reason, untilEpochMs }: Refusal): void {
    const course = this.#course;
    const events: DoorWaitEvents = {
      onChange: () => this.#later(this.#failures.soonMs(), () => void this.#open()),
      onRefusal: (refusal) => {
        if (refusal.untilEpochMs === untilEpochMs) return;
        this.#newCourse();
        this.#showRefusal(refusal);
      },
    };
    void waitAtDoor(reason, () => course !== this.#course, events, wallUrl);
  }

  /** No video, no still image, no name. */
  #leaveNothing(): void {
    this.#enlarge(null);
    this.#wall = null;
    for (const tile of this.#tiles) tile.show(null, 0);
    setText(this.#name, t('Video wall'));
    document.title = t('Video wall');
  }

  /** Soon enough for the first hidden camera that will be shown again. */
  #lookDelayMs({ cameras }: OpenWall): number {
    const nowMs = gatewayEpochMs();
    let delayMs = document.visibilityState === 'visible' ? LOOK_INTERVAL_MS : HIDDEN_LOOK_INTERVAL_MS;
    for (const { refusal } of cameras) {
      const untilMs = refusal?.untilEpochMs ?? null;
      if (untilMs !== null) delayMs = Math.min(delayMs, Math.max(FIRST_RETRY_MS, untilMs - nowMs));
    }
    return delayMs + Math.random() * LOOK_SPREAD_MS;
  }

  /** Not soon again: a tile may be refused every time. */
  #lookSoon(): void {
    const nowMs = performance.now();
    const waitMs = nowMs - this.#lookedSoonAtMs < LOOK_AGAIN_MS ? LOOK_AGAIN_MS : LOOK_SOON_MS;
    this.#lookedSoonAtMs = nowMs;
    if (performance.now() + waitMs < this.#dueMs) this.#later(waitMs, () => void this.#look());
  }

  #onReturn(): void {
    for (const tile of this.#tiles) tile.retryNow();
    this.#retryNow();
  }

  #onVisibility(): void {
    this.#updateView();
    if (document.visibilityState === 'visible') this.#onReturn();
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return;
    if (document.querySelector('dialog[open]') !== null) return;
    if (document.body.dataset.view !== 'video') return;
    if (key === 'Escape' || key === '0') {
      if (this.#enlarged === null) return;
      this.#enlarge(null);
    } else if (key >= '1' && key <= '9' && key.length === 1) {
      const tile = this.#tiles[Number(key) - 1];
      if (tile === undefined || tile.camera === null) return;
      this.#enlarge(tile === this.#enlarged ? null : tile);
    } else if (key === 'k') this.#past.togglePlay();
    else if (key === 'l') this.#past.leave();
    else if (key === 'f' && !this.#fullscreen.hidden) this.#fullscreen.click();
    else if (key === 'PageUp' || key === 'PageDown') {
      if (this.#enlarged !== null || !this.#places.turn(key === 'PageUp' ? -1 : 1)) return;
    } else if (key === 'ArrowLeft' || key === 'ArrowRight') this.#step(key === 'ArrowLeft' ? -1 : 1);
    else return;
    event.preventDefault();
  };

  /** To the next camera; around the end. */
  #step(by: 1 | -1): void {
    const shown = this.#tiles.filter(({ camera }) => camera !== null);
    const focused = shown.findIndex(({ root }) => root.contains(document.activeElement));
    const from = this.#enlarged === null ? focused : shown.indexOf(this.#enlarged);
    const next = shown[from < 0 ? 0 : (from + by + shown.length) % shown.length];
    if (next === undefined) return;
    if (this.#enlarged === null) next.focus();
    else this.#enlarge(next);
  }

  #offerFullscreen(): void {
    this.#fullscreen.hidden = !document.fullscreenEnabled;
    this.#fullscreen.addEventListener('click', () => {
      // Refused without a tap, or by the page around this one; then there is nothing to do.
      if (document.fullscreenElement === null) {
        void document.documentElement.requestFullscreen().catch(() => undefined);
      } else void document.exitFullscreen().catch(() => undefined);
    });
    document.addEventListener('fullscreenchange', () => {
      const isFull = document.fullscreenElement !== null;
      this.#fullscreen.setAttribute('aria-pressed', String(isFull));
      this.#fullscreen.setAttribute('aria-label', isFull ? t('Leave full screen') : t('Full screen'));
    });
  }

  #refresh(): void {
    const shown = this.#tiles.filter(({ camera }) => camera !== null);
    for (const tile of shown) tile.refresh();
    if (this.#enlarged === null) this.#places.tour();
    setText(this.#clock, this.#clockFormat.format(gatewayEpochMs()));
    const states = shown.map(({ state }) => state);
    setText(this.#summary, this.#wall === null ? '' : wallSummary(states, silentMs()));
  }

  #newCourse(): number {
    clearTimeout(this.#timer);
    this.#next = () => undefined;
    this.#dueMs = Number.POSITIVE_INFINITY;
    return ++this.#course;
  }

  #later(waitMs: number, next: () => void): void {
    clearTimeout(this.#timer);
    this.#next = next;
    this.#dueMs = performance.now() + waitMs;
    this.#timer = setTimeout(() => this.#retryNow(), Math.min(waitMs, LONGEST_TIMER_MS));
  }

  #retryNow(): void {
    const next = this.#next;
    clearTimeout(this.#timer);
    this.#next = () => undefined;
    next();
  }
}

/** Whether it reveals nothing about what the viewer may see. */
function isPassing({ reason }: Refusal): boolean {
  return reason === 'busy' || reason === 'restarting' || reason === 'too-many-opens';
}

await wordPage();
new WallPage().run();
