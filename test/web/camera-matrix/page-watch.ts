/** What the page of a share link plays, as the browser's media elements and sources say. Runs inside the page. */

import type { Page } from 'playwright-core';

export interface PagePlayback {
  /** What its source buffers were made for, sample entries only: `avc1 + mp4a.40.2`. */
  readonly codecs: string;
  /** Widths of the picture. */
  readonly widthsPx: readonly number[];
  /** By how much the media clock went on, without jumps. */
  readonly playedSec: number;
  readonly decodedFrames: number;
  /** The loudest sample that the loudspeakers got, of full scale. */
  readonly soundPeak: number;
}

const SAMPLE_MS = 100;
/** Further in one step is a seek. */
const MAX_STEP_SEC = 1;

interface Played {
  widthsPx: number[];
  playedSec: number;
  decodedFrames: number;
  soundPeak: number;
}

declare global {
  interface Window {
    sourceTypes: { buffer: SourceBuffer; type: string }[];
    played: Played;
    restartPlayed: () => void;
    /** The loudest sample of the last third of a second; 0 before `listen`. */
    newestPeak: () => number;
  }
}

/** Before the page is opened. */
export async function watchPage(page: Page): Promise<void> {
  await page.addInitScript(
    ({ sampleMs, maxStepSec }) => {
      const add = MediaSource.prototype.addSourceBuffer;
      let source: MediaSource | null = null;
      MediaSource.prototype.addSourceBuffer = function addSourceBuffer(type: string) {
        if (source !== this) window.sourceTypes = [];
        source = this;
        const buffer = add.call(this, type);
        window.sourceTypes.push({ buffer, type });
        return buffer;
      };
      const change = SourceBuffer.prototype.changeType;
      SourceBuffer.prototype.changeType = function changeType(type: string) {
        change.call(this, type);
        for (const entry of window.sourceTypes) if (entry.buffer === this) entry.type = type;
      };
      window.sourceTypes = [];
      window.restartPlayed = () => {
        window.played = { widthsPx: [], playedSec: 0, decodedFrames: 0, soundPeak: 0 };
      };
      window.restartPlayed();
      window.newestPeak = () => 0;
      let [lastSec, lastFrames] = [0, 0];
      const sample = () => {
        const video = document.querySelector('video')!;
        const { played } = window;
        const frames = video.getVideoPlaybackQuality().totalVideoFrames;
        const stepSec = video.currentTime - lastSec;
        if (stepSec > 0 && stepSec < maxStepSec) played.playedSec += stepSec;
        // A new player counts from the beginning.
        played.decodedFrames += frames < lastFrames ? frames : frames - lastFrames;
        played.soundPeak = Math.max(played.soundPeak, window.newestPeak());
        [lastSec, lastFrames] = [video.currentTime, frames];
        const { videoWidth } = video;
        if (videoWidth > 0 && !played.widthsPx.includes(videoWidth)) played.widthsPx.push(videoWidth);
      };
      document.addEventListener('DOMContentLoaded', () => setInterval(sample, sampleMs));
    },
    { sampleMs: SAMPLE_MS, maxStepSec: MAX_STEP_SEC },
  );
}

/** Turns the sound on, as a viewer does with a click, and measures what the loudspeakers get. */
export async function listen(page: Page): Promise<void> {
  await page.mouse.click(5, 5);
  await page.evaluate(async () => {
    const video = document.querySelector('video')!;
    const context = new AudioContext();
    await context.resume();
    const analyser = context.createAnalyser();
    // Longer than the time between two samples.
    analyser.fftSize = 16_384;
    context.createMediaElementSource(video).connect(analyser);
    analyser.connect(context.destination);
    video.muted = false;
    const samples = new Float32Array(analyser.fftSize);
    window.newestPeak = () => {
      analyser.getFloatTimeDomainData(samples);
      return samples.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
    };
  });
}

/** Counts from now on. */
export async function restartPlayed(page: Page): Promise<void> {
  await page.evaluate(() => window.restartPlayed());
}

export async function playedInPage(page: Page): Promise<PagePlayback> {
  const { types, played } = await page.evaluate(() => ({
    types: window.sourceTypes.map(({ type }) => type),
    played: window.played,
  }));
  return { ...played, codecs: sampleEntriesOf(types.map(codecsOfType).join(',')) };
}

function codecsOfType(type: string): string {
  return /codecs="?([^"]*)"?/i.exec(type)?.[1] ?? type;
}

/** Of a CODECS attribute, video first. Of video, the profile and level are the encoder's and left out. */
export function sampleEntriesOf(codecs: string): string {
  const entries = codecs.split(',').map((codec) => (codec.startsWith('mp4a') ? codec : codec.split('.')[0]!));
  return entries.toSorted((a, b) => Number(isVideo(b)) - Number(isVideo(a))).join(' + ');
}

function isVideo(sampleEntry: string): boolean {
  return /^(?:avc|hvc|hev)1/.test(sampleEntry);
}
