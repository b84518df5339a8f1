/**
 * The timeline of a share that shows its past: recorded times, the position of the video, and the way to any other time. It
 * shows the time up to now, or any other stretch, a day at most. A thumbnail shows what was recorded at the time under the
 * pointer. While a finger or the mouse drags, the video itself shows the frames of the times it passes.
 */

import { element, setText } from './dom.ts';
import { gatewayEpochMs, type OpenShare } from './open.ts';
import { PastDays } from './past-days.ts';
import { scaleMarks, shortDay } from './past-scale.ts';
import { PastThumbnails } from './past-thumbnails.ts';
import { PastWindows } from './past-windows.ts';
import { timeFormat } from './words/formats.ts';
import { t } from './words/plain-words.ts';

export interface PastTimelineEvents {
  /** `isDragging`: the next seek follows soon, and the video is frozen until then. */
  onSeek(epochMs: number, isDragging: boolean): void;
  onLive(): void;
  onSpeed(rate: number): void;
}

const REFRESH_MS = 500;
const STEP_MS = 10_000;
const PAGE_STEP_MS = 60_000;
/** Closer to the present than this is live. */
const LIVE_EDGE_MS = 10_000;
const DAY_SEC = 86_400;
/** A video that plays out of the visible range takes the range along: then it is this far from the left. */
const CARRIED_SHARE = 0.1;

