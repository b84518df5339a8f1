import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../src/core/eventually-fixture.ts';
import { PlayIntent } from './play-intent.ts';

/** As much of a video element as the intent needs. */
class FakeVideo extends EventTarget {
  paused = true;
  ended = false;
  muted = true;
  error: MediaError | null = null;
  networkState = 2;
  webkitDisplayingFullscreen = false;
  refusal: DOMException | null = null;
  plays = 0;

  play(): Promise<void> {
    this.plays += 1;
    if (this.refusal !== null) return Promise.reject(this.refusal);
    this.paused = false;
    this.dispatchEvent(new Event('play'));
    return Promise.resolve();
  }

  pause(): void {
    this.paused = true;
    this.dispatchEvent(new Event('pause'));
  }

  /** A new source: browsers call the video paused, without an event of its own. */
  load(): void {
    this.paused = true;
    this.dispatchEvent(new Event('emptied'));
    this.dispatchEvent(new Event('loadstart'));
  }
}

let page: EventTarget & { visibilityState: string; pictureInPictureElement: null };
let nowMs = 0;
let video: FakeVideo;
let intent: PlayIntent;
let changes: number;

beforeEach(() => {
  page = Object.assign(new EventTarget(), { visibilityState: 'visible', pictureInPictureElement: null });
  nowMs = 100_000;
  vi.stubGlobal('document', page);
  vi.stubGlobal('HTMLMediaElement', { NETWORK_EMPTY: 0, NETWORK_NO_SOURCE: 3 });
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  changes = 0;
  video = new FakeVideo();
  intent = new PlayIntent(video as unknown as HTMLVideoElement, () => {
    changes += 1;
  });
  video.load();
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('what the viewer wants to play', () => {
  test.each(['loadstart', 'loadeddata', 'seeked'])('plays on at %s', (event) => {
    video.paused = true;
    video.dispatchEvent(new Event(event));
    expect(video.paused).toBe(false);
  });

  test('plays on after the browser paused it, until the browser insists', () => {
    video.pause();
    expect([video.paused, intent.isBlocked, intent.isDue]).toEqual([false, false, true]);
    nowMs += 11_000;
    video.pause();
    expect([video.paused, intent.isBlocked]).toEqual([false, false]);
    nowMs += 1_000;
    video.pause();
    expect([video.paused, intent.isBlocked, intent.isDue]).toEqual([true, true, false]);
    intent.press(true);
    expect([video.paused, intent.isBlocked]).toEqual([false, false]);
  });

  test('waits for the page to be seen', () => {
    page.visibilityState = 'hidden';
    video.pause();
    expect(video.paused).toBe(true);
    page.visibilityState = 'visible';
    page.dispatchEvent(new Event('visibilitychange'));
    expect(video.paused).toBe(false);
  });

  test('is not played while it has no source, at its end, or after it failed', () => {
    video.paused = true;
    const { plays } = video;
    for (const state of [{ networkState: 0 }, { networkState: 3 }, { ended: true }, { error: {} }]) {
      Object.assign(video, { networkState: 2, ended: false, error: null }, state);
      video.dispatchEvent(new Event('seeked'));
      video.dispatchEvent(new Event('pause'));
    }
    expect(video.plays).toBe(plays);
    expect(intent.isBlocked).toBe(false);
  });

  test('plays without audio if the browser allows only that, and otherwise needs a press', async () => {
    video.muted = false;
    video.refusal = new DOMException('', 'NotAllowedError');
    video.load();
    await eventually('the browser wants a press', () => intent.isBlocked);
    expect([video.muted, intent.isPaused, intent.isDue, changes]).toEqual([true, true, false, 1]);
    video.refusal = null;
    intent.press(true);
    expect([video.paused, intent.isPaused]).toEqual([false, false]);
  });

  test('is not in need of a press when another source has taken over', async () => {
    video.refusal = new DOMException('', 'AbortError');
    video.load();
    await Promise.resolve();
    expect(intent.isBlocked).toBe(false);
  });
});

describe('what the viewer paused', () => {
  test('stays paused with another source', () => {
    intent.press(false);
    expect([video.paused, intent.isPaused, intent.isBlocked]).toEqual([true, true, false]);
    video.load();
    video.dispatchEvent(new Event('loadeddata'));
    expect(video.paused).toBe(true);
    expect(changes).toBe(1);
  });

  test('plays by a control of the browser, too', () => {
    intent.press(false);
    void video.play();
    expect(intent.isPaused).toBe(false);
  });

  test('in full screen of an iPhone, is paused, but leaving that does not pause', () => {
    video.webkitDisplayingFullscreen = true;
    video.pause();
    expect(intent.isPaused).toBe(true);
    nowMs += 500;
    video.dispatchEvent(new Event('webkitendfullscreen'));
    expect(intent.isPaused).toBe(false);
    video.pause();
    nowMs += 5_000;
    video.dispatchEvent(new Event('webkitendfullscreen'));
    expect(intent.isPaused).toBe(true);
  });
});

test('a video that is held is frozen, and not paused', () => {
  intent.hold(true);
  expect([video.paused, intent.isPaused, intent.isDue]).toEqual([true, false, false]);
  intent.hold(false);
  expect([video.paused, intent.isDue]).toEqual([false, true]);
});
