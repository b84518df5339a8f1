/** What the page of a share link shows, frame by frame, and when it stops showing it. Runs inside the page. */

import type { Page } from 'playwright-core';
import { readFrameNumberStrip } from '../../src/synthetic-camera/frame-number-strip.ts';
import { picturesIn } from '../support/frame-order.ts';
import { until } from '../support/until.ts';

export interface VideoPicture {
  /** Burned into the frame; null if it cannot be read. */
  readonly number: number | null;
  /** On the page's media timeline. */
  readonly mediaSec: number;
}

/** One frame as it was presented. */
export interface ShownFrame extends VideoPicture {
  /** `Date.now()` at its presentation. */
  readonly atEpochMs: number;
  /**
   * Frames handed to the compositor so far, including this one; a busy compositor does not report each one to the
   * page.
   */
  readonly presentedFrames: number;
  readonly widthPx: number;
}

export interface PlaybackCounts {
  readonly decodedFrames: number;
  /** Decoded too late to be shown. */
  readonly droppedFrames: number;
  readonly bufferedRanges: number;
  readonly currentSec: number;
}

/** The strip is drawn at this size: enough for its eighteen blocks. */
const STRIP_WIDTH_PX = 180;
const STRIP_HEIGHT_PX = 4;

interface RawFrame {
  readonly luma: readonly number[];
  readonly mediaSec: number;
  readonly atEpochMs: number;
  readonly presentedFrames: number;
  readonly widthPx: number;
}

declare global {
  interface Window {
    shownFrames: RawFrame[];
    /** The number strip of a frame. */
    readStrip: (frame: VideoFrame) => number[];
    /** `performance.now()` at the first frame; null before it. */
    firstPictureMs: number | null;
    /** What replaced the video, and since when. */
    cards: { title: string; text: string; atEpochMs: number }[];
  }
}

/** Before the page is opened: records every presented frame's number strip, and every card that replaces the video. */
export async function watchFrames(page: Page): Promise<void> {
  await page.addInitScript(
    ({ widthPx, heightPx }) => {
      window.shownFrames = [];
      window.firstPictureMs = null;
      window.cards = [];
      document.addEventListener('DOMContentLoaded', () => {
        const video = document.querySelector('video')!;
        const canvas = document.createElement('canvas');
        canvas.width = widthPx;
        canvas.height = heightPx;
        const context = canvas.getContext('2d', { willReadFrequently: true })!;
        window.readStrip = (frame) => {
          context.drawImage(
            frame,
            0,
            0,
            frame.displayWidth,
            frame.displayHeight / 12,
            0,
            0,
            widthPx,
            heightPx,
          );
          const { data } = context.getImageData(0, heightPx >> 1, widthPx, 1);
          return Array.from({ length: widthPx }, (_, x) => data[4 * x + 1]!);
        };
        const keep = (_nowMs: number, shown: VideoFrameCallbackMetadata) => {
          // First: whatever goes wrong with this frame, the watch goes on.
          video.requestVideoFrameCallback(keep);
          // On a busy page, a new player's first frame is announced before the element has it.
          if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return;
          window.firstPictureMs ??= performance.now();
          // By now, the video may show a later frame than the one announced: number and time have to come from one frame.
          const frame = new VideoFrame(video);
          window.shownFrames.push({
            luma: window.readStrip(frame),
            mediaSec: frame.timestamp / 1e6,
            atEpochMs: Date.now(),
            presentedFrames: shown.presentedFrames,
            widthPx: frame.displayWidth,
          });
          frame.close();
        };
        video.requestVideoFrameCallback(keep);
        const noteCard = () => {
          if (document.body.dataset.view !== 'card') return;
          const isForm = !document.querySelector<HTMLElement>('#password-form')!.hidden;
          const id = isForm ? '#password' : '#message';
          const textOf = (selector: string) => document.querySelector(selector)?.textContent ?? '';
          const title = textOf(`${id}-title`);
          const text = isForm ? textOf('#password-error') : textOf('#message-text');
          if (window.cards.at(-1)?.title !== title) window.cards.push({ title, text, atEpochMs: Date.now() });
        };
        const options = { attributes: true, childList: true, subtree: true, characterData: true };
        new MutationObserver(noteCard).observe(document.body, options);
        // The page's own script runs before: on a busy machine, it may have shown one already.
        noteCard();
      });
    },
    { widthPx: STRIP_WIDTH_PX, heightPx: STRIP_HEIGHT_PX },
  );
}

/** The frames presented since the last call. */
export async function takeShownFrames(page: Page): Promise<ShownFrame[]> {
  return numbered(await page.evaluate(() => window.shownFrames.splice(0)));
}

/** What hangs shows nothing for this long. */
const SHOWN_WITHIN_MS = 90_000;

/** Resolves with the frames presented since the last call once they are this many different pictures. */
export async function takePictures(page: Page, atLeast: number): Promise<ShownFrame[]> {
  const shown: ShownFrame[] = [];
  const areEnough = async () => {
    shown.push(...(await takeShownFrames(page)));
    return picturesIn(shown) >= atLeast;
  };
  await until(`${atLeast} pictures`, areEnough, SHOWN_WITHIN_MS);
  return shown;
}

/** The frames presented since the last call, and the counts at the same moment. */
export async function takeCountedFrames(
  page: Page,
): Promise<{ shown: ShownFrame[]; counts: PlaybackCounts }> {
  const { raw, counts } = await page.evaluate(() => {
    const video = document.querySelector('video')!;
    const { totalVideoFrames, droppedVideoFrames } = video.getVideoPlaybackQuality();
    return {
      raw: window.shownFrames.splice(0),
      counts: {
        decodedFrames: totalVideoFrames,
        droppedFrames: droppedVideoFrames,
        bufferedRanges: video.buffered.length,
        currentSec: video.currentTime,
      },
    };
  });
  return { shown: numbered(raw), counts };
}

function numbered(raw: Window['shownFrames']): ShownFrame[] {
  return raw.map(({ luma, ...frame }) => ({ ...frame, number: numberOf(luma) }));
}

/**
 * The frame that the video shows, or is about to seek away from; null while it has none. A busy page may never hear of the
 * one frame that a seek of a paused video presents.
 */
export async function frameOnScreen(page: Page): Promise<VideoPicture | null> {
  const raw = await page.evaluate(() => {
    const video = document.querySelector('video')!;
    if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return null;
    const frame = new VideoFrame(video);
    const shown = { luma: window.readStrip(frame), mediaSec: frame.timestamp / 1e6 };
    frame.close();
    return shown;
  });
  return raw === null ? null : { number: numberOf(raw.luma), mediaSec: raw.mediaSec };
}

/** `luma`: of `readStrip`, or drawn like it. null: it cannot be read. */
export function numberOf(luma: readonly number[]): number | null {
  return readFrameNumberStrip((x) => luma[Math.floor(x * STRIP_WIDTH_PX)]!);
}

/** Milliseconds from the start of the navigation to the first frame. */
export async function firstPictureMs(page: Page): Promise<number> {
  const handle = await page.waitForFunction(() => window.firstPictureMs);
  return (await handle.jsonValue())!;
}

/** The first card with this title. */
export async function cardTitled(
  page: Page,
  title: string,
): Promise<{ title: string; text: string; atEpochMs: number }> {
  const handle = await page.waitForFunction(
    (wanted) => window.cards.find((card) => card.title === wanted),
    title,
  );
  return (await handle.jsonValue())!;
}