export class PastTimeline {
  readonly #box = element('past', HTMLElement);
  readonly #slider = element('timeline', HTMLElement);
  readonly #windowsBox = element('timeline-windows', HTMLElement);
  readonly #scaleBox = element('timeline-scale', HTMLElement);
  readonly #head = element('timeline-head', HTMLElement);
  readonly #time = element('timeline-time', HTMLElement);
  readonly #thumbnailBox = element('timeline-thumbnail', HTMLElement);
  readonly #earlier = element('earlier', HTMLButtonElement);
  readonly #later = element('later', HTMLButtonElement);
  readonly #day = element('day', HTMLButtonElement);
  readonly #dayText = element('day-text', HTMLElement);
  readonly #span = element('span', HTMLSelectElement);
  readonly #speed = element('speed', HTMLSelectElement);
  readonly #events: PastTimelineEvents;
  readonly #pictureEpochMs: () => number | null;
  readonly #timeFormat = timeFormat('seconds');
  readonly #markFormat = timeFormat('minutes');
  readonly #windows = new PastWindows(() => {
    this.#show();
    this.#days.show(this.#windows.hours);
  });
  readonly #days = new PastDays({
    onTime: (epochMs) => this.#goTo(epochMs),
    onDay: (dayMs, firstMs) => this.#goToDay(dayMs, firstMs),
  });
  /** It is placed when it has a width. */
  readonly #thumbnails = new PastThumbnails(this.#thumbnailBox, () => this.#placeHint());
  /** Above the video, for a page around this one; null: this page is never framed so. */
  readonly #peek = peekOf(document.querySelector<HTMLElement>('#peek'));
  /** Where the pointer is, from the left of the slider. */
  #hintPx = 0;
  #pastUrl: string | null = null;
  /** Start of the visible range; null: the range ends now. */
  #startMs: number | null = null;
  /** The viewer has paged to another time than the video's. */
  #isElsewhere = false;
  /** Where the pointer holds the head; null: it does not. */
  #dragEpochMs: number | null = null;
  #isPast = false;

  /** `pictureEpochMs`: of the frame on the screen; null: unknown. */
  constructor(pictureEpochMs: () => number | null, events: PastTimelineEvents) {
    this.#pictureEpochMs = pictureEpochMs;
    this.#events = events;
    this.#slider.addEventListener('pointerdown', this.#onPointerDown);
    this.#slider.addEventListener('pointermove', this.#onPointerMove);
    this.#slider.addEventListener('pointerleave', () => this.#hideTime());
    this.#slider.addEventListener('pointerup', this.#onPointerUp);
    this.#slider.addEventListener('pointercancel', this.#onPointerUp);
    this.#slider.addEventListener('keydown', this.#onKey);
    this.#earlier.addEventListener('click', () => this.#page(-1));
    this.#later.addEventListener('click', () => this.#page(1));
    this.#day.addEventListener('click', () => this.#openDays());
    this.#span.addEventListener('change', () => this.#zoom());
    this.#speed.addEventListener('change', () => events.onSpeed(Number(this.#speed.value)));
    setInterval(() => this.#show(), REFRESH_MS);
  }

  /** Opens this share's past; hides the timeline if the share does not show its past, or if another page has a timeline of its own. */
  open({ pastUrl, steeredFrom }: OpenShare): void {
    const isSteered = steeredFrom.length > 0;
    this.#peek?.open(isSteered ? pastUrl : null);
    this.#pastUrl = isSteered ? null : pastUrl;
    this.#box.hidden = this.#pastUrl === null;
    this.#windows.open(this.#pastUrl);
    this.#thumbnails.open(this.#pastUrl);
    this.#show();
  }

  /** The page around this one points at the instant; null: no longer. */
  peek(epochMs: number | null): void {
    this.#peek?.show(epochMs);
  }

  /** Leaves nothing of the share on the page. */
  close(): void {
    this.#pastUrl = null;
    this.#box.hidden = true;
    this.#windows.open(null);
    this.#thumbnails.open(null);
    this.#peek?.open(null);
    this.#windowsBox.replaceChildren();
    this.#days.close();
    this.setPast(false);
  }

  /** Whether the past plays: only that has another speed. */
  setPast(isPast: boolean): void {
    this.#isPast = isPast;
    this.#speed.hidden = !isPast;
    if (!isPast) {
      this.#speed.value = '1';
      this.#showUntilNow();
    }
    this.#show();
  }

  /** As chosen. */
  get speed(): number {
    return Number(this.#speed.value);
  }

  /** Where the recording continues at or after the instant, as far as that is known. */
  nextRecorded(epochMs: number): number {
    return this.#windows.nextHour(epochMs) ?? epochMs;
  }

  get #spanMs(): number {
    return Number(this.#span.value) * 1_000;
  }

  /** The visible range. */
  get #range(): { readonly startMs: number; readonly endMs: number } {
    const startMs = this.#startMs ?? gatewayEpochMs() - this.#spanMs;
    return { startMs, endMs: startMs + this.#spanMs };
  }

  #showUntilNow(): void {
    this.#startMs = null;
    this.#isElsewhere = false;
  }

  /** Never beyond now. */
  #showFrom(startMs: number): void {
    this.#startMs = startMs + this.#spanMs >= gatewayEpochMs() ? null : startMs;
  }

  #page(by: 1 | -1): void {
    this.#showFrom(this.#range.startMs + by * this.#spanMs);
    this.#isElsewhere = true;
    this.#show();
    // A button that is used up would lose the focus to the page.
    if (this.#later.disabled && document.activeElement === document.body) this.#earlier.focus();
  }

  /** Around the video, if it is in view; what ends now still does. */
  #zoom(): void {
    const { startMs, endMs } = this.#shownBefore;
    const pictureMs = this.#isPast ? this.#headMs() : Number.NaN;
    const isInView = pictureMs >= startMs && pictureMs <= endMs;
    const middleMs = isInView ? pictureMs : (startMs + endMs) / 2;
    if (isInView || this.#startMs !== null) this.#showFrom(middleMs - this.#spanMs / 2);
    this.#show();
  }

  /** The last visible range: choosing another span has already changed the current one. */
  #shownBefore = { startMs: 0, endMs: 0 };

  #openDays(): void {
    const { startMs, endMs } = this.#range;
    const headMs = this.#headMs();
    this.#days.open(headMs >= startMs && headMs <= endMs ? headMs : startMs, this.#windows.hours);
    void this.#windows.readHours();
  }

  #goTo(epochMs: number): void {
    this.#isElsewhere = false;
    if (epochMs < this.#range.startMs || epochMs > this.#range.endMs) {
      this.#showFrom(epochMs - this.#spanMs / 2);
    }
    this.#go(epochMs, false);
    this.#show();
  }

  #goToDay(dayMs: number, firstMs: number): void {
    this.#span.value = String(DAY_SEC);
    this.#isElsewhere = false;
    this.#showFrom(dayMs);
    this.#go(firstMs, false);
    this.#show();
  }

  /** Time of the video, or of the finger. */
  #headMs(): number {
    return this.#dragEpochMs ?? (this.#isPast ? this.#pictureEpochMs() : null) ?? gatewayEpochMs();
  }

  #show(): void {
    if (this.#pastUrl === null) return;
    this.#carryAlong();
    const { startMs, endMs } = this.#range;
    this.#shownBefore = { startMs, endMs };
    const share = (epochMs: number): number =>
      Math.min(1, Math.max(0, (epochMs - startMs) / (endMs - startMs)));
    const windows = this.#windows.within(startMs, endMs);
    const bars = spans(this.#windowsBox, windows.length);
    for (const [i, { fromMs, toMs }] of windows.entries()) {
      bars[i]!.style.left = percent(share(fromMs));
      bars[i]!.style.width = percent(share(toMs) - share(fromMs));
    }
    const marks = scaleMarks(startMs, endMs, this.#slider.clientWidth);
    const texts = spans(this.#scaleBox, marks.length);
    for (const [i, { epochMs, at }] of marks.entries()) {
      setText(texts[i]!, this.#markFormat.format(epochMs));
      texts[i]!.style.left = percent(at);
    }
    const headMs = this.#headMs();
    this.#head.hidden = headMs < startMs || headMs > endMs;
    this.#head.style.left = percent(share(headMs));
    const nowMs = gatewayEpochMs();
    const shownMs = this.#startMs === null ? nowMs : (startMs + endMs) / 2;
    setText(this.#dayText, shortDay(this.#head.hidden || this.#isElsewhere ? shownMs : headMs, nowMs));
    this.#later.disabled = this.#startMs === null;
    const { firstMs } = this.#windows;
    this.#earlier.disabled = firstMs !== null && startMs <= firstMs;
    this.#slider.setAttribute('aria-valuemin', String(Math.round(startMs / 1_000)));
    this.#slider.setAttribute('aria-valuemax', String(Math.round(endMs / 1_000)));
    this.#slider.setAttribute('aria-valuenow', String(Math.round(headMs / 1_000)));
    const isLive = !this.#isPast && this.#dragEpochMs === null;
    const text = isLive ? t('Live') : `${this.#timeFormat.format(headMs)}, ${shortDay(headMs, nowMs)}`;
    if (this.#slider.getAttribute('aria-valuetext') !== text)
      this.#slider.setAttribute('aria-valuetext', text);
  }

  /** Follows a video that plays beyond the visible range, unless the viewer looks at another time. */
  #carryAlong(): void {
    if (!this.#isPast || this.#isElsewhere || this.#dragEpochMs !== null) return;
    const pictureMs = this.#pictureEpochMs();
    const { startMs, endMs } = this.#range;
    if (pictureMs === null || (pictureMs >= startMs && pictureMs <= endMs)) return;
    this.#showFrom(pictureMs - CARRIED_SHARE * this.#spanMs);
  }

  /** The time under the pointer. */
  #timeAt(event: PointerEvent): number {
    const { left, width } = this.#slider.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - left) / width));
    return this.#range.startMs + share * this.#spanMs;
  }

  /**
   * The time itself if it is recorded, otherwise where the recording continues; null: not before the present.
   */
  #recordedFrom(epochMs: number): number | null {
    const { startMs, endMs } = this.#range;
    const isKnown = this.#windows.isKnown(startMs, endMs);
    const window = isKnown
      ? this.#windows.within(startMs, endMs).find(({ toMs }) => toMs > epochMs)
      : undefined;
    let next = window === undefined ? null : Math.max(window.fromMs, epochMs);
    // Up to now there is nothing else; otherwise the player finds it.
    if (window === undefined && !(isKnown && this.#startMs === null)) {
      next = this.nextRecorded(isKnown ? Math.max(epochMs, endMs) : epochMs);
    }
    return next !== null && next < gatewayEpochMs() - LIVE_EDGE_MS ? next : null;
  }

  #go(epochMs: number, isDragging: boolean): void {
    const atMs = this.#recordedFrom(epochMs);
    if (atMs !== null) this.#events.onSeek(atMs, isDragging);
    else if (!isDragging) this.#events.onLive();
  }

  readonly #onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    this.#slider.setPointerCapture(event.pointerId);
    this.#drag(event);
  };

  readonly #onPointerMove = (event: PointerEvent): void => {
    if (this.#dragEpochMs !== null) this.#drag(event);
    else if (event.pointerType === 'mouse') this.#showTime(event);
  };

  readonly #onPointerUp = (event: PointerEvent): void => {
    if (this.#dragEpochMs === null) return;
    const epochMs = this.#dragEpochMs;
    this.#dragEpochMs = null;
    this.#hideTime();
    this.#isElsewhere = false;
    if (event.type === 'pointerup') this.#go(epochMs, false);
    this.#show();
  };

  #drag(event: PointerEvent): void {
    this.#dragEpochMs = this.#timeAt(event);
    this.#showTime(event);
    this.#go(this.#dragEpochMs, true);
    this.#show();
  }

  #showTime(event: PointerEvent): void {
    const epochMs = this.#timeAt(event);
    const recordedMs = this.#recordedFrom(epochMs);
    setText(this.#time, recordedMs === null ? t('Live') : this.#timeFormat.format(epochMs));
    this.#time.hidden = false;
    this.#thumbnails.show(recordedMs);
    this.#hintPx = event.clientX - this.#slider.getBoundingClientRect().left;
    this.#placeHint();
  }

  /** Above the pointer, and not beyond the slider. */
  #placeHint(): void {
    const { clientWidth } = this.#slider;
    for (const part of [this.#time, this.#thumbnailBox]) {
      const half = part.offsetWidth / 2;
      part.style.left = `${Math.min(clientWidth - half, Math.max(half, this.#hintPx))}px`;
    }
  }

  #hideTime(): void {
    if (this.#dragEpochMs !== null) return;
    this.#time.hidden = true;
    this.#thumbnails.show(null);
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const atMs = (this.#isPast ? this.#pictureEpochMs() : null) ?? gatewayEpochMs();
    const toMs = keyTarget(event.key, atMs, this.#range.startMs);
    if (toMs === null) return;
    event.preventDefault();
    if (event.key === 'End') this.#events.onLive();
    else this.#goTo(toMs);
  };
}

function peekOf(box: HTMLElement | null): PastThumbnails | null {
  return box === null ? null : new PastThumbnails(box);
}

/** null: the key means nothing here. */
function keyTarget(key: string, atMs: number, startMs: number): number | null {
  switch (key) {
    case 'ArrowLeft':
      return atMs - STEP_MS;
    case 'ArrowRight':
      return atMs + STEP_MS;
    case 'PageDown':
      return atMs - PAGE_STEP_MS;
    case 'PageUp':
      return atMs + PAGE_STEP_MS;
    case 'Home':
      return startMs;
    case 'End':
      return Number.MAX_SAFE_INTEGER;
    default:
      return null;
  }
}

/** The children of a box: as many as are needed, reused. */
function spans(box: HTMLElement, count: number): HTMLElement[] {
  while (box.children.length > count) box.lastElementChild?.remove();
  while (box.children.length < count) box.append(document.createElement('span'));
  return [...box.children].filter((child) => child instanceof HTMLElement);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`;
}
