/**
 * How much of the time a page's video really plays. Runs inside the page, regardless of what the page itself
 * believes.
 */

import type { Page } from 'playwright-core';

export interface PlaybackShare {
  /** Out of the time watched: the media clock advanced. */
  readonly playingShare: number;
  readonly watchedMs: number;
  /** The longest time the media clock stood still. */
  readonly longestStallMs: number;
  /** How many times it stood still for longer than a sample. */
  readonly stalls: number;
  /** What else moved or ended playback, such as a seek: the media clock may not show it. */
  readonly breaks: readonly string[];
}

const SAMPLE_MS = 50;
/** To a viewer, a media clock slower than this fraction of real time stands still. */
const LEAST_RATE = 0.25;

declare global {
  interface Window {
    playbackSamples: { atMs: number; mediaSec: number }[];
    playbackTimer: ReturnType<typeof setInterval>;
    playbackBreaks: string[];
  }
}

/** Starts recording the media clock. */
export async function watchPlayback(page: Page): Promise<void> {
  await page.evaluate((sampleMs) => {
    const video = document.querySelector('video')!;
    window.playbackSamples = [];
    const breaks: string[] = [];
    window.playbackBreaks = breaks;
    for (const type of ['seeking', 'pause', 'emptied', 'error']) {
      video.addEventListener(type, () => breaks.push(`${type} at ${video.currentTime}`));
    }
    window.playbackTimer = setInterval(
      () => window.playbackSamples.push({ atMs: performance.now(), mediaSec: video.currentTime }),
      sampleMs,
    );
  }, SAMPLE_MS);
}

/** The record since `watchPlayback`, which ends. */
export async function takePlayback(page: Page): Promise<PlaybackShare> {
  const { samples, breaks } = await page.evaluate(() => {
    clearInterval(window.playbackTimer);
    return { samples: window.playbackSamples, breaks: window.playbackBreaks };
  });
  let watchedMs = 0;
  let playingMs = 0;
  let stallMs = 0;
  let longestStallMs = 0;
  let stalls = 0;
  let isCounted = false;
  for (let at = 1; at < samples.length; at++) {
    const stepMs = samples[at]!.atMs - samples[at - 1]!.atMs;
    const advancedMs = (samples[at]!.mediaSec - samples[at - 1]!.mediaSec) * 1_000;
    watchedMs += stepMs;
    if (advancedMs >= LEAST_RATE * stepMs) {
      playingMs += stepMs;
      stallMs = 0;
      isCounted = false;
    } else {
      if (stallMs > 0 && !isCounted) stalls++;
      isCounted = stallMs > 0;
      stallMs += stepMs;
      longestStallMs = Math.max(longestStallMs, stallMs);
    }
  }
  return {
    playingShare: watchedMs === 0 ? 0 : playingMs / watchedMs,
    watchedMs,
    longestStallMs,
    stalls,
    breaks,
  };
}
